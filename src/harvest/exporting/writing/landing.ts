/** What the repository has answered is put into the ledger and told. */

import type { Failure } from '../../../errors.ts'
import { storedProblem } from '../../../pipe/runs/stored-problem.ts'
import type { Finding, RecordMessage } from '../../../pipe/message.ts'
import type { Alike } from '../../ledger/likenesses.ts'
import type { Account } from '../account/account.ts'
import { likenessOf } from './likeness.ts'
import type { Ready } from './ready.ts'
import { failureOf, isTransient, outcomeOf, type Outcome, type Verdict } from './verdict.ts'

/** `node`: of the dataset, where it is known. */
export type Answered = {
  readonly one: Ready & { readonly node?: string }
  readonly verdict: Verdict
}

/** Throws after too many failures of the repository in a row; everything that was answered is told before. */
export function land(account: Account, answered: readonly Answered[]): void {
  const { ground, owner, context } = account
  const { ledger, now } = ground
  const alike = new Map<Ready, readonly Alike[]>()
  ledger.transaction(() => {
    for (const { one, verdict } of answered) {
      if (!outcomeOf(verdict)) continue
      const { message, originalId, before } = one
      const serial = ledger.records.land({
        ...owner,
        originalId,
        sourceId: message.sourceId,
        hash: message.sourceHash,
        platformId: verdict.platformId ?? before?.platformId,
        run: context.runId,
        time: now(),
      })
      account.landed(serial)
      const { catalogue } = owner
      alike.set(one, ledger.likenesses.land({ serial, catalogue, likeness: likenessOf(one) }))
    }
  })
  for (const { one, verdict } of answered) told(account, { one, verdict }, alike.get(one) ?? [])
  let last: Failure | undefined
  for (const { verdict } of answered) {
    if (isTransient(verdict)) account.strike((last ??= failureOf(verdict)))
    else account.relieve()
  }
}

function told(account: Account, { one, verdict }: Answered, alike: readonly Alike[]): void {
  const { sink } = account.context
  const outcome = outcomeOf(verdict)
  if (!outcome) {
    lose(account, one.message, failureOf(verdict), one.originalId)
    return
  }
  const notes = notesOf(account, one, outcome)
  if (notes.includes('adopted')) sink.adopted(1)
  const { message, originalId, before } = one
  const platformId = verdict.platformId ?? before?.platformId
  const findings = [...message.findings, ...alike.map(findingOf)]
  sink.item({
    ...namesOf(message),
    originalId,
    stage: 'export',
    // Items that are unchanged are only counted, and whose a record is has changed.
    state: outcome === 'unchanged' && isTakeOver(account, one) ? 'updated' : outcome,
    ...(platformId !== undefined && { platformId }),
    ...(findings.length > 0 && { findings }),
    ...(notes.length > 0 && { note: notes.join('; ') }),
  })
}

const marks = { identifier: 'identifier', page: 'landing page' } as const

const findingOf = ({ mark, catalogue, originalId, platformId }: Alike): Finding => ({
  slug: 'possible-duplicate',
  detail: `${platformId ?? originalId} of the catalogue ${catalogue} has the same ${marks[mark]}`,
})

const isTakeOver = ({ owner }: Account, { before }: Ready): boolean =>
  before !== undefined && before.pipe !== owner.pipe

function notesOf(account: Account, one: Ready, outcome: Outcome): string[] {
  const { before, message, wasPresent } = one
  if (before && isTakeOver(account, one)) {
    const same = outcome === 'unchanged' ? ', as it was' : ''
    return [`taken over from the pipe ${before.pipe}${same}`]
  }
  if (!before || before.sourceId === '')
    return wasPresent && outcome !== 'created' ? ['adopted'] : []
  const isSame = message.sourceHash !== undefined && before.hash === message.sourceHash
  return isSame && outcome === 'updated'
    ? ['overwritten: the source has not changed, the record had been']
    : []
}

const namesOf = ({ sourceId, sourceUrl }: RecordMessage) => ({
  sourceId,
  ...(sourceUrl !== undefined && { sourceUrl }),
})

/** The record counts as offered, and as lost. */
export function lose(
  account: Account,
  message: RecordMessage,
  problem: Failure,
  originalId?: string,
): void {
  account.lost(problem)
  const { sourceId } = message
  const row = account.ground.ledger.records.bySource(account.owner, sourceId)
  if (row) account.meet(row)
  account.context.sink.item({
    ...namesOf(message),
    stage: 'export',
    state: stateOf(problem),
    problem: storedProblem(problem),
    excerpt: message.text,
    ...(message.findings.length > 0 && { findings: message.findings }),
    ...(originalId !== undefined && { originalId }),
  })
}

/** Which state a problem puts an item into. */
export const stateOf = ({ kind }: Failure): 'failed' | 'refused' | 'duplicate' => {
  if (kind === 'item-owned-elsewhere') return 'refused'
  return kind === 'item-duplicate' ? 'duplicate' : 'failed'
}
