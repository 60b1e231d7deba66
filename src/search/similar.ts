/** Finds datasets similar to one, for `/datasets/{id}/similar`: they share words of its title and keywords, and its themes. */

import type { QueryTree } from '../search-index/query-tree.ts'
import type { Answer, Hit, SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import { type Fields, isJsonObject, textAt } from '../text/json.ts'
import { tokens } from '../text/tokens.ts'
import { BoundedCache } from '../workers/bounded-cache.ts'
import {
  readTruncated,
  allRecords,
  valuesAtPath,
  recordFields,
  storedText,
} from './record-values.ts'

/** Maximum number of words that are counted: the longest, which are rarely common. */
const maxWords = 12
/** Minimum characters of a word that is counted. */
const shortest = 4
/** Maximum number of compared records that share the rarest words; words that more records have are too common. */
const maxCandidates = 150
/** Maximum number of compared themes, and the weight of sharing all of them relative to the rarest word. */
const [mostThemes, themesWeight] = [10, 0.5]
/** Members that refer to other versions of the same data; those are not listed. */
const versions = ['is_version_of', 'has_version', 'replaces', 'is_replaced_by']

/** Request for candidates: ranking by the engine would cost more than ranking here, and whole records more than these fields. */
const candidates = {
  ...allRecords('dataset'),
  order: [{ name: 'modified', direction: 'desc' }] as const,
  include: ['id', 'title', 'keywords', 'categories'],
  limit: maxCandidates,
}
const fields = ['title', 'keywords']

/** Maximum number of entries read from each list of a record. */
const maxEntries = 200

/** Maximum number of cached word counts. */
const maxWordCounts = 20_000

const term = (token: string): QueryTree => ({ kind: 'term', token })
const theme = (value: string): QueryTree => ({ kind: 'value', facet: 'categories', value })

/** Finds at most `limit` datasets similar to the one with the id. Throws `unknown-dataset`. */
export type SimilarTo = (
  request: { readonly id: string; readonly limit: number },
  signal: AbortSignal,
) => Promise<Answer>

/** Creates the finder; results are sorted by similarity, with a stable order. Throws `unknown-dataset`. */
export function similarFinder(index: SearchIndex): SimilarTo {
  // Word frequencies change slowly, so old counts may be used.
  const counts = new BoundedCache<number>('word-counts', maxWordCounts)
  return async ({ id, limit }, signal) => {
    const searchCandidates = (tree: QueryTree, options: Partial<SearchRequest> = {}) =>
      index.search({ ...candidates, tree, ...options }, signal)
    const countOf = async (token: string) => {
      const count =
        counts.get(token) ?? (await searchCandidates(term(token), { fields, limit: 0 })).count
      counts.set(token, count)
      return { token, count }
    }
    const record = recordFields(
      await storedText(readTruncated(index, maxEntries), 'dataset', id, signal),
    )
    const versionIris = versions.flatMap((name) => textsIn(record[name]))
    const excluded = new Set([id, ...versionIris.map((iri) => iri.slice(iri.lastIndexOf('/') + 1))])
    const words = wordsOf(record).slice(0, maxWords)
    const weights = rarestWords(await Promise.all(words.map(countOf)))
    const themes = themesOf(record).slice(0, mostThemes)
    const rankedIds = async (operands: readonly QueryTree[], options?: Partial<SearchRequest>) => {
      const { hits } =
        operands.length > 0
          ? await searchCandidates({ kind: 'or', operands }, options)
          : { hits: [] }
      return rankIds(hits, weights, themes).filter((hitId) => !excluded.has(hitId))
    }
    const best = await rankedIds([...weights.keys()].map(term), { fields })
    // When too few share words, the latest datasets with the same themes are added.
    if (best.length < limit) best.push(...(await rankedIds(themes.map(theme))))
    const hits = [...new Set(best)].slice(0, limit).map(async (hitId) => {
      const text = await index.get('dataset', hitId, signal, maxEntries)
      return text === undefined ? [] : [{ index: 'dataset' as const, id: hitId, record: text }]
    })
    const found = (await Promise.all(hits)).flat()
    return { count: found.length, hits: found, facets: [] }
  }
}

/** Returns the rarest words, as many as lead to a comparable number of records, with weights that grow with rarity. */
function rarestWords(wordCounts: readonly { readonly token: string; readonly count: number }[]) {
  let matches = 0
  const rare = wordCounts
    .toSorted((a, b) => a.count - b.count)
    .filter(({ count }) => (matches += count) <= maxCandidates)
  const [first] = rare
  return new Map(rare.map(({ token, count }) => [token, (first?.count || 1) / (count || 1)]))
}

/** Ranks ids by shared words, weighted by rarity, and by the share of common themes. */
function rankIds(
  hits: readonly Hit[],
  weights: ReadonlyMap<string, number>,
  themes: readonly string[],
): string[] {
  const score = (record: Fields) => {
    const recordThemes = new Set(themesOf(record))
    const common = themes.filter((theme) => recordThemes.has(theme)).length
    const shared = wordsOf(record).reduce((sum, word) => sum + (weights.get(word) ?? 0), 0)
    return shared + (themesWeight * common) / Math.max(themes.length, 1)
  }
  return hits
    .map(({ id, record }) => ({ id, score: score(recordFields(record)) }))
    .toSorted((a, b) => b.score - a.score)
    .map(({ id }) => id)
}

const themesOf = (record: Fields): readonly string[] =>
  valuesAtPath(record, 'categories').flatMap((category) => textAt(category, 'id') ?? [])

/** Returns the words of title and keywords in all languages, the longest first. */
const wordsOf = ({ title, keywords }: Fields): readonly string[] =>
  [...new Set(textsIn([title, keywords]).flatMap(tokens))]
    .filter((word) => word.length >= shortest)
    .toSorted((a, b) => b.length - a.length)

/** Returns all texts in a value. */
const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) || isJsonObject(value) ? Object.values(value).flatMap(textsIn) : []
}
