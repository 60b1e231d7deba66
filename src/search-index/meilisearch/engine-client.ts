/** The client of Meilisearch: JSON over the lasting connections of the shared service client, and waiting for its tasks. */

import { z } from 'zod'
import { serviceClient } from '../../client/service.ts'
import type { ServiceRequest } from '../../client/service-exchange.ts'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Pause } from '../../workers/retry.ts'
import { away, expected, failedTask, givenUp, refused } from './engine-failures.ts'

/**
 * Every call answers the parsed JSON. It rejects with a `Failure`: `engine-unavailable` (no connection, a broken answer, too
 * much to do, key refused), `time-limit` (also when `signal` is aborted), `internal` (the request was wrong: a `Refusal` is
 * its cause). Paths begin with `/`.
 */
export type Wire = {
  get(path: string, signal?: AbortSignal): Promise<unknown>
  post(path: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  /** A `post` that must not arrive twice: never sent again over another connection. */
  once(path: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  patch(path: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  remove(path: string, signal?: AbortSignal): Promise<unknown>
  /** Lines of JSON, one document each. */
  lines(path: string, lines: readonly string[], signal?: AbortSignal): Promise<unknown>
  /** Ends what runs. */
  close(): void
}

type WireOptions = {
  readonly url: string
  readonly apiKey?: string
  readonly log: Log
  /** Milliseconds of any clock that only goes forward. */
  readonly now: () => number
  readonly pause: Pause
  /** Milliseconds of one call. */
  readonly callMs: number
}

/** Connections at the same time. */
const sockets = 16
const connectMs = 3000
const longestAnswer = 256 * 1024 * 1024
const ndjson = 'application/x-ndjson'

type Sending = Pick<ServiceRequest, 'method' | 'idempotent'> & {
  readonly body?: string
  readonly type?: string
}

/** Opens nothing yet: the first call makes the first connection. */
export function connect({ url, apiKey, log, now, pause, callMs }: WireOptions): Wire {
  const client = serviceClient({
    service: { name: 'search engine', unavailable: 'engine-unavailable' },
    destroyAfterError: false,
    sockets,
    retryable: () => false,
    log,
    pause,
    random: Math.random,
    now,
    limits: { connectMs, firstByteMs: callMs, totalMs: callMs, bytes: longestAnswer },
  })
  const root = url.replace(/\/+$/, '')
  const authorization = apiKey ? { Authorization: `Bearer ${apiKey}` } : {}
  const call = async (path: string, { type, ...sending }: Sending, signal?: AbortSignal) => {
    const headers = { ...authorization, ...(type !== undefined && { 'Content-Type': type }) }
    const request = { url: root + path, headers, ...sending }
    const { status, text } = await client.send(request, signal).catch((error: unknown) => {
      if (signal?.aborted) throw givenUp(signal.reason)
      // A server that takes so long is as good as none.
      if (error instanceof Failure && error.kind === 'time-limit') throw away(error.detail, error)
      throw error
    })
    if (status >= 400) throw refused(status, text)
    return text === '' ? undefined : parsed(text)
  }
  const json = (method: ServiceRequest['method'], body: unknown, idempotent = true): Sending => ({
    method,
    body: jsonText(body),
    type: 'application/json',
    idempotent,
  })
  return {
    get: (path, signal) => call(path, { method: 'GET', idempotent: true }, signal),
    post: (path, body, signal) => call(path, json('POST', body), signal),
    once: (path, body, signal) => call(path, json('POST', body, false), signal),
    patch: (path, body, signal) => call(path, json('PATCH', body), signal),
    remove: (path, signal) => call(path, { method: 'DELETE', idempotent: true }, signal),
    lines: (path, lines, signal) => {
      const body = lines.join('\n')
      return call(path, { method: 'POST', body, type: ndjson, idempotent: true }, signal)
    },
    close: () => void client.close(),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw away('The search engine answered something else than JSON.', cause)
  }
}

const half = /\\ud[89a-f][0-9a-f]{2}/

/**
 * As `JSON.stringify`; half of a surrogate pair, which the parser of Meilisearch refuses (RFC 8259, 8.2), becomes U+FFFD. Names of
 * members are ours and have none.
 */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value)
  // Looking for them in every text would take longer than writing it.
  return half.test(text) ? JSON.stringify(value, wellFormed) : text
}

const wellFormed = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed() : value

const versionAnswer = z.object({ pkgVersion: z.string() })

/** Sorting in `documents/fetch` came with this release. */
const oldest = [1, 16] as const
/** The newest that was tried. */
const newest = [1, 21] as const

/** The server's release. Rejects with `internal` when it is too old. */
export async function releaseOf(wire: Wire, log: Log): Promise<string> {
  const { pkgVersion: version } = expected(versionAnswer, await wire.get('/version'))
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (before([major, minor], oldest))
    throw new Failure('internal', `Meilisearch ${version} is too old: 1.16 is the oldest.`)
  const isUntried = before(newest, [major, minor])
  log[isUntried ? 'warn' : 'info']({ product: 'Meilisearch', version, isUntried }, 'engine.found')
  return version
}

const before = (a: readonly [number, number], b: readonly [number, number]): boolean =>
  a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])

/** Every write of Meilisearch is a task that it does later, and a failed one resolves like a good one. */
export type Tasks = {
  /** Resolves when all have succeeded; each argument is the answer to the call that began it. */
  done(begun: readonly unknown[], signal?: AbortSignal): Promise<void>
}

const begunTask = z.object({ taskUid: z.number() })
const tasksAnswer = z.object({
  results: z.array(
    z.object({ uid: z.number(), status: z.string(), error: z.unknown().optional().optional() }),
  ),
})

/** Milliseconds between two looks: short for single writes, longer for those that take long anyway. */
const firstPause = 2
const lastPause = 200

export function tasksOf(
  wire: Wire,
  pause: (ms: number, signal: AbortSignal) => Promise<void>,
): Tasks {
  const unending = new AbortController().signal
  return {
    done: async (begun, signal = unending) => {
      let open = begun.map((one) => expected(begunTask, one).taskUid)
      for (let ms = firstPause; open.length > 0; ms = Math.min(ms * 1.3, lastPause)) {
        await pause(ms, signal)
        if (signal.aborted) throw givenUp(signal.reason)
        const answer = await wire.get(`/tasks?uids=${open.join(',')}&limit=${open.length}`, signal)
        for (const { uid, status, error } of expected(tasksAnswer, answer).results) {
          if (status === 'failed' || status === 'canceled') throw failedTask(error)
          if (status === 'succeeded') open = open.filter((one) => one !== uid)
        }
      }
    },
  }
}
