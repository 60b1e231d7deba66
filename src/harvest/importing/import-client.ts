/** The repository of an import: a running platform, over a few lasting connections. Every write of an import is safe to repeat. */

import { setTimeout } from 'node:timers/promises'
import { exchanges, type ServiceAnswer } from '../../client/service-exchange.ts'
import { retry, retryAfterMs } from '../../workers/retry.ts'
import { outcomeOf, reasonOf, type DatasetOutcome, verdictOf } from '../export/dataset-writer.ts'
import { requestHeaders, type RepositoryClient } from '../export/repository-client.ts'
import type { Destination } from './cutting/parcels.ts'

/** Time as an argument. `wait` rejects when the signal fires. */
export type Clock = {
  /** Milliseconds; only differences count. */
  readonly now: () => number
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wait: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
}

/** Nothing listens at the address, or it stopped: the whole import ends. `message` may be shown. */
export class Unreachable extends Error {}

/** The key is unknown or may not write here, or the catalogue is refused: the whole import ends. */
export class Refused extends Error {}

const name = { name: 'repository', unavailable: 'export-failed' } as const
const bounds = { connectMs: 30_000, firstByteMs: 120_000, bytes: 16 * 2 ** 20 }
const totalMs = 600_000
const attempts = 7
const [firstPauseMs, longestPauseMs] = [250, 30_000]

export type ImportTarget = {
  /** Address of the repository service: `http://localhost:8080/api/hub/repo`. */
  readonly service: string
  readonly key: string
  readonly clock: Clock
}

/**
 * Asks up to seven times on 429, 503 and broken connections. Pauses double from a quarter of a second; `Retry-After` (RFC 9110,
 * 10.2.3) lengthens them, to half a minute at most. Throws `Unreachable` when no attempt was answered; a server that stays busy
 * gets the last word. The connections close with the signal.
 */
export function importClient(
  { service, key, clock }: ImportTarget,
  sockets: number,
  closing: AbortSignal,
): RepositoryClient {
  const { exchange } = exchanges({
    service: name,
    sockets,
    destroyAfterError: false,
    now: () => performance.now(),
    closing,
  })
  const delayOf = (answer: ServiceAnswer | undefined, attempt: number) => {
    if (attempt >= attempts || (answer && answer.status !== 429 && answer.status !== 503))
      return undefined
    const asked = retryAfterMs(answer?.headers['retry-after'], Date.now()) ?? 0
    return Math.min(longestPauseMs, Math.max(firstPauseMs * 2 ** (attempt - 1), asked))
  }
  return {
    isOwn: false,
    keyId: '',
    ask: async (request, signal) => {
      const { method, path, body } = request
      const outgoing = {
        url: new URL(service + path),
        method,
        headers: { 'X-API-Key': key, ...requestHeaders(request) },
        ...(body !== undefined && { body }),
      }
      const once = () =>
        exchange(outgoing, { ...bounds, until: performance.now() + totalMs }, signal)
      const { status, headers, text } = await retry(once, {
        delayMs: (outcome, attempt) =>
          delayOf('value' in outcome ? outcome.value : undefined, attempt),
        pause: (ms) => clock.wait(ms, signal),
        signal,
      }).catch((cause: unknown) => {
        signal.throwIfAborted()
        const words = cause instanceof Error ? cause.message : String(cause)
        const isRefused = words.includes('ECONNREFUSED')
        throw new Unreachable(isRefused ? 'connection refused' : words, { cause })
      })
      return { status, headers: new Headers(headers), text }
    },
  }
}

/**
 * Makes sure that a catalogue exists: created when new; replaced when `update`, else left as it is. Throws `Refused`
 * with the repository's reason.
 */
export async function putCatalogue(
  client: RepositoryClient,
  { id, body }: Destination,
  update: boolean,
  signal: AbortSignal,
): Promise<DatasetOutcome> {
  const path = `/catalogues/${id}`
  const isThere = !update && (await client.ask({ method: 'HEAD', path }, signal)).status === 200
  if (isThere) return 'unchanged'
  const headers = { Prefer: 'respond-async', ...(!update && { 'If-None-Match': '*' }) }
  const verdict = verdictOf(await client.ask({ method: 'PUT', path, headers, body }, signal))
  // Somebody else may have made it between the two requests.
  const outcome = verdict.status === 412 && !update ? 'unchanged' : outcomeOf(verdict)
  if (outcome) return outcome
  refuseKey(verdict.status, id)
  throw new Refused(`catalogue ${id}: ${reasonOf(verdict)}`)
}

/** Throws `Refused` when the key is the reason. */
export function refuseKey(status: number, catalogue: string): void {
  if (status === 401)
    throw new Refused(`catalogue ${catalogue}: the API key is missing or unknown (--key)`)
  if (status === 403)
    throw new Refused(`catalogue ${catalogue}: the API key has no permission to write it (--key)`)
}
