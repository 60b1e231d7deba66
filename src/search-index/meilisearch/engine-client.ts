/**
 * The client of Meilisearch: JSON over the keep-alive connections of the shared service client, waiting for its tasks, and what its
 * errors mean for the platform. Answers are checked by the schemas of those who ask.
 */

import { z } from 'zod'
import { serviceClient } from '../../client/service.ts'
import type { ServiceRequest } from '../../client/service-request.ts'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Pause } from '../../workers/pause.ts'

/**
 * Every call answers the parsed JSON. It rejects with a `Failure`: `engine-unavailable` (no connection, a broken answer, too
 * much to do, key refused), `time-limit` (also when `signal` is aborted), `internal` (the request was wrong: a `Refusal` is
 * its cause). Paths begin with `/`.
 */
export type EngineClient = {
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

type ClientOptions = {
  readonly url: string
  readonly apiKey?: string
  readonly log: Log
  /** Milliseconds of any clock that only goes forward. */
  readonly now: () => number
  readonly pause: Pause
  /** Milliseconds of one call. */
  readonly callMs: number
}

type Sending = Pick<ServiceRequest, 'method' | 'idempotent' | 'body'> & { readonly type?: string }

/** Opens nothing yet: the first call makes the first connection. */
export function connect({ url, apiKey, log, now, pause, callMs }: ClientOptions): EngineClient {
  const client = serviceClient({
    service: { name: 'search engine', unavailable: 'engine-unavailable' },
    destroyAfterError: false,
    sockets: 16,
    retryable: () => false,
    log,
    pause,
    random: Math.random,
    now,
    limits: { connectMs: 3000, firstByteMs: callMs, totalMs: callMs, bytes: 256 * 2 ** 20 },
  })
  const root = url.replace(/\/+$/, '')
  const authorization: Record<string, string> = apiKey ? { Authorization: `Bearer ${apiKey}` } : {}
  const call = async (path: string, { type, ...sending }: Sending, signal?: AbortSignal) => {
    const headers: Record<string, string> = {
      ...authorization,
      ...(type !== undefined && { 'Content-Type': type }),
    }
    const request = { url: root + path, headers, ...sending }
    const { status, text } = await client.send(request, signal).catch((error: unknown) => {
      if (signal?.aborted) throw abandoned(signal.reason)
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
      const ndjson = { body: lines.join('\n'), type: 'application/x-ndjson' }
      return call(path, { method: 'POST', idempotent: true, ...ndjson }, signal)
    },
    close: () => void client.close(),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw away('The search engine sent an answer that is not JSON.', cause)
  }
}

/**
 * As `JSON.stringify`; half of a surrogate pair, which the parser of Meilisearch refuses (RFC 8259, 8.2), becomes U+FFFD. Names of
 * members are ours and have none.
 */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value)
  // Looking for halves in every text would take longer than writing it.
  if (!/\\ud[89a-f][0-9a-f]{2}/.test(text)) return text
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'string' ? one.toWellFormed() : one,
  )
}

/** Parses an answer. Throws `engine-unavailable` when it has another shape: that is not the server we know. */
export function expected<Shape>(shape: z.ZodType<Shape>, answer: unknown): Shape {
  const read = shape.safeParse(answer)
  if (read.success) return read.data
  throw away('The search engine sent an unexpected answer.', read.error)
}

const versionAnswer = z.object({ pkgVersion: z.string() })

/** 1.16 is the first that sorts in `documents/fetch`; 1.21 the last that was tested. */
const [oldest, newest] = [1016, 1021]

/** The server's release. Rejects with `internal` when it is too old. */
export async function releaseOf(client: EngineClient, log: Log): Promise<string> {
  const { pkgVersion: version } = expected(versionAnswer, await client.get('/version'))
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const release = major * 1000 + minor
  if (release < oldest)
    throw new Failure('internal', `Meilisearch ${version} is too old: 1.16 is the oldest.`)
  const isUntried = release > newest
  log[isUntried ? 'warn' : 'info']({ product: 'Meilisearch', version, isUntried }, 'engine.found')
  return version
}

/**
 * Resolves when tasks have succeeded, given the answers to the calls that began them: every write of Meilisearch is done later, and
 * the call of one that will fail resolves like any other. Rejects with the failure of the first that failed.
 */
export type TasksDone = (begun: readonly unknown[], signal?: AbortSignal) => Promise<void>

const begunTask = z.object({ taskUid: z.number() })
const tasksAnswer = z.object({
  results: z.array(
    z.object({ uid: z.number(), status: z.string(), error: z.unknown().optional() }),
  ),
})

