/**
 * A store as dialects speak to it: queries and updates by the SPARQL 1.1 Protocol through `sparql-http-client`, over the client for
 * services of the operator's own. Every answer is whole or a `Failure`.
 */

import SimpleClient from 'sparql-http-client/SimpleClient.js'
import type { ServiceAnswer } from '../../client/service-request.ts'
import type { ServiceClient } from '../../client/service.ts'
import { Failure, type Kind } from '../../errors.ts'
import { booleanOf, solutionRows } from '../sparql-results.ts'
import type { Dialect, StoreEndpoint } from './dialect.ts'

type Settings = {
  readonly dialect: Dialect
  readonly service: Pick<ServiceClient, 'send'>
  readonly queryEndpoint: string
  readonly updateEndpoint: string
  /** Time limit of a query in ms, told to stores that can be told. */
  readonly callMs?: number
  readonly name: () => string
  readonly pause: (ms: number) => Promise<void>
}

const queryKinds: Readonly<Record<number, Kind>> = {
  400: 'malformed-query',
  413: 'too-large',
  504: 'time-limit',
  507: 'store-full',
}

const updateKinds: Readonly<Record<number, Kind>> = {
  400: 'invalid-content',
  413: 'too-large',
  422: 'invalid-content',
  504: 'time-limit',
  507: 'store-full',
}

const details: Partial<Record<Kind, string>> = {
  'invalid-content': 'The triplestore refused the triples.',
  'too-large': 'The write is larger than the triplestore takes.',
  'store-full': 'The triplestore has no room.',
}

/** The failure of an update that was answered with an error: the store's own words stay in the cause. */
function refusalOf(answer: ServiceAnswer, { refused }: Dialect): Failure {
  const { status, text } = answer
  const kind = refused?.(answer) ?? updateKinds[status] ?? 'store-unavailable'
  const detail = details[kind] ?? `The triplestore answered a write with ${status}.`
  const more = kind === 'store-unavailable' ? { retryAfter: 5 } : {}
  return new Failure(kind, detail, { ...more, cause: text.slice(0, 2000) })
}

/** The text of the answer to a query. */
function textOf({ status, text }: ServiceAnswer, { gaveUp }: Dialect): string {
  if (gaveUp?.(text)) throw new Failure('time-limit', 'The triplestore ended a query at its limit.')
  if (status < 300) return text
  const kind = queryKinds[status] ?? 'store-unavailable'
  throw new Failure(kind, `The store answered with ${status}.`, { cause: text })
}

/** Asks with `work`, whose client is made for this one call: it knows no signal, so its `fetch` carries it. */
async function asked(
  { queryEndpoint, updateEndpoint }: Settings,
  send: (body: string, url: string, headers: Record<string, string>) => Promise<ServiceAnswer>,
  work: (client: SimpleClient) => Promise<Response>,
): Promise<ServiceAnswer> {
  const fetch = (url: string | URL, { body, headers }: { body: string; headers: Headers }) =>
    send(body, String(url), Object.fromEntries(headers))
  // Only the simple client: the others lose rows of cut answers, and a bad answer ends the process.
  const client = new SimpleClient({
    endpointUrl: queryEndpoint,
    updateUrl: updateEndpoint,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client hands the answer on as it is
    fetch: fetch as unknown as typeof globalThis.fetch,
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `fetch` gave
  return (await work(client)) as unknown as ServiceAnswer
}

/** Opens the endpoint; nothing is sent yet. */
export function openEndpoint(settings: Settings): StoreEndpoint {
  const { dialect, service, queryEndpoint, updateEndpoint, callMs, name, pause } = settings
  const { respelt = (text: string) => text, incomplete } = dialect
  const send: ServiceClient['send'] = async (request, signal) => {
    const answer = await service.send(request, signal)
    // One that the store calls incomplete is one that met a time limit.
    return incomplete?.(answer) ? { ...answer, status: 504 } : answer
  }
  const call = (work: (client: SimpleClient) => Promise<Response>, signal?: AbortSignal) =>
    asked(
      settings,
      // Queries change nothing, and differences of ground triples do the same when they are done twice.
      (body, url, headers) =>
        send({ url, method: 'POST', headers, body, idempotent: true }, signal),
      work,
    )
  // As a form, because all stores take that. The store ends a query itself when we no longer wait for it.
  const options = {
    operation: 'postUrlencoded',
    parameters: callMs === undefined ? {} : { ...dialect.deadline?.(callMs) },
  } as const
  // What is constructed without a graph is written as triples in the format of quads too.
  const graphs = new Headers({ accept: `application/n-${dialect.quads ? 'quads' : 'triples'}` })
  const update = new Headers({ 'content-type': 'application/sparql-update' })
  return {
    ask: async (query, signal) =>
      booleanOf(textOf(await call(({ query: all }) => all.ask(query, options), signal), dialect)),
    select: async (query, signal) =>
      solutionRows(
        textOf(await call(({ query: all }) => all.select(query, options), signal), dialect),
      ),
    construct: async (query, signal) => {
      const shape = { ...options, headers: graphs }
      const answer = await call(({ query: all }) => all.construct(query, shape), signal)
      return respelt(textOf(answer, dialect))
    },
    update: async (text) => {
      const direct = { operation: 'postDirect', headers: update } as const
      const answer = await call(({ query: all }) => all.update(text, direct))
      if (answer.status >= 300) throw refusalOf(answer, dialect)
    },
    send,
    queryEndpoint,
    updateEndpoint,
    name,
    pause,
  }
}
