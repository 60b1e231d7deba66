/** One run of this process: its numbers in memory, its items on their way to the file. */

import { cleaning, cleanProblem, type KeepSource, type Redact } from './cleaned.ts'
import { keyOf, type ItemRows } from '../keeping/item-rows.ts'
import type { KeptRun, RunRows } from '../keeping/run-rows.ts'
import type { Sqlite } from '../../../sqlite.ts'
import { meter, timeOf, type Meter } from './meter.ts'
import { runSink, type Reporting, type Verdict } from './reporting.ts'
import { ended, type Run, type RunChange, type RunItem } from '../run.ts'
import type { RunSink } from '../sink.ts'
import { checkStep } from './steps.ts'
import { tallying, type Tallying } from './tally.ts'
import { waitingItems, type WaitingItems } from './waiting-items.ts'

export type LiveDeps = {
  readonly file: Sqlite
  readonly rows: RunRows
  readonly items: ItemRows
  readonly now: () => number
  readonly redact: Redact
  readonly keepSource: KeepSource
  /** Whoever follows the run wants to know. */
  readonly tell: (id: string) => void
}

export type LiveRun = {
  readonly sink: RunSink
  now(): Run
  /** Time of the last report. */
  lastSign(): number
  step(change: RunChange): Run
  checkpoint(cursor: string): void
  /** Writes what has come in; false when the run is somebody else's by now. */
  flush(): boolean
}

/** How long a run belongs to its process without a sign of it. */
export const leaseMs = 60_000

/** `failedIn` is the serial of the run whose failed items this one may mend. */
export function liveRun(deps: LiveDeps, kept: KeptRun, failedIn: number | undefined): LiveRun {
  const self = selfOf(deps, kept)
  const write = (more: () => void = () => undefined): boolean => {
    const ours = deps.file.transaction(() => {
      if (!deps.rows.update(self.kept())) return false
      deps.items.add(kept.serial, self.waiting.all())
      more()
      return true
    })
    self.waiting.clear()
    self.changed = false
    return ours
  }
  const put = (item: RunItem): void => void (self.waiting.add(item) && write())
  // What a dry run would write is all that there is of it.
  const keepSource = kept.start.dryRun ? 'all' : deps.keepSource
  return {
    sink: sinkOf({ ...deps, keepSource }, self, { ...keeping(deps, kept, failedIn), put }),
    now: () => self.now(),
    lastSign: () => self.sign,
    flush: () => !self.changed || ended(self.face) || write(),
    step(change) {
      const before = self.face
      checkStep(before, change.status)
      const at = self.note()
      self.face = stepped(self, change, { at, redact: deps.redact, isDry: kept.start.dryRun })
      try {
        write()
      } catch (error) {
        self.face = before
        throw error
      }
      return self.now()
    },
    checkpoint: (cursor) => {
      if (ended(self.face)) return
      write(() => {
        const item = deps.items.newest(kept.serial)
        const { run, tally } = self.kept()
        const { counts, progress } = run
        deps.rows.checkpoint(kept.serial, { cursor, item, counts, progress, tally })
      })
    },
  }
}

/** What changes while the run goes on. */
type Self = {
  readonly numbers: Meter
  readonly tally: Tallying
  readonly waiting: WaitingItems
  face: Run
  verdict?: Verdict
  changed: boolean
  sign: number
  note(): number
  now(): Run
  kept(): KeptRun
}

function selfOf(deps: LiveDeps, kept: KeptRun): Self {
  const numbers = meter(kept.run)
  const tally = tallying(kept.tally)
  return {
    numbers,
    tally,
    waiting: waitingItems(),
    face: kept.run,
    changed: false,
    sign: deps.now(),
    note(): number {
      this.sign = deps.now()
      this.changed = true
      deps.tell(this.face.id)
      return this.sign
    },
    now(): Run {
      return { ...this.face, counts: numbers.counts(), progress: numbers.progress() }
    },
    kept(): KeptRun {
      return { ...kept, run: this.now(), tally: tally.now(), lease: deps.now() + leaseMs }
    },
  }
}

type Keeping = Pick<Reporting, 'isTold' | 'isKept' | 'put'>

const sinkOf = (deps: LiveDeps, self: Self, kept: Keeping): RunSink =>
  runSink({
    ...kept,
    numbers: self.numbers,
    tally: self.tally,
    note: () => self.note(),
    isOpen: () => !ended(self.face),
    alive: () => {
      self.sign = deps.now()
    },
    clean: cleaning(deps.redact, deps.keepSource),
    processed: (number) => {
      self.face = { ...self.face, segments: processed(self.face, number) }
    },
    verdict: (given) => {
      self.verdict = given
    },
  })

type Named = Omit<RunItem, 'time'>

/** What is known of a record from this run before it was resumed, and from the run before. */
const keeping = ({ items }: LiveDeps, kept: KeptRun, failedIn: number | undefined) => ({
  isTold: (item: Named): boolean => {
    const key = keyOf(item)
    return kept.resumed > 0 && key !== undefined && items.written(kept.serial, key)
  },
  isKept: (item: Named): boolean => {
    const key = keyOf(item)
    if (item.state !== 'unchanged') return true
    return failedIn !== undefined && key !== undefined && items.failed(failedIn, key)
  },
})

const processed = ({ segments }: Run, number: number): Run['segments'] =>
  segments.map((one) => (one.segmentNumber === number ? { ...one, processed: true } : one))

type Step = { readonly at: number; readonly redact: Redact; readonly isDry: boolean }

function stepped({ face, verdict }: Self, change: RunChange, { at, redact, isDry }: Step): Run {
  const { status } = change
  const time = timeOf(at)
  if (status === 'running') return { ...face, status, startTime: face.startTime ?? time }
  const isFinished = status === 'finished'
  const problem = change.problem ?? (isFinished ? verdict?.problem : null) ?? null
  const outcome = change.outcome ?? verdict?.outcome ?? 'incomplete'
  return {
    ...face,
    status,
    endTime: time,
    ...(isFinished && { outcome: isDry ? ('dry-run' as const) : outcome }),
    problem: problem && cleanProblem(problem, redact),
  }
}
