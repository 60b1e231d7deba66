/** The embedded store as a SPARQL server without a socket: `…/query`, `…/update`, `…/data`. */

import { Failure, type Kind } from '../../../errors.ts'
import type { Calls } from '../calls.ts'
import type { Answered, Exchange } from './exchange.ts'
import { answerGraph } from './graph-door.ts'
import { answerQuery, answerUpdate } from './query-door.ts'

const statuses: Partial<Record<Kind, number>> = {
  'malformed-query': 400,
  'malformed-rdf': 400,
  'invalid-content': 400,
  'invalid-parameter': 400,
  'remote-context': 400,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  'too-large': 413,
  'unsupported-media-type': 415,
  'store-unavailable': 503,
  'time-limit': 504,
  'store-full': 507,
}

async function answer(calls: Calls, exchange: Exchange): Promise<Answered> {
  const door = exchange.url.pathname.split('/').at(-1)
  if (door === 'query') return answerQuery(calls, exchange)
  if (door === 'update') return answerUpdate(calls, exchange)
  if (door === 'data') return answerGraph(calls, exchange)
  throw new Failure('not-found', 'The store answers at /query, /update and /data.')
}

const responseOf = ({ status, body, headers = {} }: Answered) =>
  new Response(body ?? null, { status, headers })

function refusal(error: unknown): Response {
  if (!(error instanceof Failure)) throw error
  const { kind, detail, errors, headers, retryAfter } = error
  const status = statuses[kind] ?? 500
  const body = JSON.stringify({ type: `urn:cartulary:problem:${kind}`, status, detail, errors })
  return new Response(body, {
    status,
    headers: {
      ...headers,
      'content-type': 'application/problem+json',
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
  })
}

/** Answers requests of the two protocols; what a client did wrong is a problem in the answer. */
export const protocolOf =
  (calls: Calls) =>
  async (request: Request): Promise<Response> => {
    const { method, url, headers, signal } = request
    try {
      const body = await request.text()
      return responseOf(await answer(calls, { method, url: new URL(url), headers, body, signal }))
    } catch (error) {
      return refusal(error)
    }
  }
