/** Which records a complete run may remove, and which have to wait for consent. */

import { Failure } from '../../../errors.ts'
import type { Completeness } from '../../../pipe/message.ts'
import type { RecordRow } from '../../ledger/record-rows.ts'
import type { Account } from '../account/account.ts'
import type { ExportConfig } from '../settings.ts'

export type Settings = Pick<ExportConfig, 'guardPercent' | 'guardMinimum' | 'missingRuns'>

export type Plan = {
  /** To be removed now. */
  readonly due: readonly RecordRow[]
  /** Would be removed, but not without consent. */
  readonly held: readonly RecordRow[]
  /** Why. */
  readonly problem?: Failure
}

/** How a run ended, as far as removals ask for it. */
export type Ending = {
  readonly completeness: Completeness
  /** Of the pipe's last complete run; absent when there was none. */
  readonly lastFingerprint: string | undefined
  /** Who owns what is not known for sure. */
  readonly isDoubted: boolean
}

const nothing: Plan = { due: [], held: [] }

/**
 * Counts the complete runs that have missed a record on the way. A run that is not complete removes what its source
 * declared deleted, and nothing else.
 */
export function planOf(account: Account, settings: Settings, ending: Ending): Plan {
  const { completeness, lastFingerprint, isDoubted } = ending
  const isComplete = completeness.kind === 'complete'
  const isMoved =
    isComplete && lastFingerprint !== undefined && lastFingerprint !== completeness.fingerprint
  // Declared deletions count in a run that is incomplete by design, not in one that broke off.
  if (completeness.kind === 'incomplete' && completeness.problem) return nothing
  const rows = goneRows(account, settings, { isComplete, isCounted: !isMoved && !isDoubted })
  if (rows.length === 0) return nothing
  const isHeld = (isDoubted && doubted(rows.length)) || (isMoved && moved(rows.length))
  const problem = isHeld || guard(account, settings, rows.length)
  return problem ? { due: [], held: rows, problem } : { due: rows, held: [] }
}

type Course = { readonly isComplete: boolean; readonly isCounted: boolean }

/** Rows whose removal is due; the others get their count of missed runs. */
function goneRows(
  account: Account,
  settings: Settings,
  { isComplete, isCounted }: Course,
): readonly RecordRow[] {
  const { ground, owner, deleted } = account
  const { records } = ground.ledger
  const needed = settings.missingRuns ?? ground.config.missingRuns
  const gone: RecordRow[] = []
  const changes: (readonly [serial: number, missed: number])[] = []
  for (const row of records.of(owner)) {
    const isDeclared = deleted.has(row.serial)
    if (!isDeclared && (!isComplete || account.hasMet(row))) {
      if (isComplete && row.missed > 0) changes.push([row.serial, 0])
      continue
    }
    if (row.state === 'restored' && !isDeclared) continue
    const missed = row.missed + 1
    if (isDeclared || missed >= needed) gone.push(row)
    if (isCounted && isComplete) changes.push([row.serial, missed])
  }
  ground.ledger.transaction(() => {
    for (const [serial, missed] of changes) records.missed(serial, missed)
  })
  return gone
}

function guard(account: Account, settings: Settings, count: number): Failure | undefined {
  const { ground, owner, offered, deleted } = account
  const { config, ledger } = ground
  const percent = settings.guardPercent ?? config.guardPercent
  const minimum = settings.guardMinimum ?? config.guardMinimum
  // What this very run has brought would hide how much of the rest is gone.
  const all = ledger.records.countBefore(owner, account.context.runId)
  const isOnlyDeclared = deleted.size >= count
  if (offered === 0 && !isOnlyDeclared)
    return held(`The run offered no record at all, and ${count} would be removed.`)
  if (percent >= 100) return undefined
  const most = Math.max(minimum, Math.floor((all * percent) / 100))
  if (count <= most) return undefined
  return held(
    `${count} of ${all} records would be removed; without consent at most ${most} are ` +
      `(guardPercent ${percent}, guardMinimum ${minimum}).`,
  )
}

const moved = (count: number): Failure =>
  held(`The pipe asks its source for other records than last time, and ${count} would be removed.`)

const doubted = (count: number): Failure =>
  held(
    `harvest.sqlite is an older copy or was lost, so this run removes nothing, and ${count} would be removed.`,
  )

const held = (detail: string): Failure => new Failure('removal-held', detail)
