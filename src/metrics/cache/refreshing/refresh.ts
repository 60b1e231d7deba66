/** One refresh: reads what was measured of some catalogues or of all, and swaps the new figures in when they are complete. */

import type { Log } from '../../../log.ts'
import { inOrder } from '../../../pipe/ahead.ts'
import type { Sqlite } from '../../../sqlite.ts'
import type { CatalogueFigures, ScoreBand } from '../figures.ts'
import { dropOldEditions, newStage, type Staged } from '../file/stage.ts'
import { wholeAt } from '../file/state.ts'
import { swapIn, type Swap } from '../file/swap.ts'
import { allFacts, catalogueIds, memberIds, type Source } from './catalogues.ts'
import { readDatasets, type Remembered } from './datasets.ts'
import { turns, type Turn } from './turns.ts'

/** `all`, or ids of catalogues. */
export type Extent = 'all' | readonly string[]

export type Progress = {
  readonly extent: Extent
  /** Milliseconds since 1970. */
  readonly since: number
  readonly catalogues: { readonly done: number; readonly all: number }
  /** Datasets that were read. */
  readonly datasets: number
}

export type RefreshDeps = Source & {
  readonly file: Sqlite
  readonly bands: readonly ScoreBand[]
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed: () => number
  /** Runs what changes the served figures, one after the other. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>
  readonly log: Log
}

/** Datasets of one page: whoever reads meanwhile waits for a few milliseconds of the store's time, not for more. */
const pageSize = 15
/** Pages on their way: while one is counted, the store looks for the next. */
const pagesAhead = 2

type Scene = RefreshDeps & {
  readonly turn: Turn
  readonly remembered: Remembered
  readonly told: (progress: Progress) => void
}

/**
 * Answers the number of the refresh. What fails or is aborted leaves the old figures. Where there are no figures yet, or not
 * any more, everything is read, whatever was asked for: the figures of the portal are never those of a part of it.
 */
export async function refresh(
  deps: RefreshDeps,
  extent: Extent,
  told: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<number> {
  for (;;) {
    const isEmpty = wholeAt(deps.file) === undefined
    const number = await refreshed(deps, isEmpty ? 'all' : extent, told, signal)
    if (number !== undefined) return number
  }
}

/** `undefined` when the file was cleared meanwhile and a part is not enough any more: nothing was swapped in. */
async function refreshed(
  deps: RefreshDeps,
  extent: Extent,
  told: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { file, log, now } = deps
  const started = now()
  const turn = turns(deps.elapsed)
  const scene = { ...deps, turn, told, remembered: { names: new Map() } }
  await dropOldEditions(file, turn)
  const known = file.rows('SELECT id FROM catalogue').map(({ id }) => String(id))
  const ids = extent === 'all' ? await catalogueIds(deps, signal) : extent
  const facts = await allFacts(deps, ids, signal)
  const visible = ids.flatMap((id) => {
    const one = facts.get(id)
    return one === undefined || one === 'hidden' ? [] : [one]
  })
  const staged = await stageAll(scene, { extent, since: started, visible }, signal)
  signal.throwIfAborted()
  const isGone = (id: string) => !facts.has(id)
  const swap = {
    staged,
    hidden: ids.filter((id) => facts.get(id) === 'hidden'),
    gone: (extent === 'all' ? known : extent).filter(isGone),
    isWhole: extent === 'all',
    at: now(),
  }
  const number = await swapped(deps, swap, turn)
  await dropOldEditions(file, turn)
  if (number === undefined) return undefined
  const datasets = staged.reduce((sum, { tally }) => sum + tally.datasets, 0)
  log.info(
    { number, catalogues: staged.length, datasets, ms: now() - started },
    'figures.refreshed',
  )
  return number
}

const swapped = ({ file, alone }: RefreshDeps, swap: Swap, turn: Turn) =>
  alone(async () =>
    swap.isWhole || wholeAt(file) !== undefined ? swapIn(file, swap, turn) : undefined,
  )

type Work = Pick<Progress, 'extent' | 'since'> & { readonly visible: readonly CatalogueFigures[] }

async function stageAll(
  scene: Scene,
  { extent, since, visible }: Work,
  signal: AbortSignal,
): Promise<readonly Staged[]> {
  const staged: Staged[] = []
  let datasets = 0
  const tell = () =>
    scene.told({
      extent,
      since,
      catalogues: { done: staged.length, all: visible.length },
      datasets,
    })
  tell()
  for (const catalogue of visible) {
    const stage = newStage(scene.file, catalogue, scene)
    const read = (ids: readonly string[]) => readDatasets(scene, ids, scene, signal)
    const pages = inOrder(pagesOf(scene, catalogue.id, signal), read, pagesAhead)
    for await (const page of pages) {
      signal.throwIfAborted()
      await stage.add(page)
      datasets += page.length
      tell()
      await scene.turn()
    }
    staged.push(await stage.finish())
    tell()
  }
  return staged
}

async function* pagesOf(
  source: Source,
  catalogue: string,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const ids = await memberIds(source, catalogue, signal)
  for (let at = 0; at < ids.length; at += pageSize) yield ids.slice(at, at + pageSize)
}
