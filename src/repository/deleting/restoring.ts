/** Brings deleted members of catalogues back: the same ids, distributions, record and metrics, byte for byte. */

import { Failure } from '../../errors.ts'
import { storedRecord } from '../content/catalogue-record.ts'
import type { WriteContext, WriteOutcome } from '../context.ts'
import type { DatasetTarget } from '../writing/dataset-ids.ts'
import { unknownCatalogue } from '../writing/find-datasets.ts'
import { landBatch, resultOf, type Planned, type WriteResult } from '../writing/write-batch.ts'
import { memberIri, memberLocks, restorationOf } from './members.ts'
import { isPresent, present } from './tombstone-upkeep.ts'
import type { StoredRemains } from './tombstones.ts'

/** `back` = it is there already; `taken` = its id or its id at the origin is in use by another one. */
type Restored = WriteOutcome | 'back' | 'taken'

/**
 * Brings members of one catalogue (`''` = of none) back, each as an atomic step; only those whose tombstone still stands are in
 * the answer. Fails with `unknown-catalogue` when the catalogue is not there.
 */
export function restoreMembers(
  deps: WriteContext,
  {
    catalogue,
    remains,
  }: { readonly catalogue: string; readonly remains: readonly StoredRemains[] },
  signal: AbortSignal,
): Promise<readonly WriteResult<Restored>[]> {
  const work = async () => {
    const standing = remains.filter(({ serial }) => deps.tombstones.stands(serial))
    const isGone = deps.deletions.watch(catalogue)
    const check = () => {
      if (isGone()) throw unknownCatalogue(catalogue)
    }
    if (catalogue !== '' && !(await isPresent(deps, { kind: 'catalogue', id: catalogue }, signal)))
      throw unknownCatalogue(catalogue)
    const there = await present(deps, standing, signal)
    deps.tombstones.discard([...there].map(({ serial }) => serial))
    const origins = new Map(standing.map((one) => [one.originalId, one]))
    origins.delete(undefined)
    const originalIds = [...origins.keys()].map(String)
    const land = (targets: readonly (DatasetTarget | Failure)[]) => {
      const targetOf = new Map(originalIds.map((id, at) => [id, targets[at]]))
      const planned = standing.map((one): Planned<Restored> => {
        if (there.has(one)) return { result: 'back' }
        if (!isFree(one, targetOf)) return { result: 'taken' }
        return { ...restoration(deps, one), check }
      })
      return landRestored(deps, standing, planned)
    }
    return deps.ids.withIds({ catalogue, originalIds }, land, signal)
  }
  return deps.locks.runAll(memberLocks(deps.names, remains), work, signal)
}

/** A dataset is free to come back when its id at the origin leads to its tombstone; what has none depends on its id alone. */
function isFree(
  { id, originalId }: StoredRemains,
  targets: ReadonlyMap<string, DatasetTarget | Failure | undefined>,
): boolean {
  if (originalId === undefined) return true
  const target = targets.get(originalId)
  return (
    target !== undefined &&
    !(target instanceof Failure) &&
    target.former !== undefined &&
    target.id === id
  )
}

function restoration({ names, versions }: WriteContext, remains: StoredRemains) {
  const { kind, id, catalogue, content } = remains
  const iri = memberIri(names, remains)
  const mark = { resource: iri, version: versions.next() }
  const record = kind === 'dataset' ? storedRecord(content, names.record(id)) : undefined
  const outcome: WriteOutcome = {
    kind: 'created',
    iri,
    hash: record?.hash ?? remains.hash ?? '',
    modified: record?.modified?.toISOString(),
    mark,
    ...(catalogue !== '' && { catalogue }),
  }
  return { result: outcome, group: { changes: restorationOf(names, remains, mark), marks: [mark] } }
}

async function landRestored(
  deps: WriteContext,
  standing: readonly StoredRemains[],
  planned: readonly Planned<Restored>[],
): Promise<readonly WriteResult<Restored>[]> {
  const results = await landBatch(deps, planned)
  for (const kind of ['dataset', 'resource'] as const) {
    const back = standing.filter((one, at) => {
      const landed = results[at]
      return one.kind === kind && landed && 'result' in landed && typeof landed.result === 'object'
    })
    deps.tombstones.forget(
      kind,
      back.map(({ id }) => id),
    )
  }
  return results
}

/**
 * Brings one member back; `undefined` when it has no tombstone. Fails with `already-exists` when the id or the id at the origin
 * is in use again, and with `conflict` when the catalogue is gone.
 */
export async function restoreMember(
  deps: WriteContext,
  name: { readonly kind: 'dataset' | 'resource'; readonly id: string },
  signal: AbortSignal,
): Promise<WriteOutcome | undefined> {
  if (await isPresent(deps, name, signal)) throw inUse(`the id "${name.id}"`)
  const remains = deps.tombstones.remains(name.kind, name.id)
  if (!remains) return undefined
  const { catalogue, originalId } = remains
  try {
    const [landed] = await restoreMembers(deps, { catalogue, remains: [remains] }, signal)
    const restored = landed ? resultOf(landed) : 'back'
    if (typeof restored === 'object') return restored
    throw inUse(restored === 'back' ? `the id "${name.id}"` : `the original id "${originalId}"`)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'unknown-catalogue') throw error
    const detail = `the catalogue "${catalogue}" is gone: restore or create it first`
    throw new Failure('conflict', detail)
  }
}

const inUse = (what: string) =>
  new Failure('already-exists', `${what} is in use again, so that nothing can be restored to it`)
