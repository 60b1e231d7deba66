/** Collects written datasets by catalogue, and starts a run that measures them once writes have paused. */

import type { Log } from '../../log.ts'
import type { Feed } from '../../pipe/runs/run.ts'
import type { Names } from '../../rdf/names.ts'
import type { CommittedMark } from '../../store/marks.ts'
import { backgroundLoop } from '../../workers/background-loop.ts'
import type { Pause } from '../../workers/pause.ts'

type CollectorDeps = {
  /** Starts a run; resolves when it has ended. */
  readonly run: (feed: Feed, signal: AbortSignal) => Promise<void>
  /** Records a run, which the next process starts. */
  readonly saveForRestart: (feed: Feed) => void
  /** Whether runs that do not come from the collector are under way. */
  readonly isBusy: () => boolean
  readonly now: () => number
  readonly pause: Pause
  readonly log: Log
  /** Least milliseconds between the starts of two runs of one catalogue. */
  readonly collectMs: number
}

/** Collects writes and measures the datasets that they changed. */
export type Collector = {
  /** Notes that a dataset was created or updated, unless the collector is stopped. Never throws. */
  add(catalogue: string, dataset: string): void
  /** Ends the loop and records runs for the collected datasets, which the next process starts. */
  stop(): Promise<void>
}

/** A dataset and its catalogue, both by id. */
type WrittenDataset = { readonly catalogue: string; readonly dataset: string }

/**
 * Datasets among committed marks that are to be measured. Marks with scores come from measuring itself: the dataset has not
 * changed.
 */
export function datasetsIn(
  marks: readonly CommittedMark[],
  names: Pick<Names, 'idOf'>,
): readonly WrittenDataset[] {
  return marks.flatMap(({ resource, content }) => {
    if (!content || content.scores !== undefined) return []
    const dataset = names.idOf('dataset', resource)
    return dataset === undefined ? [] : [{ catalogue: content.catalogue, dataset }]
  })
}

/**
 * Written datasets of a catalogue, with the times of the first and the last write; without `datasets` all of the catalogue are
 * measured.
 */
type CollectedWrites = { datasets: Set<string> | undefined; firstMs: number; lastMs: number }

/** Milliseconds without a write after which a bulk of writes has ended. */
const quietMs = 5000
/** Milliseconds after the first write at which a run starts although writes go on. */
const longestWaitMs = 60_000
/** Milliseconds after the first write for which other runs go first. */
const yieldMs = 3_600_000
/** Milliseconds between two checks for a catalogue that is due. */
const pollMs = 1000
/** Ids that are kept of one catalogue; with more of them the whole catalogue is measured. */
const maxIds = 10_000
/** Milliseconds between two datasets of a run: writes come first. */
const pulseMs = 5

/** Starts a collector: one run after the other, of the due catalogues the one whose first write is oldest. */
export function startCollector(deps: CollectorDeps): Collector {
  const { now, pause, log } = deps
  const writesByCatalogue = new Map<string, CollectedWrites>()
  const startTimes = new Map<string, number>()
  let isStopped = false
  const startDueRun = async (signal: AbortSignal): Promise<number> => {
    let due: string | undefined
    try {
      due = dueOf(writesByCatalogue, startTimes, deps)
      if (due !== undefined) {
        const feed = feedOf(writesByCatalogue, due)
        startTimes.set(due, now())
        await deps.run(feed, signal)
      }
    } catch (err) {
      if (!signal.aborted) log.warn({ err, catalogue: due }, 'metrics.launch-failed')
    }
    return writesByCatalogue.size > 0 ? pollMs : Infinity
  }
  const options = { log, pause, firstMs: Infinity }
  const loop = backgroundLoop('metrics.launch-failed', pollMs, startDueRun, options)

  return {
    add(catalogue, dataset) {
      if (isStopped) return
      if (writesByCatalogue.size === 0) loop.wake()
      const time = now()
      const writes = writesByCatalogue.get(catalogue) ?? {
        datasets: new Set<string>(),
        firstMs: time,
        lastMs: time,
      }
      writesByCatalogue.set(catalogue, writes)
      writes.lastMs = time
      writes.datasets?.add(dataset)
      if ((writes.datasets?.size ?? 0) > maxIds) writes.datasets = undefined
    },
    async stop() {
      isStopped = true
      await loop.stop()
      for (const catalogue of Array.from(writesByCatalogue.keys())) {
        try {
          deps.saveForRestart(feedOf(writesByCatalogue, catalogue))
        } catch (err) {
          log.warn({ err, catalogue }, 'metrics.launch-failed')
        }
      }
    },
  }
}

function dueOf(
  collected: ReadonlyMap<string, CollectedWrites>,
  started: Map<string, number>,
  { now, isBusy, collectMs }: CollectorDeps,
): string | undefined {
  const currentMs = now()
  for (const [catalogue, time] of started)
    if (currentMs - time >= collectMs) started.delete(catalogue)
  const areOthersBusy = isBusy()
  const [due] = [...collected]
    .filter(([catalogue, { firstMs, lastMs }]) => {
      if (started.has(catalogue) || (areOthersBusy && currentMs - firstMs < yieldMs)) return false
      return currentMs - lastMs >= quietMs || currentMs - firstMs >= longestWaitMs
    })
    .toSorted(([, a], [, b]) => a.firstMs - b.firstMs)
  return due?.[0]
}

/** Removes the collected datasets of a catalogue and returns them as the feed of a run. */
function feedOf(collected: Map<string, CollectedWrites>, catalogue: string): Feed {
  const datasets = collected.get(catalogue)?.datasets
  collected.delete(catalogue)
  return { catalogue, ...(datasets && { datasets: [...datasets].toSorted() }), pulseMs }
}
