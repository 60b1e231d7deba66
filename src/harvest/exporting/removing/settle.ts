/** The end of an exported run: what was gone is removed or held back, and the run is remembered. */

import { Failure } from '../../../errors.ts'
import { storedProblem } from '../../../pipe/runs/stored-problem.ts'
import type { Completeness, Finding } from '../../../pipe/message.ts'
import type { RecordRow } from '../../ledger/record-rows.ts'
import type { Account } from '../account/account.ts'
import type { ExportConfig } from '../settings.ts'
import { planOf, type Plan, type Settings } from './plan.ts'
import { removeAll } from './remove.ts'

export type SettleOptions = Settings & Pick<ExportConfig, 'adoptUnowned' | 'onDropped'>

/** To be called when everything is answered; decides on the outcome of the run. */
export async function settle(
  account: Account,
  options: SettleOptions,
  completeness: Completeness,
  signal: AbortSignal,
): Promise<void> {
  const { sink, log } = account.context
  const { ledger, now } = account.ground
  const judged = judgedOf(account, completeness)
  if (judged.kind === 'not-modified') {
    ledger.pipes.touch(account.owner.pipe, now())
    sink.outcome('not-modified')
    return
  }
  const isFree = account.isWhole && !hasCompany(account)
  if (ledger.age.isDoubted(account.owner.pipe)) sink.finding(doubtful)
  if (!isFree) log.info({ resumed: account.context.resumed }, 'harvest.unremoving')
  const plan = isFree ? planned(account, options, judged) : { due: [], held: [] }
  remember(account, judged, plan)
  if (isFree && judged.kind === 'complete') ledger.age.trust(account.owner.pipe)
  if (plan.held.length > 0) tellHeld(account, plan.held)
  await remove(account, plan.due, signal)
  if (judged.kind === 'complete') sink.outcome('complete', plan.problem)
  else sink.outcome('incomplete', plan.problem ?? judged.problem)
}

const doubtful: Finding = {
  slug: 'ledger-doubted',
  detail: 'harvest.sqlite is an older copy or was lost: this run removes nothing.',
}

/**
 * A run is not complete when all of its records are other pipes', or when more than before have no identifier: one of them
 * may be one that we know.
 */
function judgedOf(account: Account, completeness: Completeness): Completeness {
  if (completeness.kind === 'not-modified') return completeness
  const { refusal } = account
  if (refusal && (completeness.kind === 'complete' || !completeness.problem))
    return { kind: 'incomplete', problem: refusal }
  if (completeness.kind !== 'complete') return completeness
  const last = account.ground.ledger.pipes.of(account.owner.pipe)
  if (!last || account.nameless <= last.nameless) return completeness
  const detail = `${account.nameless} records have no identifier, ${last.nameless} had none before.`
  return { kind: 'incomplete', problem: new Failure('item-no-identifier', detail) }
}

/** Whether another run of the pipe was under way at any time since this one began. */
function hasCompany({ ground, owner, context, opened }: Account): boolean {
  const { runs } = ground
  const began = Date.parse(runs.get(context.runId)?.startTime ?? '') || opened
  return runs.list({ pipe: owner.pipe, offset: 0, limit: 50 }).some((run) => {
    if (run.id === context.runId || run.startTime === undefined) return false
    const isOver = run.endTime !== undefined && Date.parse(run.endTime) <= began
    return !isOver && !runs.resumption(run.id).start.dryRun
  })
}

function planned(account: Account, options: SettleOptions, completeness: Completeness): Plan {
  const { ground, owner } = account
  const isDoubted = ground.ledger.age.isDoubted(owner.pipe)
  // What nobody owns may have been another pipe's.
  if (completeness.kind === 'complete' && options.adoptUnowned && !isDoubted) adopt(account)
  const last = ground.ledger.pipes.of(owner.pipe)
  const isSame = last?.catalogue === owner.catalogue
  return planOf(account, options, {
    completeness,
    lastFingerprint: isSame ? last.fingerprint : undefined,
    isDoubted,
  })
}

/** What nobody owns becomes the pipe's, so that it goes when the source does not have it. */
function adopt({ ground, owner, context }: Account): void {
  const { ledger, now } = ground
  const { records, marks } = ledger
  const ids = [...marks.unowned(context.runId)].filter(
    (id) => !records.byOriginal(owner.catalogue, id),
  )
  const nobody = { sourceId: '', hash: undefined, platformId: undefined } as const
  ledger.transaction(() => {
    for (const originalId of ids)
      records.land({ ...owner, ...nobody, originalId, run: context.runId, time: now() })
  })
  context.sink.adopted(ids.length)
}

/** In one step, before anything is removed: a removal that is broken off is taken up by the next complete run. */
function remember(account: Account, completeness: Completeness, plan: Plan): void {
  const { ground, owner, context, nameless, transformation, losses } = account
  const { pipe, catalogue } = owner
  const { ledger, now } = ground
  ledger.transaction(() => {
    ledger.removals.hold(
      context.runId,
      plan.held.map(({ serial }) => serial),
    )
    if (completeness.kind !== 'complete') return
    const { fingerprint, shape, validators = [] } = completeness
    const isClean = losses === 0 && plan.held.length === 0 && context.resumed !== true
    ledger.pipes.put(pipe, {
      catalogue,
      fingerprint,
      nameless,
      transformation,
      shape,
      run: context.runId,
      time: now(),
      validators: isClean ? validators : [],
    })
  })
}

function tellHeld({ context }: Account, rows: readonly RecordRow[]): void {
  for (const row of rows) context.sink.item({ ...namesOf(row), stage: 'export', state: 'held' })
}

async function remove(
  account: Account,
  rows: readonly RecordRow[],
  signal: AbortSignal,
): Promise<void> {
  const { ground, owner, door, context } = account
  const { sink, runId, log } = context
  const told = (row: RecordRow, problem: Failure | undefined) => {
    const state = problem ? 'failed' : 'removed'
    const why = problem && { problem: storedProblem(problem) }
    sink.item({ ...namesOf(row), stage: 'export', state, ...why })
  }
  await removeAll({ ground, door, owner, run: runId, log, told }, rows, signal)
}

const namesOf = ({ originalId, sourceId, platformId }: RecordRow) => ({
  originalId,
  ...(sourceId !== '' && { sourceId }),
  ...(platformId !== undefined && { platformId }),
})
