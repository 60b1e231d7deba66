/** The sitemap as it was made last: made again when somebody asks for one that is too old. */

import { Failure } from '../../errors.ts'
import { within } from '../../http/shell/deadline.ts'
import type { Log } from '../../log.ts'
import type { Page } from './pages.ts'

export type Sitemap = { readonly made: Date; readonly pages: readonly Page[] }

export type KeeperOptions = {
  readonly make: () => AsyncIterable<Page>
  readonly now: () => Date
  readonly log: Log
  /** Milliseconds until it is made again. */
  readonly lifeMs: number
  /** Milliseconds that somebody waits for one that is being made. */
  readonly patienceMs?: number
}

/** One without addresses may be that of a portal which is just being filled. */
const emptyMs = 60_000

/**
 * The present sitemap. One that is too old is served on while the next one is not there; where there is none, the failure is
 * `engine-unavailable` until it is made, and when it could not be made for now. One is made at a time, for all who ask.
 */
export function sitemapKeeper(options: KeeperOptions): () => Promise<Sitemap> {
  const { make, now, log, lifeMs, patienceMs = 10_000 } = options
  let kept: Sitemap | undefined
  let making: Promise<Sitemap> | undefined
  const made = async (): Promise<Sitemap> => {
    const at = now()
    try {
      const pages: Page[] = []
      for await (const page of make()) pages.push(page)
      kept = { made: at, pages }
      return kept
    } catch (error) {
      log.warn({ err: error }, 'sitemap.failed')
      throw notMade(error)
    } finally {
      making = undefined
    }
  }
  const isFresh = ({ made, pages }: Sitemap): boolean =>
    now().getTime() - made.getTime() < (pages.length === 0 ? Math.min(emptyMs, lifeMs) : lifeMs)
  return async () => {
    if (kept && isFresh(kept)) return kept
    making ??= made()
    try {
      return await within(making, patienceMs, late)
    } catch (error) {
      if (kept) return kept
      throw error
    }
  }
}

const late = (): Failure =>
  new Failure('engine-unavailable', 'the sitemap is being made', { retryAfter: againAfter })

/** Seconds after which making it is tried again. */
const againAfter = 30

/** What was in the way of making it: not what the client did, who asked for a sitemap and not for a cursor. */
const passing: ReadonlySet<string> = new Set(['too-many-cursors', 'unknown-cursor', 'time-limit'])

const notMade = (error: unknown): unknown =>
  error instanceof Failure && passing.has(error.kind)
    ? new Failure('engine-unavailable', 'the sitemap could not be made now', {
        retryAfter: error.retryAfter ?? againAfter,
        cause: error,
      })
    : error
