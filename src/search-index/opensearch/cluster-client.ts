/**
 * Client of OpenSearch: its own package with several addresses, over our connections; and the translation of its errors to failures. No
 * answer of a part of the shards is given out.
 */

import { Client, errors } from '@opensearch-project/opensearch'
import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { retryAfterMs } from '../../workers/retry.ts'
import {
  abortFailure,
  engineUnavailable,
  jsonText,
  type Obstacle,
  refusedCall,
} from '../remote/answers.ts'
import { type ClusterOptions, nodeConnections } from './cluster-nodes.ts'

/** Request to the cluster. */
type ClusterCall = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
  /** Begins with `/`; names in it are spelled for a URL. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean>>
  readonly body?: unknown
  /** Whether it changes something, which may take longer than a search. */
  readonly isChange?: boolean
  /** Lines of JSON in place of a body. */
  readonly lines?: readonly string[]
}

/**
 * Client of a cluster. `call` resolves with parsed JSON. It rejects with a `Failure`: `engine-unavailable` (no address answers, not in
 * time, overload, a refused key, no master, shards that are away), `time-limit` (if `signal` is aborted; a `Failure` as its reason takes
 * its place), `query-too-complex`, or `internal` (a refused request; the cause is a `ClusterRefusal`).
 */
export type ClusterClient = {
  readonly call: (request: ClusterCall, signal?: AbortSignal) => Promise<unknown>
  /** Aborts running calls and closes the connections. */
  readonly close: () => void
}

/** Makes a client; the first call opens a connection. */
export function connectCluster(options: ClusterOptions): ClusterClient {
  const { Connection, close } = nodeConnections(options)
  const client = new Client({
    nodes: options.urls.map((url) => url.replace(/\/+$/, '')),
    Connection,
    // Versions make it harmless to write twice. Sniffing stays off: addresses of nodes may be unreachable from here.
    maxRetries: Math.max(leastRetries, options.urls.length),
    resurrectStrategy: 'optimistic',
  })
  return { call: (request, signal) => callOf(client, request, { ...options, signal }), close }
}

/** Least number of times that a request is sent again. */
const leastRetries = 2
/** Most milliseconds until the head of an answer to a read where there is another address. */
const nextAddressMs = 4_000

type CallContext = Pick<ClusterOptions, 'urls' | 'callMs'> & {
  readonly signal: AbortSignal | undefined
}

