/**
 * End of an export: removes what the source no longer has, or holds the removals until an operator consents, and records the
 * run in the ledger.
 */

import { Failure } from '../../errors.ts'
import type { Completeness } from '../../pipe/message.ts'
import { storedProblem } from '../../pipe/runs/run.ts'
import type { RecordRow } from '../ledger/ledger-rows.ts'
import type { ExportRun } from './export-run.ts'
import type { ExportConfig } from './export-target.ts'
import { removeAll } from './removals.ts'

type RemovalPlan = {
  /** Rows to remove now. */
  readonly due: readonly RecordRow[]
  /** Rows whose removal needs consent. */
  readonly held: readonly RecordRow[]
  /** Reason for holding removals. */
  readonly problem?: Failure
}

/** Plan without removals. */
const nothing: RemovalPlan = { due: [], held: [] }

/**
 * Ends an export after all writes were answered: decides about removals, carries them out, sets the outcome of the run. Removes
 * nothing if earlier offers are not known, or another run of the pipe ran in parallel.
 */
export async function completeRun(
  run: ExportRun,
  settings: ExportConfig,
  completeness: Completeness,
  signal: AbortSignal,
): Promise<void> {
  const { sink, log, runId, isResumed } = run.segment
  const { ledger, now } = run.context
  const { pipe } = run.owner
  const effective = effectiveCompleteness(run, completeness)
  if (effective.kind === 'not-modified') {
    ledger.touchPipe(pipe, now())
    sink.outcome('not-modified')
    return
  }
  const mayRemove = run.knowsAllOffered && !hasParallelRun(run)
  if (!mayRemove) log.info({ resumed: isResumed }, 'harvest.removal-skipped')
  const isComplete = effective.kind === 'complete'
  // If the ledger was an older copy or lost, a record without an owner may belong to another pipe.
  if (mayRemove && settings.adoptUnowned && isComplete && !ledger.isUnverified(pipe))
    adoptUnowned(run)
  const plan = mayRemove ? planOf(run, settings, effective) : nothing
  recordRun(run, effective, plan)
  for (const row of plan.held) sink.item({ ...idsOf(row), stage: 'export', state: 'held' })
  const { context, owner, client } = run
  const report = (row: RecordRow, problem: Failure | undefined) => {
    const state = problem ? 'failed' : 'removed'
    const problemMember = problem && { problem: storedProblem(problem) }
    sink.item({ ...idsOf(row), stage: 'export', state, ...problemMember })
  }
  await removeAll({ context, client, owner, runId, log, report }, plan.due, signal)
  if (isComplete) sink.outcome('complete', plan.problem)
  else sink.outcome('incomplete', plan.problem ?? effective.problem)
}

const idsOf = ({ originalId, sourceId, platformId }: RecordRow) => ({
  originalId,
  ...(sourceId !== '' && { sourceId }),
  ...(platformId !== null && { platformId }),
})

/**
 * Effective completeness. A run is not complete if all its records belong to other pipes, or if more records than before lack
 * an identifier, because one of them may be a known record.
 */
function effectiveCompleteness(run: ExportRun, completeness: Completeness): Completeness {
  if (completeness.kind === 'not-modified') return completeness
  const { refusal, nameless } = run
  if (refusal && (completeness.kind === 'complete' || !completeness.problem))
    return { kind: 'incomplete', problem: refusal }
  if (completeness.kind !== 'complete') return completeness
  const lastComplete = run.context.ledger.pipe(run.owner.pipe)
  if (!lastComplete || nameless <= lastComplete.nameless) return completeness
  const detail = `${nameless} records have no identifier, ${lastComplete.nameless} had none before.`
  return { kind: 'incomplete', problem: new Failure('item-no-identifier', detail) }
}

/** Whether another run of the pipe, dry runs excepted, was active at any time since this one began. */
function hasParallelRun({ context, owner, segment, opened }: ExportRun): boolean {
  const { runs } = context
  const began = Date.parse(runs.get(segment.runId)?.startTime ?? '') || opened
  return runs.list({ pipe: owner.pipe, offset: 0, limit: 50 }).some((run) => {
    if (run.id === segment.runId || run.startTime === undefined) return false
    const isOver = run.endTime !== undefined && Date.parse(run.endTime) <= began
    return !isOver && !runs.resumption(run.id).start.dryRun
  })
}

/**
 * Makes the pipe the owner of all records of the catalogue without one; this run may then remove those that it was not offered.
 */
function adoptUnowned({ context, owner, segment }: ExportRun): void {
  const { ledger, now } = context
  const { runId, sink } = segment
  const ids = ledger.unowned(runId, owner.catalogue)
  ledger.transaction(() => {
    for (const originalId of ids)
      ledger.putRecord({ ...owner, sourceId: '', originalId, run: '', time: now() })
  })
  sink.adopted(ids.length)
}

