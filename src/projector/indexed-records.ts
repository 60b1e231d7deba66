/** All records that an index is made of, as the store has them. */

import type { IndexName } from '../search-index/index-settings.ts'
import type { Names } from '../rdf/names.ts'
import { literal } from '../rdf/terms.ts'
import type { GraphStore } from '../store/graph-store.ts'
import { bind, loadQuery, paged, type QueryValues } from '../store/queries.ts'
import { members, page } from './cascades.ts'

const catalogueQuery = loadQuery('catalogue-handles')
const vocabularyQuery = loadQuery('vocabulary-handles')
const memberCount = loadQuery('dataset-count')
const typedQuery = loadQuery('resources-after')
const typedCount = loadQuery('resource-count')

/** Resources of a type per query: some stores do not sort more. */
const mostTyped = 5000

export type Records = {
  /** How many there are about. */
  count(index: IndexName, signal: AbortSignal): Promise<number>
  /** Their IRIs, page by page; none is left out because others come or go meanwhile. */
  pages(index: IndexName, signal: AbortSignal): AsyncIterable<readonly string[]>
  /** The id that a record has in the index; `undefined` for one that becomes many documents. */
  idOf(index: IndexName, resource: string): string | undefined
}

export function records(store: GraphStore, names: Names): Records {
  const prefix = literal(names.catalogue(''))
  const handles = async (index: IndexName, signal: AbortSignal) => {
    const query =
      index === 'catalogue' ? bind(catalogueQuery, { prefix }) : bind(vocabularyQuery, {})
    const rows = await store.select(query, signal)
    return rows.flatMap((row) => row['resource']?.value ?? []).sort()
  }
  const number = async (query: string, signal: AbortSignal) => {
    const [row] = await store.select(query, signal)
    return Number(row?.['count']?.value ?? 0)
  }
  return {
    count: async (index, signal) => {
      const type = typeOf(index)
      if (type !== undefined) return number(bind(typedCount, typed(names, type)), signal)
      if (index === 'dataset') return number(bind(memberCount, { prefix }), signal)
      return (await handles(index, signal)).length
    },
    pages: (index, signal) => {
      const type = typeOf(index)
      if (type !== undefined) return typedPages(store, typed(names, type), signal)
      if (index !== 'dataset') return slices(handles(index, signal))
      const isDataset = (one: string) => names.idOf('dataset', one) !== undefined
      return memberPages(store, { catalogues: handles('catalogue', signal), isDataset }, signal)
    },
    idOf: (index, resource) => {
      if (index === 'vocabulary') return undefined
      if (index === 'dataset' || index === 'catalogue') return names.idOf(index, resource)
      return names.typedIdOf(resource)?.id
    },
  }
}

const typeOf = (index: IndexName): string | undefined => /^resource_(.*)$/s.exec(index)?.[1]

const typed = (names: Names, type: string) => ({
  type: literal(type),
  prefix: literal(names.resource(type, '')),
})

async function* slices(all: Promise<readonly string[]>): AsyncGenerator<readonly string[]> {
  const found = await all
  for (let at = 0; at < found.length; at += page) yield found.slice(at, at + page)
}

async function* memberPages(
  store: GraphStore,
  wanted: {
    readonly catalogues: Promise<readonly string[]>
    readonly isDataset: (resource: string) => boolean
  },
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const users = members(store)
  for (const resource of await wanted.catalogues) {
    const mark = { resource, version: 0 }
    const next = (after: string) => users.page(mark, after, signal)
    for (let found = await next(''); found.length > 0; found = await next(found.at(-1) ?? '')) {
      yield found.filter(wanted.isDataset)
      if (found.length < page) break
    }
  }
}

async function* typedPages(
  store: GraphStore,
  type: QueryValues,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  let after = ''
  for (;;) {
    const query = bind(typedQuery, { ...type, after: literal(after) })
    const rows = await store.select(paged(query, { limit: mostTyped }), signal)
    const found = rows.flatMap((row) => row['resource']?.value ?? [])
    yield* slices(Promise.resolve(found))
    if (found.length < mostTyped) return
    after = found.at(-1) ?? after
  }
}
