/** Which states a run may go through. */

import { Failure } from '../../../errors.ts'
import type { Run, RunStatus } from '../run.ts'

const again: readonly RunStatus[] = ['waiting']

const steps: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  waiting: ['running', 'failed', 'cancelled', 'interrupted'],
  running: ['finished', 'failed', 'cancelled', 'timed-out', 'interrupted'],
  finished: again,
  failed: again,
  cancelled: again,
  'timed-out': again,
  interrupted: again,
}

/** Throws `Failure` `conflict` for a step that no run makes; from an ended state only `waiting` leads on: it is resumed. */
export function checkStep(run: Run, to: RunStatus): void {
  if (!steps[run.status].includes(to)) {
    throw new Failure('conflict', `a run that is ${run.status} cannot become ${to}`)
  }
  if (to === 'waiting' && run.status === 'finished' && run.outcome !== 'incomplete') {
    throw new Failure('conflict', `a run that finished ${run.outcome} has nothing to resume`)
  }
}
