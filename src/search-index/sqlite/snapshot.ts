/** A search whose hits are kept as numbers: all of them at the start, and records page by page later. */

import type { Facet, Hit, SearchRequest } from '../search-index.ts'
import type { IndexName } from '../index-settings.ts'
import { sortValue, type SortColumn } from './sort-keys.ts'
import type { StoredRecords } from './stored-records.ts'

export type SnapshotRequest = Omit<SearchRequest, 'offset'>

/** An index as it was searched. */
type Span = {
  readonly index: IndexName
  readonly generation: number
  /** What it is sorted by first; absent for scores and texts. */
  readonly column?: SortColumn
}

/** Hits in their order. A version does not change under its number while it is held, nor before the next write. */
export type Snapshot = {
  readonly spans: readonly Span[]
  readonly numbers: Uint32Array
  /** Which of the spans each is in; absent when there is one. */
  readonly of?: Uint16Array
  /** Absent when nobody asks for them. */
  readonly scores?: Float32Array
  /** Whether the score is what they are sorted by. */
  readonly byScore: boolean
}

/** Neighbours of a snapshot, and how their records are wanted. */
export type Slice = Snapshot & { readonly include?: readonly string[]; readonly score: boolean }

export type SlicePage = {
  readonly hits: readonly Hit[]
  /** Sort value or score of the last hit; absent for texts and where it is missing. */
  readonly value?: number
}

export type Opened = SlicePage & {
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
  const { spans, numbers, of, scores, include, score } = slice
  const hits: Hit[] = []
  let value: number | undefined
  for (const [i, n] of numbers.entries()) {
    const span = spans[of?.[i] ?? 0]
    if (!span) throw new Error(`no index at place ${i}`)
    const { index, generation, column } = span
    const row = records.row(generation, n)
    hits.push({
      index,
      id: String(row['id']),
      ...(score && { score: scores?.[i] ?? 0 }),
      record: records.text(generation, n, include),
    })
    if (i < numbers.length - 1) continue
    value = slice.byScore ? scores?.[i] : column && sortValue(row, column)
  }
  return { hits, ...(value !== undefined && { value }) }
}
