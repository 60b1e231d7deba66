/** Reads the concepts of a stored vocabulary piece by piece, so that memory does not grow with it. */

import { fromLines } from '../../rdf/lines.ts'
import { graphOf, type Graph } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { bind, loadQuery, paged } from '../../store/queries.ts'
import { oneText } from '../../vocabularies/labels.ts'
import { type Concept, conceptAt, isConcept } from '../../vocabularies/concept.ts'

const head = loadQuery('vocabulary-head')
const tops = loadQuery('vocabulary-tops')
const descriptions = loadQuery('concept-descriptions')

/** Concepts per batch. */
export const batchSize = 1000
/** Top concepts that only the scheme calls concepts; more are not looked for. */
const mostTops = 10_000

/** The English label of a vocabulary, else the first by language. */
export async function titleOf(
  store: GraphStore,
  scheme: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const rows = await store.select(bind(head, { scheme: namedNode(scheme) }), signal)
  return oneText(
    rows.flatMap((row) => row['label'] ?? []),
    'en',
  )
}

async function topsOf(store: GraphStore, scheme: string, signal?: AbortSignal) {
  const query = paged(bind(tops, { scheme: namedNode(scheme) }), { limit: mostTops })
  const rows = await store.select(query, signal)
  return new Set(rows.flatMap((row) => row['concept']?.value ?? []))
}

const subjectOf = (line: string) => line.slice(0, line.indexOf(' ') + 1)

/** Where the lines of the last subject begin. */
function lastSubject(text: string): number {
  const lastLine = text.lastIndexOf('\n', text.length - 2) + 1
  const subject = subjectOf(text.slice(lastLine))
  return text.startsWith(subject) ? 0 : text.indexOf(`\n${subject}`) + 1
}

/** Sorted lines as graphs that hold whole subjects, the scheme apart: it may name all its concepts. */
async function* wholeSubjects(
  chunks: AsyncIterable<string>,
  scheme: string,
): AsyncGenerator<Graph> {
  const own = `<${scheme}> `
  let kept = ''
  for await (const chunk of chunks) {
    const text = kept + chunk
    const end = lastSubject(text)
    kept = text.startsWith(own, end) ? '' : text.slice(end)
    if (end > 0) yield graphOf(fromLines(text.slice(0, end)))
  }
  if (kept !== '') yield graphOf(fromLines(kept))
}

/** The concepts of a stored vocabulary in the order of their IRIs, in batches. */
export async function* conceptsIn(
  store: GraphStore,
  scheme: string,
  signal?: AbortSignal,
): AsyncGenerator<readonly Concept[]> {
  const others = await topsOf(store, scheme, signal)
  let batch: Concept[] = []
  for await (const graph of wholeSubjects(store.readLines(scheme, signal), scheme)) {
    for (const subject of graph.subjects()) {
      if (!isConcept(graph, subject, scheme) && !others.has(subject)) continue
      batch.push(conceptAt(graph, subject, scheme))
      if (batch.length < batchSize) continue
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}

/** Some concepts of a stored vocabulary; what does not say itself that it is one of its concepts is left out. */
export async function describedConcepts(
  store: GraphStore,
  { scheme, iris }: { readonly scheme: string; readonly iris: readonly string[] },
  signal?: AbortSignal,
): Promise<readonly Concept[]> {
  const concept = iris.map((iri) => namedNode(iri))
  const query = bind(descriptions, { concept, scheme: namedNode(scheme) })
  const graph = graphOf(fromLines(await store.construct(query, signal)))
  return iris
    .filter((iri) => isConcept(graph, iri, scheme))
    .map((iri) => conceptAt(graph, iri, scheme))
}
