/** Chooses platform ids: unique over all catalogues, stable, and never given to two concurrent creations. */

import { setImmediate } from 'node:timers/promises'
import { Failure } from '../../errors.ts'
import { platformId } from '../../rdf/ids.ts'
import { Batcher } from '../../workers/batcher.ts'
import type { Tombstones } from '../deleting/tombstones.ts'
import {
  findByOrigins,
  type StoreAndNames,
  type Origin,
  type OriginQuery,
} from './find-datasets.ts'

/** Existing or future id of a dataset, with the stored facts. */
export type DatasetTarget = {
  readonly id: string
  readonly origin: Origin
  /** Graph (N-Triples) of the deleted dataset whose id this write uses again; the tombstone is deleted after it. */
  readonly deletedGraph?: string
}

/** Original ids, all different, of one catalogue. */
type CatalogueOriginalIds = { readonly catalogue: string; readonly originalIds: readonly string[] }

type IdContext = StoreAndNames & {
  readonly tombstones: Pick<Tombstones, 'findByOriginalId' | 'find' | 'contentOf'>
}

/** Maximum number of suffixes `~~1`, `~~2`, … that are tried after a clash. */
const maxClashes = 1000
/** Maximum characters of an id before its suffix. */
const maxIdLength = 245

/**
 * Returns the lock of all writes to one dataset. Original ids that could become the same platform id share it, whatever their
 * catalogue, so that an id found free stays free until its holder has written.
 */
export const datasetLock = (originalId: string): string =>
  `dataset ${platformId(originalId).slice(0, maxIdLength)}`

/** Function that finds or chooses the platform ids of original ids; see `idChooser`. */
export type DatasetIds = ReturnType<typeof idChooser>

/**
 * Makes a function that returns the targets of original ids in their order, with a failure in place of an id that cannot be had
 * (`invalid-parameter` when nothing is left of it, `conflict` when too many share it). Writers hold the locks of the ids. Fails
 * with `unknown-catalogue`.
 */
export function idChooser(context: IdContext) {
  const lookUp = batchedLookUp(context)
  return async (
    { catalogue, originalIds }: CatalogueOriginalIds,
    signal: AbortSignal,
  ): Promise<readonly (DatasetTarget | Failure)[]> => {
    const targets = new Map<string, DatasetTarget>()
    const assignedIds = new Set<string>()
    let pending = originalIds
      .filter((originalId) => platformId(originalId) !== '')
      .map((originalId) => ({ originalId, candidate: platformId(originalId) }))
    // Each round tries the next suffix for ids whose candidate was in use; the earlier id gets the lower suffix.
    for (let clash = 1; pending.length > 0 && clash <= maxClashes; clash += 1) {
      const origins = await lookUp(catalogue, pending, signal)
      pending = pending.flatMap((query, at) => {
        const target = origins[at] && targetOf(context.tombstones, catalogue, query, origins[at])
        if (target && (target.origin.record || !assignedIds.has(target.id))) {
          targets.set(query.originalId, target)
          assignedIds.add(target.id)
          return []
        }
        const prefix = platformId(query.originalId).slice(0, maxIdLength)
        return [{ ...query, candidate: `${prefix}~~${clash}` }]
      })
    }
    return originalIds.map((id) => targets.get(id) ?? cannotAssignId(id))
  }
}

/** Returns the target of an original id; `undefined` when its candidate is taken. */
function targetOf(
  tombstones: IdContext['tombstones'],
  catalogue: string,
  { originalId, candidate }: OriginQuery,
  origin: Origin,
): DatasetTarget | undefined {
  if (origin.record) return { id: origin.record.id, origin }
  const tombstone = tombstones.findByOriginalId(catalogue, originalId)
  if (tombstone && (tombstone.id !== candidate || !origin.isIdTaken)) {
    const { content = '' } = tombstones.contentOf('dataset', tombstone.id) ?? {}
    return { id: tombstone.id, origin, deletedGraph: content }
  }
  const isFree = !origin.isIdTaken && !tombstones.find('dataset', candidate)
  return isFree ? { id: candidate, origin } : undefined
}

const cannotAssignId = (originalId: string) =>
  platformId(originalId) === ''
    ? new Failure('invalid-parameter', 'no id can be made of this original id', {
        errors: [
          {
            parameter: 'originalId',
            detail: 'must contain at least one letter, digit or separator',
          },
        ],
      })
    : new Failure(
        'conflict',
        `more than ${maxClashes} datasets have ids like "${originalId}"; use another original id`,
      )

type LookUp = (
  catalogue: string,
  queries: readonly OriginQuery[],
  signal: AbortSignal,
) => Promise<readonly Origin[]>

/** Most calls of the id chooser whose ids are looked up in one query. */
const maxBatch = 500

/**
 * Batches look-ups: one query at a time for each catalogue; ids requested meanwhile go into the next one (decision 0022), so that
 * each answer is newer than its request.
 */
function batchedLookUp(context: StoreAndNames): LookUp {
  const batchers = new Map<string, Batcher<readonly OriginQuery[], readonly Origin[]>>()
  const batcherOf = (catalogue: string) =>
    new Batcher<readonly OriginQuery[], readonly Origin[]>({
      mostItems: maxBatch,
      // Ids of the same turn of the event loop are in one batch.
      gather: () => setImmediate(),
      flush: async (batch) => {
        const origins = [...(await findByOrigins(context, catalogue, batch.flat()))]
        return batch.map(({ length }) => ({ value: origins.splice(0, length) }))
      },
    })
  return async (catalogue, queries, signal) => {
    const batcher = batchers.get(catalogue) ?? batcherOf(catalogue)
    batchers.set(catalogue, batcher)
    try {
      return await batcher.add(queries, signal)
    } finally {
      if (batcher.isIdle && batchers.get(catalogue) === batcher) batchers.delete(catalogue)
    }
  }
}
