/**
 * Removes records from the repository, and actions of operators: confirm held removals, restore removed records, transfer
 * records to another pipe.
 */

import { Failure, shown } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Owner, RecordRow, RemovedRecord } from '../ledger/ledger-rows.ts'
import { inParallel } from '../../workers/in-parallel.ts'
import { originPath } from './dataset-writer.ts'
import { failureOf, reasonOf, refuseByKey, putResultOf } from './put-results.ts'
import { dayMs } from '../../text/duration.ts'
import { exportPlan } from './export-plan.ts'
import { writerOf, type ExportContext } from './export-run.ts'
import { exportTarget } from './export-target.ts'
import { withRetries, type RepositoryClient } from './repository-client.ts'

type RemovalOptions = {
  readonly context: ExportContext
  readonly client: RepositoryClient
  readonly owner: Owner
  readonly runId: string
  readonly log: Log
  /** Called for each record, with the problem if it could not be removed. */
  readonly report: (row: RecordRow, problem: Failure | undefined) => void
}

/** Parallel requests. */
const atOnce = 4

/**
 * Removes rows; 404 and 410 mean that a record is already gone. A record that cannot be removed stays in the ledger. Throws
 * if the key is refused or the signal fires.
 */
export async function removeAll(
  removing: RemovalOptions,
  rows: readonly RecordRow[],
  signal: AbortSignal,
): Promise<void> {
  const { ledger, now, config } = removing.context
  ledger.forgetRemovedBefore(now() - config.restoreDays * dayMs)
  await inParallel(rows, (row) => removeOne(removing, row, signal), { atOnce, signal })
}

async function removeOne(
  { context, client, owner, runId: run, log, report }: RemovalOptions,
  row: RecordRow,
  signal: AbortSignal,
): Promise<void> {
  const { catalogue } = owner
  const { ledger, now } = context
  const { serial, originalId, sourceId } = row
  const current = ledger.bySerial(serial)
  // Another pipe may have taken it over.
  if (current?.pipe !== owner.pipe || writerOf(context, catalogue, originalId)) return
  const path = originPath(catalogue, originalId)
  const headers = { Prefer: 'respond-async', 'X-Request-Id': `${run}-removal-${serial}` }
  const answer = await client.ask({ method: 'DELETE', path, headers }, signal)
  refuseByKey(answer, catalogue, client)
  const { status } = answer
  if (status !== 204 && status !== 404 && status !== 410) {
    log.warn({ catalogue, originalId, status }, 'harvest.removal-failed')
    report(row, failureOf(putResultOf(answer)))
    return
  }
  const platformId = current.platformId ?? ''
  ledger.transaction(() => {
    ledger.drop(serial)
    if (status === 204)
      ledger.noteRemoved({ run, ...owner, originalId, sourceId, platformId }, now())
  })
  report(row, undefined)
}

/** Result of restoring removed records. */
export type RestoreResult = {
  readonly restored: number
  /** Platform ids that could not be restored, with reasons. */
  readonly failed: readonly { readonly id: string; readonly reason: string }[]
}

/**
 * Carries out the held removals of a run. Throws `unknown-run`; `conflict` if there are none, a later run of the pipe was
 * complete, or the pipe is running; `export-failed` if some records could not be removed.
 */
export async function confirmRemovals(
  context: ExportContext,
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  const { ledger, log, runs } = context
  const run = runs.get(runId)
  if (!run) throw new Failure('unknown-run', `there is no run ${shown(runId)}`)
  const { pipe, catalogue, startTime = '' } = run
  const last = ledger.pipe(pipe)
  // The held removals of a later complete run take precedence.
  if (last && last.run !== runId && last.time >= Date.parse(startTime))
    throw new Failure('conflict', 'A later run of the pipe was complete: confirm that one instead.')
  checkIdle(context, pipe)
  const rows = ledger.held(runId)
  if (rows.length === 0) throw new Failure('conflict', 'No removal of this run waits for consent.')
  if (catalogue === undefined) throw new Failure('conflict', 'The run has no catalogue.')
  const [client, owner] = [clientOf(context, runId), { catalogue, pipe }]
  let [done, failed, isComplete] = [0, 0, false]
  const report = (_: RecordRow, problem: Failure | undefined) => {
    if (problem) failed += 1
    else done += 1
  }
  // Shows the confirmation on pages that are opened during the removal.
  runs.note(runId, { action: 'confirm', done, failed: 0 })
  try {
    await removeAll({ context, client, owner, runId, log, report }, rows, signal)
    isComplete = true
  } finally {
    await context.changed()
    runs.note(runId, { action: 'confirm', done, failed: isComplete ? failed : rows.length - done })
  }
  log.info({ run: runId, pipe, removed: done, failed }, 'run.confirmed')
  if (failed > 0)
    throw new Failure('export-failed', `${failed} of ${rows.length} records could not be removed.`)
}

/** Restores all records that a run removed, or the dataset with this platform id. Throws `unknown-dataset`. */
export async function restoreRemoved(
  context: ExportContext,
  what: string,
  signal: AbortSignal,
): Promise<RestoreResult> {
  const { ledger, runs, now } = context
  const ofRun = ledger.removedBy(what)
  const all = ofRun.length > 0 ? ofRun : ledger.removedAs(what)
  const [first] = all
  if (!first) {
    const detail = `no harvest removed anything with the id ${shown(what)}, or it was too long ago`
    throw new Failure(runs.get(what) ? 'conflict' : 'unknown-dataset', detail)
  }
  // All records are from one run, or there is only one.
  const { run } = first
  const client = clientOf(context, run)
  const failed: { id: string; reason: string }[] = []
  let done = 0
  try {
    for (const removed of all) {
      const reason = await restoreOne(client, removed, signal)
      if (reason === undefined) {
        ledger.markRestored(removed, now())
        done += 1
      } else failed.push({ id: removed.platformId, reason })
    }
  } finally {
    await context.changed()
    runs.note(run, { action: 'restore', done, failed: failed.length })
  }
  return { restored: done, failed }
}

/** Restores a record; returns the reason if it failed. */
async function restoreOne(
  client: RepositoryClient,
  { platformId }: RemovedRecord,
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = `/datasets/${platformId}/restore`
  const headers = { Prefer: 'respond-async' }
  const answer = await client.ask({ method: 'POST', path, headers }, signal)
  return answer.status === 201 ? undefined : reasonOf(putResultOf(answer))
}

/** Transfers the records of one pipe to another; returns their number. Throws `conflict` while either is running. */
export async function adoptRecords(
  context: ExportContext,
  pipe: string,
  from: string,
): Promise<number> {
  if (pipe === from) throw new Failure('conflict', 'A pipe cannot adopt its own records.')
  checkIdle(context, pipe)
  checkIdle(context, from)
  const handed = context.ledger.transfer(pipe, from)
  await context.changed()
  return handed
}

function checkIdle({ active }: ExportContext, pipe: string): void {
  for (const { owner } of active.values())
    if (owner.pipe === pipe) throw new Failure('conflict', `The pipe ${pipe} is running.`)
}

/** Client of the repository in the current pipe of the run. */
function clientOf(context: ExportContext, runId: string): RepositoryClient {
  const { config = {}, place = { trust: 'foreign' } as const } =
    exportPlan(context, runId)?.exporter ?? {}
  const target = exportTarget(context, config, place)
  if ('problems' in target)
    throw new Failure('conflict', 'The pipe of the run no longer says where it writes to.')
  return withRetries(target.client, context)
}
