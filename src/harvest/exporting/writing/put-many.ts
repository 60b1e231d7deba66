/** Writes up to a hundred records at once: with one request, or without any into our own repository. */

import { Failure } from '../../../errors.ts'
import { graphOf, recordsAt } from '../../importing/sending/bulk.ts'
import { isRecord, jsonIn } from '../../importing/sending/repository.ts'
import type { Account } from '../account/account.ts'
import type { Ready } from './ready.ts'
import type { DatasetVerdict, Door, PutDatasets } from '../door/door.ts'
import { isTransient, refuseByKey, type Verdict } from './verdict.ts'

/** A record with the node of its dataset. */
export type Bulky = Ready & { readonly node: string }

/** How the repository takes many records at once; `undefined` when it does not. */
export type Bulk = (
  load: readonly Bulky[],
  signal: AbortSignal,
) => Promise<readonly (Verdict | undefined)[] | 'unknown'>

/**
 * A verdict per record, or none where it has to be sent by itself; `unknown` when the repository has no such request.
 * Throws when key or catalogue are the reason.
 */
export async function bulkOf(account: Account, signal: AbortSignal): Promise<Bulk | undefined> {
  const { door } = account
  const { putDatasets } = door
  if (putDatasets) return (load, bound) => handOver(account, load, putDatasets, bound)
  const records = await recordsAt(async (ask, bound) => {
    const answer = await door.ask(ask, bound)
    return { status: answer.status, headers: {}, text: await answer.text() }
  }, signal)
  return records === undefined ? undefined : (load, bound) => putMany(account, load, records, bound)
}

async function putMany(
  { door, owner, context }: Account,
  load: readonly Bulky[],
  records: string,
  signal: AbortSignal,
): ReturnType<Bulk> {
  const { catalogue } = owner
  const body = load.map(({ node, originalId, message }, at) =>
    graphOf({ node, originalId, body: message.text }, at, records),
  )
  const answer = await door.ask(
    {
      method: 'PUT',
      path: `/catalogues/${catalogue}/datasets/bulk`,
      body: body.join(''),
      mediaType: 'application/n-quads',
      headers: {
        Accept: 'application/json',
        'X-Request-Id': `${context.runId}-${load[0]?.message.counter ?? 0}`,
      },
    },
    signal,
  )
  const text = await answer.text()
  const { status } = answer
  refuseByKey(status, catalogue, door)
  if (status === 404 || status === 405 || status === 410) return 'unknown'
  if (status === 429 || status >= 500) return load.map(() => ({ status, problem: jsonIn(text) }))
  const told = status === 200 ? jsonIn(text) : undefined
  // Whoever reads the body otherwise than it was meant gets the records one by one.
  if (!Array.isArray(told) || told.length !== load.length) return load.map(() => undefined)
  return load.map(({ originalId }, at) => {
    const one = told[at]
    return isVerdict(one) && one['originalId'] === originalId
      ? itemVerdict(one, { catalogue, door })
      : undefined
  })
}

/** When nothing could be asked at all each goes by itself, with the patience that the door has for that. */
async function handOver(
  { owner: { catalogue }, door }: Account,
  load: readonly Bulky[],
  putDatasets: PutDatasets,
  signal: AbortSignal,
): ReturnType<Bulk> {
  const texts = load.map(({ node, originalId, message: { text } }) => ({
    originalId,
    iri: node.slice(1, -1),
    text,
  }))
  const told = await putDatasets(catalogue, texts, signal)
  return told.map((one) => itemVerdict(one, { catalogue, door }))
}

const isVerdict = (told: unknown): told is DatasetVerdict & Record<string, unknown> =>
  isRecord(told) && typeof told['status'] === 'number'

function itemVerdict(
  { status, id, problem }: DatasetVerdict,
  { catalogue, door }: { readonly catalogue: string; readonly door: Pick<Door, 'keyId'> },
): Verdict | undefined {
  refuseByKey(status, catalogue, door)
  if (status === 404 || status === 410)
    throw new Failure('unknown-catalogue', `The catalogue ${catalogue} is gone.`)
  const verdict = { status, problem, ...(typeof id === 'string' && { platformId: id }) }
  return isTransient(verdict) || status === 409 || status === 412 ? undefined : verdict
}
