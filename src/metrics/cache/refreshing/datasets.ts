/** A page of datasets: what they say of themselves, and what was measured of them. */

import type { Term } from '@rdfjs/types'
import { dct } from '../../../rdf/namespaces.ts'
import { namedNode } from '../../../rdf/terms.ts'
import type { Row } from '../../../store/graph-store.ts'
import { bind, loadQuery } from '../../../store/queries.ts'
import type { DatasetFacts, FoundDataset, FoundPublisher } from '../counting/dataset.ts'
import type { Source } from './catalogues.ts'
import { measuredDatasets } from './measured.ts'
import { cut, languagesOf, textsOf } from './texts.ts'
import type { Turn } from './turns.ts'

const queries = {
  facts: loadQuery('metrics/dataset-facts'),
  names: loadQuery('metrics/publisher-names'),
}

/** What several datasets have in common, remembered for one refresh. */
export type Remembered = { readonly names: Map<string, string> }

/** Some stores cut longer answers without a word. */
const suspicious = 9000

/** Names that are remembered. */
const mostNames = 50_000

/** In the order of the ids. */
export async function readDatasets(
  source: Source,
  ids: readonly string[],
  { turn, remembered }: { readonly turn: Turn; readonly remembered: Remembered },
  signal: AbortSignal,
): Promise<readonly FoundDataset[]> {
  // One after the other: what is in the store's queue at once is what readers wait for.
  const measured = await measuredDatasets(source, ids, turn, signal)
  const said = await rowsAbout(source, ids, signal)
  const about = Map.groupBy(said, (row) => row['dataset']?.value ?? '')
  const publishers = await publishersOf(source, about, remembered, signal)
  return ids.map((id): FoundDataset => {
    const iri = source.names.dataset(id)
    const facts = factsOf(about.get(iri) ?? [], publishers.get(iri))
    const found = measured.get(id)
    return { id, ...facts, ...(found && { measured: found }) }
  })
}

async function rowsAbout(
  source: Source,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const dataset = ids.map((id) => namedNode(source.names.dataset(id)))
  const rows = await source.store.select(bind(queries.facts, { dataset }), signal)
  if (rows.length < suspicious || ids.length === 1) return rows
  const middle = Math.ceil(ids.length / 2)
  return [
    ...(await rowsAbout(source, ids.slice(0, middle), signal)),
    ...(await rowsAbout(source, ids.slice(middle), signal)),
  ]
}

const objectsOf = (rows: readonly Row[], name: string): readonly Term[] => {
  const predicate = dct(name).value
  return rows.flatMap((row) =>
    row['predicate']?.value === predicate && row['object'] ? [row['object']] : [],
  )
}

const factsOf = (rows: readonly Row[], publisher: FoundPublisher | undefined): DatasetFacts => ({
  titles: textsOf(objectsOf(rows, 'title')),
  languages: languagesOf(objectsOf(rows, 'language')),
  publisher,
})

/** By the IRI of the dataset: its first publisher. Where that has no IRI, its name is all that tells it from others. */
async function publishersOf(
  source: Source,
  about: ReadonlyMap<string, readonly Row[]>,
  { names }: Remembered,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, FoundPublisher>> {
  const isNode = (iri: string) => iri.startsWith(source.names.genidPrefix)
  const wanted = new Map<string, Term>()
  for (const [dataset, rows] of about) {
    const [first] = [...objectsOf(rows, 'publisher')].sort((one, other) =>
      one.value < other.value ? -1 : 1,
    )
    if (first) wanted.set(dataset, first)
  }
  const unknown = [...wanted].filter(
    ([, term]) => term.termType === 'NamedNode' && !names.has(term.value),
  )
  const told = await namesOf(source, unknown, signal)
  const publishers = new Map<string, FoundPublisher>()
  for (const [dataset, { termType, value }] of wanted) {
    const iri = termType === 'NamedNode' && !isNode(value) ? value : undefined
    const name = termType === 'Literal' ? cut(value.trim()) : (names.get(value) ?? told.get(value))
    if (iri !== undefined && name !== undefined && names.size < mostNames) names.set(iri, name)
    const key = iri ?? name
    if (key) publishers.set(dataset, { key, name: name ?? key })
  }
  return publishers
}

/** The first name of each, by code points. */
async function namesOf(
  { store }: Source,
  wanted: readonly (readonly [dataset: string, publisher: Term])[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const told = new Map<string, string>()
  if (wanted.length === 0) return told
  const rows = wanted.map(([dataset, publisher]) => [namedNode(dataset), publisher])
  for (const row of await store.select(bind(queries.names, { dataset: rows }), signal)) {
    const [publisher, name] = [row['publisher']?.value ?? '', row['name']]
    if (name?.termType !== 'Literal' || name.value.trim() === '') continue
    const [known, text] = [told.get(publisher), cut(name.value.trim())]
    if (known === undefined || text < known) told.set(publisher, text)
  }
  return told
}
