/**
 * The writer of datasets: one set of rules for the single PUT (a batch of one), the bulk, what a harvest hands over in this
 * process, and the preview that writes nothing. One look-up, one read of those that change, one write of many groups.
 */

import { Failure } from '../../errors.ts'
import type { Precondition, RepositoryDeps, WriteContext, WriteOutcome } from '../context.ts'
import { datasetLock } from '../deleting/members.ts'
import type { DatasetTarget } from './dataset-ids.ts'
import { composeDataset, type PreparedDataset } from './dataset-plan.ts'
import { unknownCatalogue, unknownDataset } from './find-datasets.ts'
import type { YieldWhenDue } from '../../workers/event-loop.ts'
import { landBatch, type Planned, type WriteResult } from './write-batch.ts'

/** A dataset that is to be written. */
export type DatasetItem = {
  readonly originalId: string
  /** Its content once its IRI is known; fails as the PUT does. */
  readonly prepare: (iri: string) => Promise<PreparedDataset>
  readonly precondition?: Precondition
  /** Write even when the hash is equal. */
  readonly enforceUpdate?: boolean
  /** Refuse when the stored record was modified later (epoch ms). */
  readonly recordModified?: number
  /** Refuse to create. */
  readonly updateOnly?: boolean
}

/** `items` have different original ids. */
type DatasetBatch = { readonly catalogue: string; readonly items: readonly DatasetItem[] }

export type WrittenDataset = { readonly id: string; readonly outcome: WriteOutcome }

type DatasetWriterDeps = WriteContext & {
  /** Lets others have their turn between two datasets. */
  readonly pause?: YieldWhenDue
}

/**
 * What became of each, in their order; one that fails harms no other. Rejects with `unknown-catalogue`, and when nobody can be
 * written. What it has begun to write it ends, whatever the signal says.
 */
export async function writeDatasets(
  deps: DatasetWriterDeps,
  { catalogue, items }: DatasetBatch,
  signal: AbortSignal,
): Promise<readonly WriteResult<WrittenDataset>[]> {
  // A deletion holds the locks of what it removes, and its end would be waited for in vain.
  if (deps.deletions.watch(catalogue)()) throw unknownCatalogue(catalogue)
  const originalIds = items.map(({ originalId }) => originalId)
  const work = () => {
    const isGone = deps.deletions.watch(catalogue)
    const check = () => {
      // Asked in the same turn as the write: a deletion that starts now will see it and take it away.
      if (isGone()) throw unknownCatalogue(catalogue)
    }
    const land = async (targets: readonly (DatasetTarget | Failure)[]) => {
      const planned = await planDatasets(deps, { catalogue, items, targets }, signal)
      const results = await landBatch(
        deps,
        planned.map((plan) => ('failure' in plan ? plan : { ...plan, check })),
      )
      forgetTombstones(deps, targets, results)
      return results
    }
    return deps.ids.withIds({ catalogue, originalIds }, land, signal)
  }
  const locks = originalIds.map((id) => datasetLock(catalogue, id))
  return deps.locks.runAll(locks, work, signal)
}

/** Those that took the id of a deleted dataset back. */
function forgetTombstones(
  { tombstones }: WriteContext,
  targets: readonly (DatasetTarget | Failure)[],
  results: readonly WriteResult<WrittenDataset>[],
): void {
  const back = targets.flatMap((target, at) => {
    const isBack = !(target instanceof Failure) && target.former !== undefined
    const result = results[at]
    return isBack && result && 'result' in result ? [target.id] : []
  })
  if (back.length > 0) tombstones.forget('dataset', back)
}

type TargetedBatch = DatasetBatch & { readonly targets: readonly (DatasetTarget | Failure)[] }

/** A dataset that is to be written, and where. */
type Changing = {
  readonly item: DatasetItem
  readonly target: DatasetTarget
  readonly prepared: PreparedDataset
}

