/**
 * The end of an exported run: what the source has no longer is removed, or held back until somebody consents, and the run is
 * remembered.
 */

import { Failure } from '../../errors.ts'
import type { Completeness } from '../../pipe/message.ts'
import { storedProblem } from '../../pipe/runs/run.ts'
import type { RecordRow } from '../ledger/ledger-rows.ts'
import type { ExportRun } from './export-run.ts'
import type { ExportConfig } from './export-target.ts'
import { removeAll } from './removals.ts'

type RemovalPlan = {
  /** To be removed now. */
  readonly due: readonly RecordRow[]
  /** Would be removed, but not without consent. */
  readonly held: readonly RecordRow[]
  /** Why. */
  readonly problem?: Failure
}

const nothing: RemovalPlan = { due: [], held: [] }

/** To be called when everything is answered; decides on the outcome of the run. */
export async function settleRun(
  run: ExportRun,
  settings: ExportConfig,
  completeness: Completeness,
  signal: AbortSignal,
): Promise<void> {
  const { sink, log, runId, resumed } = run.segment
  const { ledger, now } = run.context
  const { pipe } = run.owner
  const judged = effectiveCompleteness(run, completeness)
  if (judged.kind === 'not-modified') {
    ledger.touchPipe(pipe, now())
    sink.outcome('not-modified')
    return
  }
  const mayRemove = run.isWhole && !hasParallelRun(run)
  if (!mayRemove) log.info({ resumed }, 'harvest.removal-skipped')
  const isComplete = judged.kind === 'complete'
  // What nobody owns may have been another pipe's.
  if (mayRemove && settings.adoptUnowned && isComplete && !ledger.isBehind(pipe)) adoptUnowned(run)
  const plan = mayRemove ? planOf(run, settings, judged) : nothing
  recordRun(run, judged, plan)
  for (const row of plan.held) sink.item({ ...namesOf(row), stage: 'export', state: 'held' })
  const { context, owner, client } = run
  const report = (row: RecordRow, problem: Failure | undefined) => {
    const state = problem ? 'failed' : 'removed'
    const why = problem && { problem: storedProblem(problem) }
    sink.item({ ...namesOf(row), stage: 'export', state, ...why })
  }
  await removeAll({ context, client, owner, runId, log, report }, plan.due, signal)
  if (isComplete) sink.outcome('complete', plan.problem)
  else sink.outcome('incomplete', plan.problem ?? judged.problem)
}

const namesOf = ({ originalId, sourceId, platformId }: RecordRow) => ({
  originalId,
  ...(sourceId !== '' && { sourceId }),
  ...(platformId !== null && { platformId }),
})

/**
 * A run is not complete when all of its records are other pipes', or when more than before have no identifier: one of them
 * may be one that we know.
 */
function effectiveCompleteness(run: ExportRun, completeness: Completeness): Completeness {
  if (completeness.kind === 'not-modified') return completeness
  const { refusal, nameless } = run
  if (refusal && (completeness.kind === 'complete' || !completeness.problem))
    return { kind: 'incomplete', problem: refusal }
  if (completeness.kind !== 'complete') return completeness
  const last = run.context.ledger.pipe(run.owner.pipe)
  if (!last || nameless <= last.nameless) return completeness
  const detail = `${nameless} records have no identifier, ${last.nameless} had none before.`
  return { kind: 'incomplete', problem: new Failure('item-no-identifier', detail) }
}

/** Whether another run of the pipe was under way at any time since this one began. */
function hasParallelRun({ context, owner, segment, opened }: ExportRun): boolean {
  const { runs } = context
  const began = Date.parse(runs.get(segment.runId)?.startTime ?? '') || opened
  return runs.list({ pipe: owner.pipe, offset: 0, limit: 50 }).some((run) => {
    if (run.id === segment.runId || run.startTime === undefined) return false
    const isOver = run.endTime !== undefined && Date.parse(run.endTime) <= began
    return !isOver && !runs.resumption(run.id).start.dryRun
  })
}

