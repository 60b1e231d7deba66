/** What the reports of segments do to a run. */

import { timeOf, type Meter } from './meter.ts'
import { storedProblem } from '../problem.ts'
import type { RunItem, RunOutcome, StoredProblem } from '../run.ts'
import type { RunSink } from '../sink.ts'
import type { Tallying } from './tally.ts'

/** How the last segment says that the run ends. */
export type Verdict = { readonly outcome: RunOutcome; readonly problem: StoredProblem | null }

export type Reporting = {
  readonly numbers: Meter
  readonly tally: Tallying
  /** False once the run has ended. */
  isOpen(): boolean
  /** A sign of life that changes the run; the time of it. */
  note(): number
  alive(): void
  clean(item: RunItem): RunItem
  /** Whether the run has counted this record as written before it was resumed. */
  isTold(item: Omit<RunItem, 'time'>): boolean
  /** Whether the item stands in the history by itself. */
  isKept(item: Omit<RunItem, 'time'>): boolean
  put(item: RunItem): void
  processed(segmentNumber: number): void
  verdict(verdict: Verdict): void
}

/** Calls after the end of the run are dropped. */
export function runSink(reporting: Reporting): RunSink {
  const { numbers, tally } = reporting
  const open = (work: (at: number) => void): void => {
    if (reporting.isOpen()) work(reporting.note())
  }
  let lastPage: number | undefined
  return {
    item: (item) => open((at) => report(reporting, item, at)),
    finding: (finding, about = {}) =>
      open((at) => {
        const item = { ...about, stage: 'import', state: 'unchanged', findings: [finding] } as const
        numbers.count('findings', 1)
        tally.item(reporting.clean({ ...item, time: timeOf(at) }))
      }),
    total: (total) => open(() => numbers.total(total)),
    offered: (count = 1) => open(() => numbers.count('offered', count)),
    adopted: (count) => open(() => numbers.count('adopted', count)),
    page: ({ bytes = 0, millis }) =>
      open((at) => {
        numbers.page(bytes, at)
        const number = numbers.progress().pages
        tally.page({ number, millis: millis ?? at - (lastPage ?? at), bytes })
        lastPage = at
      }),
    request: ({ host, status }) => open(() => tally.request(host, String(status))),
    alive: () => reporting.alive(),
    processed: (segmentNumber) => open(() => reporting.processed(segmentNumber)),
    outcome: (outcome, problem) =>
      open(() => reporting.verdict({ outcome, problem: problem ? storedProblem(problem) : null })),
  }
}

function report(reporting: Reporting, item: Omit<RunItem, 'time'>, at: number): void {
  const { numbers } = reporting
  numbers.item(at)
  // A run that starts again meets what it has written already: that is counted.
  const mayBeTold = item.state === 'unchanged' || item.state === 'updated'
  if (mayBeTold && reporting.isTold(item)) return
  numbers.state(item.state)
  const kept = reporting.isKept(item)
  if (!kept && !item.findings) return
  const cleaned = reporting.clean({ ...item, time: timeOf(at) })
  numbers.count('findings', item.findings?.length ?? 0)
  reporting.tally.item(cleaned)
  if (kept) reporting.put(cleaned)
}
