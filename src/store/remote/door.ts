/** The store as dialects speak to it: the two protocols over one wire. */

import { Failure } from '../../errors.ts'
import { sparqlClient, type Fetch } from '../protocol/client.ts'
import type { Dialect, Door } from './dialect.ts'
import { refusalOf } from './refusal.ts'
import type { Wire } from './wire/wire.ts'

type Settings = {
  readonly dialect: Dialect
  readonly wire: Pick<Wire, 'send' | 'fetch'>
  readonly queryEndpoint: string
  readonly updateEndpoint: string
  readonly name: () => string
  readonly pause: (ms: number) => Promise<void>
}

/** A fetch whose answers are whole: a notice of the store that it gave up is an error. */
function whole(fetch: Fetch, { gaveUp, quads }: Dialect): Fetch {
  return async (url, options) => {
    const answer = await fetch(url, quads ? withQuads(options) : options)
    if (!gaveUp || !answer.ok) return answer
    const text = await answer.text()
    if (gaveUp(text)) throw new Failure('time-limit', 'The triplestore ended a query at its limit.')
    return { ok: answer.ok, status: answer.status, text: () => Promise.resolve(text) }
  }
}

// What is constructed without a graph is written as triples in this format too.
function withQuads(options: RequestInit): RequestInit {
  const headers = new Headers(options.headers)
  if (headers.get('accept') === 'application/n-triples')
    headers.set('accept', 'application/n-quads')
  return { ...options, headers }
}

/** Opens the door. */
export function doorOf({ dialect, wire, ...settings }: Settings): Door {
  const { queryEndpoint, updateEndpoint, name, pause } = settings
  const headers = { 'content-type': 'application/sparql-update' }
  const { respelt = (text: string) => text } = dialect
  const client = sparqlClient({ queryEndpoint, fetch: whole(wire.fetch, dialect) })
  return {
    ...client,
    construct: async (query, signal) => respelt(await client.construct(query, signal)),
    update: async (text) => {
      const answer = await wire.send({
        url: updateEndpoint,
        method: 'POST',
        headers,
        body: text,
        idempotent: true,
      })
      if (answer.status >= 300) throw refusalOf(answer, dialect)
    },
    send: wire.send,
    queryEndpoint,
    name,
    pause,
  }
}
