/** Short names for values that Meilisearch would change: it folds case, decomposes and cuts what it compares. */

import { hash } from 'node:crypto'

/** `k` and 12 base-36 characters: a facet value under one name, whatever its length and case. */
export const facetCode = (facet: string, value: string): string =>
  `k${digits(`${facet}\u0000${value}`, 12)}`

/** 7 base-36 characters for two neighbouring tokens. */
export const pairCode = (first: string, second: string): string => digits(`${first} ${second}`, 7)

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
