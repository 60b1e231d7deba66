/** Cache of the sitemap: it is made again when a request finds it too old, once for all waiting requests. */

import { Failure } from '../../errors.ts'
import { withTimeLimit } from '../../http/context.ts'
import type { Log } from '../../log.ts'
import { SingleFlight } from '../../workers/single-flight.ts'

/** Compressed page with some addresses. */
export type SitemapPage = { readonly gzip: Uint8Array<ArrayBuffer>; readonly addresses: number }

/** All pages, and the time when making them began. */
export type Sitemap = { readonly startedAt: Date; readonly pages: readonly SitemapPage[] }

/** Access to the cached sitemap. */
export type SitemapKeeper = {
  /**
   * Returns the current sitemap. An old one with pages is served until the next one is complete. Without one it waits `waitMs`;
   * fails with `engine-unavailable` when the sitemap is not complete then, or cannot be made for now.
   */
  readonly current: () => Promise<Sitemap>
  /** Makes the sitemap again and waits for it, without a time limit. */
  readonly remake: () => Promise<Sitemap>
}

type KeeperOptions = {
  readonly make: () => AsyncIterable<SitemapPage>
  readonly now: () => Date
  readonly log: Log
  /** Milliseconds until it is made again. */
  readonly lifeMs: number
  /** Maximum milliseconds that a request waits for one that is being made. */
  readonly waitMs?: number
}

/** Lifetime of an empty sitemap, whose portal may be just being filled. */
const emptyMs = 60_000
/** Seconds after which clients should try again. */
const retryAfter = 30
/** Temporary obstacles; the client gets `engine-unavailable` in place of these errors, which are about cursors that it does not use. */
const temporaryFailures: ReadonlySet<string> = new Set([
  'too-many-cursors',
  'unknown-cursor',
  'time-limit',
])

const beingMade = () =>
  new Failure('engine-unavailable', 'the sitemap is being made', { retryAfter })

/** Creates the cache; nothing is made before the first request. */
export function sitemapKeeper(options: KeeperOptions): SitemapKeeper {
  const { now, log, lifeMs, waitMs = 10_000 } = options
  let latest: Sitemap | undefined
  const running = new SingleFlight<'sitemap', Sitemap>()
  const makeSitemap = async (): Promise<Sitemap> => {
    const startedAt = now()
    try {
      const pages: SitemapPage[] = []
      for await (const page of options.make()) pages.push(page)
      latest = { startedAt, pages }
      return latest
    } catch (cause) {
      log.warn({ err: cause }, 'sitemap.failed')
      if (!(cause instanceof Failure) || !temporaryFailures.has(cause.kind)) throw cause
      const details = { retryAfter: cause.retryAfter ?? retryAfter, cause }
      throw new Failure('engine-unavailable', 'the sitemap could not be made now', details)
    }
  }
  const make = () => running.get('sitemap', makeSitemap)
  return {
    current: async () => {
      const lifetimeMs = latest?.pages.length === 0 ? Math.min(emptyMs, lifeMs) : lifeMs
      if (latest && now().getTime() - latest.startedAt.getTime() < lifetimeMs) return latest
      const making = make()
      if (!latest || latest.pages.length === 0) return withTimeLimit(making, waitMs, beingMade)
      // The failure is logged.
      making.catch(() => undefined)
      return latest
    },
    // A sitemap that is being made may miss writes before this call.
    remake: async () => {
      if (running.has('sitemap')) await make().catch(() => undefined)
      return make()
    },
  }
}
