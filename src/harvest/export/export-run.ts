/**
 * State of an export: the records that the source has offered, and those in the catalogue.
 *
 *     a record of the ledger during a run:
 *
 *     owned ──▶ met ──────────▶ landed (written, or unchanged)
 *       │        └────────────▶ lost (failed or refused; stays in the catalogue)
 *       ├──▶ deleted            (declared gone by the source)
 *       └──▶ missing at the end ──▶ kept (run incomplete) | due (removed) | held (waits for consent)
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
  /** Called after changes of the ledger; stores their number elsewhere, to detect an older copy of the file. */
  readonly changed: () => Promise<void>
  readonly config: HarvestConfig
  readonly outbound: Outbound
  readonly repository: Repository | undefined
  readonly serviceDiscovery: ClusterConfig['serviceDiscovery']
  readonly key: ProcessKeys
  readonly secret: (name: string) => string | undefined
  readonly runs: Pick<Runs, 'get' | 'list' | 'resumption' | 'note'>
  readonly sources: () => Pick<PipeSources, 'find' | 'invalid'>
  /** All segments of this process. */
  readonly kinds: () => readonly SegmentKind[]
  readonly log: Log
  /** Extracts measurements from messages; if absent, the whole text is written. */
  readonly metricsExport?: MetricsExport
  /** Finds values of a record that the search document cannot contain; absent without search. */
  readonly unfitValues?: UnfitValues
  /** Active exports by run id. */
  readonly active: Map<string, ExportRun>
}

const mostFailures = 50
/** Maximum number of met rows in memory before they are written to the ledger. */
const mostPending = 1000

/**
 * One export, from its first record to the decision about removals. Its state is in memory while it is active, and in the
 * ledger as long as it can be resumed.
 */
