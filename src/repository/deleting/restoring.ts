/** Brings deleted datasets back: the same ids, distributions, record and metrics, byte for byte. */

import { Failure } from '../../errors.ts'
import type { Change } from '../../store/graph-store.ts'
import { markLine, systemChange, type Landed } from '../../store/marks.ts'
import { storedRecord } from '../content/record.ts'
import type { Outcome, RepositoryDeps, WritingDeps } from '../deps.ts'
import { unknownCatalogue, unknownDataset } from '../writing/find-dataset.ts'
import { landChanges } from '../writing/landing.ts'
import { datasetLock } from '../writing/locks.ts'
import { present } from './keeping/doubts.ts'
import { linkLines } from './removal.ts'
import type { Remains } from './tombstones.ts'

/** The atomic step that brings one dataset back. */
export function restoration(
  { names, versions }: Pick<RepositoryDeps, 'names' | 'versions'>,
  { id, catalogue, content, metrics }: Remains,
): { readonly changes: readonly Change[]; readonly landed: Landed } {
  const landed = { resource: names.dataset(id), version: versions.next() }
  return {
    landed,
    changes: [
      { graph: landed.resource, content, before: '' },
      ...(metrics === '' ? [] : [{ graph: names.metrics(id), content: metrics }]),
      { graph: names.catalogue(catalogue), add: linkLines(names, { catalogue, id }) },
      systemChange({ add: [markLine('pending', landed)] }),
    ],
  }
}

/**
 * Fails with `unknown-dataset` when there is no tombstone, `already-exists` when the id or the id at the origin is in use,
 * `conflict` when the catalogue is gone.
 */
export async function restoreDataset(
  deps: WritingDeps,
  id: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const sought = { kind: 'dataset', id } as const
  if ((await present(deps, [sought], signal)).size > 0) throw inUse(`the id "${id}"`)
  const remains = deps.tombstones.remains('dataset', id)
  if (!remains) throw unknownDataset(id)
  const { catalogue, originalId } = remains
  if (originalId === undefined) return restoreNameless(deps, remains, signal)
  const work = async () => {
    const isGone = deps.deletions.watch(catalogue)
    return deps.ids.withId(
      { catalogue, originalId },
      ({ id: found, origin, former }) => {
        if (origin.record) throw inUse(`the original id "${originalId}"`)
        if (found !== id || former === undefined) throw inUse(`the id "${id}"`)
        return land(deps, remains, isGone)
      },
      signal,
    )
  }
  try {
    return await deps.locks.run(datasetLock(catalogue, originalId), work, signal)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'unknown-catalogue') throw error
    throw withoutCatalogue(catalogue)
  }
}

/** A dataset that direct writers had left without an id at the origin. */
async function restoreNameless(
  deps: WritingDeps,
  remains: Remains,
  signal: AbortSignal,
): Promise<Outcome> {
  const { catalogue } = remains
  const isGone = deps.deletions.watch(catalogue)
  const home = { kind: 'catalogue', id: catalogue } as const
  if ((await present(deps, [home], signal)).size === 0) throw withoutCatalogue(catalogue)
  return land(deps, remains, isGone)
}

async function land(deps: WritingDeps, remains: Remains, isGone: () => boolean): Promise<Outcome> {
  const { id, catalogue, content } = remains
  const { changes, landed } = restoration(deps, remains)
  const record = storedRecord(content, deps.names.record(id))
  // Asked in the same turn as the write, as a PUT does.
  if (isGone()) throw unknownCatalogue(catalogue)
  await landChanges(deps, changes, [landed])
  deps.tombstones.forget('dataset', [id])
  return {
    kind: 'created',
    iri: landed.resource,
    catalogue,
    hash: record.hash ?? '',
    modified: record.modified?.toISOString(),
    mark: landed,
  }
}

const inUse = (what: string) =>
  new Failure('already-exists', `${what} is in use again, so that nothing can be restored to it`)

const withoutCatalogue = (catalogue: string) =>
  new Failure('conflict', `the catalogue "${catalogue}" is gone: restore or create it first`)