/** What is to be written of a batch, in its order, without writing it; reads what is stored of it in one message. */
async function planDatasets(
  deps: DatasetWriterDeps,
  { catalogue, items, targets }: TargetedBatch,
  signal: AbortSignal,
): Promise<readonly Planned<WrittenDataset>[]> {
  const { store, names, pause } = deps
  const settled: (Planned<WrittenDataset> | Changing)[] = []
  for (const [at, item] of items.entries())
    settled.push(await settle(deps, catalogue, item, targets[at]))
  const iriOf = ({ target }: Changing) => names.dataset(target.id)
  const stored = settled.flatMap((one) =>
    'item' in one && one.target.origin.record ? [iriOf(one)] : [],
  )
  const before = stored.length > 0 ? await store.readAll(stored, {}, signal) : new Map()
  const planned: Planned<WrittenDataset>[] = []
  for (const one of settled) {
    if (!('item' in one)) planned.push(one)
    else {
      planned.push(compose(deps, catalogue, one, before.get(iriOf(one)) ?? ''))
      await pause?.()
    }
  }
  return planned
}

function compose(
  deps: RepositoryDeps,
  catalogue: string,
  { item, target, prepared }: Changing,
  before: string,
): Planned<WrittenDataset> {
  try {
    const { originalId } = item
    const plan = composeDataset(deps, { catalogue, originalId, prepared }, target, before)
    return { result: { id: target.id, outcome: plan.outcome }, group: plan.group }
  } catch (failure) {
    return { failure }
  }
}

/** Whether a dataset has to be written at all. */
async function settle(
  { names }: RepositoryDeps,
  catalogue: string,
  item: DatasetItem,
  target: DatasetTarget | Failure | undefined,
): Promise<Planned<WrittenDataset> | Changing> {
  try {
    if (!target || target instanceof Failure) throw target ?? new Error('every id has a target')
    const { id, origin } = target
    const { record } = origin
    if (item.updateOnly && !record) throw unknownDataset(id)
    const iri = names.dataset(id)
    const prepared = await item.prepare(iri)
    checkExpectations(item, record)
    const { hash } = prepared
    if (record?.hash !== hash || item.enforceUpdate) return { item, target, prepared }
    const { modified } = record
    return { result: { id, outcome: { kind: 'unchanged', iri, catalogue, hash, modified } } }
  } catch (failure) {
    return { failure }
  }
}

function checkExpectations(
  { precondition, recordModified }: DatasetItem,
  stored: DatasetTarget['origin']['record'],
): void {
  precondition?.(stored?.hash)
  if (!stored || recordModified === undefined) return
  if (Date.parse(stored.modified) <= recordModified) return
  throw new Failure(
    'newer-exists',
    `the stored record was modified at ${stored.modified}, later than recordModified`,
  )
}

/** `before` and `after` are the stored graph as N-Triples, now and after the PUT; the same where nothing would change. */
export type DatasetPreview = {
  readonly kind: WriteOutcome['kind']
  readonly before: string
  readonly after: string
}

/** What a PUT would make of a dataset: everything but the write. Fails as the PUT would. */
export function previewOf(
  deps: DatasetWriterDeps,
  { catalogue, item }: { readonly catalogue: string; readonly item: DatasetItem },
  signal: AbortSignal,
): Promise<DatasetPreview> {
  const work = async (targets: readonly (DatasetTarget | Failure)[]) => {
    const [plan] = await planDatasets(deps, { catalogue, items: [item], targets }, signal)
    if (!plan || 'failure' in plan) throw plan?.failure
    const { kind, iri } = plan.result.outcome
    const change = plan.group?.changes.find(({ graph }) => graph === iri)
    if (change?.content !== undefined)
      return { kind, before: change.before ?? '', after: change.content }
    const stored = (await deps.store.read(iri, {}, signal)) ?? ''
    return { kind, before: stored, after: stored }
  }
  return deps.ids.withIds({ catalogue, originalIds: [item.originalId] }, work, signal)
}