async function callOf(
  client: Client,
  { method, path, query = {}, body, lines, isChange = false }: ClusterCall,
  { signal, urls, callMs }: CallContext,
): Promise<unknown> {
  if (signal?.aborted) throw abortFailure(signal.reason)
  const request = client.transport.request(
    {
      method,
      path,
      querystring: { ...query },
      ...(body !== undefined && { body: jsonText(body) }),
      ...(lines && { bulkBody: `${lines.join('\n')}\n` }),
    },
    { requestTimeout: attemptMs({ isChange, urls, callMs }) },
  )
  const abort = () => {
    request.abort()
  }
  signal?.addEventListener('abort', abort, { once: true })
  // The time of all attempts together.
  const late = new AbortController()
  late.signal.addEventListener('abort', abort, { once: true })
  const timer = setTimeout(() => late.abort(), callMs)
  try {
    const answer: unknown = (await request).body
    requireWhole(answer)
    return answer
  } catch (error) {
    if (signal?.aborted) throw abortFailure(signal.reason)
    throw late.signal.aborted ? unanswered(error) : failureOf(error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** Milliseconds until the head of an answer after which the request goes to another address, where there is one. */
function attemptMs({
  isChange,
  urls,
  callMs,
}: Omit<CallContext, 'signal'> & { isChange: boolean }) {
  if (urls.length === 1) return callMs
  return Math.min(isChange ? callMs : nextAddressMs, (callMs * 2) / 3)
}

const unanswered = (cause?: unknown) =>
  engineUnavailable('The search engine did not answer in time.', cause)

const shardsAnswer = z
  .object({
    _shards: z.object({
      total: z.number(),
      successful: z.number(),
      failed: z.number().default(0),
    }),
  })
  .transform(({ _shards: shards }) => shards)
const timedOutAnswer = z.object({ timed_out: z.literal(true) })

/** Throws for an answer of a part of the shards: it would have too few hits. A red index is not counted as failed. */
function requireWhole(answer: unknown): void {
  const shards = shardsAnswer.safeParse(answer).data
  const isSearch = typeof answer === 'object' && answer !== null && 'timed_out' in answer
  if (shards && (shards.failed > 0 || (isSearch && shards.successful < shards.total)))
    throw engineUnavailable('Some shards of the search engine are away.')
  if (timedOutAnswer.safeParse(answer).success && shards) throw unanswered()
}

/** Refused request: status and type of the error of OpenSearch. */
export class ClusterRefusal extends Error {
  readonly status: number
  readonly type: string

  constructor(status: number, type: string, message: string) {
    super(message.slice(0, 2048))
    this.name = 'ClusterRefusal'
    this.status = status
    this.type = type
  }
}

const errorBody = z.object({
  error: z.object({
    type: z.string().catch('none'),
    reason: z.string().nullish().catch(''),
    root_cause: z.array(z.object({ type: z.string(), reason: z.string().nullish() })).default([]),
  }),
})

/** Our failure for an error of the client. */
function failureOf(error: unknown): unknown {
  if (error instanceof errors.ResponseError) {
    const askedMs = retryAfterMs(error.headers?.['retry-after'], Date.now())
    return refused(error.statusCode ?? 0, error.body, askedMs)
  }
  if (error instanceof errors.DeserializationError)
    return engineUnavailable('The search engine sent an answer that is not JSON.', error)
  if (!(error instanceof errors.OpenSearchClientError)) return error
  const { cause } = error
  if (!(cause instanceof Failure)) return engineUnavailable('The search engine is away.', error)
  // A server that does not answer in time counts as unavailable.
  return cause.kind === 'time-limit' ? engineUnavailable(cause.detail, cause) : cause
}

/** Types of errors that can pass without a change of the request: of overload, of shards that move, and of nodes that come and go. */
const transientTypes =
  /^(?:rejected_execution|circuit_breaking|cluster_block|cluster_manager|process_cluster|failed_to_commit|no_shard|unavailable_shards|index_shard_|illegal_index_shard|shard_not_in_primary|already_closed|node_|no_such_node|.*transport_exception|task_cancelled|search_context_missing)/

/** Reasons of blocks: the disk of a node is full, or an operator has set the block. */
const [diskFull, readOnly] = [/read-only-allow-delete/, /\bFORBIDDEN\//]
/** Types of errors of an overloaded node. */
const overloads = /^(?:rejected_execution|circuit_breaking)/

/** Why a node does not take a call now; `undefined` for another reason. */
function obstacleOf(status: number, causes: readonly ErrorCause[]): Obstacle | undefined {
  const reasons = causes.flatMap(({ type, reason }) =>
    type === 'cluster_block_exception' ? [reason ?? ''] : [],
  )
  if (reasons.some((reason) => diskFull.test(reason))) return 'disk-full'
  if (reasons.some((reason) => readOnly.test(reason))) return 'read-only'
  if (reasons.length > 0) return undefined
  if (status === 401 || status === 403) return 'forbidden'
  const isOverload = status === 429 || causes.some(({ type }) => overloads.test(type))
  return isOverload ? 'overload' : undefined
}

type ErrorCause = { readonly type: string; readonly reason?: string | null | undefined }

/**
 * Failure for an error answer, or for the error of an item, whose body is an object with `error`. `askedMs`: milliseconds that it asks to
 * wait.
 */
export function refused(status: number, body: unknown, askedMs?: number): Failure {
  const parsed = errorBody.safeParse(body).data?.error
  const causes = [
    { type: parsed?.type ?? 'none', reason: parsed?.reason },
    ...(parsed?.root_cause ?? []),
  ]
  const { type, reason } = causes.at(-1) ?? { type: 'none', reason: '' }
  const refusal = new ClusterRefusal(status, type, reason ?? '')
  if (
    causes.some((one) => /^too_many_(?:clauses|nested|buckets)/.test(one.type)) ||
    isTooComplex(reason ?? '')
  )
    return new Failure('query-too-complex', 'The query is too complex for the search engine.', {
      cause: refusal,
    })
  if (isTooLarge(reason ?? ''))
    return new Failure('internal', 'A record is too large for the search engine.', {
      cause: refusal,
    })
  const obstacle = obstacleOf(status, causes)
  if (obstacle) return refusedCall(obstacle, refusal, askedMs)
  const isTransient = [408, 502, 503, 504].includes(status)
  if (isTransient || causes.some((one) => transientTypes.test(one.type)))
    return engineUnavailable('The search engine does not take the request now.', refusal)
  return new Failure('internal', 'The search engine refused a request.', { cause: refusal })
}

/** Whether an operation alone is larger than all that a node takes at a time, so that waiting does not help. */
function isTooLarge(reason: string): boolean {
  const [, own, most] = /_operation_bytes=(\d+), max_\w+_bytes=(\d+)/.exec(reason) ?? []
  return Number(own) > Number(most)
}

const isTooComplex = (reason: string): boolean =>
  /maxClauseCount|too_complex_to_determinize|nested depth/i.test(reason)

/** Whether a failure was caused by a refusal of this type. */
export const isRefusedAs = (error: unknown, type: string): boolean =>
  error instanceof Failure && error.cause instanceof ClusterRefusal && error.cause.type === type

/** Result of a call, or `absent` if its index is missing. */
export async function whenPresent<T, A>(call: Promise<T>, absent: A): Promise<T | A> {
  try {
    return await call
  } catch (error) {
    if (isRefusedAs(error, 'index_not_found_exception')) return absent
    throw error
  }
}
