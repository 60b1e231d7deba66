/** Datasets: put by the id at the origin, read, delete, restore. */

import type { Mark } from '../store/marks.ts'
import type { Precondition, ResourceBody, WriteContext, WriteOutcome } from './context.ts'
import { datasetLock } from './deleting/members.ts'
import { removeMembers } from './deleting/removing.ts'
import { restoreMember } from './deleting/restoring.ts'
import { prepareBody } from './writing/dataset-plan.ts'
import { writeDatasets, type DatasetItem } from './writing/dataset-writer.ts'
import { findById, unknownDataset } from './writing/find-datasets.ts'
import { resultOf } from './writing/write-batch.ts'

type DatasetPut = Omit<DatasetItem, 'prepare'> & {
  readonly catalogue: string
  readonly body: ResourceBody
}

export type Datasets = {
  /** Fails with `unknown-catalogue`, `newer-exists`, and as the body does; with `updateOnly` also with `unknown-dataset`. */
  put(request: DatasetPut, signal: AbortSignal): Promise<WriteOutcome>
  /** The lines of the dataset's graph with its distributions and record, skolemised; `undefined` when there is none. */
  read(id: string, signal: AbortSignal): Promise<string | undefined>
  /** Fails with `unknown-dataset`. What is removed can be restored for as long as its tombstone lives. */
  remove(id: string, precondition: Precondition, signal: AbortSignal): Promise<Mark>
  /**
   * Fails with `unknown-dataset` without a tombstone, `already-exists` when the id or the id at the origin is in use,
   * `conflict` when the catalogue is gone.
   */
  restore(id: string, signal: AbortSignal): Promise<WriteOutcome>
}

export function datasets(deps: WriteContext): Datasets {
  const { store, names, locks } = deps
  return {
    put: async ({ catalogue, body, ...item }, signal) => {
      const { originalId } = item
      const prepare = (iri: string) => prepareBody(deps, { body, originalId }, iri)
      const batch = { catalogue, items: [{ ...item, prepare }] }
      const [written] = await writeDatasets(deps, batch, signal)
      return resultOf(written).outcome
    },
    read: (id, signal) => store.read(names.dataset(id), {}, signal),
    remove: async (id, precondition, signal) => {
      const { catalogue, originalId } = await findById(deps, id, signal)
      const work = async () => {
        const { hash } = await findById(deps, id, signal)
        precondition(hash)
        const member = { kind: 'dataset', id, catalogue, originalId } as const
        const [removed] = await removeMembers(deps, [member], { at: deps.now() }, signal)
        return resultOf(removed)
      }
      return locks.run(datasetLock(catalogue, originalId), work, signal)
    },
    restore: async (id, signal) => {
      const restored = await restoreMember(deps, { kind: 'dataset', id }, signal)
      if (!restored) throw unknownDataset(id)
      return restored
    },
  }
}
