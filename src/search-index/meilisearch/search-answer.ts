/** One search from request to answer. */

import { z } from 'zod'
import { includeFields } from '../include.ts'
import { leavesOf } from '../query-tree.ts'
import type { Answer, Facet, Hit, OrderKey, SearchRequest } from '../search-index.ts'
import { textOf, type Condition } from './condition.ts'
import { lookUp } from './term-lookup.ts'
import { placesOf } from './leaf-conditions.ts'
import { isRanked, orderKeys, sortOf } from './sort-attributes.ts'
import { rankingsOf, type Words, wordsOf } from './ranking-searches.ts'
import { type Distribution, facetsOfAnswer, type FacetValues } from './facet-distribution.ts'
import { hitsOf, type FoundHits, type IndexQuery, type Window } from './engine-search.ts'
import { matchedBy } from './match-condition.ts'
import { partsOf, type IndexPart, type ReadContext, type Rows } from './documents.ts'

const recordRow = z.object({ i: z.string(), r: z.string() })
const idRow = recordRow.pick({ i: true })

export type Tools = { readonly reading: ReadContext; readonly values: FacetValues }

/** Where in the order, and which attributes. */
type Span<Row> = Pick<Window<Row>, 'offset' | 'limit' | 'row'>
type Query = Omit<SearchRequest, 'offset' | 'limit'>

export async function search(
  { offset, limit, ...request }: SearchRequest,
  tools: Tools,
  signal?: AbortSignal,
): Promise<Answer> {
  // The text of a record is most of what comes over the wire: for ids alone it is not asked for.
  const row: Rows<{ i: string; r?: string }> = request.include?.length === 0 ? idRow : recordRow
  const window = { offset, limit, row }
  const { count, hits, facets, shortened } = await found(request, window, tools, signal)
  return {
    count,
    hits: hits.map(({ hit, part, score }): Hit => ({
      index: part.index,
      id: hit.i,
      ...(request.score && { score }),
      record: hit.r === undefined ? '{}' : reduced(hit.r, request.include),
    })),
    ...(facets && { facets }),
    ...(shortened && { shortened }),
  }
}

type Answered<Row> = Omit<Answer, 'hits'> & {
  readonly hits: FoundHits<Row>['hits']
  readonly parts: readonly IndexPart[]
  /** The keys that counted. */
  readonly keys: readonly OrderKey[]
}

/** Hits as `Row`s of attributes. */
export async function found<Row>(
  request: Query,
  span: Span<Row>,
  tools: Tools,
  signal?: AbortSignal,
): Promise<Answered<Row>> {
  const { reading } = tools
  const { parts, keys, wanted, shortened } = await prepared(request, reading, signal)
  const { facets } = request
  const own = facets && !facets.global ? { facets: idsOf(facets) } : {}
  const window = { ...span, sort: sortOf(keys, parts), ...own }
  const { total, hits, distributions } = await hitsOf(wanted, window, reading, signal)
  const counted = facets?.global ? await everything(parts, facets, reading, signal) : distributions
  const titled = facets && (await titledFacets(parts, counted, { ...tools, facets }, signal))
  return {
    count: total,
    hits,
    parts,
    keys,
    ...(titled && { facets: titled }),
    ...(shortened.length > 0 && { shortened }),
  }
}

const noWords: Words = { wanted: [], possible: [] }

async function prepared(request: Query, reading: ReadContext, signal?: AbortSignal) {
  const parts = partsOf(request.indices, reading)
  const given = orderKeys(request, parts)
  const languages = [...new Set(parts.flatMap((part) => part.languages))]
  const dictionary = await lookUp(leavesOf(request.tree), languages, reading, signal)
  const words = isRanked(given) ? wordsOf(request.tree) : noWords
  const matching: { readonly part: IndexPart; readonly condition: Condition }[] = []
  for (const part of parts) {
    const condition = await matchedBy(request, part, dictionary, { reading, signal })
    if (condition.kind !== 'none') matching.push({ part, condition })
  }
  const ranked = matching.map(({ part: { settings, languages } }) => ({
    settings,
    languages,
    places: placesOf(request.fields, settings, languages),
  }))
  const rankings = rankingsOf(words, request.boosts, ranked)
  const wanted = matching.map(({ part, condition }, i): IndexQuery => ({
    part,
    filter: textOf(condition),
    rankings: rankings[i] ?? [],
  }))
  // Where no word can be ranked by, all scores are equal: the keys behind relevance decide.
  const isScored = wanted.some(({ rankings }) => rankings.length > 0)
  const keys = isScored ? given : given.filter(({ by }) => by !== 'relevance')
  return { parts, keys, wanted, shortened: dictionary.shortened }
}

/** The JSON text of a record, reduced to `include`. */
export function reduced(text: string, include: readonly string[] | undefined): string {
  if (!include) return text
  const record: Readonly<Record<string, unknown>> = JSON.parse(text)
  return JSON.stringify(includeFields(record, include))
}

const idsOf = ({ ids }: { readonly ids?: readonly string[] }) => (ids ? { ids } : {})

/** Counts over all documents of the indices. */
async function everything(
  parts: readonly IndexPart[],
  facets: { readonly ids?: readonly string[] },
  reading: ReadContext,
  signal?: AbortSignal,
): Promise<readonly Distribution[]> {
  const all = parts.map((part) => ({ part, filter: undefined, rankings: [] }))
  const window = { sort: [], offset: 0, limit: 0, row: z.object({}), facets: idsOf(facets) }
  return (await hitsOf(all, window, reading, signal)).distributions
}

async function titledFacets(
  parts: readonly IndexPart[],
  distributions: readonly Distribution[],
  wanted: { readonly facets: NonNullable<SearchRequest['facets']>; readonly values: FacetValues },
  signal?: AbortSignal,
): Promise<Facet[]> {
  const codes = distributions.flatMap((one) => Object.values(one).flatMap(Object.keys))
  const values = await wanted.values(codes, signal)
  return facetsOfAnswer(parts, distributions, values, wanted.facets)
}
