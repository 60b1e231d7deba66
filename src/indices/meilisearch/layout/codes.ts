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

const digits = (text: string, count: number): string =>
  BigInt(`0x${hash('sha256', text, 'hex')}`)
    .toString(36)
    .slice(-count)
    .padStart(count, '0')
