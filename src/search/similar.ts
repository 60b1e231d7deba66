/** Datasets that are like another one: they share words of its title, its keywords and its themes. */

import { Failure } from '../errors.ts'
import type { QueryTree } from '../search-index/query-tree.ts'
import type { Answer, SearchIndex } from '../search-index/search-index.ts'
import { isJsonObject, type Fields } from '../text/json.ts'
import { tokens } from '../text/tokens.ts'
import { recordFields } from './record-values.ts'

/** Words that are compared; longer ones first, because they are rarer. */
const mostWords = 12
const shortest = 4

/** Throws `unknown-dataset`. */
export async function similarTo(
  { index }: { readonly index: SearchIndex },
  { id, limit }: { readonly id: string; readonly limit: number },
  signal: AbortSignal,
): Promise<Answer> {
  const text = await index.get('dataset', id, signal)
  if (text === undefined)
    throw new Failure('unknown-dataset', `there is no dataset ${id.slice(0, 100)}`)
  const record = recordFields(text)
  const words = wordsOf(record)
  if (words.length === 0) return { count: 0, hits: [], facets: [] }
  const of: QueryTree[] = words.map((token) => ({ kind: 'term', token }))
  const answer = await index.search(
    {
      indices: ['dataset'],
      tree: { kind: 'or', of },
      fields: ['title', 'keywords'],
      filter: {},
      order: [],
      boosts: { title: 2 },
      offset: 0,
      limit: limit + 10,
      score: false,
    },
    signal,
  )
  const versions = new Set(
    ['is_version_of', 'has_version', 'replaces', 'is_replaced_by'].flatMap((name) =>
      idsIn(record[name]),
    ),
  )
  const hits = answer.hits.filter((hit) => hit.id !== id && !versions.has(hit.id)).slice(0, limit)
  return { count: hits.length, hits, facets: [] }
}

function wordsOf(record: Fields): readonly string[] {
  const titles = isJsonObject(record['title']) ? Object.values(record['title']) : [record['title']]
  const keywords = Array.isArray(record['keywords'])
    ? record['keywords'].map((one: unknown) => (isJsonObject(one) ? one['label'] : one))
    : []
  const all = [...titles, ...keywords].flatMap((one) =>
    typeof one === 'string' ? tokens(one) : [],
  )
  return [...new Set(all)]
    .filter((word) => word.length >= shortest)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, mostWords)
}

/** Ids of records that a value names. */
const idsIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => {
    const iri = isJsonObject(one) ? one['resource'] : one
    return typeof iri === 'string' ? [iri.slice(iri.lastIndexOf('/') + 1)] : []
  })
