/**
 * One refresh: counts what was measured of some catalogues or of all, page by page, beside the figures that are served, and
 * serves the new ones when they are complete.
 */

import type { Log } from '../../log.ts'
import { inOrder } from '../../pipe/ahead.ts'
import type { Sqlite } from '../../sqlite.ts'
import { yielding, type YieldWhenDue } from '../../workers/event-loop.ts'
import { catalogueIds, datasetIds, readCatalogues, type MetricsSource } from './catalogue-reader.ts'
import { readDatasets } from './dataset-reader.ts'
import type { CatalogueFigures, ScoreBand } from './figures.ts'
import {
  addDataset,
  beginEdition,
  deleteOldEditions,
  serveEditions,
  figuresState,
} from './figures-file.ts'

/** `all`, or ids of catalogues. */
export type Extent = 'all' | readonly string[]

export type RefreshProgress = {
  readonly extent: Extent
  /** Milliseconds since 1970. */
  readonly since: number
  readonly catalogues: { readonly done: number; readonly all: number }
  /** Datasets that were read. */
  readonly datasets: number
}

type RefreshContext = MetricsSource & {
  readonly file: Sqlite
  readonly bands: readonly ScoreBand[]
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed: () => number
  readonly onProgress: (progress: RefreshProgress) => void
  readonly log: Log
}

/** Datasets of one page: readers wait for a few milliseconds of the store's time, not for more. */
const pageSize = 15
/** Pages under way: while one is counted, the store looks for the next. */
const pagesAhead = 2
/** Milliseconds of work before requests have a turn. */
const turnMs = 8
/**
 * Answers the number of the refresh. What fails or is aborted leaves the old figures. Where there are no figures yet, or they
 * were cleared meanwhile, everything is read whatever was asked for: the figures of the portal are never those of a part of it.
 */
export async function refresh(
  context: RefreshContext,
  extent: Extent,
  signal: AbortSignal,
): Promise<number> {
  const { file, elapsed } = context
  const turn = yielding(elapsed, turnMs)
  for (;;) {
    const isComplete = extent === 'all' || figuresState(file, 'complete') === undefined
    await deleteOldEditions(file, turn)
    const number = await refreshed(context, isComplete ? 'all' : extent, turn, signal)
    await deleteOldEditions(file, turn)
    if (number !== undefined) return number
  }
}

/** `undefined` when the file was cleared meanwhile and a part is not enough any more: nothing is served then. */
async function refreshed(
  context: RefreshContext,
  extent: Extent,
  turn: YieldWhenDue,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { file, log, now } = context
  const since = now()
  const served = file.rows('SELECT id FROM served').map(({ id }) => String(id))
  const ids = extent === 'all' ? await catalogueIds(context, signal) : extent
  const found = await readCatalogues(context, ids, signal)
  const visible = [...found.values()].filter(({ isHidden }) => !isHidden)
  const editions: number[] = []
  let datasets = 0
  const report = () => {
    const catalogues = { done: editions.length, all: visible.length }
    context.onProgress({ extent, since, catalogues, datasets })
  }
  report()
  for (const catalogue of visible) {
    const edition = beginEdition(file, catalogue)
    for await (const page of pagesOf(context, catalogue, signal)) {
      for (const dataset of page) {
        signal.throwIfAborted()
        addDataset(file, edition, dataset, context.bands)
        await turn()
      }
      datasets += page.length
      report()
    }
    editions.push(edition)
    report()
  }
  signal.throwIfAborted()
  if (extent !== 'all' && figuresState(file, 'complete') === undefined) return undefined
  const number = serveEditions(file, {
    editions,
    hidden: ids.filter((id) => found.get(id)?.isHidden),
    gone: (extent === 'all' ? served : extent).filter((id) => !found.has(id)),
    isComplete: extent === 'all',
    at: now(),
  })
  const ms = now() - since
  log.info({ number, catalogues: editions.length, datasets, ms }, 'figures.refreshed')
  return number
}

/** The datasets of a catalogue as they were read, page by page. */
function pagesOf(context: RefreshContext, catalogue: CatalogueFigures, signal: AbortSignal) {
  async function* pages(): AsyncGenerator<readonly string[]> {
    const ids = await datasetIds(context, catalogue.id, signal)
    for (let at = 0; at < ids.length; at += pageSize) yield ids.slice(at, at + pageSize)
  }
  return inOrder(pages(), (ids) => readDatasets(context, ids, signal), pagesAhead)
}
