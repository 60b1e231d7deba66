/**
 * Encoding of names and values for Meilisearch, which accepts only some characters in names, and compares values folded to lower case,
 * decomposed and truncated.
 */

import { hash } from 'node:crypto'
import type { IndexName } from '../index-settings.ts'
import { base36Hash, encodedName, escapeBytes } from '../remote/names.ts'

/** Uids of the indices of one platform, which begin with its prefix. */
export type Uids = {
  /** Uid of the index of a new generation. */
  readonly generation: (index: IndexName, instance: string) => string
  /** Whether a uid is that of a generation of an index, also of an earlier layout, which swapped two of them. */
  readonly isGeneration: (uid: string, index: IndexName) => boolean
  /** Uid of the index of the vectors of an index. */
  readonly vectors: (index: IndexName) => string
  /** Whether a uid has the prefix of the platform. */
  readonly isOfPlatform: (uid: string) => boolean
  /** Index of all tokens (`TermRow`), for wildcards and word forms; also has the largest version of a removal: `{id, version}`. */
  readonly terms: string
  /** Index in which an earlier layout stored its state; it is removed. */
  readonly formerState: string
  /** Index of facet values by their codes: `{id, facet, value, title}`. */
  readonly facetValues: string
}

/** Uids with a prefix. No encoded name contains `_g`, `_n` or `_v`, because a hex digit follows each `_`. */
export const uidsOf = (prefix: string): Uids => ({
  generation: (index, instance) => `${prefix}${encodedName(index)}_g${instance.slice(0, 8)}`,
  isGeneration: (uid, index) => {
    const own = `${prefix}${encodedName(index)}`
    return uid.startsWith(own) && /^(?:_next|_g[0-9a-f]{8})?$/.test(uid.slice(own.length))
  },
  vectors: (index) => `${prefix}${encodedName(index)}_vectors`,
  isOfPlatform: (uid) => uid.startsWith(prefix),
  terms: `${prefix}term`,
  formerState: `${prefix}meta`,
  facetValues: `${prefix}facet`,
})

/** Word that every document has in `attributes.sentinel`, so that a ranked search can find every document. */
export const sentinel = 'zzz'

/** Attributes of every document. */
export const attributes = {
  /** Primary key; `documentKey` of the platform's id. */
  key: 'id',
  /** Id of the record. */
  id: 'i',
  /** Number of this version of the record, unique in all indices. */
  number: 'n',
  version: 'version',
  hash: 'hash',
  /** The record as JSON text. */
  record: 'r',
  sentinel: '_s',
  /** `sortableText` of the id, for the order of equal hits and for pages of ids. */
  orderedId: '_o._id',
  /** `sortableText` of the name of the index. */
  orderedIndex: '_o._index',
} as const

/** Attribute of the distinct tokens of a field: each alone and as `tokenInBucket`. */
export const tokensAttribute = (field: string): string => `_f.${encodedName(field)}`
/** Name in place of a field for the tokens of the id and all fields, so that a word is searched in one attribute. */
export const everyField = '*'
/** Token with its language bucket; tokens never begin with `@`. */
export const tokenInBucket = (bucket: string, token: string): string => `@${bucket}:${token}`
/** Attribute of the pairs of adjacent tokens of a field, as `pairCode`; only for fields with `hasPairs`. */
export const pairsAttribute = (field: string): string => `_g.${encodedName(field)}`
/** Attribute of the original texts of a field (bucket → values), for ranking and to verify phrases. */
export const textsAttribute = (field: string): string => `_t.${encodedName(field)}`
/** Attribute of the `facetCode`s of a facet. */
export const facetAttribute = (facet: string): string => `_k.${encodedName(facet)}`
/** Attribute of a number, or of a flag as 0 or 1. */
export const numberAttribute = (name: string): string => `_n.${encodedName(name)}`
/** Attribute of a sort text, as `sortableText`. */
export const sortTextAttribute = (name: string): string => `_o.${encodedName(name)}`

/**
 * Slots for the periods of a date and for boxes. Each slot has its own attributes, because the bounds of one period must be compared
 * together.
 */
export const slots: readonly number[] = [0, 1, 2, 3]

/** Attributes of the start and end of the period in a slot. */
export const periodAttributes = (name: string, slot: number): { from: string; to: string } => ({
  from: `_n.${encodedName(name)}_p${slot}f`,
  to: `_n.${encodedName(name)}_p${slot}t`,
})

/** Attribute that a date is sorted by: its earliest start when ascending, its latest end when descending. */
export const dateSortAttribute = (name: string, direction: 'asc' | 'desc'): string =>
  `_n.${encodedName(name)}_s${direction === 'asc' ? 'f' : 't'}`

/** Attributes of the box in a slot: west, south, east, north. */
export const boxAttributes = (slot: number): readonly string[] =>
  ['w', 's', 'e', 'n'].map((side) => `_n._x${side}${slot}`)

/** Code of two adjacent tokens in a bucket: 7 base-36 characters of a hash. */
export const pairCode = (bucket: string, first: string, second: string): string =>
  base36Hash(`${bucket} ${first} ${second}`, 7)

/** Fields whose pairs of adjacent tokens are stored, because phrases are often searched in them. */
const fieldsWithPairs = new Set(['title', 'description', 'keywords'])

/** Whether the pairs of a field are stored. Phrases in other fields are searched by their words and verified in the texts. */
export const hasPairs = (field: string): boolean => fieldsWithPairs.has(field)

/** Most characters of an encoded id that is a key. */
const longestKey = 400

/** Primary key of the document of a record: the encoded id, a hash for a long one, `_` for an empty one. */
export function documentKey(id: string): string {
  if (id === '') return '_'
  const key = escapeBytes(id, /[^A-Za-z0-9-]/gu)
  return key.length > longestKey ? `_h${hash('sha256', id, 'hex')}` : key
}

/** Bytes of a string that Meilisearch compares; it ignores the rest. */
const comparedBytes = 468

/**
 * Encodes a text as lower-case ASCII with the same order as the code points of the text, which Meilisearch would change by folding and
 * decomposing. Of a long text the end is replaced by a hash.
 */
export function sortableText(text: string): string {
  const encoded = text.replace(/[^0-9a-z]/gu, sortableChar)
  if (encoded.length <= comparedBytes) return encoded
  return encoded.slice(0, comparedBytes - 24) + hash('sha256', text, 'hex').slice(0, 24)
}

/**
 * First code point after the letters, and the number of those that are encoded in two digits: all letters of sort texts
 * (`sort-text.ts`).
 */
const [afterLetters, shortCodes] = [0x7b, 36 ** 2]

/** Encodes a character: `!` sorts before the digits, `@` between digits and letters, `{` and `~` after the letters. */
function sortableChar(char: string): string {
  const code = char.codePointAt(0) ?? 0
  if (code < 0x30) return `!${code.toString(16).padStart(2, '0')}`
  if (code < 0x61) return `@${code.toString(16)}`
  if (code < afterLetters + shortCodes)
    return `{${(code - afterLetters).toString(36).padStart(2, '0')}`
  return `~${code.toString(36).padStart(4, '0')}`
}
