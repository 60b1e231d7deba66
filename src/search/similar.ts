/** Datasets that are like another one: they share words of its title and its keywords, and its themes. */

import { Failure } from '../errors.ts'
import type { QueryTree } from '../search-index/query-tree.ts'
import type { Answer, Hit, SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import { isJsonObject, type Fields } from '../text/json.ts'
import { tokens } from '../text/tokens.ts'
import type { BoundedCache } from '../workers/bounded-cache.ts'
import { everything, listAt, recordFields } from './record-values.ts'

/** Words that are counted: the longest, which are rarely common. */
const mostCounted = 12
const shortest = 4
/** Records that share the rarest words and are compared: words that more have together make nothing similar. */
const mostCandidates = 150
/** Themes that are compared, and how much sharing all of them weighs against sharing the rarest word. */
const [mostThemes, themesWeight] = [10, 0.5]

/** Ranking by the engine would cost more than ours, and whole records more than what is compared. */
const newest = [{ by: 'modified', direction: 'desc' }] as const
const compared = ['id', 'title', 'keywords', 'categories']

/** The facet whose values are themes. */
const themeFacet = 'categories'

type SimilarContext = {
  readonly index: SearchIndex
  readonly hasThemes: boolean
  /** Word → records that have it. How rare a word is changes slowly: an old count is as good as a new one. */
  readonly counts: BoundedCache<number>
}

/** Words whose counts are kept. */
export const mostWordCounts = 20_000

/** Best first, equal ones always in the same order. Throws `unknown-dataset`. */
export async function similarTo(
  { index, hasThemes, counts }: SimilarContext,
  { id, limit }: { readonly id: string; readonly limit: number },
  signal: AbortSignal,
): Promise<Answer> {
  const text = await index.get('dataset', id, signal)
  if (text === undefined)
    throw new Failure('unknown-dataset', `there is no dataset ${id.slice(0, 100)}`)
  const record = recordFields(text)
  const words = wordsOf(record).slice(0, mostCounted)
  const themes = themesOf(record).slice(0, mostThemes)
  const versions = new Set(
    ['is_version_of', 'has_version', 'replaces', 'is_replaced_by'].flatMap((name) =>
      idsIn(record[name]),
    ),
  )
  const search = async (request: Partial<SearchRequest>): Promise<readonly Hit[]> => {
    const usual = { ...everything('dataset'), order: newest, include: compared }
    const all = { ...usual, limit: mostCandidates, ...request }
    const { hits } = await index.search(all, signal)
    return hits.filter((hit) => hit.id !== id && !versions.has(hit.id))
  }
  const rare = await rarest(words, { index, counts }, signal)
  const tree: QueryTree = {
    kind: 'or',
    of: [...rare.keys()].map((token) => ({ kind: 'term', token })),
  }
  const byWords = rare.size > 0 ? await search({ tree, fields: ['title', 'keywords'] }) : []
  // Without enough words in common the latest of the same themes are the next best.
  const of = themes.map((value): QueryTree => ({ kind: 'value', facet: themeFacet, value }))
  const byThemes =
    hasThemes && byWords.length < limit && of.length > 0
      ? await search({ tree: { kind: 'or', of } })
      : []
  const ranked = [...ranking(byWords, rare, themes), ...ranking(byThemes, rare, themes)]
  const ids = [...new Set(ranked.map((hit) => hit.id))].slice(0, limit)
  const found = await Promise.all(ids.map((one) => wholeHit(index, one, signal)))
  const hits = found.flat()
  return { count: hits.length, hits, facets: [] }
}

/** A hit with its whole record; none where it has gone meanwhile. */
async function wholeHit(
  index: SearchIndex,
  id: string,
  signal: AbortSignal,
): Promise<readonly Hit[]> {
  const record = await index.get('dataset', id, signal)
  return record === undefined ? [] : [{ index: 'dataset', id, record }]
}

/** The words that the fewest records have in title or keywords, each with how many: together no more than can be compared. */
async function rarest(
  words: readonly string[],
  { index, counts }: Pick<SimilarContext, 'index' | 'counts'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const counted = await Promise.all(
    words.map(async (token) => {
      const known = counts.get(token)
      if (known !== undefined) return { token, count: known }
      const tree: QueryTree = { kind: 'term', token }
      const fields = ['title', 'keywords']
      const request = { ...everything('dataset'), order: newest, tree, fields }
      const { count } = await index.search(request, signal)
      counts.set(token, count)
      return { token, count }
    }),
  )
  let matches = 0
  const rare = counted
    .toSorted((a, b) => a.count - b.count)
    .filter(({ count }) => (matches += count) <= mostCandidates)
  return new Map(rare.map(({ token, count }) => [token, count]))
}

/** By the shared words, of which a rare one counts more, and by the part of the themes that is shared. */
function ranking(
  hits: readonly Hit[],
  rare: ReadonlyMap<string, number>,
  themes: readonly string[],
): readonly Hit[] {
  const weight = (word: string) => 1 / Math.max(1, rare.get(word) ?? Infinity)
  const most = Math.max(...[...rare.keys()].map(weight), Number.MIN_VALUE)
  const worth = ({ record }: Hit) => {
    const fields = recordFields(record)
    const shared = wordsOf(fields).reduce((sum, word) => sum + weight(word), 0)
    const own = new Set(themesOf(fields))
    const both = themes.filter((theme) => own.has(theme)).length
    return shared / most + (themesWeight * both) / Math.max(themes.length, 1)
  }
  return hits
    .map((hit) => ({ hit, worth: worth(hit) }))
    .toSorted((a, b) => b.worth - a.worth)
    .map(({ hit }) => hit)
}

const themesOf = (record: Fields): readonly string[] =>
  listAt(record, themeFacet).flatMap((one) => {
    const id = isJsonObject(one) ? one['id'] : one
    return typeof id === 'string' ? [id] : []
  })

/** Words of title and keywords in all languages, the longest first. */
function wordsOf(record: Fields): readonly string[] {
  const titles = isJsonObject(record['title']) ? Object.values(record['title']) : [record['title']]
  const keywords = listAt(record, 'keywords').map((one) => (isJsonObject(one) ? one['label'] : one))
  const all = [...titles, ...keywords].flatMap((one) =>
    typeof one === 'string' ? tokens(one) : [],
  )
  return [...new Set(all)]
    .filter((word) => word.length >= shortest)
    .toSorted((a, b) => b.length - a.length)
}

/** Ids of records that a value names. */
const idsIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => {
    const iri = isJsonObject(one) ? one['resource'] : one
    return typeof iri === 'string' ? [iri.slice(iri.lastIndexOf('/') + 1)] : []
  })
