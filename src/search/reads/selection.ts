/** All records with one facet value, whatever their number. */

import type { Hit, SearchIndex, SearchRequest } from '../../search-index/search-index.ts'
import type { IndexName } from '../../search-index/index-settings.ts'

export type Selection = {
  readonly index: IndexName
  readonly facet: string
  readonly value: string
  /** Paths of the records to read; absent = whole records. */
  readonly include?: readonly string[]
}

/** Records per request, and ids when nothing else of a record is read. */
const steps = { records: 1000, ids: 10_000 }

/** The records ascending by id, read in pages: one that moves while they are read comes at most once. */
export async function* hitsWith(
  index: SearchIndex,
  { index: name, facet, value, include }: Selection,
  signal?: AbortSignal,
): AsyncGenerator<Hit> {
  const step = include?.length === 0 ? steps.ids : steps.records
  const request: SearchRequest = {
    ...everything(name),
    tree: { kind: 'value', facet, value },
    limit: step,
    ...(include && { include }),
  }
  for (let after: string | undefined; ;) {
    const filter = after === undefined ? {} : { after }
    const { hits } = await index.search({ ...request, filter }, signal)
    yield* hits
    after = hits.at(-1)?.id
    if (after === undefined || hits.length < step) return
  }
}

/** One thing of each record, as `hitsWith` reads them. */
export async function eachHit<T>(
  hits: AsyncIterable<Hit>,
  pick: (hit: Hit) => T,
): Promise<readonly T[]> {
  const picked: T[] = []
  for await (const hit of hits) picked.push(pick(hit))
  return picked
}

/** Without words every record is equally relevant, so that the order is that of the ids. */
const everything = (name: IndexName): SearchRequest => ({
  indices: [name],
  tree: { kind: 'all' },
  filter: {},
  order: [{ by: 'relevance', direction: 'desc' }],
  boosts: {},
  offset: 0,
  limit: 0,
  score: false,
})
