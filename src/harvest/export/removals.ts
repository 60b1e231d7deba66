/**
 * Removes records from the repository, which keeps each for a while; and what operators do about removals: consent to those that
 * were held back, take back those that were made, hand records to another pipe.
 */

import { Failure, shown } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Owner, RecordRow, RemovedRecord } from '../ledger/ledger-rows.ts'
import { runParallel } from './batches.ts'
import { originPath } from './dataset-writer.ts'
import { failureOf, reasonOf, refuseByKey, verdictOf } from './verdicts.ts'
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
  /** Called for each record: removed, or why not. */
  readonly report: (row: RecordRow, problem: Failure | undefined) => void
}

/** Requests at the same time. */
const atOnce = 4

/**
 * Removes the rows one by one, a few at once; 404 and 410 mean that a record has gone already. A record that cannot be
 * removed now stays in the ledger. Throws when key or signal end it.
 */
export async function removeAll(
  removing: RemovalOptions,
  rows: readonly RecordRow[],
  signal: AbortSignal,
): Promise<void> {
  const { ledger, now, config } = removing.context
  ledger.forgetRemovedBefore(now() - config.restoreDays * dayMs)
  await runParallel(rows, (row) => removeOne(removing, row, signal), atOnce)
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
  // Somebody may have taken it over meanwhile.
  if (current?.pipe !== owner.pipe || writerOf(context, catalogue, originalId)) return
  const path = originPath(catalogue, originalId)
  const headers = { Prefer: 'respond-async', 'X-Request-Id': `${run}-removal-${serial}` }
  const answer = await client.ask({ method: 'DELETE', path, headers }, signal)
  refuseByKey(answer, catalogue, client)
  const { status } = answer
  if (status !== 204 && status !== 404 && status !== 410) {
    log.warn({ catalogue, originalId, status }, 'harvest.removal-failed')
    report(row, failureOf(verdictOf(answer)))
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

/** Outcome of restoring removed records. */
export type RestoreResult = {
  readonly restored: number
  /** Platform ids that could not be restored, and why. */
  readonly failed: readonly { readonly id: string; readonly reason: string }[]
}

/**
 * Removes exactly what the run held back. Throws `unknown-run`; `conflict` when nothing waits for consent, a later run of
 * the pipe was complete, or the pipe is under way; `export-failed` when not everything could be removed.
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
  // A later complete run has looked again: its list counts.
  if (last && last.run !== runId && last.time >= Date.parse(startTime))
    throw new Failure('conflict', 'A later run of the pipe was complete: confirm that one instead.')
  checkIdle(context, pipe)
  const rows = ledger.held(runId)
  if (rows.length === 0) throw new Failure('conflict', 'No removal of this run waits for consent.')
  if (catalogue === undefined) throw new Failure('conflict', 'The run has no catalogue.')
  const [client, owner] = [clientOf(context, runId), { catalogue, pipe }]
  let [done, failed, isWhole] = [0, 0, false]
  const report = (_: RecordRow, problem: Failure | undefined) => {
    if (problem) failed += 1
    else done += 1
  }
  // Pages that are opened during the removal show that it was confirmed.
  runs.note(runId, { action: 'confirm', done, failed: 0 })
  try {
    await removeAll({ context, client, owner, runId, log, report }, rows, signal)
    isWhole = true
  } finally {
    await context.changed()
    runs.note(runId, { action: 'confirm', done, failed: isWhole ? failed : rows.length - done })
  }
  log.info({ run: runId, pipe, removed: done, failed }, 'run.confirmed')
  if (failed > 0)
    throw new Failure('export-failed', `${failed} of ${rows.length} records could not be removed.`)
}

/** Restores everything that a run has removed, or the dataset with this platform id. Throws `unknown-dataset`. */
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
  // Either all of one run's, or a single record.
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

/** The reason why it did not come back. */
async function restoreOne(
  client: RepositoryClient,
  { platformId }: RemovedRecord,
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = `/datasets/${platformId}/restore`
  const headers = { Prefer: 'respond-async' }
  const answer = await client.ask({ method: 'POST', path, headers }, signal)
  return answer.status === 201 ? undefined : reasonOf(verdictOf(answer))
}

/** Hands the records of one pipe to another; how many. Fails with `conflict` while either is under way. */
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

/** The repository that the run wrote to, as its pipe says now. */
function clientOf(context: ExportContext, runId: string): RepositoryClient {
  const { config = {}, place = { trust: 'foreign' } as const } =
    exportPlan(context, runId)?.exporter ?? {}
  const target = exportTarget(context, config, place)
  if ('problems' in target)
    throw new Failure('conflict', 'The pipe of the run no longer says where it writes to.')
  return withRetries(target.client, context)
}
