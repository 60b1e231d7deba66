/** Datasets that are like another one: they share words of its title and its keywords, and its themes. */

import { Failure } from '../errors.ts'
import type { QueryTree } from '../search-index/query-tree.ts'
import type { Answer, Hit, SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import { isJsonObject, type Fields } from '../text/json.ts'
import { tokens } from '../text/tokens.ts'
import { everything, listAt, recordFields } from './record-values.ts'

/** Words that are counted, the longest, and those of them that are compared, the rarest. */
const [mostCounted, mostWords] = [24, 12]
const shortest = 4
/** Records that the compared words may have together: what half of all records say makes none of them similar. */
const mostMatches = 5000
/** Themes that are compared, and how much sharing all of them weighs against sharing the most words. */
const [mostThemes, themesWeight] = [10, 0.5]
/** Records that share words and are compared by themes too. */
const mostCandidates = 50

/** The facet whose values are themes. */
const themeFacet = 'categories'

/** Best first, equal ones always in the same order. Throws `unknown-dataset`. */
export async function similarTo(
  { index, hasThemes }: { readonly index: SearchIndex; readonly hasThemes: boolean },
  { id, limit }: { readonly id: string; readonly limit: number },
  signal: AbortSignal,
): Promise<Answer> {
  const text = await index.get('dataset', id, signal)
  if (text === undefined)
    throw new Failure('unknown-dataset', `there is no dataset ${id.slice(0, 100)}`)
  const record = recordFields(text)
  const words = wordsOf(record)
  const themes = themesOf(record).slice(0, mostThemes)
  const versions = new Set(
    ['is_version_of', 'has_version', 'replaces', 'is_replaced_by'].flatMap((name) =>
      idsIn(record[name]),
    ),
  )
  const search = async (request: Partial<SearchRequest>): Promise<readonly Hit[]> => {
    const all = { ...everything('dataset'), order: [], limit: mostCandidates, ...request }
    const { hits } = await index.search(all, signal)
    return hits.filter((hit) => hit.id !== id && !versions.has(hit.id))
  }
  const rare = await rarest(words, index, signal)
  const byWords =
    rare.length > 0
      ? await search({
          tree: { kind: 'or', of: rare.map((token): QueryTree => ({ kind: 'term', token })) },
          fields: ['title', 'keywords'],
          boosts: { title: 2 },
          score: true,
        })
      : []
  // Without enough words in common the latest of the same themes are the next best.
  const of = themes.map((value): QueryTree => ({ kind: 'value', facet: themeFacet, value }))
  const byThemes =
    hasThemes && byWords.length < limit && of.length > 0
      ? await search({ tree: { kind: 'or', of } })
      : []
  const ranked = [...byThemed(byWords, themes), ...byThemed(byThemes, themes)]
  const hits = [...new Map(ranked.map((hit) => [hit.id, hit])).values()].slice(0, limit)
  return { count: hits.length, hits, facets: [] }
}

/** Those that the fewest records have in title or keywords, the rarest first. */
async function rarest(
  words: readonly string[],
  index: SearchIndex,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const counted = await Promise.all(
    words.map(async (token) => {
      const tree: QueryTree = { kind: 'term', token }
      const fields = ['title', 'keywords']
      const request = { ...everything('dataset'), order: [], limit: 0, tree, fields }
      return { token, count: (await index.search(request, signal)).count }
    }),
  )
  let matches = 0
  return counted
    .toSorted((a, b) => a.count - b.count)
    .slice(0, mostWords)
    .filter(({ count }) => (matches += count) <= mostMatches)
    .map(({ token }) => token)
}

/** By score and the part of the themes that is shared. */
function byThemed(hits: readonly Hit[], themes: readonly string[]): readonly Hit[] {
  const most = Math.max(...hits.map(({ score = 0 }) => score), Number.MIN_VALUE)
  const worth = ({ score = 0, record }: Hit) => {
    const own = new Set(themesOf(recordFields(record)))
    const shared = themes.filter((theme) => own.has(theme)).length
    return score / most + (themesWeight * shared) / Math.max(themes.length, 1)
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

function wordsOf(record: Fields): readonly string[] {
  const titles = isJsonObject(record['title']) ? Object.values(record['title']) : [record['title']]
  const keywords = listAt(record, 'keywords').map((one) => (isJsonObject(one) ? one['label'] : one))
  const all = [...titles, ...keywords].flatMap((one) =>
    typeof one === 'string' ? tokens(one) : [],
  )
  return [...new Set(all)]
    .filter((word) => word.length >= shortest)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, mostCounted)
}

/** Ids of records that a value names. */
const idsIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => {
    const iri = isJsonObject(one) ? one['resource'] : one
    return typeof iri === 'string' ? [iri.slice(iri.lastIndexOf('/') + 1)] : []
  })
