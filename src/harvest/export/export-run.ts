/** State of a run during its export: the records that the source has offered, and those that the catalogue holds. */

import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Outbound } from '../../client/outbound.ts'
import type { ClusterConfig } from '../../config/cluster.ts'
import type { HarvestConfig } from '../../config/harvest.ts'
import { Failure } from '../../errors.ts'
import type { OwnKeys } from '../../http/known-keys.ts'
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

/** Dependencies that all exports of a process share. */
export type ExportContext = RetryContext & {
  readonly ledger: Ledger
  /** To be called when the ledger has changed: an older copy of it is recognised by the count that is kept elsewhere. */
  readonly changed: () => Promise<void>
  readonly config: HarvestConfig
  readonly outbound: Outbound
  readonly repository: Repository | undefined
  readonly serviceDiscovery: ClusterConfig['serviceDiscovery']
  readonly key: OwnKeys
  readonly secret: (name: string) => string | undefined
  readonly runs: Pick<Runs, 'get' | 'list' | 'resumption' | 'note'>
  readonly sources: () => Pick<PipeSources, 'find' | 'invalid'>
  /** Every segment of this process. */
  readonly kinds: () => readonly SegmentKind[]
  readonly log: Log
  /** Writes the measurements in a message about its dataset; the whole text is sent when absent. */
  readonly metricsExport?: MetricsExport
  /** Finds values of a record that the search document cannot hold; absent where there is no search. */
  readonly unfitValues?: UnfitValues
  /** Runs that are being exported, by their ids. */
  readonly active: Map<string, ExportRun>
}

const mostFailures = 50
/** Rows that are noted in the ledger together. */
const mostPending = 1000

/**
 * One export from its first record to the decision what may be removed; in memory as long as it is active, in the ledger
 * for as long as it may be resumed.
 */
export class ExportRun {
  readonly context: ExportContext
  readonly segment: SegmentContext
  readonly owner: Owner
  readonly client: RepositoryClient
  /** Digest of everything between import and export; `''` when there is nothing. */
  readonly transformation: string
  /** When it was opened, ms. */
  readonly opened: number
  /** Rows whose records the source declared gone, by their serials. */
  readonly deleted = new Set<number>()
  /** Original ids of the records that it is writing. */
  readonly writing = new Set<string>()
  /** Rows whose records may come under another source id at the end, by their serials. */
  readonly awaited = new Set<number>()
  /** Rows of the pipe that wait for consent to their removal. */
  readonly #held: Set<number>
  readonly #forceMs: number
  /** Source ids for which new records got their original ids in this run, as numbers. */
  readonly #reserved = new Map<number, number>()
  /** Rows whose records the source has offered, as far as the ledger does not know it yet. */
  readonly #met = new Set<number>()
  /** Records of the pipe that the catalogue held when the run began. */
  #own = 0
  #failures = 0
  /** Records that the source offered, read or not. */
  offered = 0
  /** Offered records without a usable identifier. */
  nameless = 0
  /** Items that were not written. */
  losses = 0
  /** Offered records that belong to other pipes, and the owner of the first one. */
  #elsewhere = 0
  #firstElsewhere: Failure | undefined
  /** Whether the records that were met before an interruption are known. */
  isWhole: boolean

  constructor(context: ExportContext, segment: SegmentContext, target: RunTarget) {
    const { runId, pipe } = segment
    const plan = exportPlan(context, runId)
    this.context = context
    this.segment = segment
    this.owner = { catalogue: target.catalogue, pipe }
    this.client = withRetries(target.client, context)
    this.transformation = plan?.transformation ?? ''
    this.opened = context.now()
    this.#forceMs = plan?.forceMs ?? 0
    this.#held = context.ledger.heldOf(pipe)
    this.isWhole = segment.resumed !== true
  }

  /** Takes up what the run had met before it was interrupted. */
  resume(): void {
    const { resumeFrom, runId } = this.segment
    if (resumeFrom === undefined) return
    const progress = this.context.ledger.progressOf(runId)
    if (!progress) return
    this.offered = progress.offered
    this.nameless = progress.nameless
    this.isWhole = true
  }

  /** Everything met so far is durable: the run may be resumed from here. */
  checkpoint(): void {
    const { ledger, now } = this.context
    const { offered, nameless, segment } = this
    ledger.transaction(() => {
      this.#noteMet()
      ledger.saveProgress(segment.runId, { offered, nameless }, now())
    })
  }

  /** The catalogue holds these ids. */
  addPresent(ids: readonly string[]): void {
    const { ledger } = this.context
    const { catalogue, pipe } = this.owner
    ledger.transaction(() => {
      ledger.addPresent(this.segment.runId, ids)
      this.#own += ids.filter((id) => ledger.byOriginal(catalogue, id)?.pipe === pipe).length
    })
  }

