/** How indices, attributes and their values are called in Meilisearch. */

import type { IndexName } from '../../index-settings.ts'
import { spelled } from './spelling.ts'

/** The indices of one platform: all begin with its prefix. */
export type Uids = {
  /** What answers for an index. */
  readonly of: (index: IndexName) => string
  /** What is built beside it. */
  readonly next: (index: IndexName) => string
  /** Terms with their stems: `{id, term, stems}`. */
  readonly terms: string
  /** Facet values by their codes: `{id, facet, value, title}`. */
  readonly facetValues: string
  /** What is known of each index: `{id, index, answering, next}`. */
  readonly meta: string
}

export const uidsOf = (prefix: string): Uids => ({
  of: (index) => `${prefix}${spelled(index)}`,
  // No spelling of a name holds `_n`: what follows the sign is a hex digit.
  next: (index) => `${prefix}${spelled(index)}_next`,
  terms: `${prefix}term`,
  facetValues: `${prefix}facet`,
  meta: `${prefix}meta`,
})

/** The word of every document, in `attributes.sentinel`: what makes every document a hit of a ranked search. */
export const sentinel = 'zzz'

/** Attributes that are there in every document. */
export const attributes = {
  /** Primary key; `keyOf` of the platform's id. */
  key: 'id',
  /** The platform's id as it is. */
  id: 'i',
  /** Number of this version of the record, unique over all indices. */
  number: 'n',
  version: 'version',
  hash: 'hash',
  /** The record as JSON text. */
  record: 'r',
  sentinel: '_s',
  /** `ordered` id, for ties and pages of ids. */
  orderedId: '_o._id',
  /** `ordered` name of the index. */
  orderedIndex: '_o._index',
} as const

/** Distinct tokens of a field in a bucket. */
export const tokensOf = (field: string, bucket: string): string => `_f.${spelled(field)}.${bucket}`
/** Pairs of neighbours of a field in a bucket, as `pairCode`. Only of `hasPairs` fields. */
export const pairsOf = (field: string, bucket: string): string => `_g.${spelled(field)}.${bucket}`
/** What a field is ranked by, and what a second look at it reads: a map of buckets to its values as written. */
export const textsOf = (field: string): string => `_t.${spelled(field)}`
/** Codes of facet values. */
export const codesOf = (facet: string): string => `_k.${spelled(facet)}`
/** A number, or a flag as 0 or 1. */
export const numberOf = (name: string): string => `_n.${spelled(name)}`
/** `ordered` sort text. */
export const orderOf = (name: string): string => `_o.${spelled(name)}`

/** Periods and boxes stand in so many numbered places: the parts of one must be compared together. */
export const places: readonly number[] = [0, 1, 2, 3]

export const periodOf = (name: string, place: number): { from: string; to: string } => ({
  from: `_n.${spelled(name)}_p${place}f`,
  to: `_n.${spelled(name)}_p${place}t`,
})

/** What a date is sorted by: its earliest beginning when ascending, its latest end when descending. */
export const dateOrderOf = (name: string, direction: 'asc' | 'desc'): string =>
  `_n.${spelled(name)}_s${direction === 'asc' ? 'f' : 't'}`

export const boxOf = (
  place: number,
): { west: string; south: string; east: string; north: string } => ({
  west: `_n._xw${place}`,
  south: `_n._xs${place}`,
  east: `_n._xe${place}`,
  north: `_n._xn${place}`,
})
