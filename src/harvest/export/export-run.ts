/**
 * State of one export of datasets: which records the source has offered, and which are in the catalogue.
 *
 *     a row of the ledger during a run:
 *
 *     owned ──▶ offered ──▶ written, or unchanged
 *       │          └──────▶ failed, or refused (stays in the catalogue)
 *       ├──▶ declared deleted by the source ──┐
 *       └──▶ not offered at the end ──────────┴──▶ kept | removed | held (waits for consent)
 *
 * `removal-guard.ts` decides about the last three.
 */

import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Outbound } from '../../client/outbound.ts'
import type { ClusterConfig } from '../../config/cluster.ts'
import type { HarvestConfig } from '../../config/harvest.ts'
import { Failure } from '../../errors.ts'
import type { ProcessKeys } from '../../http/known-keys.ts'
import type { Log } from '../../log.ts'
import type { MetricsExport } from '../../pipe/message.ts'
import type { Runs } from '../../pipe/runs/run-history.ts'
import type { SegmentContext, SegmentKind } from '../../pipe/segment.ts'
import type { PipeSources } from '../../pipe/sources/pipe-sources.ts'
import { inTurns } from '../../workers/event-loop.ts'
import { keyHash } from '../importing/cutting/key-hash.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Owner, RecordRow } from '../ledger/ledger-rows.ts'
import { exportPlan } from './export-plan.ts'
import type { UnfitValues } from './record-text.ts'
import {
  originalIds,
  withRetries,
  type Repository,
  type RepositoryClient,
  type RetryContext,
} from './repository-client.ts'

/** Dependencies shared by all exports of a process. */
export type ExportContext = RetryContext & {
  readonly ledger: Ledger
  /**
   * Counts a change of the ledger and stores the count elsewhere too, to detect an older copy of the file. Called when an export
   * opens and closes, and after actions of operators.
   */
  readonly countChange: () => Promise<void>
  readonly config: HarvestConfig
  readonly outbound: Outbound
  /** Repository of this process; `undefined` without one. */
  readonly repository: Repository | undefined
  readonly serviceDiscovery: ClusterConfig['serviceDiscovery']
  readonly key: Pick<ProcessKeys, 'ownRepository' | 'otherRepository'>
  /** Value of a named secret. */
  readonly secret: (name: string) => string | undefined
  readonly runs: Pick<Runs, 'get' | 'list' | 'resumption' | 'note'>
  readonly sources: () => Pick<PipeSources, 'find' | 'invalid'>
  /** All segments of this process. */
  readonly kinds: () => readonly SegmentKind[]
  readonly log: Log
  /** Writes the output of metrics segments; if absent, the text of each message is sent as it is. */
  readonly metricsExport?: MetricsExport
  /** Finds values of a record that the search document cannot contain; absent without search. */
  readonly unfitValues?: UnfitValues
  /** Active exports of datasets by run id. */
  readonly active: Map<string, ExportRun>
}

/** Consecutive failures of the repository that end a run. */
const mostFailures = 50
/** Number of offered rows in memory at which they are marked in the ledger. */
const mostUnflushed = 1000

/**
 * One export, from its opening to `close`. Its state is in memory; each checkpoint stores in the ledger which rows were offered,
 * and the counts `offered` and `nameless`, for a resumed run.
 */
