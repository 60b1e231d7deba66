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
  /** Of the Graph Store Protocol, where there is one. */
  readonly graphEndpoint?: string | undefined
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

/** Milliseconds for what has no length of its own; whoever waits has a limit of theirs. */
const streamMs = 1_800_000
const streamLimits = { firstByteMs: streamMs, totalMs: streamMs }

/** Reads a graph by the Graph Store Protocol (SPARQL 1.1 Graph Store HTTP Protocol, 5.2), which no store cuts or times. */
function downloading({ graphEndpoint }: Settings, wire: Settings['wire']): Door['download'] {
  if (graphEndpoint === undefined) return undefined
  return async (graph, into, signal) => {
    const url = new URL(graphEndpoint)
    url.searchParams.set('graph', graph)
    const headers = { accept: 'application/n-triples' }
    const request = { url: url.href, method: 'GET', headers, idempotent: true, into } as const
    const { status } = await wire.send({ ...request, limits: streamLimits }, signal)
    // Nothing is in it: the store may say that there is no such graph.
    if (status === 404) into()
    else if (status >= 300) {
      throw new Failure('store-unavailable', `The triplestore answered a read with ${status}.`)
    }
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
    updateStreamed: async (body, signal) => {
      const request = {
        url: updateEndpoint,
        method: 'POST',
        headers,
        body,
        idempotent: true,
      } as const
      const answer = await wire.send({ ...request, limits: streamLimits }, signal)
      if (answer.status >= 300) throw refusalOf(answer, dialect)
    },
    download: downloading(settings, wire),
    send: wire.send,
    queryEndpoint,
    updateEndpoint,
    name,
    pause,
  }
}
