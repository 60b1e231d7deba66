/** The sitemap as it was made last: made again when somebody asks for one that is too old. */

import { Failure } from '../../errors.ts'
import { within } from '../../http/shell/deadline.ts'
import type { Log } from '../../log.ts'

/** Some addresses, written. */
export type SitemapPage = { readonly gzip: Uint8Array<ArrayBuffer>; readonly addresses: number }

export type Sitemap = { readonly made: Date; readonly pages: readonly SitemapPage[] }

export type SitemapKeeper = {
  /**
   * The present sitemap. One that is too old is served on while the next one is not there; where there is none, the failure is
   * `engine-unavailable` until it is made, and when it could not be made for now.
   */
  readonly present: () => Promise<Sitemap>
  /** Makes it anew and waits for it, however long that takes. */
  readonly remade: () => Promise<Sitemap>
}

type KeeperOptions = {
  readonly make: () => AsyncIterable<SitemapPage>
  readonly now: () => Date
  readonly log: Log
  /** Milliseconds until it is made again. */
  readonly lifeMs: number
  /** Milliseconds that somebody waits for one that is being made. */
  readonly patienceMs?: number
}

/** One without addresses may be that of a portal which is just being filled. */
const emptyMs = 60_000

/** One is made at a time, for all who ask. */
export function sitemapKeeper(options: KeeperOptions): SitemapKeeper {
  const { make, now, log, lifeMs, patienceMs = 10_000 } = options
  let kept: Sitemap | undefined
  let making: Promise<Sitemap> | undefined
  const made = async (): Promise<Sitemap> => {
    const at = now()
    try {
      const pages: SitemapPage[] = []
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
  const present = async () => {
    if (kept && isFresh(kept)) return kept
    making ??= made()
    try {
      return await within(making, patienceMs, late)
    } catch (error) {
      if (kept) return kept
      throw error
    }
  }
  // One that is being made may have missed what was written before the call.
  const remade = async () => {
    await making?.catch(() => undefined)
    return (making ??= made())
  }
  return { present, remade }
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
