/**
 * Completions of a query that is being typed (`completions=true`): words of the dictionary in place of its last word, and values
 * of facets whose labels begin with its words; each with its number of hits.
 */

import { facetDefinitions } from '../search-index/facet-answer.ts'
import type { IndexSettings } from '../search-index/index-settings.ts'
import { leavesOf, type Term } from '../search-index/query-tree.ts'
import type { FacetValue, SearchIndex, SearchRequest } from '../search-index/search-index.ts'
import type { Target } from '../search-index/word-forms.ts'
import { isStopWord } from '../text/stop-words.ts'
import { tokenOf, tokens } from '../text/tokens.ts'
import { withTitlesIn } from './facet-labels.ts'
import { plainTerms } from './near-words.ts'
import { conceptPlaces, countOnly } from './places.ts'
import { allRecords } from './record-values.ts'
import { spelledFields, spellingIn } from './suggestions.ts'
import { withinTime } from './time-limit.ts'

/** Facets whose values are suggested, with the field that has their labels; that of countries has them in English only. */
const labelFields: Readonly<Record<string, string | undefined>> = {
  keywords: 'keywords',
  categories: 'categories',
  subject: 'subject',
  publisher: 'publisher',
  country: undefined,
  spatial: 'spatial_resource',
}
/** Most words, and values of each facet; values of a facet that are compared; hits that show how a word is spelt. */
const [mostWords, mostValues, mostCompared, mostSpelled] = [4, 4, 500, 3]
/** Languages whose stop words complete no query, besides that of the request. */
const stopLanguages = ['en', 'de', 'fr', 'it']
/** Least characters of a word that is completed. */
const shortest = 2
/** Time limit for words, and for values; the embedded engine needs about 10 ms, and the next letter ends the request. */
const timeLimitMs = 1_000

type CompletionContext = {
  readonly q: string
  /** Autocompletion of the query. */
  readonly request: SearchRequest
  readonly locale: string
  readonly settings: readonly IndexSettings[]
  /** Makes the request of a search without autocompletion. */
  readonly requestOf: (q: string) => SearchRequest
}

type Word = { readonly q: string; readonly count: number }
type Value = FacetValue & { readonly facet: string; readonly count: number }

/** Words and values, each sorted by hits; those that take too long are left out. */
export async function completionsOf(
  index: SearchIndex,
  context: CompletionContext,
  signal: AbortSignal,
): Promise<{ readonly words: readonly Word[]; readonly values: readonly Value[] }> {
  const [words, values] = await Promise.all([
    withinTime(timeLimitMs, signal, (both) => completedQueries(index, context, both), []),
    withinTime(timeLimitMs, signal, (both) => labelledValues(index, context, both), []),
  ])
  return { words, values }
}

const lastWord = /(?:(?!\u02bc)[\p{L}\p{N}\p{M}])+$/u

/** The query with its last word completed, for words that records have in texts of their own beside the words before it. */
async function completedQueries(
  index: SearchIndex,
  { q, locale, requestOf }: CompletionContext,
  signal: AbortSignal,
): Promise<readonly Word[]> {
  const [typed = ''] = lastWord.exec(q) ?? []
  const beginning = tokenOf(typed)
  const request = requestOf(q)
  const terms = plainTerms(request.tree)
  if (beginning.length < shortest || terms.at(-1)?.token !== beginning) return []
  const own = { ...request, ...countOnly, words: undefined, fields: spelledFields }
  const candidates = { beginning, own, earlier: terms.slice(0, -1), locale }
  const counted = await countedWords(index, candidates, signal)
  // Words with a common stem have the same hits.
  const distinct = counted.filter(({ token }, i) => {
    const isFormOf = ({ forms: other }: (typeof counted)[number]) =>
      other.some(({ how, tokens: [form] }) => how === 'root' && form === token)
    return !counted.slice(0, i).some(isFormOf)
  })
  return Promise.all(
    distinct.slice(0, mostWords).map(async ({ token }) => {
      const before = q.slice(0, q.length - typed.length)
      const tree = { kind: 'exact', token } as const
      const shown = { ...own, tree, limit: mostSpelled, include: spelledFields }
      const [{ count }, { hits }] = await Promise.all([
        index.search({ ...requestOf(before + token), ...countOnly }, signal),
        index.search(shown, signal),
      ])
      return { q: before + spellingIn(hits, token), count }
    }),
  )
}

