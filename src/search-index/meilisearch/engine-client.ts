/**
 * Client of Meilisearch: JSON over HTTP, the wait for its tasks, and the translation of its errors to failures. Callers check answers
 * with `parseAnswer`.
 */

import { z } from 'zod'
import type { ServiceRequest } from '../../client/service-request.ts'
import { serviceClient } from '../../client/service.ts'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import {
  abortFailure,
  engineUnavailable,
  jsonText,
  parseAnswer,
  parseJson,
} from '../remote/answers.ts'
import type { Pause } from '../../workers/pause.ts'

/**
 * Client of a server. Calls resolve with parsed JSON. They reject with a `Failure`: `engine-unavailable` (no connection, no
 * answer in time, invalid answer, overload, key refused), `time-limit` (if `signal` is aborted; a `Failure` as its reason takes
 * its place), or `internal` (invalid request; the cause is a `Refusal`). Paths begin with `/`.
 */
export type EngineClient = {
  get(path: string, signal?: AbortSignal): Promise<unknown>
  post(path: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  /** As `post`, but never sent again after a connection error, because it must not be carried out twice. */
  postOnce(path: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  patch(path: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  remove(path: string, signal?: AbortSignal): Promise<unknown>
  /** Posts documents, one line of JSON each. */
  postLines(path: string, lines: readonly string[], signal?: AbortSignal): Promise<unknown>
  /** Aborts running calls and closes the connections. */
  close(): void
}

type ClientOptions = {
  readonly url: string
  readonly apiKey?: string
  readonly log: Log
  /** Milliseconds that never decrease. */
  readonly now: () => number
  readonly pause: Pause
  /** Most milliseconds of a call. */
  readonly callMs: number
}

type CallOptions = Pick<ServiceRequest, 'method' | 'isIdempotent' | 'body'> & {
  readonly type?: string
}

/** Request with a JSON body. */
const json = (
  method: ServiceRequest['method'],
  body: unknown,
  isIdempotent = true,
): CallOptions => ({
  method,
  body: jsonText(body),
  type: 'application/json',
  isIdempotent,
})

/** Makes a client; the first call opens a connection. */
export function connectEngine({
  url,
  apiKey,
  log,
  now,
  pause,
  callMs,
}: ClientOptions): EngineClient {
  const client = serviceClient({
    service: { name: 'search engine', unavailable: 'engine-unavailable' },
    closesAfterError: false,
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
  const call = async (path: string, { type, ...options }: CallOptions, signal?: AbortSignal) => {
    const headers: Record<string, string> = {
      ...authorization,
      ...(type !== undefined && { 'Content-Type': type }),
    }
    const request = { url: root + path, headers, ...options }
    const { status, text } = await client.send(request, signal).catch((error: unknown) => {
      if (signal?.aborted) throw abortFailure(signal.reason)
      // A server that does not answer in time counts as unavailable.
      if (error instanceof Failure && error.kind === 'time-limit')
        throw engineUnavailable(error.detail, error)
      throw error
    })
    if (status >= 400) throw refusalFailure(status, text)
    return text === '' ? undefined : parseJson(text)
  }
  return {
    get: (path, signal) => call(path, { method: 'GET', isIdempotent: true }, signal),
    post: (path, body, signal) => call(path, json('POST', body), signal),
    postOnce: (path, body, signal) => call(path, json('POST', body, false), signal),
    patch: (path, body, signal) => call(path, json('PATCH', body), signal),
    remove: (path, signal) => call(path, { method: 'DELETE', isIdempotent: true }, signal),
    postLines: (path, lines, signal) => {
      const ndjson = { body: lines.join('\n'), type: 'application/x-ndjson' }
      return call(path, { method: 'POST', isIdempotent: true, ...ndjson }, signal)
    },
    close: () => void client.close(),
  }
}

const versionAnswer = z.object({ pkgVersion: z.string() })

/** Oldest supported release, the first that sorts in `documents/fetch`, and newest tested one, as 1000 × major + minor. */
const [oldestRelease, newestRelease] = [1016, 1021]

/** Reads and logs the release of the server. Rejects with `internal` if it is too old. */
export async function releaseOf(client: EngineClient, log: Log): Promise<string> {
  const { pkgVersion: version } = parseAnswer(versionAnswer, await client.get('/version'))
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const release = major * 1000 + minor
  if (release < oldestRelease)
    throw new Failure('internal', `Meilisearch ${version} is too old: 1.16 is the oldest.`)
  const isUntried = release > newestRelease
  log[isUntried ? 'warn' : 'info']({ product: 'Meilisearch', version, isUntried }, 'engine.found')
  return version
}

/**
 * Waits until tasks have succeeded, given the answers of the calls that started them: Meilisearch answers a write before it is carried
 * out. Rejects with the failure of the first task that fails.
 */
export type WaitForTasks = (started: readonly unknown[], signal?: AbortSignal) => Promise<void>

const startedTask = z.object({ taskUid: z.number() })
const tasksAnswer = z.object({
  results: z.array(
    z.object({ uid: z.number(), status: z.string(), error: z.unknown().optional() }),
  ),
})

/** First and longest pause between two polls, in ms. */
const [firstPause, lastPause] = [2, 200]
/** Milliseconds after which a task that the server does not list counts as lost, and after which one that has not ended fails. */
const [mostUnlistedMs, mostTaskMs] = [2000, 1_800_000]

/**
 * Makes the function that waits for tasks of a server. It rejects with `engine-unavailable` if the server does not know the tasks, or
 * has not ended them after half an hour.
 */
export function taskWaiter(client: EngineClient, pause: Pause): WaitForTasks {
  const unending = new AbortController().signal
  return async (started, signal = unending) => {
    let openTasks = started.map((answer) => parseAnswer(startedTask, answer).taskUid)
    let [waitedMs, unlistedMs] = [0, 0]
    for (let ms = firstPause; openTasks.length > 0; ms = Math.min(ms * 1.3, lastPause)) {
      await pause(ms, signal)
      waitedMs += ms
      if (signal.aborted) throw abortFailure(signal.reason)
      const answer = await client.get(
        `/tasks?uids=${openTasks.join(',')}&limit=${openTasks.length}`,
        signal,
      )
      const { results } = parseAnswer(tasksAnswer, answer)
      unlistedMs = results.length < openTasks.length ? unlistedMs + ms : 0
      if (unlistedMs > mostUnlistedMs) throw lostTasks(openTasks)
      if (waitedMs > mostTaskMs)
        throw engineUnavailable(`The search engine has not ended its tasks ${openTasks.join()}.`)
      for (const { uid, status, error } of results) {
        if (status === 'failed' || status === 'canceled') throw taskFailure(error)
        if (status === 'succeeded') openTasks = openTasks.filter((openTask) => openTask !== uid)
      }
    }
  }
}

const lostTasks = (uids: readonly number[]): Failure =>
  engineUnavailable(
    'The search engine has lost what was written: it was emptied or restored.',
    new LostTasks(uids),
  )

/** Error for tasks that the server does not know, because its data was emptied or restored. */
class LostTasks extends Error {
  constructor(uids: readonly number[]) {
    super(`the tasks ${uids.join()} are not listed`)
    this.name = 'LostTasks'
  }
}

/** Whether a failed write means that the server has lost its data. */
export const hasLostData = (error: unknown): boolean =>
  (error instanceof Failure && error.cause instanceof LostTasks) ||
  isRefusal(error, 'index_not_found')

/** Error answer of Meilisearch with its error code, and the HTTP status (0 for a task). */
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

/** HTTP statuses that can pass without a change of the request, such as a refused key or overload. */
const transientStatuses = new Set([401, 403, 408, 429, 502, 503, 504])

/** Error codes of a server that lacks resources. */
const transientCodes = new Set(['no_space_left_on_device', 'too_many_open_files', 'io_error'])

/** Failure for an error answer: `engine-unavailable` if it can pass, else `internal`. */
export function refusalFailure(status: number, text: string): Failure {
  const refusal = refusalOf(status, text)
  if (transientStatuses.has(status) || transientCodes.has(refusal.code))
    return engineUnavailable('The search engine does not take the request now.', refusal)
  return new Failure('internal', 'The search engine refused a request.', { cause: refusal })
}

function taskFailure(error: unknown): Failure {
  const { code, message } = engineError.parse(error)
  const refusal = new Refusal(0, code, message)
  return transientCodes.has(code)
    ? engineUnavailable('The search engine cannot write now.', refusal)
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

/** Whether a failure was caused by an error answer with this code. */
export const isRefusal = (error: unknown, code: string): boolean =>
  error instanceof Failure && error.cause instanceof Refusal && error.cause.code === code
