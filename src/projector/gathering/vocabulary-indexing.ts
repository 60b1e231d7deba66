/**
 * Indexes the concepts of a vocabulary that was written, removes those that are gone, and notes which ones changed. Documents are
 * written batch by batch: a search may see old and new concepts side by side while a large vocabulary is taken in. What changed
 * is kept beside the cascade mark of the vocabulary before the index forgets what was, so that a crash forgets none of it.
 */

import { hash } from 'node:crypto'
import { z } from 'zod'
import type { Log } from '../../log.ts'
import type { Names } from '../../rdf/names.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { SearchIndex } from '../../search-index/search-index.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { fact, systemChange } from '../../store/marks.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { Concept } from '../../vocabularies/concept.ts'
import type { DocumentBuilder } from '../building/document.ts'
import type { ConceptCache } from '../concept-cache.ts'
import type { Pending } from '../queue.ts'
import type { StoredConcepts } from './stored-concepts.ts'
import { batchSize, conceptsIn, titleOf } from './stored-vocabulary.ts'

const facts = loadQuery('vocabulary-facts')
const cascading = loadQuery('cascading')

export type IndexingContext = {
  readonly store: GraphStore
  readonly index: SearchIndex
  readonly builder: DocumentBuilder
  readonly names: Names
  readonly concepts: ConceptCache
  readonly stored: StoredConcepts
  readonly log: Log
}

type Work = {
  readonly context: IndexingContext
  readonly pending: Pending
  readonly vocabulary: string
  /** The indexed concepts with their hashes, as they were. */
  readonly before: ReadonlyMap<string, string>
  /** Documents that were written since. */
  readonly written: Set<string>
  readonly changed: Changed
  readonly signal: AbortSignal
}

/** Brings index and concept cache up with one vocabulary. */
export async function indexVocabulary(
  context: IndexingContext,
  pending: Pending,
  signal: AbortSignal,
): Promise<void> {
  const { resource } = pending
  const { store, names, index, stored } = context
  const vocabulary = names.idOf('vocabulary', resource) ?? ''
  const [rows, before, changed] = await Promise.all([
    store.select(bind(facts, { vocabulary: namedNode(resource) }), signal),
    indexedConcepts(index, vocabulary, signal),
    changedConcepts(store, pending, signal),
  ])
  const scheme = rows[0]?.['scheme']?.value
  const work = { context, pending, vocabulary, before, written: new Set<string>(), changed, signal }
  if (scheme === undefined) stored.forget(vocabulary)
  else await indexConcepts(work, scheme)
  // Filling writes what is stored into an index that has nothing to be taken out of.
  if (!pending.filling) await removeGone(work, scheme === undefined)
}

/** The hash of a concept's document: another one means that what uses the concept looks different. */
const hashOf = (concept: Concept): string =>
  hash('sha256', JSON.stringify(concept), 'hex').slice(0, 24)

async function indexedConcepts(
  index: Pick<SearchIndex, 'entries'>,
  vocabulary: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const prefix = `${vocabulary}/`
  const found = new Map<string, string>()
  for (let after = prefix; ;) {
    const entries = await index.entries('vocabulary', after, batchSize, signal)
    const own = entries.filter(({ id }) => id.startsWith(prefix))
    for (const { id, hash } of own) found.set(id, hash)
    after = own.at(-1)?.id ?? prefix
    if (own.length < batchSize) return found
  }
}

async function indexConcepts(work: Work, scheme: string): Promise<void> {
  const { context, vocabulary, changed, signal } = work
  const { store, stored, log, index } = context
  const title = (await titleOf(store, scheme, signal)) ?? vocabulary
  const { put, shipped, ids } = documentWriter(work, { scheme, title })
  const collected = stored.collecting(scheme)
  const deprecated: Concept[] = []
  let [all, labelled] = [0, 0]
  const write = async (concepts: readonly Concept[]) => {
    if (concepts.length === 0) return
    const puts = concepts.map(put)
    labelled += puts.length
    await changed.flush(signal)
    await index.write(puts, signal)
  }
  for await (const batch of conceptsIn(store, scheme, signal)) {
    collected.add(batch)
    all += batch.length
    const fit = Map.groupBy(
      batch.filter(({ prefLabel }) => Object.keys(prefLabel).length > 0),
      (concept) => concept.deprecated,
    )
    // Current concepts are to have the ids.
    deprecated.push(...(fit.get(true) ?? []))
    await write(fit.get(false) ?? [])
  }
  for (let at = 0; at < deprecated.length; at += batchSize)
    await write(deprecated.slice(at, at + batchSize))
  stored.replace(vocabulary, scheme, collected.found())
  changed.add(shipped.keys())
  await changed.flush(signal)
  const isLarge = collected.found() === undefined
  const counts = { concepts: labelled, unlabelled: all - labelled, sameId: labelled - ids.size }
  log.info({ vocabulary, ...counts, isLarge }, 'vocabulary.indexed')
}

