/** Collects what is written, and has it measured when nothing more urgent is to be done. */

import type { Log } from '../../log.ts'
import type { Feed } from '../../pipe/runs/run.ts'
import type { Names } from '../../rdf/names.ts'
import type { Landed } from '../../store/marks.ts'
import { backgroundLoop } from '../../workers/background-loop.ts'
import type { Pause } from '../../workers/pause.ts'

type CollectorDeps = {
  /** Starts a run; resolves when it has ended. */
  readonly run: (feed: Feed, signal: AbortSignal) => Promise<void>
  /** Leaves a run behind that the next process goes on with. */
  readonly leave: (feed: Feed) => void
  /** Whether others use the pipes. */
  readonly isBusy: () => boolean
  readonly now: () => number
  readonly pause: Pause
  readonly log: Log
  /** Between two runs of one catalogue. */
  readonly collectMs: number
}

/** Takes note of writes, and has them measured. */
export type Collector = {
  /** A dataset was created or updated. Costs next to nothing, never throws. */
  written(catalogue: string, dataset: string): void
  /** What has gathered is left to the next process. */
  stop(): Promise<void>
}

/** A dataset and its catalogue, both by id. */
type Written = { readonly catalogue: string; readonly dataset: string }

/**
 * The datasets among what has landed that are to be measured. Marks with scores are of measuring itself: nothing of the
 * dataset has changed.
 */
export function datasetsIn(
  landed: readonly Landed[],
  names: Pick<Names, 'idOf'>,
): readonly Written[] {
  return landed.flatMap(({ resource, fresh }) => {
    if (!fresh || fresh.scores !== undefined) return []
    const dataset = names.idOf('dataset', resource)
    return dataset === undefined ? [] : [{ catalogue: fresh.catalogue, dataset }]
  })
}

/** `datasets` is absent when there are so many that the whole catalogue is measured. */
type Gathered = { datasets: Set<string> | undefined; first: number; last: number }

/** No write for so long: a bulk of writes has ended. */
const quietMs = 5000
/** And no longer than this, however much is written. */
const patientMs = 60_000
/** Others are let go first for so long. */
const politeMs = 3_600_000
const lookMs = 1000
/** Ids of one catalogue that are remembered. */
const most = 10_000
/** A dataset is read when the one before it has been for so long: writes come first. */
const pulseMs = 5

/** One run after the other, the catalogue that has waited longest first. */
export function collector(deps: CollectorDeps): Collector {
  const { now, pause, log } = deps
  const gathered = new Map<string, Gathered>()
  const started = new Map<string, number>()
  let isStopped = false
  const round = async (signal: AbortSignal): Promise<number> => {
    let due: string | undefined
    try {
      due = dueOf(gathered, started, deps)
      if (due !== undefined) {
        const feed = feedOf(gathered, due)
        started.set(due, now())
        await deps.run(feed, signal)
      }
    } catch (err) {
      if (!signal.aborted) log.warn({ err, catalogue: due }, 'metrics.launch-failed')
    }
    return gathered.size > 0 ? lookMs : Infinity
  }
  const options = { log, pause, firstMs: Infinity }
  const loop = backgroundLoop('metrics.launch-failed', lookMs, round, options)

  return {
    written(catalogue, dataset) {
      if (isStopped) return
      if (gathered.size === 0) loop.wake()
      const at = now()
      const one = gathered.get(catalogue) ?? { datasets: new Set<string>(), first: at, last: at }
      gathered.set(catalogue, one)
      one.last = at
      one.datasets?.add(dataset)
      if ((one.datasets?.size ?? 0) > most) one.datasets = undefined
    },
    async stop() {
      isStopped = true
      await loop.stop()
      for (const catalogue of Array.from(gathered.keys())) {
        try {
          deps.leave(feedOf(gathered, catalogue))
        } catch (err) {
          log.warn({ err, catalogue }, 'metrics.launch-failed')
        }
      }
    },
  }
}

function dueOf(
  gathered: ReadonlyMap<string, Gathered>,
  started: Map<string, number>,
  { now, isBusy, collectMs }: CollectorDeps,
): string | undefined {
  const at = now()
  for (const [catalogue, time] of started) if (at - time >= collectMs) started.delete(catalogue)
  const isOthers = isBusy()
  const [due] = [...gathered]
    .filter(([catalogue, { first, last }]) => {
      if (started.has(catalogue) || (isOthers && at - first < politeMs)) return false
      return at - last >= quietMs || at - first >= patientMs
    })
    .toSorted(([, a], [, b]) => a.first - b.first)
  return due?.[0]
}

/** Taken out: what is written from now on is the next run's. */
function feedOf(gathered: Map<string, Gathered>, catalogue: string): Feed {
  const datasets = gathered.get(catalogue)?.datasets
  gathered.delete(catalogue)
  return { catalogue, ...(datasets && { datasets: [...datasets].toSorted() }), pulseMs }
}
