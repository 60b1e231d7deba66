/** The sitemap as it was made last: made again when somebody asks for one that is too old, one at a time for all who ask. */

import { Failure } from '../../errors.ts'
import { within } from '../../http/context.ts'
import type { Log } from '../../log.ts'
import { SingleFlight } from '../../workers/single-flight.ts'

/** Some addresses, written. */
export type SitemapPage = { readonly gzip: Uint8Array<ArrayBuffer>; readonly addresses: number }

/** All pages, and when making them began. */
export type Sitemap = { readonly made: Date; readonly pages: readonly SitemapPage[] }

/** What gives out the sitemap. */
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
  readonly waitMs?: number
}

/** One without addresses may be that of a portal which is just being filled. */
const emptyMs = 60_000
/** Seconds after which making it is tried again. */
const retryAfter = 30
/** What was in the way of making it: not what the client did, who asked for a sitemap and not for a cursor. */
const passing: ReadonlySet<string> = new Set(['too-many-cursors', 'unknown-cursor', 'time-limit'])

const late = () => new Failure('engine-unavailable', 'the sitemap is being made', { retryAfter })

/** Makes nothing before somebody asks. */
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
      if (!last || last.pages.length === 0) return within(making, waitMs, late)
      // The failure stands in the log.
      making.catch(() => undefined)
      return last
    },
    // One that is being made may have missed what was written before the call.
    remade: async () => {
      if (flight.has('sitemap')) await make().catch(() => undefined)
      return make()
    },
  }
}
