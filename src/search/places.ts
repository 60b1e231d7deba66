/**
 * Places that a query names (`places=true`), each as a filter: countries by their names in any language, concepts of installed
 * vocabularies by any label, and places of records by the name that these have.
 */

import type { QueryTree } from '../search-index/query-tree.ts'
import type { FacetValue, SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import { textAt, valueAt } from '../text/json.ts'
import { tokens, wordPattern } from '../text/tokens.ts'
import { shippedAuthorities } from '../vocabularies/authorities.ts'
import { pause } from '../workers/pause.ts'
import { SingleFlight } from '../workers/single-flight.ts'
import { labelsOf, variantsInRecords } from '../vocabularies/concept-table.ts'
import type { Concept } from '../vocabularies/concept.ts'
import { plainTerms } from './near-words.ts'
import { allRecords, recordFields } from './record-values.ts'
import { withinTime } from './time-limit.ts'

/** Value of a facet by which a search can be filtered, and the names that it has. */
type NamedValue = FacetValue & { readonly facet: string; readonly names: readonly string[] }

/** `q`: the query without the name, where it has hits under the filter; else the query as it is. */
type Place = FacetValue & { readonly facet: string; readonly count: number; readonly q: string }

type PlaceContext = {
  readonly q: string
  readonly request: SearchRequest
  readonly locale: string
  /** Makes the request of the same search with another query. */
  readonly requestOf: (q: string) => SearchRequest
}

/** Most words of a query that are looked at, words of a name, places in an answer, and concepts with a name. */
const [mostWords, mostInName, mostPlaces, mostConcepts] = [16, 4, 3, 50]
/** Time limit for places; the embedded engine needs about 5 ms. */
const timeLimitMs = 500
/** Limit of the wait for the table of countries. */
const tableMs = 1_000

/** Neighbouring words of a query that may be a name: their tokens, and where they are. */
type Run = { readonly name: string; readonly from: number; readonly to: number }

/** At most three places that filter a search to at least one hit, those with longer names first; none when the time is over. */
export async function placesOf(
  index: SearchIndex,
  context: PlaceContext,
  signal: AbortSignal,
): Promise<readonly Place[]> {
  const runs = runsOf(context.q)
  if (runs.length === 0 || !context.request.indices.includes('dataset')) return []
  const read = new AbortController()
  // The first search of a process reads the table of countries; on a busy machine it is answered without them.
  const reading = countries.get('byName', () => readCountries())
  await Promise.race([reading, pause(tableMs, read.signal)]).finally(() => read.abort())
  return withinTime(timeLimitMs, signal, (both) => findPlaces(index, context, runs, both), [])
}

async function findPlaces(
  index: SearchIndex,
  context: PlaceContext,
  runs: readonly Run[],
  signal: AbortSignal,
): Promise<readonly Place[]> {
  const { request, locale } = context
  const names = new Set(runs.map(({ name }) => name))
  const operands = [...names].map((name) => ({ kind: 'phrase', tokens: name.split(' ') }) as const)
  const tree: QueryTree = { kind: 'or', operands }
  const values = [
    ...countriesNamed(names, locale),
    ...(await conceptPlaces(index, { tree, locale }, signal)),
    ...(await recordPlaces(index, tree, signal)),
  ]
  const groups = request.filter.facets?.groups ?? []
  const found: (Place & Run)[] = []
  for (const run of runs)
    for (const value of values) {
      const isTaken = found.some(({ from, to }) => run.from < to && from < run.to)
      const isFiltered = groups.some(({ facet }) => facet === value.facet)
      const isNamed = value.names.some((name) => nameKey(name) === run.name)
      if (found.length === mostPlaces || isTaken || isFiltered || !isNamed) continue
      const hits = await hitsAt(index, context, { run, value }, signal)
      if (hits) found.push({ ...value, ...run, ...hits })
    }
  return found.map(({ facet, id, title, count, q: rest }) => ({ facet, id, title, count, q: rest }))
}

const nameKey = (name: string): string => tokens(name).join(' ')

/** All runs of up to four neighbouring words, the longest first. */
function runsOf(q: string): readonly Run[] {
  const words = [...q.matchAll(wordPattern)].slice(0, mostWords)
  return Array.from({ length: mostInName }, (_, i) => mostInName - i).flatMap((length) =>
    words.slice(length - 1).map((last, at): Run => {
      const name = nameKey(words.slice(at, at + length).join(' '))
      return { name, from: words[at]?.index ?? 0, to: last.index + last[0].length }
    }),
  )
}

/** Number of hits of the query at a place: without the name if that has hits, else with it; `undefined` where neither has any. */
async function hitsAt(
  index: SearchIndex,
  { q, request, requestOf }: PlaceContext,
  { run, value: { facet, id } }: { readonly run: Run; readonly value: NamedValue },
  signal: AbortSignal,
) {
  // A query with operators may mean something else without one of its words.
  const rest = plainTerms(request.tree).length > 0 ? [q.slice(0, run.from) + q.slice(run.to)] : []
  for (const other of [...rest.map(withoutMarks), q]) {
    const { tree, ...search } = requestOf(other)
    const operands = [tree, { kind: 'value', facet, value: id } as const]
    const counted = { ...search, tree: { kind: 'and', operands } as const, ...countOnly }
    const { count } = await index.search(counted, signal)
    if (count > 0) return { q: other, count }
  }
  return undefined
}

/** A text without the punctuation that is between two blanks, as when a word before it was removed. */
const withoutMarks = (text: string): string =>
  text
    .split(/\s+/)
    .filter((word) => word.search(wordPattern) >= 0)
    .join(' ')

/** Parts of a request for nothing but the number of hits. */
export const countOnly = { facets: undefined, limit: 0, offset: 0 } as const

type CountriesByName = ReadonlyMap<string, readonly Concept[]>

/** Countries by their names in all languages, read once per process. */
const countries = new SingleFlight<'byName', CountriesByName>({ keepMs: Infinity })

async function readCountries(): Promise<CountriesByName> {
  const { concepts } = (await shippedAuthorities()).table('country')
  const pairs = concepts.flatMap((country) => {
    const keys = new Set(labelsOf(country).map(nameKey))
    return [...keys].map((key) => ({ key, country }))
  })
  const byName = Map.groupBy(pairs, ({ key }) => key)
  return new Map([...byName].map(([key, some]) => [key, some.map(({ country }) => country)]))
}

/** Countries with one of the names, as those of catalogues and as those of single records. */
function countriesNamed(names: ReadonlySet<string>, locale: string): readonly NamedValue[] {
  return [...names].flatMap((name) =>
    (countries.peek('byName')?.get(name) ?? []).flatMap(
      ({ iri, prefLabel, label, extensions }): NamedValue[] => {
        const common = { title: prefLabel[locale] ?? label, names: [name] }
        const code = extensions.iso_31661_alpha2
        const ofCatalogue = code === undefined ? [] : [{ ...common, facet: 'country', id: code }]
        return [...ofCatalogue, { ...common, facet: 'spatial', id: iri }]
      },
    ),
  )
}

/** Concepts of installed vocabularies that a tree finds by their labels and records have as a place. */
export async function conceptPlaces(
  index: SearchIndex,
  { tree, locale }: { readonly tree: QueryTree; readonly locale: string },
  signal: AbortSignal,
): Promise<readonly NamedValue[]> {
  const labels = ['pref_label', 'alt_label']
  const request = { ...allRecords('vocabulary'), tree, fields: labels, limit: mostConcepts }
  const { hits } = await index.search({ ...request, include: ['resource', ...labels] }, signal)
  const concepts = hits.flatMap(({ record }) => {
    const concept = recordFields(record)
    const names = labels.flatMap((path) => Object.values(Object(valueAt(concept, path))))
    const title = textAt(concept, `pref_label.${locale}`) ?? names[0]
    return variantsInRecords(textAt(concept, 'resource') ?? '').map((id) => ({ id, title, names }))
  })
  const operands = concepts.map(
    ({ id }) => ({ kind: 'value', facet: 'spatial', value: id }) as const,
  )
  const used = await spatialValues(index, { tree: { kind: 'or', operands } }, signal)
  const usedIds = new Set(used.map(({ id }) => id))
  return concepts
    .filter(({ id }) => usedIds.has(id))
    .map(({ id, title, names }) => ({
      facet: 'spatial',
      id,
      title: String(title),
      names: names.map(String),
    }))
}

/** Places of records that a tree finds by the names of their places. */
async function recordPlaces(
  index: SearchIndex,
  tree: QueryTree,
  signal: AbortSignal,
): Promise<readonly NamedValue[]> {
  const found = await spatialValues(index, { tree, fields: ['spatial_resource'] }, signal)
  return found.map(({ id, title }) => ({ facet: 'spatial', id, title, names: [title] }))
}

/** Places of the datasets that match. */
async function spatialValues(
  index: SearchIndex,
  search: Pick<SearchRequest, 'tree' | 'fields'>,
  signal: AbortSignal,
): Promise<readonly FacetValue[]> {
  const facets = { ids: ['spatial'], size: 500, global: false }
  const answer = await index.search({ ...allRecords('dataset'), ...search, facets }, signal)
  return answer.facets?.[0]?.items ?? []
}