type Candidates = {
  /** Beginning of the last word. */
  readonly beginning: string
  /** Request that counts hits in the texts whose words complete a query. */
  readonly own: SearchRequest
  /** Words before the last one. */
  readonly earlier: readonly Term[]
  readonly locale: string
}

/** Longer words with their hits beside the words before: those of the language of these first, then those with most hits. */
async function countedWords(
  index: SearchIndex,
  { beginning, own, earlier, locale }: Candidates,
  signal: AbortSignal,
) {
  const longer = await index.tokensBeginning(beginning, own.indices, signal)
  const words = longer
    .filter((token) => !isStopWord(token, [locale, ...stopLanguages]))
    .map((token) => ({ kind: 'exact', token }) as const)
  const [forms, ...answers] = await Promise.all([
    index.wordForms(
      [...words, ...earlier].map(({ token }) => ({ kind: 'term', token })),
      signal,
    ),
    ...words.map((word) => {
      const tree = { kind: 'and', operands: [...earlier, word] } as const
      return index.search({ ...own, tree }, signal)
    }),
  ])
  const bucketsOf = (targets: readonly Target[] = []) =>
    targets.flatMap(({ how, bucket }) => (how === 'word' ? bucket : []))
  const buckets = new Set(forms.slice(words.length).flatMap(bucketsOf))
  return words
    .map(({ token }, i) => {
      const isOfLanguage = bucketsOf(forms[i]).some((bucket) => buckets.has(bucket))
      return { token, count: answers[i]?.count ?? 0, forms: forms[i] ?? [], isOfLanguage }
    })
    .filter(({ count }) => count > 0)
    .sort((a, b) => Number(b.isOfLanguage) - Number(a.isOfLanguage) || b.count - a.count)
}

/** Values of facets in whose labels each word of the query begins a word. */
async function labelledValues(
  index: SearchIndex,
  { request, locale, settings }: CompletionContext,
  signal: AbortSignal,
): Promise<readonly Value[]> {
  const { indices, tree, filter } = request
  const search = { ...allRecords('dataset'), indices, filter }
  const beginnings = leavesOf(tree).flatMap((leaf) => (leaf.kind === 'prefix' ? leaf.token : []))
  const isMeant = ({ title }: FacetValue) => {
    const words = tokens(title)
    return beginnings.every((beginning) => words.some((word) => word.startsWith(beginning)))
  }
  const searched = settings.filter(({ index: name }) => indices.includes(name))
  const served = facetDefinitions(searched, Object.keys(labelFields)).map(({ id }) => id)
  if (beginnings.length === 0 || served.length === 0) return []
  const inLabels = served.filter((id) => labelFields[id] !== undefined)
  const fields = inLabels.flatMap((id) => labelFields[id] ?? [])
  const facets = { size: mostCompared, global: false }
  const [found, all, concepts] = await Promise.all([
    index.search({ ...search, tree, fields, facets: { ...facets, ids: inLabels } }, signal),
    index.search({ ...search, facets: { ...facets, ids: ['country'] } }, signal),
    served.includes('spatial') ? conceptPlaces(index, { tree, locale }, signal) : [],
  ])
  const named = [...(found.facets ?? []), ...(all.facets ?? [])].map((facet) =>
    withTitlesIn(facet, locale, index, signal),
  )
  const candidates = (await Promise.all(named)).flatMap(({ id: facet, items }) => {
    const values = facet === 'spatial' ? [...concepts, ...items] : items
    const meant = new Map(values.filter(isMeant).map(({ id, title }) => [id, title]))
    return [...meant].slice(0, mostValues).map(([id, title]) => ({ facet, id, title }))
  })
  const counted = await Promise.all(
    candidates.map(async (value) => {
      const ofValue = { kind: 'value', facet: value.facet, value: value.id } as const
      const { count } = await index.search({ ...search, tree: ofValue }, signal)
      return { ...value, count }
    }),
  )
  return counted.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count)
}
