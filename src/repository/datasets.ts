/** Datasets: put by the id at the origin, read, delete, restore. */

import type { Mark } from '../store/marks.ts'
import { remainsOf, removeDatasets } from './deleting/removing.ts'
import { restoreDataset } from './deleting/restoring.ts'
import type { Outcome, WritingDeps } from './deps.ts'
import type { Target } from './writing/dataset-id.ts'
import { readAhead } from './writing/ahead.ts'
import { planDataset, type Ahead, type DatasetPut } from './writing/dataset-plan.ts'
import { findById, unknownCatalogue } from './writing/find-dataset.ts'
import { knownBodies, type KnownBodies } from './writing/known-bodies.ts'
import { landChanges } from './writing/landing.ts'
import { datasetLock } from './writing/locks.ts'

export type Datasets = {
  put(request: DatasetPut, signal: AbortSignal): Promise<Outcome>
  /** The lines of the dataset's graph with its distributions and record, skolemised; `undefined` when there is none. */
  read(id: string, signal: AbortSignal): Promise<string | undefined>
  /** Fails with `unknown-dataset`. What is removed can be restored for as long as its tombstone lives. */
  remove(id: string, precondition: DatasetPut['precondition'], signal: AbortSignal): Promise<Mark>
  /**
   * Fails with `unknown-dataset` without a tombstone, `already-exists` when the id or the id at the origin is in use,
   * `conflict` when the catalogue is gone.
   */
  restore(id: string, signal: AbortSignal): Promise<Outcome>
}

export function datasets(deps: WritingDeps): Datasets {
  const { store, names, locks, ids } = deps
  const planning = { ...deps, knownBodies: knownBodies() }

  const put: Datasets['put'] = async (request, signal) => {
    const { catalogue, originalId } = request
    // The deletion holds the locks of what it removes, and its end would be waited for in vain.
    if (deps.deletions.watch(catalogue)()) throw unknownCatalogue(catalogue)
    const work = () => {
      const isGone = deps.deletions.watch(catalogue)
      const asked = { ...request, ahead: readAhead(planning, request, signal) }
      return ids.withId(
        request,
        (target) => land(planning, asked, { ...target, isGone }, signal),
        signal,
      )
    }
    return locks.run(datasetLock(catalogue, originalId), work, signal)
  }

  const read: Datasets['read'] = (id, signal) => store.read(names.dataset(id), {}, signal)

  const remove: Datasets['remove'] = async (id, precondition, signal) => {
    const { catalogue, originalId } = await findById(store, names, id, signal)
    return locks.run(
      datasetLock(catalogue, originalId),
      async () => {
        const record = await findById(store, names, id, signal)
        precondition(record.hash)
        const doomed = { catalogue: record.catalogue, datasets: [{ id, originalId }] }
        const remains = await remainsOf(deps, doomed, signal)
        const [removed] = await removeDatasets(deps, remains, { at: deps.now() })
        if (!removed || 'failure' in removed) throw removed?.failure
        return removed.mark
      },
      signal,
    )
  }

  return { put, read, remove, restore: (id, signal) => restoreDataset(deps, id, signal) }
}

async function land(
  deps: WritingDeps & { readonly knownBodies: KnownBodies },
  request: DatasetPut & { readonly ahead: Ahead | undefined },
  { isGone, ...target }: Target & { readonly isGone: () => boolean },
  signal: AbortSignal,
): Promise<Outcome> {
  const { outcome, changes, marks } = await planDataset(deps, request, target, signal)
  if (changes.length === 0) return outcome
  // Asked in the same turn as the write: a cascade that starts now will see it and take it away.
  if (isGone()) throw unknownCatalogue(request.catalogue)
  await landChanges(deps, changes, marks)
  if (target.former !== undefined) deps.tombstones.forget('dataset', [target.id])
  return outcome
}
