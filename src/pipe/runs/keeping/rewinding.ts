/** What a run keeps of itself when it starts again. */

import { noCounts, noProgress } from '../living/meter.ts'
import { noTally } from '../living/tally.ts'
import { countNames, type Counts, type Run } from '../run.ts'
import type { ItemRows } from './item-rows.ts'
import type { KeptRun } from './run-rows.ts'

/**
 * Back to the last checkpoint, or to the beginning, but for the records that were written since: they stay as items and
 * in the counts, because they will not be written again. Inside the caller's transaction.
 */
export function rewound(items: ItemRows, kept: KeptRun): KeptRun {
  const { checkpoint } = kept
  const left = items.rewind(kept.serial, checkpoint?.item ?? 0)
  const from: Counts = checkpoint?.counts ?? noCounts()
  const counts = countNames.map((name) => [name, from[name] + (left[name] ?? 0)] as const)
  const { outcome: _, endTime: __, ...face } = kept.run
  const run: Run = {
    ...face,
    status: 'waiting',
    problem: null,
    counts: { ...from, ...Object.fromEntries(counts) },
    progress: checkpoint?.progress ?? noProgress,
    segments: face.segments.map((segment) => ({ ...segment, processed: false })),
  }
  return { ...kept, run, tally: checkpoint?.tally ?? noTally }
}