/** Milliseconds between two looks: short for single writes, longer for those that take long anyway. */
const [firstPause, lastPause] = [2, 200]
/** Milliseconds of pauses until a task that the server does not list counts as lost, and one that does not end as stuck. */
const [mostUnlistedMs, mostMs] = [2000, 1_800_000]

/** Waits for the tasks of a server. Rejects with `engine-unavailable` when it has lost them or does not end them in half an hour. */
export function tasksOf(client: EngineClient, pause: Pause): TasksDone {
  const unending = new AbortController().signal
  return async (begun, signal = unending) => {
    let open = begun.map((one) => expected(begunTask, one).taskUid)
    let [waited, unlisted] = [0, 0]
    for (let ms = firstPause; open.length > 0; ms = Math.min(ms * 1.3, lastPause)) {
      await pause(ms, signal)
      waited += ms
      if (signal.aborted) throw abandoned(signal.reason)
      const answer = await client.get(`/tasks?uids=${open.join(',')}&limit=${open.length}`, signal)
      const { results } = expected(tasksAnswer, answer)
      unlisted = results.length < open.length ? unlisted + ms : 0
      if (unlisted > mostUnlistedMs) throw lostTasks(open)
      if (waited > mostMs) throw away(`The search engine has not ended its tasks ${open.join()}.`)
      for (const { uid, status, error } of results) {
        if (status === 'failed' || status === 'canceled') throw failedTask(error)
        if (status === 'succeeded') open = open.filter((one) => one !== uid)
      }
    }
  }
}

const lostTasks = (uids: readonly number[]): Failure =>
  away(
    'The search engine has lost what was written: it was emptied or restored.',
    new LostTasks(uids),
  )

/** A server that does not list tasks that it began: it is another one now, or an older copy of its data. */
class LostTasks extends Error {
  constructor(uids: readonly number[]) {
    super(`the tasks ${uids.join()} are not listed`)
    this.name = 'LostTasks'
  }
}

/** Whether a failed write says that the server does not have the data any more that it had. */
export const hasLostData = (error: unknown): boolean =>
  (error instanceof Failure && error.cause instanceof LostTasks) ||
  isRefusal(error, 'index_not_found')

/** A call that Meilisearch answered with an error of its own; `code` is its name for it, the status that of HTTP (0 for a task). */
export class Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message.slice(0, 2048))
    this.name = 'Refusal'
    this.status = status
    this.code = code
  }
}

/** The engine cannot be reached or cannot work: another try after some seconds makes sense. */
export const away = (detail: string, cause?: unknown): Failure =>
  new Failure('engine-unavailable', detail, { retryAfter: 2, cause })

/** An aborted call: its signal's own failure, else a time limit. */
const abandoned = (reason: unknown): Failure =>
  reason instanceof Failure
    ? reason
    : new Failure('time-limit', 'The search engine did not answer in time.', { cause: reason })

/** Keys that are not taken and a server that has too much to do may be better tomorrow; all else is our mistake. */
const passing = new Set([401, 403, 408, 429, 502, 503, 504])

/** Codes of a server that cannot work: its disk or memory is full. */
const unable = new Set(['no_space_left_on_device', 'too_many_open_files', 'io_error'])

/** The failure that an error answer becomes. */
export function refused(status: number, text: string): Failure {
  const refusal = refusalOf(status, text)
  if (passing.has(status) || unable.has(refusal.code))
    return away('The search engine does not take the request now.', refusal)
  return new Failure('internal', 'The search engine refused a request.', { cause: refusal })
}

function failedTask(error: unknown): Failure {
  const { code, message } = engineError.parse(error)
  const refusal = new Refusal(0, code, message)
  return unable.has(code)
    ? away('The search engine cannot write now.', refusal)
    : new Failure('internal', 'The search engine refused a write.', { cause: refusal })
}

const engineError = z
  .object({ code: z.string().catch('none'), message: z.string().catch('none') })
  .catch({ code: 'none', message: 'none' })

function refusalOf(status: number, text: string): Refusal {
  try {
    const { code, message } = engineError.parse(JSON.parse(text))
    return new Refusal(status, code, message)
  } catch {
    return new Refusal(status, 'none', text)
  }
}

/** Whether a failure is this refusal of Meilisearch. */
export const isRefusal = (error: unknown, code: string): boolean =>
  error instanceof Failure && error.cause instanceof Refusal && error.cause.code === code
