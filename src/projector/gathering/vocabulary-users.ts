/**
 * The records that look different because concepts of a vocabulary changed: what a cascade mark on a vocabulary stands for.
 *
 * Users are found by the IRI of the concept as an object of any triple, in its spellings with http and https, with and without
 * a slash at the end. Not found this way, until they are written or the index is built anew: records that reach a concept
 * by a literal (a code, a label), by an IRI that only resembles one (deed of a licence, media type of a file type, LOC and
 * lexvo languages, NUTS regions for countries).
 */

import type { Log } from '../../log.ts'
import { isIri } from '../../rdf/iri.ts'
import type { Names } from '../../rdf/names.ts'
import { ctl } from '../../rdf/namespaces.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { fact, type Mark, markLine, systemChange } from '../../store/marks.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { mentionsOf } from '../../vocabularies/concept-table.ts'
import type { Pause } from '../../workers/retry.ts'
import { type Affected, keyedPages } from '../cascades.ts'
import { conceptsIn } from './stored-concepts.ts'
import { everyConcept } from './vocabulary-indexing.ts'

const awaitingQuery = loadQuery('awaiting')
const factsQuery = loadQuery('vocabulary-facts')
const cataloguesQuery = loadQuery('catalogue-handles')
const resourcesQuery = loadQuery('resource-handles')
const notesQuery = loadQuery('vocabulary-leftovers')
const mentionsQuery = loadQuery('mentions')

/** Milliseconds until a vocabulary is looked at again that is not indexed yet. */
const pauseMs = 100
/** Concepts per query: each is asked for in up to four spellings. */
const conceptsPerQuery = 250

type UsersContext = {
  readonly store: GraphStore
  readonly names: Names
  readonly log: Log
  /** A version larger than all before. */
  readonly next: () => number
  readonly pause: Pause
}

/** The users of what changed in a vocabulary, once the vocabulary itself is indexed: what changed is known by then. */
export async function vocabularyUsers(
  context: UsersContext,
  mark: Mark,
  signal: AbortSignal,
): Promise<Affected> {
  const { store, pause } = context
  const waits = bind(awaitingQuery, { resource: namedNode(mark.resource) })
  while (await store.ask(waits, signal)) await pause(pauseMs, signal)
  signal.throwIfAborted()
  const changes = await changesOf(store, mark, signal)
  return { pages: recordsUsing(context, changes, signal), lines: changes.lines }
}

/** What stands beside the cascade mark of a vocabulary: the concepts that changed, and those that its writer took away. */
type Changes = {
  readonly vocabulary: string
  /** Concepts whose users look different now. */
  readonly concepts: readonly string[]
  /** `stored` every concept that the vocabulary has, `gone` concepts that nobody can name any more. */
  readonly every: 'stored' | 'gone' | undefined
  /** The lines that say so. */
  readonly lines: readonly string[]
}

async function changesOf(
  store: GraphStore,
  { resource: vocabulary, version }: Mark,
  signal: AbortSignal,
): Promise<Changes> {
  const valuesOf = async (name: string) => {
    const values = { vocabulary: namedNode(vocabulary), property: ctl(name) }
    const all: string[] = []
    for await (const page of keyedPages(store, { query: notesQuery, values }, signal))
      all.push(...page)
    return all
  }
  const changed = await valuesOf('changed')
  const retired = await valuesOf('retired')
  // A later rewrite may have taken away the same concepts: its own cascade needs to know.
  const isLast = (await valuesOf('cascade')).every((other) => Number(other) <= version)
  // A note is the version of the write and the concept.
  const concepts = new Set([
    ...changed.map((note) => note.slice(note.indexOf(' ') + 1)),
    ...retired,
  ])
  const isEvery = concepts.delete(everyConcept)
  const retiredLine = (value: string) =>
    fact(vocabulary, 'retired', value === everyConcept ? value : { iri: value })
  return {
    vocabulary,
    concepts: [...concepts],
    every: isEvery ? (retired.includes(everyConcept) ? 'gone' : 'stored') : undefined,
    lines: [
      ...changed.map((value) => fact(vocabulary, 'changed', value)),
      ...(isLast ? retired.map(retiredLine) : []),
    ],
  }
}

/** Each record once. The datasets of a catalogue among them get a mark of their own before its document is written. */
async function* recordsUsing(
  { store, names, log, next }: UsersContext,
  changes: Changes,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const { vocabulary, concepts, every } = changes
  const seen = new Set<string>()
  const isCatalogue = (graph: string) => names.idOf('catalogue', graph) !== undefined
  const isRecord = (graph: string) =>
    names.idOf('dataset', graph) !== undefined || names.typedIdOf(graph) !== undefined
  const pages =
    every === 'gone'
      ? everyRecord(store, names, signal)
      : graphsMentioning(store, names, changes, signal)
  for await (const page of pages) {
    const graphs = page.filter((graph) => !seen.has(graph))
    for (const graph of graphs) seen.add(graph)
    const catalogues = graphs.filter(isCatalogue)
    const add = catalogues.map((resource) => markLine('cascade', { resource, version: next() }))
    if (add.length > 0) await store.write([systemChange({ add })], signal)
    yield [...catalogues, ...graphs.filter(isRecord)]
  }
  const about = { vocabulary, concepts: concepts.length, every, graphs: seen.size }
  log.info(about, 'enrichment.usersFound')
}

/** Graphs under the platform's base that mention one of the concepts. */
async function* graphsMentioning(
  store: GraphStore,
  names: Names,
  changes: Changes,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const start = literal(names.base)
  for await (const batch of changedConcepts(store, changes, signal))
    for (let at = 0; at < batch.length; at += conceptsPerQuery) {
      const iris = batch
        .slice(at, at + conceptsPerQuery)
        .flatMap(mentionsOf)
        .filter(isIri)
      const values = { concept: iris.map((iri) => namedNode(iri)), start }
      if (iris.length > 0) yield* keyedPages(store, { query: mentionsQuery, values }, signal)
    }
}

async function* changedConcepts(
  store: GraphStore,
  { vocabulary, concepts, every }: Changes,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  yield concepts
  if (every !== 'stored') return
  const query = bind(factsQuery, { vocabulary: namedNode(vocabulary) })
  const scheme = (await store.select(query, signal))[0]?.['scheme']?.value
  if (scheme === undefined) return
  for await (const batch of conceptsIn(store, scheme, signal)) yield batch.map(({ iri }) => iri)
}

/** Catalogues, whose datasets follow by marks of their own, and resources of declared types. */
async function* everyRecord(
  store: GraphStore,
  names: Names,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const prefix = literal(names.catalogue(''))
  for (const query of [bind(cataloguesQuery, { prefix }), bind(resourcesQuery, {})])
    yield (await store.select(query, signal)).flatMap((row) => row['resource']?.value ?? [])
}
