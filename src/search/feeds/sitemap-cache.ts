/** Cache of the sitemap: it is made again when a request finds it too old, once for all waiting requests. */

import { Failure } from '../../errors.ts'
import { withTimeLimit } from '../../http/context.ts'
import type { Log } from '../../log.ts'
import { SingleFlight } from '../../workers/single-flight.ts'

/** Compressed page with some addresses. */
export type SitemapPage = { readonly gzip: Uint8Array<ArrayBuffer>; readonly addresses: number }

/** All pages, and the time when making them began. */
export type Sitemap = { readonly made: Date; readonly pages: readonly SitemapPage[] }

/** Access to the cached sitemap. */
export type SitemapKeeper = {
  /**
   * Returns the current sitemap. An old one is served until the next one is complete. Fails with `engine-unavailable` while the
   * first one is being made, and when it cannot be made for now.
   */
  readonly present: () => Promise<Sitemap>
  /** Makes the sitemap again and waits for it, without a time limit. */
  readonly remade: () => Promise<Sitemap>
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
const passing: ReadonlySet<string> = new Set(['too-many-cursors', 'unknown-cursor', 'time-limit'])

const late = () => new Failure('engine-unavailable', 'the sitemap is being made', { retryAfter })

/** Creates the cache; nothing is made before the first request. */
export function sitemapKeeper(options: KeeperOptions): SitemapKeeper {
  const { now, log, lifeMs, waitMs = 10_000 } = options
  let last: Sitemap | undefined
  const flight = new SingleFlight<'sitemap', Sitemap>()
  const makeNow = async (): Promise<Sitemap> => {
    const made = now()
    try {
      const pages: SitemapPage[] = []
      for await (const page of options.make()) pages.push(page)
      last = { made, pages }
      return last
    } catch (cause) {
      log.warn({ err: cause }, 'sitemap.failed')
      if (!(cause instanceof Failure) || !passing.has(cause.kind)) throw cause
      const more = { retryAfter: cause.retryAfter ?? retryAfter, cause }
      throw new Failure('engine-unavailable', 'the sitemap could not be made now', more)
    }
  }
  const make = () => flight.get('sitemap', makeNow)
  return {
    present: async () => {
      const life = last?.pages.length === 0 ? Math.min(emptyMs, lifeMs) : lifeMs
      if (last && now().getTime() - last.made.getTime() < life) return last
      const making = make()
      if (!last || last.pages.length === 0) return withTimeLimit(making, waitMs, late)
      // The failure is logged.
      making.catch(() => undefined)
      return last
    },
    // A sitemap that is being made may miss writes before this call.
    remade: async () => {
      if (flight.has('sitemap')) await make().catch(() => undefined)
      return make()
    },
  }
}
