/** Chooses platform ids: unique over all catalogues, stable, and never given to two creates at once. */

import { Failure } from '../../errors.ts'
import { platformId } from '../../rdf/ids.ts'
import type { Names } from '../../rdf/names.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { findByOrigin, type Origin } from './find-dataset.ts'

export type DatasetIds = {
  /**
   * Runs `work` with what is known about an original id and the platform id that the dataset has or shall have. A new id is
   * reserved until `work` has ended. Fails with `unknown-catalogue`, or `invalid-parameter` when nothing is left of the id.
   */
  withId<T>(
    sought: { catalogue: string; originalId: string },
    work: (id: string, origin: Origin) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>
}

/** A clash gets `~~1`, `~~2`, …; this many are tried before giving up. */
const mostClashes = 1000
/** Characters of an id before its suffix: with it, it must still be an id. */
const longest = 245

export function datasetIds(store: GraphStore, names: Names): DatasetIds {
  const reserved = new Set<string>()

  const choose = async (sought: { catalogue: string; originalId: string }, signal: AbortSignal) => {
    const plain = platformId(sought.originalId)
    if (plain === '') throw nothingLeft()
    for (let clash = 0; clash <= mostClashes; clash++) {
      const candidate = clash === 0 ? plain : `${plain.slice(0, longest)}~~${clash}`
      const origin = await findByOrigin(store, names, { ...sought, candidate }, signal)
      if (origin.record) return { id: origin.record.id, origin }
      if (!origin.taken && !reserved.has(candidate)) return { id: candidate, origin }
    }
    throw new Failure('conflict', `more than ${mostClashes} datasets share the id "${plain}"`)
  }

  return {
    withId: async (sought, work, signal) => {
      const { id, origin } = await choose(sought, signal)
      const fresh = origin.record === undefined
      if (fresh) reserved.add(id)
      try {
        return await work(id, origin)
      } finally {
        if (fresh) reserved.delete(id)
      }
    },
  }
}

const nothingLeft = () =>
  new Failure('invalid-parameter', 'nothing is left of the original id once it is made an id', {
    errors: [
      { parameter: 'originalId', detail: 'must contain at least one letter, digit or separator' },
    ],
  })
