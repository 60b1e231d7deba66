/**
 * Indexes the concepts of a written vocabulary, removes deleted ones and records the changed ones. Documents are written in
 * batches: a search may find old and new concepts together while a large vocabulary is indexed. Changes are stored next to the
 * cascade mark of the vocabulary before the documents that show them are replaced or removed, so that a crash loses none of them.
 */

import { hash } from 'node:crypto'
import { z } from 'zod'
import type { Log } from '../../log.ts'
import type { Names } from '../../rdf/names.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { IndexChange, SearchIndex } from '../../search-index/search-index.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { factLine, systemChange } from '../../store/marks.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { Concept } from '../../vocabularies/concept.ts'
import type { DocumentBuilder } from '../building/document.ts'
import type { ConceptCache } from '../concept-cache.ts'
import type { PendingResource } from '../queue.ts'
import { batchSize, conceptsIn, type StoredConcepts, titleOf } from './stored-concepts.ts'

const factsQuery = loadQuery('vocabulary-facts')
const cascadingQuery = loadQuery('cascading')

/** Dependencies for indexing. */
export type IndexingContext = {
  readonly store: GraphStore
  readonly index: SearchIndex
  readonly builder: DocumentBuilder
  readonly names: Names
  readonly concepts: ConceptCache
  readonly stored: StoredConcepts
  readonly log: Log
}

/** Vocabulary that is being indexed. */
type VocabularyWork = {
  readonly context: IndexingContext
  readonly pending: PendingResource
  readonly vocabulary: string
  /** Hashes of the concepts that were indexed before, by id of the document (`{vocabulary}/{concept}`). */
  readonly indexedHashes: ReadonlyMap<string, string>
  /** Ids of the documents written since. */
  readonly writtenIds: Set<string>
  readonly changes: ChangeRecorder
  readonly signal: AbortSignal
}

/** Updates index and concept cache for one vocabulary. */
export async function indexVocabulary(
  context: IndexingContext,
  pending: PendingResource,
  signal: AbortSignal,
): Promise<void> {
  const { store, names, index, stored } = context
  const resource = namedNode(pending.resource)
  const vocabulary = names.idOf('vocabulary', pending.resource) ?? ''
  const [[facts], indexedHashes, isCascading] = await Promise.all([
    store.select(bind(factsQuery, { vocabulary: resource }), signal),
    indexedConcepts(index, `${vocabulary}/`, signal),
    store.ask(bind(cascadingQuery, { resource }), signal),
  ])
  const changes = new ChangeRecorder(store, pending, isCascading)
  const scheme = facts?.['scheme']?.value
  const writtenIds = new Set<string>()
  const work = { context, pending, vocabulary, indexedHashes, writtenIds, changes, signal }
  if (scheme === undefined) stored.forget(vocabulary)
  else await indexConcepts(work, scheme)
  // An index that is being filled has nothing to remove.
  if (!pending.onlyIfMissing) await removeDeleted(work, scheme === undefined)
}

/**
 * Returns the hash of a concept without broader and narrower concepts: when it changes, the records that use the concept have to
 * be projected again.
 */
const hashOf = (concept: Concept): string => {
  const text = JSON.stringify({ ...concept, broader: undefined, narrower: undefined })
  return hash('sha256', text, 'hex').slice(0, 24)
}

/** Reads the hashes of indexed concepts by id of the document; `prefix` is that of the ids of a vocabulary. */
async function indexedConcepts(
  index: Pick<SearchIndex, 'entries'>,
  prefix: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>()
  for (let after = prefix; ;) {
    const entries = await index.entries('vocabulary', after, batchSize, signal)
    const matching = entries.filter(({ id }) => id.startsWith(prefix))
    for (const { id, hash } of matching) hashes.set(id, hash)
    if (matching.length < batchSize) return hashes
    after = matching.at(-1)?.id ?? prefix
  }
}

const isLabelled = ({ prefLabel }: Concept) => Object.keys(prefLabel).length > 0

async function indexConcepts(work: VocabularyWork, scheme: string): Promise<void> {
  const { context, vocabulary, changes, signal } = work
  const { store, stored, log, index } = context
  const title = (await titleOf(store, scheme, signal)) ?? vocabulary
  const writer = documentWriter(work, scheme, title)
  const collector = stored.collector(scheme)
  const deprecated: Concept[] = []
  let conceptCount = 0
  const write = async (concepts: readonly Concept[]) => {
    if (concepts.length === 0) return
    const puts = concepts.map(writer.put)
    conceptCount += puts.length
    await changes.flush(signal)
    await index.write(puts, signal)
  }
  for await (const batch of conceptsIn(store, scheme, signal)) {
    collector.add(batch)
    // Current concepts get their ids first.
    deprecated.push(...batch.filter((concept) => concept.deprecated && isLabelled(concept)))
    await write(batch.filter((concept) => !concept.deprecated && isLabelled(concept)))
  }
  for (let offset = 0; offset < deprecated.length; offset += batchSize)
    await write(deprecated.slice(offset, offset + batchSize))
  stored.replace(vocabulary, scheme, collector.result())
  changes.add(writer.remainingBundled.keys())
  await changes.flush(signal)
  const isLarge = collector.result() === undefined
  log.info({ vocabulary, concepts: conceptCount, isLarge }, 'vocabulary.indexed')
}