/**
 * Writes held removals, and the state of the pipe after a complete run, to the ledger in one transaction before anything is
 * removed; interrupted removals are completed by the next complete run.
 */
function recordRun(run: ExportRun, completeness: Completeness, plan: RemovalPlan): void {
  const { context, owner, client, segment, nameless, failedItems } = run
  const { transformersHash: transformation } = run
  const { ledger, now } = context
  ledger.transaction(() => {
    for (const { serial } of plan.held) ledger.holdRemoval(segment.runId, serial)
    if (plan.held.length > 0) ledger.putTarget(segment.runId, client.remoteAddress)
    if (completeness.kind !== 'complete') return
    const { fingerprint, outputHash: shape = null, validators = [] } = completeness
    const isClean = failedItems === 0 && plan.held.length === 0 && segment.isResumed !== true
    ledger.putPipe(owner.pipe, {
      catalogue: owner.catalogue,
      fingerprint,
      nameless,
      transformation,
      shape,
      run: segment.runId,
      time: now(),
      validators: isClean ? validators : [],
    })
  })
}

/**
 * Decides whether the missing records are removed or need consent, all or none; counts the complete runs that missed a record.
 * An incomplete run removes only what its source declared as deleted.
 */
function planOf(run: ExportRun, settings: ExportConfig, completeness: Completeness): RemovalPlan {
  // Declared deletions are valid in a run that is incomplete by design, but not in one that failed.
  if (completeness.kind === 'incomplete' && completeness.problem) return nothing
  const { ledger } = run.context
  const { pipe, catalogue } = run.owner
  const isComplete = completeness.kind === 'complete'
  const lastComplete = ledger.pipe(pipe)
  const selectionChanged =
    isComplete &&
    lastComplete?.catalogue === catalogue &&
    lastComplete.fingerprint !== completeness.fingerprint
  const rows = findGoneRows(run, settings, { isComplete, isCounted: !selectionChanged })
  if (rows.length === 0) return nothing
  const reason =
    (selectionChanged &&
      `${lastComplete.fingerprint === '' ? 'harvest.sqlite or the store is an older copy' : 'The pipe asks its source for other records than last time'}, and ${rows.length} would be removed.`) ||
    consentProblem(run, settings, rows.length)
  if (reason === undefined) return { due: rows, held: [] }
  return { due: [], held: rows, problem: new Failure('removal-held', reason) }
}

/**
 * Rows that may be removed: declared as deleted, or missed by `missingRuns` consecutive complete runs. Stores the count of each
 * row: 0 if it was offered, one more if it was missed, unless `isCounted` is false.
 */
function findGoneRows(
  run: ExportRun,
  settings: ExportConfig,
  { isComplete, isCounted }: { readonly isComplete: boolean; readonly isCounted: boolean },
): readonly RecordRow[] {
  const { ledger, config } = run.context
  const missingRuns = settings.missingRuns ?? config.missingRuns
  const goneRows: RecordRow[] = []
  const changes: (readonly [serial: number, missed: number])[] = []
  for (const row of ledger.rowsOf(run.owner)) {
    const isDeclared = run.declaredDeleted.has(row.serial)
    if (!isDeclared && (!isComplete || run.wasOffered(row))) {
      if (isComplete && row.missed > 0) changes.push([row.serial, 0])
      continue
    }
    if (row.state === 'restored' && !isDeclared) continue
    const missed = row.missed + 1
    if (isDeclared || missed >= missingRuns) goneRows.push(row)
    if (isCounted && isComplete) changes.push([row.serial, missed])
  }
  ledger.transaction(() => {
    for (const [serial, missed] of changes) ledger.setMissed(serial, missed)
  })
  return goneRows
}

/** Reason why the removals need consent, if they do. */
function consentProblem(
  { context, owner, segment, offered, declaredDeleted }: ExportRun,
  settings: ExportConfig,
  count: number,
): string | undefined {
  const percent = settings.guardPercent ?? context.config.guardPercent
  const minimum = settings.guardMinimum ?? context.config.guardMinimum
  // Records created by this run must not dilute the percentage.
  const ownedBefore = context.ledger.countBefore(owner, segment.runId)
  if (offered === 0 && declaredDeleted.size < count)
    return `The source offered no record at all, and ${count} would be removed.`
  const allowed = Math.max(minimum, Math.floor((ownedBefore * percent) / 100))
  if (percent >= 100 || count <= allowed) return undefined
  return (
    `${count} of ${ownedBefore} records would be removed; without consent at most ${allowed} are ` +
    `(guardPercent ${percent}, guardMinimum ${minimum}).`
  )
}
