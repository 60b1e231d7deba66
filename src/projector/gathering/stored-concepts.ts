/** Concepts of stored vocabularies: read in batches, so that memory does not grow with them, and kept in the concept cache. */

import type { Log } from '../../log.ts'
import { fromLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { type Graph, graphOf } from '../../rdf/read.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { bind, loadQuery, paged } from '../../store/queries.ts'
import { iriVariants } from '../../vocabularies/concept-table.ts'
import { type Concept, conceptAt, isConcept } from '../../vocabularies/concept.ts'
import { preferredText } from '../../vocabularies/labels.ts'
import type { ConceptLookup } from '../building/enrichment.ts'
import type { ConceptCache } from '../concept-cache.ts'

const headQuery = loadQuery('vocabulary-head')
const topsQuery = loadQuery('vocabulary-tops')
const descriptionsQuery = loadQuery('concept-descriptions')
const vocabulariesQuery = loadQuery('vocabularies')

/** Concepts per batch. */
export const batchSize = 1000
/** Maximum number of top concepts that only the scheme declares as concepts. */
const maxTops = 10_000

/** Returns the English label of a vocabulary, else one without a language, else the first by language. */
export async function titleOf(
  store: GraphStore,
  scheme: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const rows = await store.select(bind(headQuery, { scheme: namedNode(scheme) }), signal)
  const labels = rows.flatMap((row) => row['label'] ?? [])
  return preferredText(labels, 'en')
}

/** Yields the concepts of a stored vocabulary in the order of their IRIs, in batches. */
export async function* conceptsIn(
  store: GraphStore,
  scheme: string,
  signal?: AbortSignal,
): AsyncGenerator<readonly Concept[]> {
  const query = paged(bind(topsQuery, { scheme: namedNode(scheme) }), { limit: maxTops })
  const rows = await store.select(query, signal)
  const tops = new Set(rows.flatMap((row) => row['concept']?.value ?? []))
  let batch: Concept[] = []
  for await (const graph of graphsOfSubjects(store.readLines(scheme, signal), scheme))
    for (const subject of graph.subjects()) {
      if (!isConcept(graph, subject, scheme) && !tops.has(subject)) continue
      batch.push(conceptAt(graph, subject, scheme))
      if (batch.length < batchSize) continue
      yield batch
      batch = []
    }
  if (batch.length > 0) yield batch
}

/** Splits sorted lines into graphs of whole subjects, without the scheme, which may list all its concepts. */
async function* graphsOfSubjects(
  chunks: AsyncIterable<string>,
  scheme: string,
): AsyncGenerator<Graph> {
  const schemePrefix = `<${scheme}> `
  let remainder = ''
  for await (const chunk of chunks) {
    const text = remainder + chunk
    const end = lastSubject(text)
    remainder = text.startsWith(schemePrefix, end) ? '' : text.slice(end)
    if (end > 0) yield graphOf(fromLines(text.slice(0, end)))
  }
  if (remainder !== '') yield graphOf(fromLines(remainder))
}

/** Returns the offset of the lines of the last subject. */
function lastSubject(text: string): number {
  const lastLine = text.slice(text.lastIndexOf('\n', text.length - 2) + 1)
  const subject = lastLine.slice(0, lastLine.indexOf(' ') + 1)
  return text.startsWith(subject) ? 0 : text.indexOf(`\n${subject}`) + 1
}

/** Maximum number of vocabularies that mappings can look up. */
const maxVocabularies = 10_000
/** IRIs looked up in one query. */
const irisPerQuery = 500

/** Maximum number of concepts in memory, for one vocabulary and for all together. */
type ConceptLimits = { readonly perVocabulary: number; readonly total: number }

/** A concept with labels in all languages takes about 5 KB. */
const defaultLimitsOfConcepts: ConceptLimits = { perVocabulary: 50_000, total: 100_000 }

type StoredContext = {
  readonly store: GraphStore
  readonly names: Names
  readonly concepts: ConceptCache
  readonly log: Log
  readonly limits?: ConceptLimits
}

/** Collects concepts up to the limit; above it `add` returns false and `result` `undefined`. */
type ConceptCollector = {
  readonly add: (concepts: readonly Concept[]) => boolean
  readonly result: () => readonly Concept[] | undefined
}

/** Keeps the concept cache up to date with the vocabularies in the store. */
export class StoredConcepts {
  readonly #context: StoredContext
  /** Scheme by id of the vocabulary, and number of concepts in memory by scheme. */
  readonly #schemes = new Map<string, string>()
  readonly #sizes = new Map<string, number>()
  /** Vocabularies that rules of enrichment name and that are not stored; each is logged once. */
  readonly #absent = new Set<string>()

  constructor(context: StoredContext) {
    this.#context = context
  }

  /** Reads all stored vocabularies; called once before the first projection. */
  async load(signal?: AbortSignal): Promise<void> {
    const { store, names, log } = this.#context
    const query = paged(bind(vocabulariesQuery, {}), { limit: maxVocabularies })
    for (const { resource, scheme } of await store.select(query, signal)) {
      const id = names.idOf('vocabulary', resource?.value ?? '')
      if (id === undefined || !scheme) continue
      const collected = this.collector(scheme.value)
      for await (const batch of conceptsIn(store, scheme.value, signal))
        if (!collected.add(batch)) break
      this.replace(id, scheme.value, collected.result())
    }
    if (this.#schemes.size > 0) log.info({ vocabularies: this.#schemes.size }, 'concepts.loaded')
  }

  /** Creates the collector for the concepts of a vocabulary; it takes as many as the limits allow. */
  collector(scheme: string): ConceptCollector {
    const { perVocabulary, total } = this.#context.limits ?? defaultLimitsOfConcepts
    const others = [...this.#sizes].filter(([other]) => other !== scheme)
    const limit = Math.min(
      perVocabulary,
      others.reduce((remaining, [, size]) => remaining - size, total),
    )
    const concepts: Concept[] = []
    let isFull = false
    return {
      add: (batch) => {
        isFull ||= concepts.length + batch.length > limit
        if (isFull) concepts.length = 0
        else concepts.push(...batch)
        return !isFull
      },
      result: () => (isFull ? undefined : concepts),
    }
  }

  /** Replaces the cached state of a vocabulary; `newConcepts` is `undefined` for more concepts than memory holds. */
  replace(vocabulary: string, scheme: string, newConcepts: readonly Concept[] | undefined): void {
    const { concepts } = this.#context
    if (this.#schemes.get(vocabulary) !== scheme) this.forget(vocabulary)
    this.#schemes.set(vocabulary, scheme)
    this.#sizes.set(scheme, newConcepts?.length ?? 0)
    if (newConcepts) concepts.replace(scheme, newConcepts)
    else concepts.replaceLarge(scheme)
  }

  /** Removes a vocabulary that was deleted or has another scheme; the bundled table of its scheme, if any, replaces it. */
  forget(vocabulary: string): void {
    const scheme = this.#schemes.get(vocabulary)
    if (scheme === undefined) return
    this.#schemes.delete(vocabulary)
    this.#sizes.delete(scheme)
    this.#context.concepts.replace(scheme, undefined)
  }

  /** Looks up the concepts of large vocabularies that a batch of records may mention, because mappings are synchronous. */
  async prepare(graphs: Iterable<Graph | undefined>, signal: AbortSignal): Promise<void> {
    const { store, concepts } = this.#context
    if (concepts.largeVocabularies.size === 0) return
    const mentionedIris = new Set([...irisIn(graphs)].flatMap((iri) => [...iriVariants(iri)]))
    for (const [scheme, registered] of concepts.largeVocabularies) {
      const unregistered = registered.unregistered(mentionedIris)
      for (let offset = 0; offset < unregistered.length; offset += irisPerQuery) {
        const iris = unregistered.slice(offset, offset + irisPerQuery)
        const values = { concept: iris.map((iri) => namedNode(iri)), scheme: namedNode(scheme) }
        const text = await store.construct(bind(descriptionsQuery, values), signal)
        const graph = graphOf(fromLines(text))
        // Subjects that do not declare themselves concepts of the vocabulary are left out.
        const members = iris.filter((iri) => isConcept(graph, iri, scheme))
        const conceptOf = (iri: string) => concepts.withBundledFacts(conceptAt(graph, iri, scheme))
        registered.register(iris, members.map(conceptOf))
      }
    }
  }

  /** Finds an indexed concept, which has a label, of a stored vocabulary; logs a missing vocabulary once. */
  readonly lookup: ConceptLookup = (vocabulary, iri) => {
    const { concepts, log } = this.#context
    const scheme = this.#schemes.get(vocabulary)
    if (scheme === undefined) {
      if (!this.#absent.has(vocabulary)) log.warn({ vocabulary }, 'enrichment.vocabularyAbsent')
      this.#absent.add(vocabulary)
      return undefined
    }
    const concept = concepts.findInScheme(scheme, iri)
    return concept && Object.keys(concept.prefLabel).length > 0 ? concept : undefined
  }
}

/** Yields the IRIs that graphs mention, including literals that contain an IRI, which mappings accept. */
function* irisIn(graphs: Iterable<Graph | undefined>): Generator<string> {
  for (const graph of new Set(graphs))
    for (const { object } of graph?.quads() ?? [])
      if (
        object.termType === 'NamedNode' ||
        (object.termType === 'Literal' && /^[a-z][a-z0-9+.-]*:\S+$/i.test(object.value))
      )
        yield object.value
}
