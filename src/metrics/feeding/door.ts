/** The public API of the repository, asked without a socket. */

import { Failure } from '../../errors.ts'

export type Repository = {
  /** Address of its routes. */
  readonly address: string
  readonly fetch: (request: Request) => Promise<Response>
}

export type FeedDoor = {
  readonly repository: Repository
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
