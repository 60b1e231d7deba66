/** The repository of this process: its public API, asked without a socket, and its doors for many datasets. */

import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { MetricsLanded } from '../../pipe/metrics-export.ts'

export type Repository = {
  /** Address of its routes. */
  readonly address: string
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * Lets those go first who write from outside, though never for long, and tells the work how many datasets may be read or
   * written at once then.
   */
  readonly turn: <T>(work: (most: number) => Promise<T>, signal: AbortSignal) => Promise<T>
  /** A verdict for each, in their order. Rejects with `Failure` when nothing could be written. */
  readonly putMetrics: (
    many: readonly MetricsOf[],
    signal: AbortSignal,
  ) => Promise<readonly MetricsLanded[]>
}

/** What is to be stored of a dataset, whose platform id it names. */
export type MetricsOf = { readonly dataset: string; readonly quads: readonly Quad[] }

export type FeedDoor = {
  readonly repository: Pick<Repository, 'address' | 'fetch'>
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

const attempts = 5

/**
 * A GET of a path below the repository's address, asked again up to four times while the repository is busy or broken.
 * Throws `unavailable` when the last answer is still such a one.
 */
export async function got(
  { repository, pause }: FeedDoor,
  path: string,
  signal: AbortSignal,
): Promise<Response> {
  const headers = { Accept: path.includes('?') ? 'application/json' : 'application/n-triples' }
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted()
    const url = repository.address.replace(/\/+$/, '') + path
    const answer = await repository.fetch(new Request(url, { headers, signal }))
    if (answer.status !== 429 && answer.status < 500) return answer
    await answer.body?.cancel()
    if (attempt >= attempts) {
      throw new Failure('store-unavailable', `the repository answered ${answer.status}`)
    }
    await pause(500 * 2 ** attempt, signal)
  }
}