export class ExportRun {
  readonly context: ExportContext
  readonly segment: SegmentContext
  readonly owner: Owner
  readonly client: RepositoryClient
  /** Hash of all segments between import and export; `''` if there are none, or the pipe of the run is unknown here. */
  readonly transformersHash: string
  /** Time of opening in ms. */
  readonly opened: number
  /**
   * Serials of rows that the source declared as deleted, or a foreign transformer dropped (`onDropped: remove`). Checkpoints do
   * not store them: in a resumed run these rows count as not offered, and a later incremental run has the same `lastRun`.
   */
  readonly declaredDeleted = new Set<number>()
  /** Original ids that are being written; other runs must not write them (`writerOf`). */
  readonly writing = new Set<string>()
  /** Serials of rows whose id is an alias of a record that waits in `identifyRecords`, which may be the same record. */
  readonly maybeRenamed = new Set<number>()
  /** Serials of rows of the pipe with held removals. */
  readonly #held: Set<number>
  /** Age of the last write in ms at which an unchanged record is written again. */
  readonly #forceMs: number
  /** Hashes of the original ids that this run gave to records without a row → hashes of their source ids. */
  readonly #reserved = new Map<number, number>()
  /** Serials of offered rows that are not marked in the ledger yet. */
  readonly #offeredRows = new Set<number>()
  /** Number of the pipe's records in the catalogue when the run began. */
  #ownedPresent = 0
  #consecutiveFailures = 0
  /** Number of offered records, readable or not. */
  offered = 0
  /** Number of offered records without a usable identifier. */
  nameless = 0
  /** Number of failed, refused and duplicate items, since a resumption only. */
  failedItems = 0
  /** Number of offered records that belong to other pipes, and the problem of the first one. */
  #ownedElsewhere = 0
  #firstOwnedElsewhere: Failure | undefined
  /** Whether all records that this run was offered are known, also those before an interruption. */
  knowsAllOffered: boolean

  constructor(context: ExportContext, segment: SegmentContext, target: RunTarget) {
    const { runId, pipe } = segment
    const plan = exportPlan(context, runId)
    this.context = context
    this.segment = segment
    this.owner = { catalogue: target.catalogue, pipe }
    this.client = withRetries(target.client, context)
    this.transformersHash = plan?.transformersHash ?? ''
    this.opened = context.now()
    this.#forceMs = plan?.forceMs ?? 0
    this.#held = context.ledger.heldByPipe(pipe)
    this.knowsAllOffered = segment.isResumed !== true
  }

  /** Restores the counts of an interrupted run that continues after a cursor. */
  resume(): void {
    const { resumeFrom, runId } = this.segment
    if (resumeFrom === undefined) return
    const progress = this.context.ledger.progressOf(runId)
    if (!progress) return
    this.offered = progress.offered
    this.nameless = progress.nameless
    this.knowsAllOffered = true
  }

  /** Stores the progress in the ledger, so that the run can resume from here. */
  checkpoint(): void {
    const { ledger, now } = this.context
    const { offered, nameless, segment } = this
    ledger.transaction(() => {
      this.#flushOffered()
      ledger.saveProgress(segment.runId, { offered, nameless }, now())
    })
  }

