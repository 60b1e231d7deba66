/** Marks everything in the store for projection, when the index has been lost or was built under other settings. */

import type { Names } from '../rdf/names.ts'
import { literal } from '../rdf/terms.ts'
import type { GraphStore } from '../store/graph-store.ts'
import { bind, loadQuery } from '../store/queries.ts'
import { markLine, systemChange, type MarkKind } from '../store/marks.ts'

const catalogues = loadQuery('catalogue-handles')
const vocabularies = loadQuery('vocabulary-handles')

/** What an index has lost; catalogues without their datasets happen when only one of the indices was emptied. */
export type Lost = {
  readonly datasets: boolean
  readonly catalogues: boolean
  readonly vocabularies: boolean
}

/**
 * One atomic write: pending marks on catalogues and vocabularies, and a cascade mark per catalogue for its datasets. The
 * marks stand in the store, so a crash while the index is rebuilt costs nothing. Answers how many there are.
 */
export async function markLost(
  store: GraphStore,
  names: Names,
  { lost, next }: { readonly lost: Lost; readonly next: () => number },
): Promise<number> {
  const prefix = literal(names.catalogue(''))
  const found = async (query: string) =>
    (await store.select(query)).flatMap((row) => row['resource']?.value ?? [])
  const [kept, stored] = await Promise.all([
    lost.datasets || lost.catalogues ? found(bind(catalogues, { prefix })) : [],
    lost.vocabularies ? found(bind(vocabularies, {})) : [],
  ])
  const marked = (kind: MarkKind, resources: readonly string[]) =>
    resources.map((resource) => markLine(kind, { resource, version: next() }))
  const add = [
    ...marked('pending', [...stored, ...(lost.catalogues ? kept : [])]),
    ...marked('cascade', lost.datasets ? kept : []),
  ]
  if (add.length > 0) await store.write([systemChange({ add })])
  return add.length
}
