/**
 * Client of Meilisearch: its own package over our connections, the wait for its tasks, and the translation of its errors to failures. Callers check answers
 * with `parseAnswer`.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { Meilisearch, MeilisearchRequestError, MeilisearchTaskTimeOutError } from 'meilisearch'
import { z } from 'zod'
import { type ServiceClient, serviceClient } from '../../client/service.ts'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import {
  abortFailure,
  engineUnavailable,
  jsonText,
  parseAnswer,
  parsedAnswer,
  refusedCall,
} from '../remote/answers.ts'
import type { Pause } from '../../workers/pause.ts'
import { retryAfterMs } from '../../workers/retry.ts'

/** Task of the server that has ended. */
type EndedTask = { readonly status: string; readonly error?: unknown }

/**
 * Client of a server. Calls resolve with parsed JSON. They reject with a `Failure`: `engine-unavailable` (no connection, no
 * answer in time, invalid answer, overload, key refused), `time-limit` (if `signal` is aborted; a `Failure` as its reason takes
 * its place), or `internal` (invalid request; the cause is a `Refusal`). Paths begin with `/`.
 */
export type EngineClient = {
  get(path: string, signal?: AbortSignal): Promise<unknown>
  post(path: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  patch(path: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  remove(path: string, signal?: AbortSignal): Promise<unknown>
  /** Posts documents, one line of JSON each. */
  postLines(path: string, lines: readonly string[], signal?: AbortSignal): Promise<unknown>
  /** Resolves with a task when it has ended. Rejects with `engine-unavailable` after half an hour. */
  task(uid: number, signal?: AbortSignal): Promise<EndedTask>
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

/** Signal of a call: not all calls of the client take one. */
const callSignal = new AsyncLocalStorage<AbortSignal | undefined>()

const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const

/** Makes a client; the first call opens a connection. */
export function connectEngine(options: ClientOptions): EngineClient {
  const service = engineService(options)
  const server = new Meilisearch({
    host: options.url,
    ...(options.apiKey !== undefined && { apiKey: options.apiKey }),
    httpClient: sendBy(service),
  })
  const { httpRequest } = server
  const call = async <T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
    callSignal.run(signal, work).catch(throwFailure)
  const json = (path: string, body: unknown) => {
    return { path: path.slice(1), body: jsonText(body), contentType: 'application/json' }
  }
  return {
    get: (path, signal) => call(() => httpRequest.get({ path: path.slice(1) }), signal),
    post: (path, body, signal) => call(() => httpRequest.post(json(path, body)), signal),
    patch: (path, body, signal) => call(() => httpRequest.patch(json(path, body)), signal),
    remove: (path, signal) => call(() => httpRequest.delete({ path: path.slice(1) }), signal),
    postLines: (path, lines, signal) => {
      const contentType = 'application/x-ndjson'
      const ndjson = { path: path.slice(1), body: lines.join('\n'), contentType }
      return call(() => httpRequest.post(ndjson), signal)
    },
    task: (uid, signal) => call(() => server.tasks.waitForTask(uid, taskOptions), signal),
    close: () => void service.close(),
  }
}

/** Milliseconds between two looks at a task, and after which one that has not ended fails. */
const taskOptions = { interval: 20, timeout: 1_800_000 }

/** Connections to the server, with limits, retries and a circuit breaker. */
const engineService = ({ log, now, pause, callMs }: ClientOptions) =>
  serviceClient({
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

/** Function by which the client of Meilisearch sends. */
const sendBy =
  (service: ServiceClient) =>
  async (input: string | URL | Request, init: RequestInit = {}): Promise<unknown> => {
    const signal = callSignal.getStore()
    const method = methods.find((name) => name === init.method) ?? 'GET'
    const body = typeof init.body === 'string' && method !== 'GET' ? { body: init.body } : {}
    const headers = Object.fromEntries(new Headers(init.headers))
    const url = input instanceof Request ? input.url : input.toString()
    const request = { url, method, headers, isIdempotent: true, ...body }
    const {
      status,
      text,
      headers: sent,
    } = await service.send(request, signal).catch((error: unknown) => {
      if (signal?.aborted) throw abortFailure(signal.reason)
      // A server that does not answer in time counts as unavailable.
      if (error instanceof Failure && error.kind === 'time-limit')
        throw engineUnavailable(error.detail, error)
      throw error
    })
    if (status >= 400)
      throw refusalFailure(status, text, retryAfterMs(sent['retry-after'], Date.now()))
    return text === '' ? undefined : parsedAnswer(text)
  }

/** The client wraps what `httpClient` throws. */
function throwFailure(error: unknown): never {
  if (error instanceof MeilisearchTaskTimeOutError)
    throw engineUnavailable('The search engine has not ended a task in half an hour.', error)
  throw error instanceof MeilisearchRequestError ? error.cause : error
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

/** Makes the function that waits for tasks of a server, one after the other. */
export function taskWaiter(client: Pick<EngineClient, 'task'>): WaitForTasks {
  return async (started, signal) => {
    for (const answer of started) {
      const { taskUid } = parseAnswer(startedTask, answer)
      const { status, error } = await client.task(taskUid, signal).catch((failure: unknown) => {
        throw isRefusal(failure, 'task_not_found') ? lostTask(taskUid) : failure
      })
      if (status !== 'succeeded') throw taskFailure(error)
    }
  }
}

const lostTask = (uid: number): Failure =>
  engineUnavailable(
    'The search engine has lost what was written: it was emptied or restored.',
    new LostTask(uid),
  )

/** Error for a task that the server does not know, because its data was emptied or restored. */
class LostTask extends Error {
  constructor(uid: number) {
    super(`the task ${uid} is not known`)
    this.name = 'LostTask'
  }
}

/** Whether a failed write means that the server has lost its data. */
export const hasLostData = (error: unknown): boolean =>
  (error instanceof Failure && error.cause instanceof LostTask) ||
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

/** HTTP statuses of a server that is away or stops. */
const awayStatuses = new Set([408, 502, 503, 504])

/** Failure for an error answer: `engine-unavailable` if it can pass without a change of the request, else `internal`. */
export function refusalFailure(status: number, text: string, askedMs?: number): Failure {
  const refusal = refusalOf(status, text)
  const failure = obstacleFailure(refusal, askedMs)
  if (failure) return failure
  if (awayStatuses.has(status))
    return engineUnavailable('The search engine does not take the request now.', refusal)
  return new Failure('internal', 'The search engine refused a request.', { cause: refusal })
}

function taskFailure(error: unknown): Failure {
  const { code, message } = engineError.parse(error)
  const refusal = new Refusal(0, code, message)
  return (
    obstacleFailure(refusal) ??
    new Failure('internal', 'The search engine refused a write.', { cause: refusal })
  )
}

/** Failure of a server that refuses a key or lacks resources; `undefined` for another refusal. */
function obstacleFailure(refusal: Refusal, askedMs?: number): Failure | undefined {
  const { status, code } = refusal
  if (code === 'no_space_left_on_device') return refusedCall('disk-full', refusal, askedMs)
  if (status === 401 || status === 403) return refusedCall('forbidden', refusal, askedMs)
  const isOverload = status === 429 || overloadCodes.has(code)
  return isOverload ? refusedCall('overload', refusal, askedMs) : undefined
}

/** Error codes of a server that has too much to do. */
const overloadCodes = new Set(['too_many_search_requests', 'too_many_open_files', 'io_error'])

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
