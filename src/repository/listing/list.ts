/** What a list of resources is, whatever it lists. */

import type { Part } from '../../rdf/writing/document.ts'
import { idsAfter, type Roster } from './rosters.ts'

/** What stands for each id. Resources that are gone since the ids were read have no value. */
type Values<T> = (ids: readonly string[], signal: AbortSignal) => Promise<readonly T[]>

export type List = {
  /** Path of the list below the service: `/catalogues/water/datasets`. */
  readonly path: string
  /** Parameters that belong to the list and not to its pages: `{ catalogue: 'water' }`. */
  readonly within?: Readonly<Record<string, string>>
  /** All ids. Fails when what the list belongs to does not exist. */
  readonly ids: (signal: AbortSignal) => Promise<Roster>
  /** To be asked at the end of a long answer: fails when what the list belongs to has gone meanwhile, and its members with it. */
  readonly demand?: (signal: AbortSignal) => Promise<void>
  readonly uriRefs: Values<string>
  /** Absent where original ids are not unique. */
  readonly originalIds?: Values<string>
  /** Whether original ids come all at once to whoever asks for no page of them. */
  readonly allOriginalIds?: boolean
  /** The resources themselves, blank nodes and all, in the order of the ids. */
  readonly described: Values<Part>
  /** Resources that are described together; 100 when absent. */
  readonly batchSize?: number
}

/** All ids of a list in batches, each going on behind the last id: one that comes or goes meanwhile moves no other. */
export async function* idBatches(
  list: Pick<List, 'ids'>,
  size: number,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const roster = await list.ids(signal)
  for (let last: string | undefined; ;) {
    const batch = idsAfter(roster, last, size)
    last = batch.at(-1)
    if (last === undefined) return
    yield batch
  }
}
