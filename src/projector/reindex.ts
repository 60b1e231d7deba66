/** Marks everything in the store for projection, when the index has been lost or was built under other settings. */

import type { Names } from '../rdf/names.ts'
import { literal } from '../rdf/terms.ts'
import type { GraphStore } from '../store/graph-store.ts'
import { bind, loadQuery } from '../store/queries.ts'
import { markLine, systemChange } from '../store/marks.ts'

const catalogues = loadQuery('catalogue-handles')
const vocabularies = loadQuery('vocabulary-handles')

/**
 * One atomic write: pending marks on catalogues and vocabularies, and a cascade mark per catalogue for its datasets. The
 * marks stand in the store, so a crash while the index is rebuilt costs nothing. Answers how many there are.
 */
export async function markEverything(
  store: GraphStore,
  names: Names,
  next: () => number,
): Promise<number> {
  const prefix = literal(names.catalogue(''))
  const found = async (query: string) =>
    (await store.select(query)).flatMap((row) => row['resource']?.value ?? [])
  const [kept, stored] = await Promise.all([
    found(bind(catalogues, { prefix })),
    found(bind(vocabularies, {})),
  ])
  const add = [
    ...[...stored, ...kept].map((resource) => markLine('pending', { resource, version: next() })),
    ...kept.map((resource) => markLine('cascade', { resource, version: next() })),
  ]
  if (add.length > 0) await store.write([systemChange({ add })])
  return add.length
}
