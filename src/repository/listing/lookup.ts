/** Looks up what stands for many ids at once, never by a walk over all of a catalogue. */

import type { Names } from '../../rdf/names.ts'
import { unskolemiseLines } from '../../rdf/skolem.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { Part } from '../../rdf/writing/document.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'

const origins = loadQuery('original-ids')
const schemes = loadQuery('vocabulary-schemes')
const homes = loadQuery('dataset-catalogues')

/** Resources that one question to the store is about. */
const batchSize = 500

export type Lookup = { readonly store: GraphStore; readonly names: Names }

/** Those of the graphs that there are, without their links, blank nodes as blank nodes. */
export async function graphsOf(
  { store, names }: Lookup,
  graphs: readonly string[],
  signal: AbortSignal,
): Promise<Part[]> {
  const texts = await store.readAll(graphs, { links: false }, signal)
  return graphs.flatMap((graph) => {
    const text = texts.get(graph)
    if (text === undefined) return []
    return { graph, lines: unskolemiseLines(text, { prefix: names.genidPrefix }) }
  })
}

/** One id at the origin for each dataset that has a record; the smallest where somebody wrote several. */
export async function originalIdsOf(
  { store, names }: Lookup,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const found: string[] = []
  for (const batch of batches(ids)) {
    const pairs = batch.map((id) => [namedNode(names.dataset(id)), namedNode(names.record(id))])
    const rows = await store.select(bind(origins, { dataset: pairs }), signal)
    const byDataset = Map.groupBy(rows, ({ dataset }) => dataset?.value)
    for (const id of batch) {
      const values = byDataset.get(names.dataset(id))?.flatMap((row) => row['originalId'] ?? [])
      const [first] = values?.map(({ value }) => value).sort() ?? []
      if (first !== undefined) found.push(first)
    }
  }
  return found
}

/** The concept scheme of each vocabulary. */
export async function schemesOf(
  { store, names }: Lookup,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const found: string[] = []
  for (const batch of batches(ids)) {
    const vocabulary = batch.map((id) => namedNode(names.vocabulary(id)))
    const rows = await store.select(bind(schemes, { vocabulary }), signal)
    const byId = new Map(rows.map((row) => [row['vocabulary']?.value, row['scheme']?.value]))
    found.push(...batch.flatMap((id) => byId.get(names.vocabulary(id)) ?? []))
  }
  return found
}

/** The catalogues that datasets are in: dataset → catalogue, both ids. */
export async function cataloguesOf(
  { store, names }: Lookup,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const dataset = ids.map((id) => namedNode(names.dataset(id)))
  const found = new Map<string, string>()
  for (const row of await store.select(bind(homes, { dataset }))) {
    const id = names.idOf('dataset', row['dataset']?.value ?? '')
    const catalogue = names.idOf('catalogue', row['catalogue']?.value ?? '')
    if (id !== undefined && catalogue !== undefined) found.set(id, catalogue)
  }
  return found
}

function* batches(ids: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < ids.length; at += batchSize) yield ids.slice(at, at + batchSize)
}