export class ExportRun {
  readonly context: ExportContext
  readonly segment: SegmentContext
  readonly owner: Owner
  readonly client: RepositoryClient
  /** Digest of all segments between import and export; `''` if there are none. */
  readonly transformersHash: string
  /** Time of opening in ms. */
  readonly opened: number
  /** Serials of rows that the source declared as deleted. */
  readonly deleted = new Set<number>()
  /** Original ids being written. */
  readonly writing = new Set<string>()
  /** Serials of rows whose records may be offered under another source id later. */
  readonly awaited = new Set<number>()
  /** Serials of rows of the pipe with held removals. */
  readonly #held: Set<number>
  readonly #forceMs: number
  /** Hashes of the original ids given to new records in this run → hashes of their source ids. */
  readonly #reserved = new Map<number, number>()
  /** Serials of met rows that are not written to the ledger yet. */
  readonly #met = new Set<number>()
  /** Number of the pipe's records in the catalogue when the run began. */
  #own = 0
  #failures = 0
  /** Number of offered records, readable or not. */
  offered = 0
  /** Number of offered records without a usable identifier. */
  nameless = 0
  /** Number of items that were not written. */
  losses = 0
  /** Number of offered records that belong to other pipes, and the owner of the first one. */
  #elsewhere = 0
  #firstElsewhere: Failure | undefined
  /** Whether the records met before an interruption are known. */
  hasFullList: boolean

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
    this.#held = context.ledger.heldOf(pipe)
    this.hasFullList = segment.resumed !== true
  }

  /** Restores the progress of an interrupted run. */
  resume(): void {
    const { resumeFrom, runId } = this.segment
    if (resumeFrom === undefined) return
    const progress = this.context.ledger.progressOf(runId)
    if (!progress) return
    this.offered = progress.offered
    this.nameless = progress.nameless
    this.hasFullList = true
  }

  /** Makes the progress durable, so that the run can resume from here. */
  checkpoint(): void {
    const { ledger, now } = this.context
    const { offered, nameless, segment } = this
    ledger.transaction(() => {
      this.#noteMet()
      ledger.saveProgress(segment.runId, { offered, nameless }, now())
    })
  }

  /** Records ids that the catalogue contains. */
  addPresent(ids: readonly string[]): void {
    const { ledger } = this.context
    const { catalogue, pipe } = this.owner
    ledger.transaction(() => {
      ledger.addPresent(this.segment.runId, ids)
      this.#own += ids.filter((id) => ledger.byOriginal(catalogue, id)?.pipe === pipe).length
    })
  }

  /**
   * Whether the catalogue contained every record that the pipe owns; deleting or emptying a catalogue leaves the rows of the
   * ledger.
   */
  get hasAll(): boolean {
    return this.#own >= this.context.ledger.count(this.owner)
  }

  /** Whether the pipe owns anything in the catalogue. */
  get ownsSome(): boolean {
    return this.context.ledger.count(this.owner) > 0
  }

  /** Whether the catalogue contains a record with this id. */
  isPresent(originalId: string): boolean {
    return this.context.ledger.isPresent(this.segment.runId, originalId)
  }

  /** Marks a row as offered by the source. */
  meet(row: RecordRow): void {
    if (row.pipe !== this.owner.pipe) return
    this.deleted.delete(row.serial)
    this.#met.add(row.serial)
    if (this.segment.dryRun) return
    if (this.#met.size >= mostPending) this.#noteMet()
    const { ledger } = this.context
    if (row.state === 'restored') ledger.markOffered(row.serial)
    if (this.#held.delete(row.serial)) ledger.release(row.serial)
  }

  /** Marks the pipe's record with this source id, if any, as offered. */
  meetSource(sourceId: string): void {
    const row = this.context.ledger.bySource(this.owner, sourceId)
    if (row) this.meet(row)
  }

  /** Source ids of the pipe's records that were not offered so far; empty if the progress is not fully known. */
  missing(): readonly string[] {
    if (!this.hasFullList || this.segment.dryRun) return []
    const rows = this.context.ledger.rowsOf(this.owner)
    return [...rows].flatMap((row) => {
      const isOpen =
        this.hasMet(row) || this.deleted.has(row.serial) || this.awaited.has(row.serial)
      return isOpen || row.sourceId === '' || row.state === 'restored' ? [] : [row.sourceId]
    })
  }

  /** Marks the pipe's record with this source id, if any, as deleted at the source. */
  declareDeleted(sourceId: string): void {
    const row = this.context.ledger.bySource(this.owner, sourceId)
    if (row) this.deleted.add(row.serial)
  }

  /** Marks a record as written by the repository. */
  noteWritten(serial: number, originalId: string): void {
    this.deleted.delete(serial)
    this.context.ledger.addPresent(this.segment.runId, [originalId])
  }

  #noteMet(): void {
    this.context.ledger.noteMet(this.segment.runId, this.#met)
    this.#met.clear()
  }

  /** Whether the source has offered the record; `row` must be freshly read. */
  hasMet({ serial, lastRun }: RecordRow): boolean {
    return this.#met.has(serial) || lastRun === this.segment.runId
  }

  /** Whether the record needs no write: same source hash, still in the catalogue, not too old. */
  isUnchanged(row: RecordRow, sourceHash: string | undefined): boolean {
    return (
      sourceHash !== undefined &&
      row.hash === sourceHash &&
      this.context.now() - row.written < this.#forceMs &&
      this.isPresent(row.originalId)
    )
  }

  /** Hash of the source and the transformers. */
  hashOf(sourceHash: string | undefined): string | undefined {
    if (sourceHash === undefined || this.transformersHash === '') return sourceHash
    return hash('sha256', `${sourceHash}\n${this.transformersHash}`, 'hex')
  }

  /** Counts an offered record that was not written. */
  countLoss(problem: Failure): void {
    this.losses += 1
    if (problem.kind !== 'item-owned-elsewhere') return
    this.#elsewhere += 1
    this.#firstElsewhere ??= problem
  }

  /** Failure `all-refused` if all offered records belong to other pipes. */
  get refusal(): Failure | undefined {
    const first = this.#firstElsewhere
    if (!first || this.#elsewhere < this.offered) return undefined
    const detail = `Other pipes own all ${this.#elsewhere} records of the source; the first: ${first.detail}`
    return new Failure('all-refused', detail)
  }

  /** Counts consecutive failures of the repository and throws at the fiftieth; a success resets the count. */
  count(failure: Failure | undefined): void {
    this.#failures = failure ? this.#failures + 1 : 0
    if (failure && this.#failures >= mostFailures) throw failure
  }

  /** Reserves an original id for a new record; `false` if another record of this run has it. */
  reserve(originalId: string, sourceId: string): boolean {
    const [key, source] = [keyHash(originalId), keyHash(sourceId)]
    const holder = this.#reserved.get(key) ?? source
    this.#reserved.set(key, holder)
    return holder === source
  }

  /** Claims an original id until `release`; returns the pipe that is writing it already, if any. */
  claim(originalId: string): string | undefined {
    const other = writerOf(this.context, this.owner.catalogue, originalId)
    if (other === undefined) this.writing.add(originalId)
    return other
  }

  release(originalId: string): void {
    this.writing.delete(originalId)
  }

  async close(): Promise<void> {
    const { active, ledger } = this.context
    const { runId } = this.segment
    active.delete(runId)
    // Yields to the event loop, because a catalogue may contain a million records.
    while (ledger.forgetPresent(runId)) await setImmediate()
  }
}

/** Pipe that is writing the record now. */
export function writerOf(
  { active }: Pick<ExportContext, 'active'>,
  catalogue: string,
  originalId: string,
): string | undefined {
  for (const { owner, writing } of active.values())
    if (owner.catalogue === catalogue && writing.has(originalId)) return owner.pipe
  return undefined
}

type RunTarget = { readonly catalogue: string; readonly client: RepositoryClient }

/** Ids per transaction. */
const idsPerStep = 1000

/** Opens an export and reads the ids of the catalogue. Throws `unknown-catalogue`, `conflict`, `export-failed`. */
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
    const starts = Array.from({ length: Math.ceil(ids.length / idsPerStep) }, (_, n) => n)
    for await (const n of inTurns(starts)) {
      const some = ids.slice(n * idsPerStep, (n + 1) * idsPerStep)
      run.addPresent(some)
      segment.sink.alive()
    }
    run.resume()
    // Recorded so that the pipe does not count as deleted while its file cannot be read.
    const file = context.sources().find(segment.pipe)
    if (file && !segment.dryRun) ledger.putPlace(segment.pipe, file)
    await context.changed()
    return run
  } catch (error) {
    await run.close()
    throw error
  }
}

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
