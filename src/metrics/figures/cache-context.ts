/** What the routes of the metrics cache share: the envelope around every answer, its tag, and how an id becomes a catalogue. */

import type { AppContext } from '../../http/app.ts'
import { isFresh } from '../../http/conditions.ts'
import type { Log } from '../../log.ts'
import { visibleCatalogue, type MetricsSource } from './catalogue-reader.ts'
import type { Maxima } from './counts.ts'
import type { CatalogueFigures } from './figures.ts'
import type { Cache } from './metrics-cache.ts'

export type CacheContext = {
  readonly cache: Cache
  readonly source: MetricsSource
  readonly maxima: Maxima
  /** Of the program: other versions may answer the same figures in another form. */
  readonly version: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly log: Log
}

/** `count`: all rows, not only those of the page. */
export const enveloped = (results: readonly unknown[], count = results.length) => ({
  success: true as const,
  result: { count, results },
})

/** 304, or the answer with a tag. It is weak, because one state may be sent with and without gzip (RFC 9110 8.8.1). */
export function tagged(c: AppContext, tag: string, make: () => object): Response {
  c.header('ETag', `W/"${tag}"`)
  return isFresh(c.req.raw.headers, tag) ? c.body(null, 304) : c.json(make())
}

/**
 * Answers what follows from the figures: the number of their refresh is the tag, its time the date. What is unknown has to be
 * refused before.
 */
export function answerFigures(
  { cache, version }: CacheContext,
  c: AppContext,
  make: () => object,
): Response {
  const refreshed = cache.figures.refreshed()
  if (refreshed) c.header('Last-Modified', refreshed.at.toUTCString())
  return tagged(c, `${refreshed?.number ?? 0}-${version}`, make)
}

/** What the last refresh did not find may be in the store by now. Throws `unknown-catalogue`, also for hidden ones. */
export const findCatalogue = async (
  { cache, source }: CacheContext,
  id: string,
  signal: AbortSignal,
): Promise<CatalogueFigures> => cache.figures.catalogue(id) ?? visibleCatalogue(source, id, signal)
