/**
 * Match set of a request in one index, as a filter condition. Phrases that the stored pairs do not decide are verified in the texts.
 */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import { idField } from '../field-reach.ts'
import { type Leaf, leavesOf, type QueryTree } from '../query-tree.ts'
import type { IndexPart } from '../remote/generation.ts'
import { fieldsReached, searchedLeaf } from '../remote/searched-leaf.ts'
import { matchedTree } from '../scoring.ts'
import type { SearchRequest } from '../search-index.ts'
import { hasPhraseOf, type SearchedLeaf } from '../text-scores.ts'
import { attributes, textsAttribute } from './attributes.ts'
import { and, type Condition, filterText, flatten, noDocument, not, or } from './condition.ts'
import { fetchDocuments, type ReadContext } from './engine-reads.ts'
import { filterCondition, hasNumberAmong, treeCondition } from './filter-conditions.ts'
import { leafCondition } from './leaf-conditions.ts'
import { textsRow, valuesOf } from './record-texts.ts'

/** Most documents that are verified for one phrase; if more have its pairs, none is verified. */
const maxCandidates = 5_000
/** Most documents that may match a part of a query that is replaced by their numbers because it is too deep for the parser. */
const maxNumbers = 100_000

const numberRow = z.object({ n: z.number() })
type MatchContext = {
  readonly readContext: ReadContext
  readonly signal?: AbortSignal
  readonly termsByPattern: ReadonlyMap<string, readonly string[]>
}

/** Match set of a request in one index: its condition, `noDocument` if certainly no document matches, and the leaves of the tree. */
export type MatchSet = {
  readonly condition: Condition
  readonly leaves: ReadonlyMap<Leaf, SearchedLeaf>
  /** Condition of the documents of the set that have all of some leaves. */
  readonly conditionOf: (some: readonly Leaf[]) => Condition
}

/** Match set of a request. Rejects with `query-too-complex`. */
export async function matchSet(
  request: Pick<SearchRequest, 'tree' | 'words' | 'fields' | 'filter'>,
  part: IndexPart,
  { readContext, signal, termsByPattern }: MatchContext,
): Promise<MatchSet> {
  const { settings, languages, uid } = part
  const filter = filterCondition(request.filter, settings)
  if (filter.kind === 'none')
    return { condition: noDocument, leaves: new Map(), conditionOf: () => noDocument }
  const matched = matchedTree(request)
  const allLeaves = new Set(leavesOf(matched))
  const terms = [...allLeaves].filter((leaf) => leaf.kind === 'term')
  const targetsOfTerms = await readContext.words.targetsOf(terms, languages, signal)
  const targets = new Map(terms.map((term, i) => [term, targetsOfTerms[i] ?? []]))
  const leaves = new Map<Leaf, SearchedLeaf>()
  const conditions = new Map<Leaf, Condition>()
  for (const leaf of allLeaves) {
    const names = leaf.field === undefined ? request.fields : [leaf.field]
    const fields = fieldsReached(names, settings, languages)
    const search = searchedLeaf(leaf, fields, { targets, termsByPattern })
    const searched = { ...search, isEverywhere: names === undefined && part.layout !== undefined }
    leaves.set(leaf, searched)
    conditions.set(leaf, await verifiedCondition(searched, filter, { readContext, part, signal }))
  }
  const tree = treeCondition(matched, settings, (leaf) => conditions.get(leaf) ?? noDocument)
  const condition = and([filter, await flatten(tree, numbersOf)])
  const conditionOf = (some: readonly Leaf[]) => {
    const ofLeaves = some.map((leaf) => conditions.get(leaf) ?? noDocument)
    const isSufficient = some.some((leaf) => isAlternative(leaf, matched))
    return and([...ofLeaves, isSufficient ? filter : condition])
  }
  return { condition, leaves, conditionOf }

  async function numbersOf(inner: Condition): Promise<Condition> {
    const fetching = { row: numberRow, filter: filterText(and([filter, inner])), limit: maxNumbers }
    const { results, total } = await fetchDocuments(readContext, uid, fetching, signal)
    if (total > maxNumbers)
      throw new Failure('query-too-complex', 'too many records match inside deep parentheses')
    return hasNumberAmong(results.map(({ n }) => n))
  }
}

/** Whether every document with a leaf matches the tree. */
const isAlternative = (leaf: Leaf, tree: QueryTree): boolean =>
  tree === leaf || (tree.kind === 'or' && tree.operands.includes(leaf))

type Verification = {
  readonly readContext: ReadContext
  readonly part: IndexPart
  readonly signal: AbortSignal | undefined
}

/** Condition of a leaf, without documents that meet the filter and have the tokens of a phrase, but not in a row. */
async function verifiedCondition(
  searched: SearchedLeaf,
  filter: Condition,
  { readContext, part, signal }: Verification,
): Promise<Condition> {
  const { certain, possible } = leafCondition(searched, part.languages)
  if (possible.kind === 'none') return certain
  const fields = searched.fields.map(({ field }) => field).filter((field) => field !== idField)
  const fetching = {
    row: textsRow,
    extraAttributes: [...new Set(fields)].map(textsAttribute),
    filter: filterText(and([filter, possible, not(certain)])),
    sort: [`${attributes.number}:asc`],
    limit: 1_000,
  }
  const falseMatches: number[] = []
  for (let [offset, total] = [0, 1]; offset < total;) {
    const page = await fetchDocuments(readContext, part.uid, { ...fetching, offset }, signal)
    if (page.total > maxCandidates) return or([certain, possible])
    const mismatches = page.results.filter((row) => !hasPhraseOf(valuesOf(row, fields), searched))
    falseMatches.push(...mismatches.map(({ n }) => n))
    offset += page.results.length
    total = page.results.length === 0 ? 0 : page.total
  }
  return or([certain, and([possible, not(hasNumberAmong(falseMatches))])])
}
