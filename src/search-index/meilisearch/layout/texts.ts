/** The text of a document as Meilisearch gets it: tokens to match, pairs for phrases, the values themselves to rank by. */

import { bucketOf, otherBucket } from '../../../text/language.ts'
import { idField } from '../../field-reach.ts'
import type { Document } from '../../search-index.ts'
import { hasPairs, pairCode } from './codes.ts'
import { pairsOf, textsOf, tokensOf } from './names.ts'
import type { Learn, Words } from './words.ts'

/** Tokens per field that are indexed; a longer text is found by its beginning. */
const longestText = 20_000

export type TextRules = {
  /** Names of the text fields. */
  readonly fields: ReadonlySet<string>
  readonly languages: readonly string[]
  readonly words: Words
  readonly learn: Learn
}

type Found = { readonly tokens: Set<string>; readonly pairs: Set<string> }

/** Attribute → value, only where there is some. */
export function textAttributes(document: Document, rules: TextRules): Record<string, unknown> {
  const into: Record<string, unknown> = {}
  add(into, { field: idField, keys: { [otherBucket]: [document.id] } }, rules)
  for (const [field, keys] of Object.entries(document.text)) {
    if (field === idField || !rules.fields.has(field)) continue
    const values = add(into, { field, keys }, rules)
    if (values.size > 0) into[textsOf(field)] = Object.fromEntries(values)
  }
  return into
}

type Field = {
  readonly field: string
  readonly keys: Readonly<Record<string, readonly string[]>>
}

/** The values of a field by bucket. The limit is one of a field in all its languages. */
function add(
  into: Record<string, unknown>,
  { field, keys }: Field,
  rules: TextRules,
): Map<string, string[]> {
  const found = new Map<string, Found>()
  const texts = new Map<string, string[]>()
  let left = longestText
  for (const [key, values] of Object.entries(keys)) {
    const bucket = bucketOf(key, rules.languages)
    const { tokens, pairs } = found.get(bucket) ?? { tokens: new Set(), pairs: new Set() }
    for (const value of values) {
      const list = rules.words(bucket, value, rules.learn)
      const kept = list.length > left ? list.slice(0, left) : list
      left -= kept.length
      if (kept.length === 0) continue
      for (const token of kept) tokens.add(token)
      if (hasPairs(field)) addPairs(pairs, kept)
      const before = texts.get(bucket)
      if (before) before.push(value)
      else texts.set(bucket, [value])
    }
    if (tokens.size > 0) found.set(bucket, { tokens, pairs })
  }
  for (const [bucket, { tokens, pairs }] of found) {
    into[tokensOf(field, bucket)] = [...tokens]
    if (pairs.size > 0) into[pairsOf(field, bucket)] = [...pairs]
  }
  return texts
}

function addPairs(pairs: Set<string>, tokens: readonly string[]): void {
  for (const [i, token] of tokens.entries()) {
    const next = tokens[i + 1]
    if (next !== undefined) pairs.add(pairCode(token, next))
  }
}