/**
 * Creates a function that makes documents and records changed concepts; when several concepts have the same id, the first one
 * gets it and the others are named by their IRI. `remainingBundled` are the replaced bundled concepts for which no document was
 * made.
 */
function documentWriter(
  { context, pending, vocabulary, indexedHashes, writtenIds, changes }: VocabularyWork,
  scheme: string,
  title: string,
) {
  const { concepts, builder } = context
  const { version, onlyIfMissing } = pending
  const usedIds = new Set<string>()
  // Bundled concepts were in use until this vocabulary replaced them.
  const bundled = new Map(
    (indexedHashes.size === 0 ? concepts.bundled(scheme) : []).map((concept) => [
      concept.iri,
      hashOf(concept),
    ]),
  )
  const put = (concept: Concept): IndexChange => {
    const { iri, id } = concept
    const hash = hashOf(concepts.withBundledFacts(concept))
    const name = usedIds.has(id) ? encodeURIComponent(iri) : id
    usedIds.add(id)
    const { document } = builder.concept(concept, { vocabulary, title, name, version, hash })
    writtenIds.add(document.id)
    const isUnchanged = indexedHashes.get(document.id) === hash || bundled.get(iri) === hash
    bundled.delete(iri)
    // Records may name a licence by the address of its text.
    if (!isUnchanged) changes.add([iri, ...concept.exactMatch])
    return { put: document, ...(onlyIfMissing && { onlyIfMissing }) }
  }
  return { put, remainingBundled: bundled }
}

const conceptKeys = z.object({ resource: z.string().catch(''), in_scheme: z.string().catch('') })

/**
 * Removes documents that were not written again, and records their concepts as changed; only the documents say which concepts
 * they were.
 */
async function removeDeleted(
  { context, pending, vocabulary, indexedHashes, writtenIds, changes, signal }: VocabularyWork,
  isDeleted: boolean,
): Promise<void> {
  const { index, concepts } = context
  const { version } = pending
  const schemes = new Set<string>()
  const deletedIds = [...indexedHashes.keys()].filter((id) => !writtenIds.has(id))
  for (let offset = 0; offset < deletedIds.length; offset += batchSize) {
    const ids = deletedIds.slice(offset, offset + batchSize)
    for (const id of changes.isRecording ? ids : []) {
      const text = (await index.get('vocabulary', id, signal)) ?? '{}'
      const { resource, in_scheme: scheme } = conceptKeys.parse(JSON.parse(text))
      schemes.add(scheme)
      const remaining = concepts.find(resource)
      if (!remaining || hashOf(remaining) !== indexedHashes.get(id)) changes.add([resource])
    }
    await changes.flush(signal)
    const removals = ids.map((id) => ({ remove: { index: 'vocabulary', id, version } }) as const)
    await index.write(removals, signal)
  }
  // Bundled concepts are in use again, including those that the stored vocabulary did not have.
  const restored = isDeleted ? [...schemes].flatMap((scheme) => concepts.bundled(scheme)) : []
  changes.add(
    restored.filter(({ id }) => !indexedHashes.has(`${vocabulary}/${id}`)).map(({ iri }) => iri),
  )
  await changes.flush(signal)
}

/** Maximum number of concepts recorded one by one; above it every concept of the vocabulary counts as changed. */
const maxNamed = 10_000

/** Value of the facts `changed` and `retired` of a vocabulary that means all its concepts. */
export const allConcepts = 'all'

/** Records which concepts of a vocabulary changed, in lines next to its cascade mark: `{version} {IRI}` or `{version} all`. */
class ChangeRecorder {
  readonly #store: GraphStore
  readonly #pending: PendingResource
  readonly #isCascading: boolean
  #waiting = new Set<string>()
  #count = 0

  constructor(store: GraphStore, pending: PendingResource, isCascading: boolean) {
    this.#store = store
    this.#pending = pending
    this.#isCascading = isCascading
  }

  /** False when changes need not be recorded: the store has no cascade mark, or all concepts count as changed already. */
  get isRecording(): boolean {
    return this.#isCascading && this.#count <= maxNamed
  }

  add(iris: Iterable<string>): void {
    if (this.isRecording) for (const iri of iris) this.#waiting.add(iri)
  }

  /** Stores the recorded changes; called before documents are written or removed. */
  async flush(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size === 0) return
    this.#count += this.#waiting.size
    const concepts = this.isRecording ? [...this.#waiting] : [allConcepts]
    this.#waiting = new Set()
    const { resource, version } = this.#pending
    // Two rewrites in a row have separate lines, so that the end of the first does not clear those of the second.
    const add = concepts.map((iri) => factLine(resource, 'changed', `${version} ${iri}`))
    await this.#store.write([systemChange({ add })], signal)
  }
}