  /** Whether the catalogue held everything that the pipe owns in it: who deletes it or empties it leaves the rows. */
  get hasAll(): boolean {
    return this.#own >= this.context.ledger.count(this.owner)
  }

  /** Whether the pipe owns anything in the catalogue. */
  get ownsSome(): boolean {
    return this.context.ledger.count(this.owner) > 0
  }

  /** Whether the catalogue holds a record with this id. */
  isPresent(originalId: string): boolean {
    return this.context.ledger.isPresent(this.segment.runId, originalId)
  }

  /** The source has offered the record. */
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

  /** The source has offered the record of this id, if the pipe owns one. */
  meetSource(sourceId: string): void {
    const row = this.context.ledger.bySource(this.owner, sourceId)
    if (row) this.meet(row)
  }

  /** Source ids of the pipe's records that the source has not offered so far; none when that is not known of this run. */
  missing(): readonly string[] {
    if (!this.isWhole || this.segment.dryRun) return []
    const rows = this.context.ledger.rowsOf(this.owner)
    return [...rows].flatMap((row) => {
      const isOpen =
        this.hasMet(row) || this.deleted.has(row.serial) || this.awaited.has(row.serial)
      return isOpen || row.sourceId === '' || row.state === 'restored' ? [] : [row.sourceId]
    })
  }

  /** The source has declared the record of this id gone, if the pipe owns one. */
  declareDeleted(sourceId: string): void {
    const row = this.context.ledger.bySource(this.owner, sourceId)
    if (row) this.deleted.add(row.serial)
  }

  /** The repository has taken the record. */
  noteWritten(serial: number, originalId: string): void {
    this.deleted.delete(serial)
    this.context.ledger.addPresent(this.segment.runId, [originalId])
  }

  #noteMet(): void {
    this.context.ledger.noteMet(this.segment.runId, this.#met)
    this.#met.clear()
  }

  /** Whether the source has offered the record. To be asked with a row that was just read. */
  hasMet({ serial, lastRun }: RecordRow): boolean {
    return this.#met.has(serial) || lastRun === this.segment.runId
  }

  /** Whether neither source nor catalogue nor the passing of time ask for a write. */
  isUnchanged(row: RecordRow, sourceHash: string | undefined): boolean {
    return (
      sourceHash !== undefined &&
      row.hash === sourceHash &&
      this.context.now() - row.written < this.#forceMs &&
      this.isPresent(row.originalId)
    )
  }

  /** The source hash with what transformers make of the record. */
  hashOf(sourceHash: string | undefined): string | undefined {
    if (sourceHash === undefined || this.transformation === '') return sourceHash
    return hash('sha256', `${sourceHash}\n${this.transformation}`, 'hex')
  }

  /** A record that was offered is not written. */
  countLoss(problem: Failure): void {
    this.losses += 1
    if (problem.kind !== 'item-owned-elsewhere') return
    this.#elsewhere += 1
    this.#firstElsewhere ??= problem
  }

  /** `all-refused` when the run met nothing but records of other pipes. */
  get refusal(): Failure | undefined {
    const first = this.#firstElsewhere
    if (!first || this.#elsewhere < this.offered) return undefined
    const detail = `Other pipes own all ${this.#elsewhere} records of the source; the first: ${first.detail}`
    return new Failure('all-refused', detail)
  }

  /** Counts failures of the repository in a row; the fiftieth ends the run. Anything else starts the count again. */
  count(failure: Failure | undefined): void {
    this.#failures = failure ? this.#failures + 1 : 0
    if (failure && this.#failures >= mostFailures) throw failure
  }

  /** Whether a new record may have the original id: no other record of this run has it. */
  reserve(originalId: string, sourceId: string): boolean {
    const [key, source] = [keyHash(originalId), keyHash(sourceId)]
    const holder = this.#reserved.get(key) ?? source
    this.#reserved.set(key, holder)
    return holder === source
  }

  /** The pipe that is writing the record already; when there is none, this run is writing it until `release`. */
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
    // A catalogue may hold a million: others have a turn meanwhile.
    while (ledger.forgetPresent(runId)) await setImmediate()
  }
}

/** The pipe that is writing the record now. */
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

/** Ids that are noted in one transaction. */
const idsPerStep = 1000

/** The catalogue must be there, and what it holds is read once. Throws `unknown-catalogue`, `conflict`, `export-failed`. */
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
    // So that the pipe is not taken for deleted while its file cannot be read.
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
  // What belonged to pipes in a catalogue that is gone belongs to nobody.
  if (client.isOwn) context.ledger.dropCatalogue(catalogue)
  throw new Failure(
    'unknown-catalogue',
    `There is no catalogue ${catalogue}. Create it first: a harvest does not.`,
  )
}
