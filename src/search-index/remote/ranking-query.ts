/** Units of a query (`rankingUnits`) as an engine on a server searches and scores them. */

import { fieldWeights } from '../hit-order.ts'
import type { Leaf } from '../query-tree.ts'
import { neighboursOf } from '../scoring.ts'
import type { SearchRequest } from '../search-index.ts'
import type { ScoredQuery, SearchedLeaf } from '../text-scores.ts'
import type { IndexPart } from './generation.ts'
import { fieldsReached, searchedLeaf } from './searched-leaf.ts'

/** Most distinct units that rank, each of which is counted; questions of people have fewer. */
const maxUnits = 32

/** Members of a request that decide how it is scored. */
export type RankedRequest = Pick<SearchRequest, 'tree' | 'fields' | 'boosts' | 'typed'>

/** Unit of a query with its search in one index. */
export type Unit = { readonly leaf: Leaf; readonly searched: SearchedLeaf }

/** Units that differ in what they match. */
export function distinctUnits(
  units: readonly Leaf[],
  leaves: ReadonlyMap<Leaf, SearchedLeaf>,
): readonly Unit[] {
  const found = new Map<string, Unit>()
  for (const leaf of units) {
    const searched = leaves.get(leaf)
    const key = JSON.stringify(searched)
    if (searched && !found.has(key)) found.set(key, { leaf, searched })
  }
  return [...found.values()].slice(0, maxUnits)
}

/** Query that scores the records of an index, of whose units it has those with `known` rarities. */
export function scoredQuery(
  { boosts, fields, typed }: RankedRequest,
  { settings, languages }: IndexPart,
  units: readonly Leaf[],
  known: ScoredQuery['units'],
): ScoredQuery {
  const noForms = { targets: new Map(), termsByPattern: new Map() }
  const neighbours = neighboursOf(units).map((leaf) => {
    const names = leaf.field === undefined ? fields : [leaf.field]
    return searchedLeaf(leaf, fieldsReached(names, settings, languages), noForms)
  })
  const weightOf = fieldWeights(boosts, settings)
  return { units: known, unitCount: units.length, neighbours, ...(typed && { typed }), weightOf }
}
