/** Leaves of a query as an engine on a server searches them: the fields that they reach and the words that they match. */

import { idField, type SearchedField, searchedFieldsOf } from '../field-reach.ts'
import type { TextSettings } from '../index-settings.ts'
import type { Leaf } from '../query-tree.ts'
import type { SearchedLeaf, SearchedPhrase } from '../text-scores.ts'
import { isPrefix, literalPrefix } from '../wildcard.ts'
import type { Target } from '../word-forms.ts'

/** Fields that a request names (`searchedFieldsOf`), each once; all fields if it names none. */
export function fieldsReached(
  names: readonly string[] | undefined,
  { texts }: TextSettings,
  languages: readonly string[],
): readonly SearchedField[] {
  const fields = [...new Set(texts.map((text) => text.name))].filter((name) => name !== idField)
  const searchedFields = names
    ? names.flatMap((name) => searchedFieldsOf(name, fields, languages))
    : [idField, ...fields].map((field): SearchedField => ({ field }))
  return [
    ...new Map(
      searchedFields.map((searched) => [`${searched.field} ${searched.bucket ?? ''}`, searched]),
    ).values(),
  ]
}

/** Pattern of a leaf that searches a prefix or wildcards. */
export function patternOf(leaf: Leaf): string | undefined {
  if (leaf.kind === 'prefix') return `${leaf.token}*`
  return leaf.kind === 'wild' ? leaf.pattern : undefined
}

/** Forms that the leaves of a query match, from the index of terms. */
type LeafForms = {
  readonly targets: ReadonlyMap<Leaf, readonly Target[]>
  /** Terms by pattern, for patterns that Meilisearch cannot match itself. */
  readonly termsByPattern: ReadonlyMap<string, readonly string[]>
}

/** Makes the search of a leaf in some fields. */
export function searchedLeaf(
  leaf: Leaf,
  fields: readonly SearchedField[],
  { targets, termsByPattern }: LeafForms,
): SearchedLeaf {
  switch (leaf.kind) {
    case 'exact':
      return { fields, phrases: [{ tokens: [leaf.token], share: 1 }] }
    case 'phrase':
      return { fields, phrases: leaf.tokens.length > 0 ? [{ tokens: leaf.tokens, share: 1 }] : [] }
    case 'term': {
      // Documents of an earlier layout, which are searched while they are replaced, have words without targets. A share of 0 does not rank.
      const word = { tokens: [leaf.token], share: 0 }
      return { fields, phrases: [word, ...(targets.get(leaf) ?? [])] }
    }
    case 'wild':
    case 'prefix': {
      const pattern = patternOf(leaf) ?? ''
      const terms = termsByPattern.get(pattern) ?? []
      const phrases = terms.map((term): SearchedPhrase => ({ tokens: [term], share: 1 }))
      return { fields, phrases, ...(isPrefix(pattern) && { prefix: literalPrefix(pattern) }) }
    }
    default:
      return leaf satisfies never
  }
}