/** Gives the pipe the records that have no owner and that no run has met, so that they are removed when the source does not have them. */
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

/** In one step, before anything is removed: a removal that is broken off is taken up by the next complete run. */
function recordRun(run: ExportRun, completeness: Completeness, plan: RemovalPlan): void {
  const { context, owner, segment, nameless, transformation, losses } = run
  const { ledger, now } = context
  ledger.transaction(() => {
    for (const { serial } of plan.held) ledger.hold(segment.runId, serial)
    if (completeness.kind !== 'complete') return
    const { fingerprint, shape = null, validators = [] } = completeness
    const isClean = losses === 0 && plan.held.length === 0 && segment.resumed !== true
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
 * Which records may be removed, and which have to wait for consent; counts the complete runs that have missed a record on the
 * way. A run that is not complete removes what its source declared deleted, and nothing else.
 */
function planOf(run: ExportRun, settings: ExportConfig, completeness: Completeness): RemovalPlan {
  // Declared deletions count in a run that is incomplete by design, not in one that broke off.
  if (completeness.kind === 'incomplete' && completeness.problem) return nothing
  const { ledger } = run.context
  const { pipe, catalogue } = run.owner
  const isComplete = completeness.kind === 'complete'
  const last = ledger.pipe(pipe)
  const isMoved =
    isComplete && last?.catalogue === catalogue && last.fingerprint !== completeness.fingerprint
  const rows = goneRows(run, settings, { isComplete, isCounted: !isMoved })
  if (rows.length === 0) return nothing
  const reason =
    (isMoved &&
      `${last.fingerprint === '' ? 'harvest.sqlite is an older copy' : 'The pipe asks its source for other records than last time'}, and ${rows.length} would be removed.`) ||
    consentProblem(run, settings, rows.length)
  if (reason === undefined) return { due: rows, held: [] }
  return { due: [], held: rows, problem: new Failure('removal-held', reason) }
}

/** Rows whose removal is due; the others get their count of missed runs. */
function goneRows(
  run: ExportRun,
  settings: ExportConfig,
  { isComplete, isCounted }: { readonly isComplete: boolean; readonly isCounted: boolean },
): readonly RecordRow[] {
  const { ledger, config } = run.context
  const needed = settings.missingRuns ?? config.missingRuns
  const gone: RecordRow[] = []
  const changes: (readonly [serial: number, missed: number])[] = []
  for (const row of ledger.rowsOf(run.owner)) {
    const isDeclared = run.deleted.has(row.serial)
    if (!isDeclared && (!isComplete || run.hasMet(row))) {
      if (isComplete && row.missed > 0) changes.push([row.serial, 0])
      continue
    }
    if (row.state === 'restored' && !isDeclared) continue
    const missed = row.missed + 1
    if (isDeclared || missed >= needed) gone.push(row)
    if (isCounted && isComplete) changes.push([row.serial, missed])
  }
  ledger.transaction(() => {
    for (const [serial, missed] of changes) ledger.setMissed(serial, missed)
  })
  return gone
}

/** Why so many records may not be removed without consent. */
function consentProblem(
  { context, owner, segment, offered, deleted }: ExportRun,
  settings: ExportConfig,
  count: number,
): string | undefined {
  const percent = settings.guardPercent ?? context.config.guardPercent
  const minimum = settings.guardMinimum ?? context.config.guardMinimum
  // What this very run has brought would hide how much of the rest is gone.
  const all = context.ledger.countBefore(owner, segment.runId)
  if (offered === 0 && deleted.size < count)
    return `The source offered no record at all, and ${count} would be removed.`
  const most = Math.max(minimum, Math.floor((all * percent) / 100))
  if (percent >= 100 || count <= most) return undefined
  return (
    `${count} of ${all} records would be removed; without consent at most ${most} are ` +
    `(guardPercent ${percent}, guardMinimum ${minimum}).`
  )
}
