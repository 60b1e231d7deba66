/** The ends of runs, written for certain: what cannot be written now is written later. */

import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Run, RunChange } from '../runs/run.ts'
import type { Runs } from '../runs/runs.ts'

type Deps = {
  readonly runs: Runs
  readonly log: Log
  /** Is told every run that has ended, such as to send a message. */
  readonly onEnd?: (run: Run) => void
}

export function endings(deps: Deps): {
  write(id: string, change: RunChange): void
  /** Tries again what could not be written. */
  writeOwed(): void
} {
  const { runs, log } = deps
  const owed = new Map<string, RunChange>()
  const write = (id: string, change: RunChange): void => {
    try {
      const run = runs.change(id, change)
      owed.delete(id)
      told(deps, run)
    } catch (err) {
      // A run that another process has taken is that one's to end; a full disk gets better.
      if (err instanceof Failure) owed.delete(id)
      else owed.set(id, change)
      log.error({ err, run: id, status: change.status }, 'run.unwritten')
    }
  }
  return { write, writeOwed: () => [...owed].forEach(([id, change]) => write(id, change)) }
}

/** One line in the log, and whoever wants to know; the run. */
export function told({ log, onEnd }: Omit<Deps, 'runs'>, run: Run): Run {
  const { id, pipe, status, outcome, counts, problem } = run
  log.info({ run: id, pipe, status, outcome, counts, problem: problem?.type }, 'run.finished')
  try {
    onEnd?.(run)
  } catch (err) {
    log.error({ err, run: id }, 'run.untold')
  }
  return run
}
