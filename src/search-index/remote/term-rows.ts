/** Rows of the index of terms, the dictionary of all tokens: wildcards and word forms are looked up in it. */

import { hash } from 'node:crypto'
import { isCompoundCandidate, mirrored } from '../compounds.ts'

/** Token in a language bucket, with the stems (`en:river`) of the word that it was made of. */
export type IndexedWord = {
  readonly token: string
  readonly bucket: string
  readonly stems: readonly string[]
}

/**
 * Row without its key. A token has one for each bucket, and for each set of stems, because words that differ in accents may have
 * others.
 */
type TermRow = {
  readonly term: string
  readonly bucket: string
  readonly stems?: readonly string[]
  /** The token backwards, where it may be a compound. */
  readonly mirror?: string
}

/** Attributes that rows are found by. Rows of an earlier layout have `term` only. */
export const termAttributes: readonly string[] = [
  'term',
  'bucket',
  'stems',
  'mirror',
] satisfies readonly (keyof TermRow)[]

/** Makes the row of a word. */
export const termRow = ({ token, bucket, stems }: IndexedWord): TermRow => ({
  term: token,
  bucket,
  ...(stems.length > 0 && { stems }),
  ...(isCompoundCandidate(token, bucket) && { mirror: mirrored(token) }),
})

/** Most characters of a key that is not a hash. */
const longestKey = 400

/** Key of the row of a word. */
export function termKey({ token, bucket, stems }: IndexedWord): string {
  const name = [bucket, token, ...stems].join(' ')
  const key = Buffer.from(name).toString('base64url')
  return key.length > longestKey ? `_h${hash('sha256', name, 'hex')}` : key
}
