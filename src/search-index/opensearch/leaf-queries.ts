/** Queries of the leaves of a query tree: words by the tokens of their forms, phrases by positions, patterns by the engine itself. */

import { otherBucket } from '../../text/language.ts'
import { idField, type SearchedField } from '../field-reach.ts'
import type { IndexSettings } from '../index-settings.ts'
import { leavesOf, type Leaf } from '../query-tree.ts'
import type { IndexPart } from '../remote/generation.ts'
import { fieldsReached, patternOf, searchedLeaf } from '../remote/searched-leaf.ts'
import { matchedTree } from '../scoring.ts'
import type { SearchRequest } from '../search-index.ts'
import type { SearchedLeaf, SearchedPhrase } from '../text-scores.ts'
import { isPrefix, literalPrefix } from '../wildcard.ts'
import type { Target } from '../word-forms.ts'
import { clusterToken, fieldPaths } from './cluster-layout.ts'
import {
  allOf,
  anyOf,
  type ClusterQuery,
  clusterFilter,
  nothing,
  oneOf,
  treeQuery,
} from './query-conditions.ts'

/** Query of a leaf in some fields. */
export function leafQuery({
  fields,
  phrases,
  pattern,
  isEverywhere = false,
}: SearchedLeaf): ClusterQuery {
  const places: readonly (SearchedField | undefined)[] = isEverywhere ? [undefined] : fields
  return anyOf(
    places.flatMap((place) =>
      pattern === undefined ? phrasesIn(phrases, place) : [patternIn(pattern, place)],
    ),
  )
}

const plainPath = (place: SearchedField | undefined) =>
  place ? fieldPaths.tokens(place.field) : fieldPaths.allTokens
const bucketPath = (place: SearchedField | undefined) =>
  place ? fieldPaths.bucketTokens(place.field) : fieldPaths.allBucketTokens

function phrasesIn(
  phrases: readonly SearchedPhrase[],
  place: SearchedField | undefined,
): readonly ClusterQuery[] {
  const [plain, inBucket]: [string[], string[]] = [[], []]
  const queries: ClusterQuery[] = []
  for (const { tokens, bucket: own, share } of phrases) {
    const [first] = tokens
    // The dictionary has every token, so that the word itself is one of its forms.
    if (first === undefined || share === 0 || !isReached(own, place)) continue
    const bucket = own ?? place?.bucket
    const searched =
      bucket === undefined ? tokens : tokens.map((token) => clusterToken(bucket, token))
    const path = bucket === undefined ? plainPath(place) : bucketPath(place)
    if (tokens.length === 1) (bucket === undefined ? plain : inBucket).push(searched.join(''))
    else queries.push({ match_phrase: { [path]: searched.join(' ') } })
  }
  return [oneOf(plainPath(place), plain), oneOf(bucketPath(place), inBucket), ...queries]
}

/** Whether a phrase of a bucket is searched in a place: ids are only in that of other languages. */
function isReached(bucket: string | undefined, place: SearchedField | undefined): boolean {
  if (bucket === undefined || !place) return true
  if (place.field === idField && bucket !== otherBucket) return false
  return place.bucket === undefined || place.bucket === bucket
}

function patternIn(pattern: string, place: SearchedField | undefined): ClusterQuery {
  const bucket = place?.bucket
  const path = bucket === undefined ? plainPath(place) : bucketPath(place)
  const value = bucket === undefined ? pattern : clusterToken(bucket, pattern)
  return isPrefix(pattern)
    ? { prefix: { [path]: { value: literalPrefix(value) } } }
    : { wildcard: { [path]: { value } } }
}

/** Match set of a request in one index, and its leaves as they are searched. */
export type ClusterMatch = {
  readonly part: IndexPart
  readonly query: ClusterQuery
  /** Condition of the filter alone. */
  readonly filter: ClusterQuery
  readonly leaves: ReadonlyMap<Leaf, SearchedLeaf>
}

/** Makes the match set of a request in one index; `targets` are the forms of its words. */
export function clusterMatch(
  request: Pick<SearchRequest, 'tree' | 'words' | 'fields' | 'filter'>,
  part: IndexPart,
  targets: ReadonlyMap<Leaf, readonly Target[]>,
): ClusterMatch {
  const { settings, languages } = part
  const filter = clusterFilter(request.filter, settings)
  const tree = matchedTree(request)
  const leaves = new Map(
    [...new Set(leavesOf(tree))].map((leaf) => [
      leaf,
      leafSearch(leaf, { fields: request.fields, settings, languages }, targets),
    ]),
  )
  const conditions = new Map([...leaves].map(([leaf, searched]) => [leaf, leafQuery(searched)]))
  const matched = treeQuery(tree, settings, (leaf) => conditions.get(leaf) ?? nothing)
  return { part, query: allOf([matched, filter]), filter, leaves }
}

type LeafPlace = {
  readonly fields: readonly string[] | undefined
  readonly settings: IndexSettings
  readonly languages: readonly string[]
}

function leafSearch(
  leaf: Leaf,
  { fields: requested, settings, languages }: LeafPlace,
  targets: ReadonlyMap<Leaf, readonly Target[]>,
): SearchedLeaf {
  const names = leaf.field === undefined ? requested : [leaf.field]
  const fields = fieldsReached(names, settings, languages)
  const isEverywhere = names === undefined
  const pattern = patternOf(leaf)
  if (pattern !== undefined) return { fields, phrases: [], pattern, isEverywhere }
  return { ...searchedLeaf(leaf, fields, { targets, termsByPattern: new Map() }), isEverywhere }
}

/** One query for several indices: queries that differ are bound to their indices. */
export function inEach(
  parts: readonly { readonly part: IndexPart; readonly query: ClusterQuery }[],
): ClusterQuery {
  const groups = Map.groupBy(parts, ({ query }) => JSON.stringify(query))
  const [[first] = []] = groups.values()
  if (groups.size <= 1) return first?.query ?? nothing
  return anyOf(
    [...groups.values()].map((group) => {
      const names = group.map(({ part }) => part.index)
      return allOf([oneOf('x', names), group[0]?.query ?? nothing])
    }),
  )
}
