/** Records that are no datasets: a segment of others says of which declared type they are. */

import { Failure } from '../../../errors.ts'
import type { RecordMessage } from '../../../pipe/message.ts'
import { platformId } from '../../../rdf/ids.ts'
import { jsonIn } from '../../importing/sending/repository.ts'
import type { Account } from '../account/account.ts'
import { lose } from './landing.ts'
import { failureOf, outcomeOf, refuseByKey } from './verdict.ts'

/** The type that the message names; `undefined` for a dataset. */
export function resourceTypeOf({ extra }: RecordMessage): string | undefined {
  if (extra?.['content'] !== 'resource') return undefined
  const type = extra['resourceType']
  return typeof type === 'string' && type !== '' && type !== 'dataset' ? type : undefined
}

/**
 * Writes it under the normal form of its identifier, into the catalogue of the run where its type is in one. The ledger
 * knows datasets alone: what is not offered any more stays until somebody deletes it.
 */
export async function putResource(
  account: Account,
  message: RecordMessage,
  type: string,
  signal: AbortSignal,
): Promise<void> {
  const { owner, door, context } = account
  const { sourceId, text: body, mediaType, counter, findings } = message
  const id = platformId(sourceId)
  if (id === '') {
    lose(account, message, new Failure('item-no-identifier', 'no id can be made of its identifier'))
    return
  }
  const named = { sourceId, platformId: id, stage: 'export' } as const
  if (context.dryRun) {
    const note = `dry run: ${type}/${id} was not looked at`
    context.sink.item({ ...named, state: 'skipped', note, excerpt: body })
    return
  }
  const path = `/customresources/${encodeURIComponent(type)}/${id}?catalogId=${encodeURIComponent(owner.catalogue)}`
  const headers = { Prefer: 'respond-async', 'X-Request-Id': `${context.runId}-${counter}` }
  const answer = await door.ask({ method: 'PUT', path, body, mediaType, headers }, signal)
  const text = await answer.text()
  refuseByKey(answer.status, owner.catalogue, door)
  const verdict = { status: answer.status, problem: jsonIn(text) }
  const state = outcomeOf(verdict)
  if (!state) lose(account, message, failureOf(verdict))
  else context.sink.item({ ...named, state, ...(findings.length > 0 && { findings }) })
}
