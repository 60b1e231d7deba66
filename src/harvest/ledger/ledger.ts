/**
 * The ledger: which pipe owns which record. It is not the institution's own: when it is lost, nothing is ever removed
 * wrongly, because a record without a row is never removed.
 */

import { age, type Age } from './age.ts'
import { openLedgerFile } from './ledger-file.ts'
import { likenesses, type Likenesses } from './likenesses.ts'
import { pipeStates, type PipeStates } from './pipe-states.ts'
import { recordRows, type RecordRows } from './record-rows.ts'
import { removals, type Removals } from './removals.ts'
import { runMarks, type RunMarks } from './run-marks.ts'

export type Ledger = {
  readonly records: RecordRows
  readonly likenesses: Likenesses
  readonly pipes: PipeStates
  readonly removals: Removals
  readonly marks: RunMarks
  readonly age: Age
  transaction<T>(work: () => T): T
  close(): void
}

/** Opens `harvest.sqlite`, made when absent; one process at a time. */
export function openLedger(path: string): Ledger {
  const file = openLedgerFile(path)
  return {
    records: recordRows(file),
    likenesses: likenesses(file),
    pipes: pipeStates(file),
    removals: removals(file),
    marks: runMarks(file),
    age: age(file),
    transaction: (work) => file.transaction(work),
    close: () => file.close(),
  }
}
