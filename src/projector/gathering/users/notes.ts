/** What stands beside the cascade mark of a vocabulary: the concepts that changed, and those that its writer took away. */

import { ctl } from '../../../rdf/namespaces.ts'
import { literal, namedNode } from '../../../rdf/terms.ts'
import type { GraphStore } from '../../../store/graph-store.ts'
import { fact, type Mark } from '../../../store/marks.ts'
import { bind, loadQuery, paged } from '../../../store/queries.ts'
import { everyConcept, notedConcept } from '../vocabulary/changed.ts'

const leftovers = loadQuery('vocabulary-leftovers')

/** Values read at a time: some stores do not sort more. */
const page = 5000

export type Notes = {
  /** Concepts whose users look different now. */
  readonly concepts: readonly string[]
  /** `stored` every concept that the vocabulary has, `gone` concepts that nobody can name any more. */
  readonly every?: 'stored' | 'gone'
  /** The lines that say so. */
  readonly lines: readonly string[]
}

async function valuesOf(
  store: GraphStore,
  { vocabulary, name }: { readonly vocabulary: string; readonly name: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = []
  for (;;) {
    const after = literal(found.at(-1) ?? '')
    const given = { vocabulary: namedNode(vocabulary), property: ctl(name), after }
    const rows = await store.select(paged(bind(leftovers, given), { limit: page }), signal)
    found.push(...rows.flatMap((row) => row['value']?.value ?? []))
    if (rows.length < page) return found
  }
}

/** Reads the notes of a mark. */
export async function notesOf(store: GraphStore, mark: Mark, signal: AbortSignal): Promise<Notes> {
  const vocabulary = mark.resource
  const [changed, retired, cascades] = await Promise.all(
    ['changed', 'retired', 'cascade'].map((name) => valuesOf(store, { vocabulary, name }, signal)),
  )
  const concepts = new Set((changed ?? []).map(notedConcept))
  for (const iri of retired ?? []) concepts.add(iri)
  const isGone = retired?.includes(everyConcept)
  const isEvery = concepts.delete(everyConcept)
  // A later rewrite may have taken away the same concepts: its own cascade needs to know.
  const isLast = (cascades ?? []).every((version) => Number(version) <= mark.version)
  const retiredLines = (retired ?? []).map((value) =>
    fact(vocabulary, 'retired', value === everyConcept ? value : { iri: value }),
  )
  return {
    concepts: [...concepts],
    ...(isEvery && { every: isGone ? ('gone' as const) : ('stored' as const) }),
    lines: [
      ...(changed ?? []).map((value) => fact(vocabulary, 'changed', value)),
      ...(isLast ? retiredLines : []),
    ],
  }
}
