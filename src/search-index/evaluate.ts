/** The meaning of a query tree, spelled out over one document: what every engine must agree with. */

import { bucketOf, otherBucket } from '../text/language.ts'
import { stems } from '../text/stems.ts'
import { tokenOf, words } from '../text/tokens.ts'
import { idField, reachOf, reaches } from './field-reach.ts'
import type { Leaf, QueryTree } from './query-tree.ts'
import type { Document } from './search-index.ts'
import type { IndexSettings } from './index-settings.ts'
import { wildMatcher } from './wildcard.ts'

type Scope = {
  readonly settings: IndexSettings
  /** Languages with a bucket of their own. */
  readonly languages: readonly string[]
  /** Searched fields; absent = all. */
  readonly fields?: readonly string[]
}

/** One value of one field in one bucket, as words. */
type Value = {
  readonly field: string
  readonly bucket: string
  readonly words: readonly string[]
  readonly tokens: readonly string[]
}

/** Whether a document matches. Pure and slow: for verifying candidates and for tests. */
export function matches(tree: QueryTree, document: Document, scope: Scope): boolean {
  return evaluate(tree, document, scope, valuesOf(document, scope))
}

function evaluate(
  tree: QueryTree,
  document: Document,
  scope: Scope,
  values: readonly Value[],
): boolean {
  const inner = (part: QueryTree) => evaluate(part, document, scope, values)
  switch (tree.kind) {
    case 'all':
      return true
    case 'none':
      return false
    case 'and':
      return tree.of.every(inner)
    case 'or':
      return tree.of.some(inner)
    case 'not':
      return !inner(tree.of)
    case 'range':
      return inRange(tree, document, scope.settings)
    case 'value':
      return (
        scope.settings.facets.some((facet) => facet.id === tree.facet) &&
        (document.facets[tree.facet] ?? []).some((value) => value.id === tree.value)
      )
    default:
      return reached(tree, scope, values).some((value) => leafMatches(tree, value))
  }
}

function valuesOf(document: Document, { settings, languages }: Scope): Value[] {
  const value = (field: string, bucket: string, text: string): Value => {
    const kept = words(text).filter((word) => tokenOf(word) !== '')
    return { field, bucket, words: kept, tokens: kept.map(tokenOf) }
  }
  const texts = settings.texts.flatMap(({ name }) =>
    Object.entries(document.text[name] ?? {}).flatMap(([key, all]) =>
      all.map((text) => value(name, bucketOf(key, languages), text)),
    ),
  )
  return [value(idField, otherBucket, document.id), ...texts]
}

function reached(leaf: Leaf, scope: Scope, values: readonly Value[]): readonly Value[] {
  const names = leaf.field === undefined ? scope.fields : [leaf.field]
  const fields = scope.settings.texts.map((text) => text.name)
  const reach = names?.flatMap((name) => reachOf(name, fields, scope.languages))
  return values.filter((value) => reaches(reach, value.field, value.bucket))
}

function leafMatches(leaf: Leaf, value: Value): boolean {
  const { tokens } = value
  switch (leaf.kind) {
    case 'exact':
      return tokens.includes(leaf.token)
    case 'prefix':
      return tokens.some((token) => token.startsWith(leaf.token))
    case 'wild':
      return tokens.some(wildMatcher(leaf.pattern))
    case 'phrase':
      return (
        leaf.tokens.length > 0 &&
        tokens.some((_, at) => leaf.tokens.every((token, i) => tokens[at + i] === token))
      )
    case 'term': {
      const wanted = stems(value.bucket, leaf.token)
      const related = (word: string) =>
        stems(value.bucket, word).some((stem) => wanted.includes(stem))
      return tokens.includes(leaf.token) || (wanted.length > 0 && value.words.some(related))
    }
    default:
      return leaf satisfies never
  }
}

function inRange(
  range: Extract<QueryTree, { readonly kind: 'range' }>,
  document: Document,
  settings: IndexSettings,
): boolean {
  const { name, from = -Infinity, to = Infinity } = range
  if (settings.dates.includes(name)) {
    return (document.dates[name] ?? []).some((period) => period[0] <= to && period[1] >= from)
  }
  const number = settings.numbers.includes(name) ? document.numbers[name] : undefined
  return number !== undefined && number >= from && number <= to
}
