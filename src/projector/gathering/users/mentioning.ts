/** Finds the graphs that mention concepts, page by page. */

import type { Names } from '../../../rdf/names.ts'
import { isIri } from '../../../rdf/iri.ts'
import { literal, namedNode } from '../../../rdf/terms.ts'
import type { GraphStore } from '../../../store/graph-store.ts'
import { bind, loadQuery, paged } from '../../../store/queries.ts'
import { mentionsOf } from '../../../vocabularies/concept-table.ts'

const mentions = loadQuery('mentions')
const count = loadQuery('mentions-count')

/** Concepts per query: each is asked for in up to four spellings. */
export const conceptsPerQuery = 250
/** Graphs per answer: some stores do not sort more. */
const page = 5000

type Place = { readonly store: GraphStore; readonly names: Names }

const termsOf = (concepts: readonly string[]) =>
  concepts
    .flatMap((iri) => mentionsOf(iri))
    .filter(isIri)
    .map((iri) => namedNode(iri))

/** Graphs under the platform's base that mention one of the concepts, in order; each once. */
export async function* graphsMentioning(
  { store, names }: Place,
  concepts: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<string> {
  const concept = termsOf(concepts)
  if (concept.length === 0) return
  let after = ''
  for (;;) {
    const given = { concept, start: literal(names.base), after: literal(after) }
    const rows = await store.select(paged(bind(mentions, given), { limit: page }), signal)
    for (const row of rows) {
      const graph = row['graph']?.value
      if (graph === undefined) continue
      after = graph
      yield graph
    }
    if (rows.length < page) return
  }
}

/** How many there are. */
export async function countMentioning(
  { store, names }: Place,
  concepts: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const concept = termsOf(concepts)
  if (concept.length === 0) return 0
  const query = bind(count, { concept, start: literal(names.base) })
  const [row] = await store.select(query, signal)
  return Number(row?.['size']?.value ?? 0)
}
