/** A search whose hits are kept as numbers: all of them at the start, and records page by page later. */

import type { IndexName } from '../index-settings.ts'
import type { Facet, Hit, OrderKey, SearchRequest } from '../search-index.ts'
import type { StoredRecords } from './stored-records.ts'

export type SnapshotRequest = Omit<SearchRequest, 'offset'>

/** Hits in their order. A version does not change under its number while a cursor holds it, nor before the next write. */
export type Snapshot = {
  /** The indices as they were searched. */
  readonly spans: readonly { readonly index: IndexName; readonly generation: number }[]
  readonly numbers: Uint32Array
  /** Which of the spans each is in; absent when there is one. */
  readonly of?: Uint16Array
  /** Absent when nobody asks for them. */
  readonly scores?: Float32Array
  /** What they are sorted by first, if anything. */
  readonly sortedBy?: OrderKey | undefined
}

/** Neighbours of a snapshot, and how their records are wanted. */
export type Slice = Snapshot & { readonly include?: readonly string[]; readonly score: boolean }

export type SlicePage = {
  readonly hits: readonly Hit[]
  /** Sort value or score of the last hit; absent for texts and where it is missing. */
  readonly value?: number
}

/** A snapshot and its first page. */
export type SnapshotAnswer = SlicePage & {
  readonly snapshot: Snapshot
  readonly facets?: readonly Facet[]
  readonly shortened?: readonly string[]
}

/** The hits from one place up to another, in arrays of their own. */
export const sliceOf = (snapshot: Snapshot, start: number, end: number): Snapshot => ({
  ...snapshot,
  numbers: snapshot.numbers.slice(start, end),
  ...(snapshot.of && { of: snapshot.of.slice(start, end) }),
  ...(snapshot.scores && { scores: snapshot.scores.slice(start, end) }),
})

/** The records of a slice as they were when the snapshot was taken. */
export function readSlice(slice: Slice, records: StoredRecords): SlicePage {
  const { spans, numbers, of, scores, sortedBy, include, score } = slice
  const spanOf = (i: number) => spans[of?.[i] ?? 0]
  const hits = Array.from(numbers, (n, i): Hit => {
    const span = spanOf(i)
    if (!span) throw new Error(`no index at place ${i}`)
    const { index, generation } = span
    return {
      index,
      id: records.id(generation, n),
      ...(score && { score: scores?.[i] ?? 0 }),
      record: records.text(generation, n, include),
    }
  })
  const [last, span] = [numbers.length - 1, spanOf(numbers.length - 1)]
  if (!span || !sortedBy) return { hits }
  const value =
    sortedBy.by === 'relevance'
      ? scores?.[last]
      : records.sortValue(span.generation, numbers[last] ?? 0, sortedBy)
  return { hits, ...(value !== undefined && { value }) }
}
