/**
 * Names of indices, attributes, keys and values in Meilisearch: it folds case, decomposes and cuts what it compares, and takes only some
 * characters in names.
 */

import { hash } from 'node:crypto'
import type { IndexName } from '../index-settings.ts'

/** The indices of one platform: all begin with its prefix. */
export type Uids = {
  /** Name of the index that answers. */
  readonly of: (index: IndexName) => string
  /** Name of the index that is filled beside it. */
  readonly next: (index: IndexName) => string
  /** Whether an index may be one of these. */
  readonly isOwn: (uid: string) => boolean
  /** Every token, for wildcards: `{id, term}`; and the largest version that took a record away: `{id, version}`. */
  readonly terms: string
  /** Name in an earlier layout, which kept its state in it. */
  readonly former: string
  /** Facet values by their codes: `{id, facet, value, title}`. */
  readonly facetValues: string
}

export const uidsOf = (prefix: string): Uids => ({
  of: (index) => `${prefix}${spelled(index)}`,
  // No spelling of a name holds `_n`: what follows the sign is a hex digit.
  next: (index) => `${prefix}${spelled(index)}_next`,
  isOwn: (uid) => uid.startsWith(prefix),
  terms: `${prefix}term`,
  former: `${prefix}meta`,
  facetValues: `${prefix}facet`,
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

/** Distinct tokens of a field: each as it is and `inBucket`, and the stems of its words, `stemmed`. */
export const tokensOf = (field: string): string => `_f.${spelled(field)}`
/** A token in the texts of one bucket; no token begins with the sign. */
export const inBucket = (bucket: string, token: string): string => `@${bucket}:${token}`
/** A stem (`en:river`) among tokens. */
export const stemmed = (stem: string): string => `=${stem}`
/** Pairs of neighbours of a field, as `pairCode`. Only of `hasPairs` fields. */
export const pairsOf = (field: string): string => `_g.${spelled(field)}`
/** Attribute that a field is ranked by, and that is read again to verify a phrase: a map of buckets to its values as written. */
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

/** Attribute that a date is sorted by: its earliest beginning when ascending, its latest end when descending. */
export const dateOrderOf = (name: string, direction: 'asc' | 'desc'): string =>
  `_n.${spelled(name)}_s${direction === 'asc' ? 'f' : 't'}`

/** The sides of a box: west, south, east, north. */
export const boxOf = (place: number): readonly string[] =>
  ['w', 's', 'e', 'n'].map((side) => `_n._x${side}${place}`)

/** `k` and 12 base-36 characters: a facet value under one name, whatever its length and case. */
export const facetCode = (facet: string, value: string): string =>
  `k${digits(`${facet}\u0000${value}`, 12)}`

/** 7 base-36 characters for two neighbouring tokens in a bucket. */
export const pairCode = (bucket: string, first: string, second: string): string =>
  digits(`${bucket} ${first} ${second}`, 7)

/** The key of a term in the index of terms. */
export const termKey = (term: string): string => Buffer.from(term).toString('base64url')

/** Fields whose neighbours are stored: what phrases are looked for in. */
const paired = new Set(['title', 'description', 'keywords'])

/** Phrases in other fields are found by their words, and looked at again. */
export const hasPairs = (field: string): boolean => paired.has(field)

/** A number of 48 bits is exact, and quicker to spell than a large one. */
const digits = (text: string, count: number): string => {
  const hex = hash('sha256', text, 'hex')
  const parts = [hex.slice(0, 12), hex.slice(12, 24)].slice(0, count > 9 ? 2 : 1)
  const spelled = parts.map((part) => Number.parseInt(part, 16).toString(36).padStart(10, '0'))
  return spelled.map((part) => part.slice(-Math.ceil(count / parts.length))).join('')
}

/** Every byte but letters and digits as `_` and two hex digits: fit for an attribute, an index and a filter. */
export const spelled = (name: string): string => escaped(name, /[^A-Za-z0-9]/gu)

const longestKey = 400

/** The primary key of a document; a long id has one of its own, and so has none at all. */
export function keyOf(id: string): string {
  if (id === '') return '_'
  const key = escaped(id, /[^A-Za-z0-9-]/gu)
  return key.length > longestKey ? `_h${hash('sha256', id, 'hex')}` : key
}

const escaped = (text: string, what: RegExp): string =>
  text.replace(what, (char) =>
    [...Buffer.from(char)].map((byte) => `_${byte.toString(16).padStart(2, '0')}`).join(''),
  )

/** Bytes of a string that Meilisearch compares; what is behind them is cut off. */
const comparedBytes = 468

/**
 * Lower-case ASCII that is ordered as the code points of `text` are: Meilisearch compares what it has folded to lower case
 * and decomposed, which would change the order of the text itself. An end that it would not see becomes a hash.
 */
export function ordered(text: string): string {
  const whole = text.replace(/[^0-9a-z]/gu, orderedChar)
  if (whole.length <= comparedBytes) return whole
  return whole.slice(0, comparedBytes - 24) + hash('sha256', text, 'hex').slice(0, 24)
}

/** `!` is before the digits, `@` between digits and letters, `~` behind the letters. */
function orderedChar(char: string): string {
  const code = char.codePointAt(0) ?? 0
  if (code < 0x30) return `!${code.toString(16).padStart(2, '0')}`
  if (code < 0x61) return `@${code.toString(16)}`
  return `~${code.toString(36).padStart(4, '0')}`
}
