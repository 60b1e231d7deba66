/** What is known of a run while it is exported: what the source has offered, and what the catalogue holds. */

import { hash } from 'node:crypto'
import { Failure } from '../../../errors.ts'
import type { SegmentContext } from '../../../pipe/segment.ts'
import type { Owner, RecordRow } from '../../ledger/record-rows.ts'
import { SerialSet } from '../../ledger/serial-set.ts'
import type { PatientDoor } from '../door/patience.ts'
import type { Ground } from './ground.ts'
import type { Travel } from './travel.ts'

export type Travelling = Pick<
  SegmentContext,
  'runId' | 'pipe' | 'sink' | 'log' | 'dryRun' | 'resumed' | 'resumeFrom'
>

export type AccountOptions = {
  readonly ground: Ground
  readonly context: Travelling
  readonly catalogue: string
  readonly door: PatientDoor
  readonly travel: Pick<Travel, 'transformation' | 'forceMs'>
}

export class Account {
  readonly ground: Ground
  readonly context: Travelling
  readonly owner: Owner
  readonly door: PatientDoor
  readonly transformation: string
  /** When it was opened, ms. */
  readonly opened: number
  /** Rows whose records the source declared gone. */
  readonly deleted = new SerialSet()
  /** Rows whose records were in the catalogue when the run began. */
  readonly #present = new SerialSet()
  readonly #held: SerialSet
  readonly #forceMs: number
  #seen = new SerialSet()
  #strikes = 0
  /** Of what was present: the pipe's own, and what has no row. */
  #own = 0
  #rowless = 0
  /** Records that the source offered, read or not. */
  offered = 0
  /** Of them: without a usable identifier. */
  nameless = 0
  /** Items that did not find their way. */
  losses = 0
  /** Of them: records of other pipes, and whose the first one is. */
  readonly elsewhere: { count: number; first: Failure | undefined } = { count: 0, first: undefined }
  /** What was met before an interruption is known. */
  isWhole: boolean

  constructor({ ground, context, catalogue, door, travel }: AccountOptions) {
    this.ground = ground
    this.context = context
    this.owner = { catalogue, pipe: context.pipe }
    this.door = door
    this.transformation = travel.transformation
    this.opened = ground.now()
    this.#forceMs = travel.forceMs
    this.#held = ground.ledger.removals.heldOf(context.pipe)
    this.isWhole = context.resumed !== true
  }

  /** Takes up what the run had met before it was interrupted. */
  goOn(): void {
    const { resumeFrom, runId } = this.context
    const { marks } = this.ground.ledger
    const kept = resumeFrom === undefined ? undefined : marks.kept(runId)
    if (!kept) return
    this.#seen = kept.seen
    this.offered = kept.offered
    this.nameless = kept.nameless
    this.isWhole = true
  }

  /** Ids that the catalogue holds. */
  hold(ids: readonly string[]): void {
    const { ledger } = this.ground
    const { catalogue } = this.owner
    ledger.transaction(() => {
      const rowless: string[] = []
      for (const id of ids) {
        const row = ledger.records.byOriginal(catalogue, id)
        if (row) this.#present.add(row.serial)
        else rowless.push(id)
        if (row?.pipe === this.owner.pipe) this.#own += 1
      }
      this.#rowless += rowless.length
      ledger.marks.addUnowned(this.context.runId, rowless)
    })
  }

  /** Whether the catalogue held everything that the pipe owns in it: who deletes it or empties it leaves the rows. */
  get hasAll(): boolean {
    return this.#own >= this.ground.ledger.records.count(this.owner)
  }

  /** Whether the pipe owns anything in the catalogue. */
  get ownsSome(): boolean {
    return this.ground.ledger.records.count(this.owner) > 0
  }

  /** Whether the catalogue held a record with this row, or with this id and no row. */
  isPresent(row: RecordRow | undefined, originalId: string): boolean {
    if (row && this.#present.has(row.serial)) return true
    if (this.#rowless === 0) return false
    return this.ground.ledger.marks.isUnowned(this.context.runId, originalId)
  }

  /** The source has offered the record. */
  meet(row: RecordRow): void {
    this.#seen.add(row.serial)
    this.deleted.delete(row.serial)
    if (this.context.dryRun || row.pipe !== this.owner.pipe) return
    const { records, removals } = this.ground.ledger
    if (row.state === 'restored') records.settle(row.serial)
    if (this.#held.has(row.serial)) {
      this.#held.delete(row.serial)
      removals.release(row.serial)
    }
  }

  /** The repository has taken the record. */
  landed(serial: number): void {
    this.#seen.add(serial)
    this.#present.add(serial)
    this.deleted.delete(serial)
  }

  hasMet({ serial }: RecordRow): boolean {
    return this.#seen.has(serial)
  }

  /** Whether neither source nor catalogue nor the passing of time ask for a write. */
  isUnchanged(row: RecordRow, sourceHash: string | undefined): boolean {
    return (
      sourceHash !== undefined &&
      row.hash === sourceHash &&
      this.#present.has(row.serial) &&
      this.ground.now() - row.written < this.#forceMs
    )
  }

  /** The source hash with what is made of the record on its way. */
  hashOf(sourceHash: string | undefined): string | undefined {
    if (sourceHash === undefined || this.transformation === '') return sourceHash
    return hash('sha256', `${sourceHash}\n${this.transformation}`, 'hex')
  }

  /** A record that was offered does not find its way. */
  lost(problem: Failure): void {
    this.losses += 1
    if (problem.kind !== 'item-owned-elsewhere') return
    this.elsewhere.count += 1
    this.elsewhere.first ??= problem
  }

  /** `all-refused` when the run met nothing but records of other pipes. */
  get refusal(): Failure | undefined {
    const { count, first } = this.elsewhere
    if (!first || count < this.offered) return undefined
    const detail = `Other pipes own all ${count} records of the source; the first: ${first.detail}`
    return new Failure('all-refused', detail)
  }

  /** Everything met so far is durable: the run may go on from here. */
  keep(): void {
    const { ledger, now } = this.ground
    const { offered, nameless } = this
    ledger.marks.keep(this.context.runId, this.#seen, { offered, nameless }, now())
  }

  /** Failures of the repository in a row; the fiftieth ends the run. */
  strike(failure: Failure): void {
    this.#strikes += 1
    if (this.#strikes >= mostStrikes) throw failure
  }

  relieve(): void {
    this.#strikes = 0
  }

  close(): void {
    const { accounts, ledger } = this.ground
    accounts.delete(this.context.runId)
    ledger.marks.forgetUnowned(this.context.runId)
  }
}

const mostStrikes = 50
