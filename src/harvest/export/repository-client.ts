/**
 * Client for the target repository of harvests and imports: the one of this process without a socket, the target of the import
 * command, or a remote one through the guarded client. `withRetries` retries requests, because every write is idempotent.
 */

import type { Outbound, Reach } from '../../client/outbound.ts'
import { Failure } from '../../errors.ts'
import { keyId } from '../../http/known-keys.ts'
import { withoutCredentials } from '../../secrets.ts'
import type { Pause } from '../../workers/pause.ts'
import { backoffMs, retry, retryAfterMs } from '../../workers/retry.ts'

type RepositoryRequest = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Path and query relative to the repository's address, with a leading slash. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Media type of the body; N-Triples by default. */
  readonly mediaType?: string
}

/** Response of any status, with its whole text. */
export type RepositoryAnswer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/**
 * Repository of this process, or the target of a command: the base address of its routes, and the function that sends requests.
 */
export type Repository = {
  readonly address: string
  readonly fetch: (request: Request) => Promise<Response>
  /** Previews a write: the stored graph as N-Triples before and after. Throws as a PUT would fail. Absent for a command. */
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

/** Client of a repository. */
export type RepositoryClient = Pick<Repository, 'previewDataset'> & {
  /** Whether the repository is the one of this process; also true for the target of a command. */
  readonly isOwn: boolean
  /** Address of another repository, without credentials; `''` if `isOwn`. */
  readonly remoteAddress: string
  /** Identifies the key used for writes without revealing it. */
  readonly keyId: string
  /** Sends a request, with the key if it writes; rejects if there is no response. */
  ask(request: RepositoryRequest, signal: AbortSignal): Promise<RepositoryAnswer>
}

/** Key header for writing requests. */
const keyHeader = (key: string, { method }: RepositoryRequest): Record<string, string> =>
  method === 'GET' || method === 'HEAD' ? {} : { 'X-API-Key': key }

const requestHeaders = ({ body, mediaType, headers }: RepositoryRequest) => ({
  ...(body !== undefined && { 'Content-Type': mediaType ?? 'application/n-triples' }),
  ...headers,
})

const addressOf = (address: string, path: string): string => address.replace(/\/+$/, '') + path

/** Client of a repository called through `fetch`: that of this process, or the target of a command. */
export const repositoryByFetch = (
  { address, fetch, ...calls }: Repository,
  key: string,
): RepositoryClient => ({
  ...calls,
  isOwn: true,
  remoteAddress: '',
  keyId: keyId(key),
  ask: async (request, signal) => {
    const { method, path, body } = request
    const headers = { ...keyHeader(key, request), ...requestHeaders(request) }
    const init = { method, headers, signal, body }
    const response = await fetch(new Request(addressOf(address, path), init))
    return { status: response.status, headers: response.headers, text: await response.text() }
  },
})

type RemoteOptions = {
  readonly address: string
  readonly key: string
  readonly reach: Reach
  readonly outbound: Outbound
}

/** Maximum bytes of a response: hundreds of results with problems, or the ids of a million records. */
const maxAnswerBytes = 256 * 2 ** 20

const redirected = (cause?: Failure): Failure =>
  new Failure('export-failed', 'The repository answers with a redirect.', { cause })

/** Client of a remote repository. Redirects are not followed, because they could send records to another host. */
export const remoteRepository = ({
  address,
  key,
  reach,
  outbound,
}: RemoteOptions): RepositoryClient => ({
  isOwn: false,
  remoteAddress: withoutCredentials(address).url,
  keyId: keyId(key),
  ask: async (request, signal) => {
    const { method, path, body } = request
    const answer = await outbound
      .read(
        {
          url: addressOf(address, path),
          method,
          headers: requestHeaders(request),
          credentials: keyHeader(key, request),
          reach,
          maxBytes: maxAnswerBytes,
          attempts: 1,
          redirects: 0,
          body,
        },
        signal,
      )
      .catch((error: unknown) => {
        // The client refuses to follow it.
        if (error instanceof Failure && error.kind === 'source-error') throw redirected(error)
        throw error
      })
    if (answer.status >= 300 && answer.status < 400 && answer.status !== 304) throw redirected()
    return answer
  },
})

/** Clock in ms, pause and randomness from 0 to 1; tests pass others. */
export type RetryContext = {
  readonly now: () => number
  readonly random: () => number
  readonly pause: Pause
}

/** Maximum attempts if the repository answers 429 or 503, and if it fails otherwise; longest pause between two. */
const [attemptsWhenBusy, attemptsWhenBroken] = [9, 5]
const longestWaitMs = 600_000

const isRefused = (error: unknown) => error instanceof Failure && error.kind === 'address-refused'
/** Whether an answer is the reason, such as a redirect: the next one would be the same. */
const isAnswered = (error: unknown) => error instanceof Failure && error.kind === 'export-failed'

/**
 * Adds retries: after 429 and 503 up to eight, after other 5xx and broken connections up to four. Pauses grow, and are at least
 * `Retry-After`, at most ten minutes. Returns the last response; throws `export-failed` if there was none, or the abort reason.
 */
export function withRetries(
  client: RepositoryClient,
  { now, random, pause }: RetryContext,
): RepositoryClient {
  const delayOf = ({ status, headers }: RepositoryAnswer, attempt: number) => {
    const isBusy = status === 429 || status === 503
    const maxAttempts = isBusy ? attemptsWhenBusy : attemptsWhenBroken
    if ((!isBusy && status < 500) || attempt >= maxAttempts) return undefined
    const requestedMs = retryAfterMs(headers.get('retry-after'), now()) ?? 0
    // Pauses grow even with `Retry-After: 1`, because a restart takes longer than eight seconds.
    return Math.min(longestWaitMs, Math.max(requestedMs, Math.min(30_000, 500 * 2 ** attempt)))
  }
  return {
    ...client,
    ask: (request, signal) =>
      retry(() => client.ask(request, signal), {
        delayMs: (outcome, attempt) => {
          if ('value' in outcome) return delayOf(outcome.value, attempt)
          const isFinal = isRefused(outcome.error) || isAnswered(outcome.error)
          const isOver = attempt >= attemptsWhenBroken || isFinal
          return isOver ? undefined : backoffMs(attempt, random)
        },
        pause: (ms) => pause(ms, signal),
        signal,
      }).catch((cause: unknown) => {
        signal.throwIfAborted()
        if (isAnswered(cause)) throw cause
        throw new Failure('export-failed', 'The repository cannot be reached.', { cause })
      }),
  }
}

/**
 * Original ids of a catalogue. Throws `export-failed` if the answer is no whole list, because missing ids would make known
 * records look new.
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

/** Parses a JSON response; `undefined` for other text, as proxies send. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
