/**
 * Removes records from the repository, and actions of operators: confirm held removals, restore removed records, transfer
 * records to another pipe.
 */

import { Failure, shown } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Owner, RecordRow, RemovedRecord } from '../ledger/ledger-rows.ts'
import { inParallel } from '../../workers/in-parallel.ts'
import { originPath } from './dataset-writer.ts'
import { failureOf, reasonOf, throwIfKeyRefused, putResultOf } from './put-results.ts'
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
  /**
   * Called for each record that was removed, or with the problem if it could not be; not if it now belongs to another pipe or a
   * run is writing it. One that was already gone counts as removed.
   */
  readonly report: (row: RecordRow, problem: Failure | undefined) => void
}

/** Number of parallel requests. */
const atOnce = 4

/**
 * Removes the records of rows from repository and ledger, and forgets removals older than `restoreDays`. 404 and 410 mean that
 * a record is already gone. A record that cannot be removed stays in the ledger. Throws if the key is refused, the repository
 * cannot be reached, or the signal fires.
 */
export async function removeAll(
  options: RemovalOptions,
  rows: readonly RecordRow[],
  signal: AbortSignal,
): Promise<void> {
  const { ledger, now, config } = options.context
  ledger.forgetRemovedBefore(now() - config.restoreDays * dayMs)
  await inParallel(rows, (row) => removeOne(options, row, signal), { atOnce, signal })
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
  // Another pipe may have taken it over, or a run is writing it.
  if (current?.pipe !== owner.pipe || writerOf(context, catalogue, originalId)) return
  const path = originPath(catalogue, originalId)
  const headers = { Prefer: 'respond-async', 'X-Request-Id': `${run}-removal-${serial}` }
  const answer = await client.ask({ method: 'DELETE', path, headers }, signal)
  throwIfKeyRefused(answer, catalogue, client)
  const { status } = answer
  if (status !== 204 && status !== 404 && status !== 410) {
    log.warn({ catalogue, originalId, status }, 'harvest.removal-failed')
    report(row, failureOf(putResultOf(answer)))
    return
  }
  const platformId = current.platformId ?? ''
  ledger.transaction(() => {
    ledger.dropRecord(serial)
    if (status !== 204) return
    ledger.noteRemoved({ run, ...owner, originalId, sourceId, platformId }, now())
    ledger.putTarget(run, client.remoteAddress)
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
 * Carries out the held removals of a run. Throws `unknown-run`; `conflict` if there are none, another run of the pipe was
 * complete since this one began, the pipe is running, or no longer has this target; `export-failed` if some records could not be
 * removed; `export-refused` if the key is refused.
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
  const lastComplete = ledger.pipe(pipe)
  // The held removals of a later complete run take precedence.
  if (lastComplete && lastComplete.run !== runId && lastComplete.time >= Date.parse(startTime))
    throw new Failure('conflict', 'A later run of the pipe was complete: confirm that one instead.')
  checkIdle(context, pipe)
  const rows = ledger.heldByRun(runId)
  if (rows.length === 0) throw new Failure('conflict', 'No removal of this run waits for consent.')
  if (catalogue === undefined) throw new Failure('conflict', 'The run has no catalogue.')
  const [client, owner] = [clientOf(context, runId), { catalogue, pipe }]
  let [removedCount, failedCount, isComplete] = [0, 0, false]
  const report = (_: RecordRow, problem: Failure | undefined) => {
    if (problem) failedCount += 1
    else removedCount += 1
  }
  // Shows the confirmation on pages that are opened during the removal.
  runs.note(runId, { action: 'confirm', done: removedCount, failed: 0 })
  try {
    await removeAll({ context, client, owner, runId, log, report }, rows, signal)
    isComplete = true
  } finally {
    await context.countChange()
    runs.note(runId, {
      action: 'confirm',
      done: removedCount,
      failed: isComplete ? failedCount : rows.length - removedCount,
    })
  }
  log.info({ run: runId, pipe, removed: removedCount, failed: failedCount }, 'run.confirmed')
  if (failedCount > 0)
    throw new Failure(
      'export-failed',
      `${failedCount} of ${rows.length} records could not be removed.`,
    )
}

/**
 * Restores all records that the run `id` removed, or else the dataset with this platform id. If there are none, throws
 * `conflict` for the id of a run, else `unknown-dataset`; `conflict` if the pipe no longer has this target.
 */
export async function restoreRemoved(
  context: ExportContext,
  id: string,
  signal: AbortSignal,
): Promise<RestoreResult> {
  const { ledger, runs, now } = context
  const removedByRun = ledger.removedBy(id)
  const records = removedByRun.length > 0 ? removedByRun : ledger.removedAs(id)
  const [first] = records
  if (!first) {
    const detail = `no harvest removed anything with the id ${shown(id)}, or it was too long ago`
    throw new Failure(runs.get(id) ? 'conflict' : 'unknown-dataset', detail)
  }
  // All records are from one run, or there is only one.
  const { run } = first
  const client = clientOf(context, run)
  const failed: { id: string; reason: string }[] = []
  let restoredCount = 0
  try {
    for (const removed of records) {
      const reason = await restoreOne(client, removed, signal)
      if (reason === undefined) {
        ledger.markRestored(removed, now())
        restoredCount += 1
      } else failed.push({ id: removed.platformId, reason })
    }
  } finally {
    await context.countChange()
    runs.note(run, { action: 'restore', done: restoredCount, failed: failed.length })
  }
  return { restored: restoredCount, failed }
}

/** Restores a record in the repository; returns the reason if it failed. */
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

/**
 * Transfers the records of the pipe `from` to `pipe`; returns their number. Throws `conflict` if one is running or both are
 * equal.
 */
export async function adoptRecords(
  context: ExportContext,
  pipe: string,
  from: string,
): Promise<number> {
  if (pipe === from) throw new Failure('conflict', 'A pipe cannot adopt its own records.')
  checkIdle(context, pipe)
  checkIdle(context, from)
  const transferred = context.ledger.transfer(pipe, from)
  await context.countChange()
  return transferred
}

/** Throws `conflict` while a run of the pipe exports datasets. */
function checkIdle({ active }: ExportContext, pipe: string): void {
  for (const { owner } of active.values())
    if (owner.pipe === pipe) throw new Failure('conflict', `The pipe ${pipe} is running.`)
}

/**
 * Client of the repository that the run wrote to (`''` = that of this process; where none is stored, the present one of the
 * pipe). The address and key of another repository are those in the pipe now. Throws
 * `conflict` if the pipe is gone, or names no or another repository: the ids may belong to other records there.
 */
function clientOf(context: ExportContext, runId: string): RepositoryClient {
  const remoteAddress = context.ledger.targetOf(runId)
  const exporter = exportPlan(context, runId)?.exporter
  const config = remoteAddress === '' ? {} : exporter?.config
  const target = config && exportTarget(context, config, exporter?.place ?? { trust: 'foreign' })
  if (!target || 'problems' in target)
    throw new Failure('conflict', 'The pipe of the run no longer says where it writes to.')
  const { client } = target
  if (remoteAddress !== undefined && client.remoteAddress !== remoteAddress)
    throw new Failure('conflict', 'The pipe of the run writes to another repository now.')
  return withRetries(client, context)
}
