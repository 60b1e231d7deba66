/**
 * Counts measurements of some catalogues or of all, page by page beside the figures that are served, and serves them when they
 * are complete.
 */

import type { Log } from '../../log.ts'
import { mapOrdered } from '../../pipe/map-ordered.ts'
import type { Sqlite } from '../../sqlite.ts'
import { yielding, type YieldWhenDue } from '../../workers/event-loop.ts'
import { catalogueIds, datasetIds, type MetricsSource, readCatalogues } from './catalogue-reader.ts'
import { countedDataset, readDatasets } from './dataset-reader.ts'
import {
  addDataset,
  beginVersion,
  deleteOldVersions,
  figuresState,
  serveVersions,
} from './figures-file.ts'
import type { CatalogueFigures, ScoreBand } from './figures.ts'

/** Catalogues that a refresh counts: `all`, or their ids. */
export type RefreshScope = 'all' | readonly string[]

/** Progress of the refresh that runs. */
export type RefreshProgress = {
  readonly scope: RefreshScope
  /** Milliseconds since 1970. */
  readonly since: number
  readonly catalogues: { readonly done: number; readonly all: number }
  /** Datasets that were read. */
  readonly datasets: number
}

/** Dependencies of a refresh. */
export type RefreshContext = MetricsSource & {
  readonly file: Sqlite
  readonly bands: readonly ScoreBand[]
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed: () => number
  readonly log: Log
}

type RefreshRun = {
  readonly onProgress: (progress: RefreshProgress) => void
  readonly signal: AbortSignal
}

/** Datasets of one page: few, because other readers of the store wait meanwhile. */
const pageSize = 5
/** Pages in progress: while one is counted, the store looks for the next ones. */
const pagesAhead = 3
/** Milliseconds of work before requests have a turn. */
const turnMs = 8

/**
 * Refreshes the figures of a scope; resolves with the number of the refresh. A failure or an abort leaves the old ones. Where all
 * catalogues were never counted, or the figures are cleared meanwhile, all catalogues are counted: the figures of the portal are
 * never those of a part of it.
 */
export async function refreshFigures(
  context: RefreshContext,
  scope: RefreshScope,
  run: RefreshRun,
): Promise<number> {
  const yieldWhenDue = yielding(context.elapsed, turnMs)
  let number: number | undefined
  while (number === undefined) {
    const isComplete = scope === 'all' || figuresState(context.file, 'counted') === undefined
    await deleteOldVersions(context.file, yieldWhenDue)
    number = await countOnce(context, isComplete ? 'all' : scope, yieldWhenDue, run)
  }
  await deleteOldVersions(context.file, yieldWhenDue)
  return number
}

/** Counts a scope and serves it; returns `undefined` when the file was cleared meanwhile and a part is not enough any more. */
async function countOnce(
  context: RefreshContext,
  scope: RefreshScope,
  yieldWhenDue: YieldWhenDue,
  { onProgress, signal }: RefreshRun,
): Promise<number | undefined> {
  const { file, log, now, names, bands } = context
  const since = now()
  const ids = scope === 'all' ? await catalogueIds(context, signal) : scope
  const catalogues = await readCatalogues(context, ids, signal)
  const visible = [...catalogues.values()].filter(({ isHidden }) => !isHidden)
  const newVersions = new Map<CatalogueFigures, number>()
  let datasets = 0
  const report = () => {
    const catalogues = { done: newVersions.size, all: visible.length }
    onProgress({ scope, since, catalogues, datasets })
  }
  report()
  for (const catalogue of visible) {
    const version = beginVersion(file)
    for await (const page of pagesOf(context, catalogue, signal)) {
      for (const dataset of page) {
        signal.throwIfAborted()
        addDataset(file, version, countedDataset(dataset, names.genidPrefix), bands)
        await yieldWhenDue()
      }
      datasets += page.length
      report()
    }
    newVersions.set(catalogue, version)
    report()
  }
  signal.throwIfAborted()
  const isComplete = scope === 'all'
  if (!isComplete && figuresState(file, 'counted') === undefined) return undefined
  const servedIds = file.rows('SELECT id FROM counted_catalogue').map(({ id }) => String(id))
  const removedIds = [...(isComplete ? servedIds : []), ...ids].filter(
    (id) => catalogues.get(id)?.isHidden !== false,
  )
  const forgottenIds = removedIds.filter((id) => !catalogues.has(id))
  const at = now()
  const number = serveVersions(file, { newVersions, removedIds, forgottenIds, isComplete, at })
  log.info({ number, catalogues: newVersions.size, datasets, ms: at - since }, 'figures.refreshed')
  return number
}

/** Datasets of a catalogue, page by page. */
function pagesOf(source: MetricsSource, catalogue: CatalogueFigures, signal: AbortSignal) {
  async function* pages(): AsyncGenerator<readonly string[]> {
    const ids = await datasetIds(source, catalogue.id, signal)
    for (let offset = 0; offset < ids.length; offset += pageSize)
      yield ids.slice(offset, offset + pageSize)
  }
  return mapOrdered(pages(), (ids) => readDatasets(source, ids, signal), pagesAhead)
}