/** Makes documents; of several concepts with one id the first has it, the others go by their IRI. */
function documentWriter(
  { context, pending, vocabulary, before, written, changed }: Work,
  { scheme, title }: { readonly scheme: string; readonly title: string },
) {
  const { concepts, builder } = context
  const ids = new Set<string>()
  // What the product ships was in use until this vocabulary took its place.
  const shipped = new Map(
    (before.size === 0 ? concepts.bundled(scheme) : []).map((one) => [one.iri, hashOf(one)]),
  )
  const put = (concept: Concept) => {
    const { iri, id } = concept
    const hash = hashOf(concepts.completed(concept))
    const name = ids.has(id) ? encodeURIComponent(iri) : id
    ids.add(id)
    const place = { vocabulary, title, name, version: pending.version, hash }
    const built = builder.concept(concept, place)
    written.add(built.document.id)
    const isSame = before.get(built.document.id) === hash || shipped.get(iri) === hash
    shipped.delete(iri)
    // Records may name a licence by its text on the web.
    if (!isSame) changed.add([iri, ...concept.exactMatch])
    return { put: built.document, ...(pending.filling && { filling: true }) }
  }
  return { put, shipped, ids }
}

/** Takes documents out of the index that were not written; which concepts they were stands in the documents only. */
async function removeGone(
  { context, pending, vocabulary, before, written, changed, signal }: Work,
  isDeleted: boolean,
) {
  const { index, concepts } = context
  const schemes = new Set<string>()
  const gone = [...before.keys()].filter((id) => !written.has(id))
  for (let at = 0; at < gone.length; at += batchSize) {
    const ids = gone.slice(at, at + batchSize)
    for (const id of changed.isWanted() ? ids : []) {
      const { iri, scheme } = await conceptOf(index, id, signal)
      schemes.add(scheme)
      const back = concepts.find(iri)
      if (!back || hashOf(back) !== before.get(id)) changed.add([iri])
    }
    await changed.flush(signal)
    const { version } = pending
    await index.write(
      ids.map((id) => ({ remove: { index: 'vocabulary', id, version } })),
      signal,
    )
  }
  // What the product ships comes back, also what the stored vocabulary did not have.
  const back = isDeleted ? [...schemes].flatMap((scheme) => concepts.bundled(scheme)) : []
  changed.add(back.filter(({ id }) => !before.has(`${vocabulary}/${id}`)).map(({ iri }) => iri))
  await changed.flush(signal)
}

const conceptKeys = { resource: z.string().catch(''), in_scheme: z.string().catch('') }

/** IRI and scheme of the concept that a document is about, '' when the profile does not index them. */
async function conceptOf(index: SearchIndex, id: string, signal: AbortSignal) {
  const text = (await index.get('vocabulary', id, signal)) ?? '{}'
  const { resource, in_scheme: scheme } = z.object(conceptKeys).parse(JSON.parse(text))
  return { iri: resource, scheme }
}

// Which concepts of a vocabulary are not what they were.

/** Concepts named one by one; behind that every concept of the vocabulary counts as changed. */
const mostNamed = 10_000

/** Stands for all concepts. */
export const everyConcept = 'all'

/** The concept in the text of a line. */
export const notedConcept = (text: string): string => text.slice(text.indexOf(' ') + 1)

type Changed = {
  /** False when nobody wants to know: no cascade mark stands in the store, or all count as changed already. */
  readonly isWanted: () => boolean
  readonly add: (iris: Iterable<string>) => void
  /** Puts what was added into the store; to be called before the index forgets what the concept was. */
  readonly flush: (signal: AbortSignal) => Promise<void>
}

async function changedConcepts(
  store: GraphStore,
  { resource, version }: Pending,
  signal: AbortSignal,
): Promise<Changed> {
  const hasCascade = await store.ask(bind(cascading, { resource: namedNode(resource) }), signal)
  let waiting = new Set<string>()
  let count = 0
  const isWanted = () => hasCascade && count <= mostNamed
  return {
    isWanted,
    add: (iris) => {
      if (isWanted()) for (const iri of iris) waiting.add(iri)
    },
    flush: async (signal) => {
      if (waiting.size === 0) return
      count += waiting.size
      const concepts = isWanted() ? [...waiting] : [everyConcept]
      waiting = new Set()
      // Two rewrites in a row keep theirs apart, so that the first one's end does not clear the second one's.
      const add = concepts.map((iri) => fact(resource, 'changed', `${version} ${iri}`))
      await store.write([systemChange({ add })], signal)
    },
  }
}
