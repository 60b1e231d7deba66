/**
 * Sends queries and updates by the SPARQL 1.1 Protocol through `sparql-http-client`, over the platform's client for the operator's
 * services. Every answer is complete or a `Failure`.
 */

import SimpleClient from 'sparql-http-client/SimpleClient.js'
import type { ServiceAnswer } from '../../client/service-request.ts'
import type { ServiceClient } from '../../client/service.ts'
import { Failure, type Kind } from '../../errors.ts'
import { booleanOf, solutionRows } from '../sparql-results.ts'
import type { Dialect, StoreEndpoint } from './dialect.ts'

type EndpointSettings = {
  readonly dialect: Dialect
  readonly service: Pick<ServiceClient, 'send'>
  readonly queryEndpoint: string
  readonly updateEndpoint: string
  /** Time limit of a query in ms, sent to stores that accept one. */
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

/** Failure of an update that was answered with an error; the text of the store is its cause. */
function updateFailure(answer: ServiceAnswer, { failureKind }: Dialect): Failure {
  const { status, text } = answer
  const kind = failureKind?.(answer) ?? updateKinds[status] ?? 'store-unavailable'
  const detail = details[kind] ?? `The triplestore answered a write with ${status}.`
  const retryOptions = kind === 'store-unavailable' ? { retryAfter: 5 } : {}
  return new Failure(kind, detail, { ...retryOptions, cause: text.slice(0, 2000) })
}

/** Text of the answer to a query; throws for errors. */
function textOf({ status, text }: ServiceAnswer, { isTimeoutNotice }: Dialect): string {
  if (isTimeoutNotice?.(text))
    throw new Failure('time-limit', 'The triplestore ended a query at its limit.')
  if (status < 300) return text
  const kind = queryKinds[status] ?? 'store-unavailable'
  throw new Failure(kind, `The store answered with ${status}.`, { cause: text })
}

/** Runs `work` with a client for this one call, whose `fetch` passes the signal, which the client does not support. */
async function sendWithClient(
  { queryEndpoint, updateEndpoint }: EndpointSettings,
  send: (body: string, url: string, headers: Record<string, string>) => Promise<ServiceAnswer>,
  work: (client: SimpleClient) => Promise<Response>,
): Promise<ServiceAnswer> {
  const fetch = (url: string | URL, { body, headers }: { body: string; headers: Headers }) =>
    send(body, String(url), Object.fromEntries(headers))
  // The simple client, because the others lose rows of truncated answers, and an invalid answer ends the process.
  const client = new SimpleClient({
    endpointUrl: queryEndpoint,
    updateUrl: updateEndpoint,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client hands the answer on as it is
    fetch: fetch as unknown as typeof globalThis.fetch,
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `fetch` gave
  return (await work(client)) as unknown as ServiceAnswer
}

/** Creates an endpoint without sending a request. */
export function openEndpoint(settings: EndpointSettings): StoreEndpoint {
  const { dialect, service, queryEndpoint, updateEndpoint, callMs, name, pause } = settings
  const { normalise = (text: string) => text, isIncomplete } = dialect
  const send: ServiceClient['send'] = async (request, signal) => {
    const answer = await service.send(request, signal)
    // Incomplete answers are treated as time-outs.
    return isIncomplete?.(answer) ? { ...answer, status: 504 } : answer
  }
  const call = (work: (client: SimpleClient) => Promise<Response>, signal?: AbortSignal) =>
    sendWithClient(
      settings,
      // Idempotent, because queries change nothing, and adding or removing triples twice changes nothing more.
      (body, url, headers) =>
        send({ url, method: 'POST', headers, body, isIdempotent: true }, signal),
      work,
    )
  // As a form, which all stores accept. With the deadline the store ends queries that are no longer waited for.
  const options = {
    operation: 'postUrlencoded',
    parameters: callMs === undefined ? {} : { ...dialect.deadline?.(callMs) },
  } as const
  // N-Quads contain triples as well.
  const graphHeaders = new Headers({
    accept: `application/n-${dialect.constructsQuads ? 'quads' : 'triples'}`,
  })
  const updateHeaders = new Headers({ 'content-type': 'application/sparql-update' })
  return {
    ask: async (query, signal) =>
      booleanOf(textOf(await call(({ query: api }) => api.ask(query, options), signal), dialect)),
    select: async (query, signal) =>
      solutionRows(
        textOf(await call(({ query: api }) => api.select(query, options), signal), dialect),
      ),
    construct: async (query, signal) => {
      const graphOptions = { ...options, headers: graphHeaders }
      const answer = await call(({ query: api }) => api.construct(query, graphOptions), signal)
      return normalise(textOf(answer, dialect))
    },
    update: async (text) => {
      const direct = { operation: 'postDirect', headers: updateHeaders } as const
      const answer = await call(({ query: api }) => api.update(text, direct))
      if (answer.status >= 300) throw updateFailure(answer, dialect)
    },
    send,
    queryEndpoint,
    updateEndpoint,
    name,
    pause,
  }
}
