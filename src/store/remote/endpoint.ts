/** The store as dialects speak to it: the two protocols over one wire. */

import { Failure } from '../../errors.ts'
import { sparqlClient, type Fetch } from '../protocol/client.ts'
import type { Dialect, Door } from './dialect.ts'
import { refusalOf } from './refusal.ts'
import { fetching, type ServiceClient } from '../../client/service.ts'

type Settings = {
  readonly dialect: Dialect
  readonly wire: Pick<ServiceClient, 'send' | 'fetch'>
  readonly queryEndpoint: string
  readonly updateEndpoint: string
  /** Time limit of a query in ms, told to stores that can be told. */
  readonly callMs?: number
  readonly name: () => string
  readonly pause: (ms: number) => Promise<void>
}

// What is constructed without a graph is written as triples in the format of quads too.
function headersFor({ headers }: RequestInit, { quads }: Dialect): Headers {
  const all = new Headers(headers)
  if (quads && all.get('accept') === 'application/n-triples') {
    all.set('accept', 'application/n-quads')
  }
  return all
}

/** The store ends a query itself when we no longer wait for it. */
function bodyFor({ body }: RequestInit, { dialect, callMs }: Settings) {
  if (!(body instanceof URLSearchParams) || !dialect.deadline || callMs === undefined) {
    return body
  }
  return new URLSearchParams([...body, ...Object.entries(dialect.deadline(callMs))])
}

/** A wire whose answers are whole: one that the store calls incomplete is one that met a time limit. */
function complete(wire: Settings['wire'], { incomplete }: Dialect): Settings['wire'] {
  if (!incomplete) return wire
  const send: ServiceClient['send'] = async (request, signal) => {
    const answer = await wire.send(request, signal)
    return incomplete(answer) ? { ...answer, status: 504 } : answer
  }
  return { send, fetch: fetching(send) }
}

/** A fetch whose answers are whole: a notice of the store that it gave up is an error. */
function whole(settings: Settings, wire: Settings['wire']): Fetch {
  const { dialect } = settings
  return async (url, options) => {
    const [headers, body] = [headersFor(options, dialect), bodyFor(options, settings)]
    const answer = await wire.fetch(url, { ...options, headers, ...(body && { body }) })
    if (!dialect.gaveUp) return answer
    const text = await answer.text()
    if (dialect.gaveUp(text)) {
      throw new Failure('time-limit', 'The triplestore ended a query at its limit.')
    }
    return { ok: answer.ok, status: answer.status, text: () => Promise.resolve(text) }
  }
}

/** Opens the door. */
export function doorOf(settings: Settings): Door {
  const { dialect, queryEndpoint, updateEndpoint, name, pause } = settings
  const wire = complete(settings.wire, dialect)
  const headers = { 'content-type': 'application/sparql-update' }
  const { respelt = (text: string) => text } = dialect
  const client = sparqlClient({ queryEndpoint, fetch: whole(settings, wire) })
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
    updateEndpoint,
    name,
    pause,
  }
}
