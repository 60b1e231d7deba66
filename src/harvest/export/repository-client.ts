/**
 * A repository that harvests and imports write to: the one of this process without a socket, or another one through the guarded
 * client. Requests are repeated while it is busy or broken, because every write of a harvest is safe to repeat.
 */

import type { Outbound, Reach } from '../../client/outbound.ts'
import { Failure } from '../../errors.ts'
import { keyId } from '../../http/known-keys.ts'
import type { Pause } from '../../workers/pause.ts'
import { backoffMs, retry, retryAfterMs } from '../../workers/retry.ts'

type RepositoryRequest = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Path and query below the repository's address, with a leading slash. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Media type of the body; N-Triples when absent. */
  readonly mediaType?: string
}

/** A whole answer of any status. */
export type RepositoryAnswer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The repository of this process: the base address of its routes, and what answers them. */
export type Repository = {
  readonly address: string
  readonly fetch: (request: Request) => Promise<Response>
  /** Previews a write: the stored graph as N-Triples before and after. Fails as a PUT would. */
  readonly previewDataset?: (
    catalogue: string,
    record: { readonly originalId: string; readonly mediaType: string; readonly text: string },
    signal: AbortSignal,
  ) => Promise<{
    readonly kind: 'created' | 'updated' | 'unchanged'
    readonly before: string
    readonly after: string
  }>
}

/** A repository as exports and imports ask it. */
export type RepositoryClient = Pick<Repository, 'previewDataset'> & {
  /** Whether the repository is the one of this process. */
  readonly isOwn: boolean
  /** Tells the key that writes are made with from others, without revealing it. */
  readonly keyId: string
  /** One exchange; rejects when no answer comes. */
  ask(request: RepositoryRequest, signal: AbortSignal): Promise<RepositoryAnswer>
}

/** The key of the request when it writes. */
const keyHeader = (key: string, { method }: RepositoryRequest): Record<string, string> =>
  method === 'GET' || method === 'HEAD' ? {} : { 'X-API-Key': key }

const requestHeaders = ({ body, mediaType, headers }: RepositoryRequest) => ({
  ...(body !== undefined && { 'Content-Type': mediaType ?? 'application/n-triples' }),
  ...headers,
})

const join = (address: string, path: string): string => address.replace(/\/+$/, '') + path

/** A repository that is asked by a function: that of this process, or one that a command talks to. */
export const repositoryByFetch = (
  { address, fetch, ...calls }: Repository,
  key: string,
): RepositoryClient => ({
  ...calls,
  isOwn: true,
  keyId: keyId(key),
  ask: async (request, signal) => {
    const { method, path, body } = request
    const headers = { ...keyHeader(key, request), ...requestHeaders(request) }
    const init = { method, headers, signal, body }
    const response = await fetch(new Request(join(address, path), init))
    return { status: response.status, headers: response.headers, text: await response.text() }
  },
})

type Remote = {
  readonly address: string
  readonly key: string
  readonly reach: Reach
  readonly outbound: Outbound
}

/** A hundred verdicts with their problems, or the ids of a million records. */
const longestAnswer = 256 * 2 ** 20

/** Another repository. A redirect is not followed: it would carry records where nobody sent them. */
export const remoteRepository = ({ address, key, reach, outbound }: Remote): RepositoryClient => ({
  isOwn: false,
  keyId: keyId(key),
  ask: async (request, signal) => {
    const { method, path, body } = request
    const answer = await outbound.read(
      {
        url: join(address, path),
        method,
        headers: requestHeaders(request),
        credentials: keyHeader(key, request),
        reach,
        maxBytes: longestAnswer,
        attempts: 1,
        redirects: 0,
        body,
      },
      signal,
    )
    if (answer.status >= 300 && answer.status < 400 && answer.status !== 304)
      throw new Failure('export-failed', 'The repository answers with a redirect.')
    return answer
  },
})

/** Time and chance as arguments, so that tests need not wait. */
export type RetryContext = {
  readonly now: () => number
  readonly random: () => number
  readonly pause: Pause
}

/** Attempts while it answers 429 or 503, and attempts after other errors and broken connections. */
const [attemptsWhenBusy, attemptsWhenBroken] = [9, 5]
const longestWaitMs = 600_000

const isRefused = (error: unknown) => error instanceof Failure && error.kind === 'address-refused'

/**
 * The client with retries: on 429 and 503 eight, after what `Retry-After` says or longer and longer; on other 5xx and broken
 * connections four. The last answer is the answer; without any it throws `export-failed`.
 */
export function withRetries(
  client: RepositoryClient,
  { now, random, pause }: RetryContext,
): RepositoryClient {
  const delayOf = ({ status, headers }: RepositoryAnswer, attempt: number) => {
    const isBusy = status === 429 || status === 503
    const most = isBusy ? attemptsWhenBusy : attemptsWhenBroken
    if ((!isBusy && status < 500) || attempt >= most) return undefined
    const askedMs = retryAfterMs(headers.get('retry-after'), now()) ?? 0
    // Eight times one second would be less than a restart takes.
    return Math.min(longestWaitMs, Math.max(askedMs, Math.min(30_000, 500 * 2 ** attempt)))
  }
  return {
    ...client,
    ask: (request, signal) =>
      retry(() => client.ask(request, signal), {
        delayMs: (outcome, attempt) => {
          if ('value' in outcome) return delayOf(outcome.value, attempt)
          const isOver = attempt >= attemptsWhenBroken || isRefused(outcome.error)
          return isOver ? undefined : backoffMs(attempt, random)
        },
        pause: (ms) => pause(ms, signal),
        signal,
      }).catch((cause: unknown) => {
        signal.throwIfAborted()
        throw new Failure('export-failed', 'The repository cannot be reached.', { cause })
      }),
  }
}

/**
 * The original ids that a catalogue has now. Throws `export-failed` when the list is not there whole: half a list would make new
 * records out of known ones.
 */
export async function originalIds(
  client: RepositoryClient,
  catalogue: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const path = `/catalogues/${catalogue}/datasets?valueType=originalIds`
  const { status, text } = await client.ask({ method: 'GET', path }, signal)
  if (status !== 200)
    throw new Failure('export-failed', `The list of original ids answered ${status}.`)
  const ids = jsonIn(text)
  if (!Array.isArray(ids))
    throw new Failure('export-failed', 'The list of original ids is not complete.')
  return ids.filter((id) => typeof id === 'string')
}

/** The JSON of an answer; `undefined` when a proxy in between answers in its own words. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
