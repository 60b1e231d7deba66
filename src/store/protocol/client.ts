/** Our queries by the SPARQL Protocol, the same for every dialect; what differs is the `fetch` underneath. */

import SimpleClient from 'sparql-http-client/SimpleClient.js'
import { Failure, type Kind } from '../../errors.ts'
import type { GraphStore } from '../graph-store.ts'
import { booleanOf, rowsOf } from '../sparql-results.ts'

/** As much of a `Response` as is read here; an answer that never saw a socket need not be more. */
type Answer = Pick<Response, 'ok' | 'status' | 'text'>

/** A `fetch` that brings its own limits (time, bytes) and reads the signal of its options. */
export type Fetch = (url: string | URL, options: RequestInit) => Promise<Answer>

type Endpoint = { readonly queryEndpoint: string; readonly fetch: Fetch }

const kinds: Readonly<Record<number, Kind>> = {
  400: 'malformed-query',
  413: 'too-large',
  504: 'time-limit',
  507: 'store-full',
}

async function textOf(response: Answer): Promise<string> {
  const text = await response.text()
  if (response.ok) return text
  const kind = kinds[response.status] ?? 'store-unavailable'
  throw new Failure(kind, `The store answered with ${response.status}.`, { cause: text })
}

// Only the simple client: the others lose rows of cut answers, and a bad answer ends the process. It knows no signal,
// so every call has a client of its own whose fetch carries it. Queries go as a form: all stores take that.
function clientFor({ queryEndpoint, fetch }: Endpoint, signal: AbortSignal | undefined) {
  const carry = (url: string | URL, options?: RequestInit) =>
    fetch(url, signal ? { ...options, signal } : { ...options })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client hands the answer on as it is
  return new SimpleClient({ endpointUrl: queryEndpoint, fetch: carry as typeof globalThis.fetch })
}

const operation = 'postUrlencoded'

/** `ask`, `select` and `construct` of the store type: whole answers or a `Failure`. */
export function sparqlClient(endpoint: Endpoint): Pick<GraphStore, 'ask' | 'select' | 'construct'> {
  return {
    ask: async (query, signal) =>
      booleanOf(await textOf(await clientFor(endpoint, signal).query.ask(query, { operation }))),
    select: async (query, signal) =>
      rowsOf(await textOf(await clientFor(endpoint, signal).query.select(query, { operation }))),
    construct: async (query, signal) => {
      const headers = { accept: 'application/n-triples' }
      const { query: client } = clientFor(endpoint, signal)
      return textOf(await client.construct(query, { operation, headers }))
    },
  }
}