  /** Records original ids that the catalogue contains when the run begins. */
  addPresent(ids: readonly string[]): void {
    const { ledger } = this.context
    const { catalogue, pipe } = this.owner
    ledger.transaction(() => {
      ledger.addPresent(this.segment.runId, ids)
      this.#ownedPresent += ids.filter(
        (id) => ledger.byOriginal(catalogue, id)?.pipe === pipe,
      ).length
    })
  }

  /**
   * Whether the catalogue contained every record that the pipe owns when the run began. A catalogue that was emptied, or deleted
   * and created again, leaves its rows in the ledger.
   */
  get hasAllOwned(): boolean {
    return this.#ownedPresent >= this.context.ledger.count(this.owner)
  }

  /** Whether the pipe owns any record of the catalogue, by the ledger. */
  get ownsRecords(): boolean {
    return this.context.ledger.count(this.owner) > 0
  }

  /** Whether the catalogue contained a record with this id when the run began, or the run has written it. */
  isPresent(originalId: string): boolean {
    return this.context.ledger.isPresent(this.segment.runId, originalId)
  }

  /**
   * Marks a row as offered by the source: it is no longer declared deleted, `restored` or held. Rows of other pipes are ignored.
   */
  markOffered(row: RecordRow): void {
    if (row.pipe !== this.owner.pipe) return
    this.declaredDeleted.delete(row.serial)
    this.#offeredRows.add(row.serial)
    if (this.segment.dryRun) return
    if (this.#offeredRows.size >= mostUnflushed) this.#flushOffered()
    const { ledger } = this.context
    if (row.state === 'restored') ledger.clearRestored(row.serial)
    if (this.#held.delete(row.serial)) ledger.releaseHeld(row.serial)
  }

  /** Marks the pipe's record with this source id, if any, as offered. */
  markSourceOffered(sourceId: string): void {
    const row = this.context.ledger.bySource(this.owner, sourceId)
    if (row) this.markOffered(row)
  }

  /**
   * Source ids of the pipe's records that the source has neither offered nor declared deleted so far, without those that a
   * waiting record may be and those that an operator restored. Empty in a dry run, and if earlier offers are not known.
   */
  missingSourceIds(): readonly string[] {
    if (!this.knowsAllOffered || this.segment.dryRun) return []
    const rows = this.context.ledger.rowsOf(this.owner)
    return [...rows].flatMap((row) => {
      const isAccountedFor =
        this.wasOffered(row) ||
        this.declaredDeleted.has(row.serial) ||
        this.maybeRenamed.has(row.serial)
      return isAccountedFor || row.sourceId === '' || row.state === 'restored' ? [] : [row.sourceId]
    })
  }

  /** Marks the pipe's record with this source id, if any, as deleted at the source; a later offer revokes that. */
  declareDeleted(sourceId: string): void {
    const row = this.context.ledger.bySource(this.owner, sourceId)
    if (row) this.declaredDeleted.add(row.serial)
  }

  /** Marks a record as written: present in the catalogue, and no longer declared deleted. */
  noteWritten(serial: number, originalId: string): void {
    this.declaredDeleted.delete(serial)
    this.context.ledger.addPresent(this.segment.runId, [originalId])
  }

  #flushOffered(): void {
    this.context.ledger.markOffered(this.segment.runId, this.#offeredRows)
    this.#offeredRows.clear()
  }

  /** Whether the source has offered the record; its row must be freshly read from the ledger. */
  wasOffered({ serial, lastRun }: RecordRow): boolean {
    return this.#offeredRows.has(serial) || lastRun === this.segment.runId
  }

  /**
   * Whether the record needs no write: same hash, still in the catalogue, written less than `forceDays` ago. `sourceHash`:
   * result of `hashOf`; without one a record always needs a write.
   */
  isUnchanged(row: RecordRow, sourceHash: string | undefined): boolean {
    return (
      sourceHash !== undefined &&
      row.hash === sourceHash &&
      this.context.now() - row.written < this.#forceMs &&
      this.isPresent(row.originalId)
    )
  }

  /** Combines the hash of a source record with that of the transformers. */
  hashOf(sourceHash: string | undefined): string | undefined {
    if (sourceHash === undefined || this.transformersHash === '') return sourceHash
    return hash('sha256', `${sourceHash}\n${this.transformersHash}`, 'hex')
  }

  /** Counts an offered record that was not written. */
  countFailedItem(problem: Failure): void {
    this.failedItems += 1
    if (problem.kind !== 'item-owned-elsewhere') return
    this.#ownedElsewhere += 1
    this.#firstOwnedElsewhere ??= problem
  }

  /** Failure `all-refused` if all offered records belong to other pipes. */
  get refusal(): Failure | undefined {
    const first = this.#firstOwnedElsewhere
    if (!first || this.#ownedElsewhere < this.offered) return undefined
    const detail = `Other pipes own all ${this.#ownedElsewhere} records of the source; the first: ${first.detail}`
    return new Failure('all-refused', detail)
  }

  /**
   * Counts consecutive failures of the repository and throws at the fiftieth. `undefined` for any other answer to a write, also a
   * refusal of the record; it resets the count.
   */
  countRepositoryFailure(failure: Failure | undefined): void {
    this.#consecutiveFailures = failure ? this.#consecutiveFailures + 1 : 0
    if (failure && this.#consecutiveFailures >= mostFailures) throw failure
  }

  /** Reserves an original id for a record without a row; `false` if another record of this run has it. */
  reserve(originalId: string, sourceId: string): boolean {
    const [key, source] = [keyHash(originalId), keyHash(sourceId)]
    const holder = this.#reserved.get(key) ?? source
    this.#reserved.set(key, holder)
    return holder === source
  }

  /** Claims an original id until `release`; if a pipe is writing it already, returns the pipe's name and claims nothing. */
  claim(originalId: string): string | undefined {
    const writer = writerOf(this.context, this.owner.catalogue, originalId)
    if (writer === undefined) this.writing.add(originalId)
    return writer
  }

  /** Ends a claim, after the write was answered. */
  release(originalId: string): void {
    this.writing.delete(originalId)
  }

  /** Ends the export and deletes its list of present ids. */
  async close(): Promise<void> {
    const { active, ledger } = this.context
    const { runId } = this.segment
    active.delete(runId)
    // Yields to the event loop, because a catalogue may contain a million records.
    while (ledger.forgetPresent(runId)) await setImmediate()
  }
}

/** Name of the pipe that is writing the record now, if any. */
export function writerOf(
  { active }: Pick<ExportContext, 'active'>,
  catalogue: string,
  originalId: string,
): string | undefined {
  for (const { owner, writing } of active.values())
    if (owner.catalogue === catalogue && writing.has(originalId)) return owner.pipe
  return undefined
}

/** Catalogue that a run writes to, and the client of its repository, without retries. */
type RunTarget = { readonly catalogue: string; readonly client: RepositoryClient }

/** Number of present ids that are recorded in one transaction. */
const idsPerStep = 1000

/**
 * Opens an export and reads the ids of the catalogue; the caller must `close` it. Throws `unknown-catalogue`, `export-failed`, or
 * `conflict` if the run has another exporter into a catalogue.
 */
export async function openExportRun(
  context: ExportContext,
  segment: SegmentContext,
  target: RunTarget,
  signal: AbortSignal,
): Promise<ExportRun> {
  const { active, ledger } = context
  if (active.has(segment.runId))
    throw new Failure('conflict', 'A pipe can have only one exporter into a catalogue.')
  const run = new ExportRun(context, segment, target)
  active.set(segment.runId, run)
  try {
    await checkCatalogue(run, signal)
    const ids = await originalIds(run.client, target.catalogue, signal)
    const batchNumbers = Array.from({ length: Math.ceil(ids.length / idsPerStep) }, (_, n) => n)
    for await (const n of inTurns(batchNumbers)) {
      const batch = ids.slice(n * idsPerStep, (n + 1) * idsPerStep)
      run.addPresent(batch)
      segment.sink.alive()
    }
    run.resume()
    // Recorded so that the pipe does not count as deleted while its file cannot be read.
    const file = context.sources().find(segment.pipe)
    if (file && !segment.dryRun) ledger.putPlace(segment.pipe, file)
    await context.countChange()
    return run
  } catch (error) {
    await run.close()
    throw error
  }
}

/**
 * Throws `unknown-catalogue` if the catalogue does not exist, after deleting its rows if the repository is that of this process;
 * `export-failed` for answers that say neither.
 */
async function checkCatalogue({ context, client, owner }: ExportRun, signal: AbortSignal) {
  const { catalogue } = owner
  const { status } = await client.ask({ method: 'HEAD', path: `/catalogues/${catalogue}` }, signal)
  if (status === 200) return
  if (status !== 404 && status !== 410)
    throw new Failure('export-failed', `The catalogue ${catalogue} answered ${status}.`)
  // Records of a deleted catalogue have no owner any more.
  if (client.isOwn) context.ledger.dropCatalogue(catalogue)
  throw new Failure(
    'unknown-catalogue',
    `There is no catalogue ${catalogue}. Create it first: a harvest does not.`,
  )
}
