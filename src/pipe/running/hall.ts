/** What the parts of a launcher work on. */

import type { Run } from '../runs/run.ts'
import type { Runs } from '../runs/runs.ts'
import type { FlightDeps, Flights } from './flights.ts'
import type { Place, Queue } from './queue.ts'

export type Hall = {
  readonly options: Omit<FlightDeps, 'queue'>
  readonly runs: Runs
  readonly queue: Queue
  readonly flights: Flights
  /** Running and waiting runs of a lane that are not dry. */
  busy(lane: string): readonly Place[]
  /** Throws `Failure` `unknown-run`. */
  known(id: string): Run
}
