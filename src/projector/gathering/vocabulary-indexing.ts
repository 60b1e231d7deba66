/** Indexes the concepts of a vocabulary that was written, removes those that are gone, and notes which ones changed. */

import { namedNode } from '../../rdf/terms.ts'
import type { IndexChange } from '../../search-index/search-index.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { fact, systemChange } from '../../store/marks.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { Concept } from '../../vocabularies/concept.ts'
import type { Pending } from '../queue.ts'
import type { GatherDeps } from './record-changes.ts'
import { batchSize, conceptsIn, titleOf } from './stored-vocabulary.ts'
import { entriesOf, taken, traceOf, type Traces, tracesOf } from './traces.ts'

const facts = loadQuery('vocabulary-facts')

/** Deprecated concepts that wait for the current ones, which are to have the ids; behind that they take what is free. */
const mostHeld = 50_000

type Work = {
  readonly deps: GatherDeps
  readonly pending: Pending
  readonly vocabulary: string
  readonly traces: Traces
  readonly changed: Changed
  readonly signal: AbortSignal
}

/**
 * Brings index and concept cache up with one vocabulary. Documents are written batch by batch: a search may see old and new
 * concepts side by side while a large vocabulary is taken in.
 */
export async function indexVocabulary(
  deps: GatherDeps,
  pending: Pending,
  signal: AbortSignal,
): Promise<void> {
  const { resource } = pending
  const vocabulary = deps.names.idOf('vocabulary', resource) ?? ''
  const [rows, traces, changed] = await Promise.all([
    deps.store.select(bind(facts, { vocabulary: namedNode(resource) }), signal),
    tracesOf(deps.index, vocabulary, signal),
    changedConcepts(deps.store, pending, signal),
  ])
  const scheme = rows[0]?.['scheme']?.value
  const work = { deps, pending, vocabulary, traces, changed, signal }
  if (scheme === undefined) deps.stored.forget(vocabulary)
  else await indexConcepts(work, scheme)
  // Filling writes what is stored into an index that has nothing to be taken out of.
  if (!pending.filling) await removeGone(work, scheme === undefined)
}

async function indexConcepts(work: Work, scheme: string): Promise<void> {
  const { deps, vocabulary, signal } = work
  const writing = await writer(work, scheme)
  const collected = deps.stored.collecting(scheme)
  const held: Concept[] = []
  let unlabelled = 0
  for await (const batch of conceptsIn(deps.store, scheme, signal)) {
    collected.add(batch)
    const labelled = batch.filter(({ prefLabel }) => Object.keys(prefLabel).length > 0)
    unlabelled += batch.length - labelled.length
    const canWait = held.length < mostHeld
    if (canWait) held.push(...labelled.filter(({ deprecated }) => deprecated))
    await writing.write(labelled.filter(({ deprecated }) => !canWait || !deprecated))
  }
  for (let at = 0; at < held.length; at += batchSize)
    await writing.write(held.slice(at, at + batchSize))
  deps.stored.replace(vocabulary, scheme, collected.found())
  await writing.end()
  const isLarge = collected.found() === undefined
  const counts = { concepts: writing.count(), unlabelled, sameId: writing.sameId(), isLarge }
  deps.log.info({ vocabulary, ...counts }, 'vocabulary.indexed')
}

/** Writes documents; of several concepts with one id the first has it, the others go by their IRI. */
async function writer(
  { deps, pending, vocabulary, traces, changed, signal }: Work,
  scheme: string,
) {
  const title = (await titleOf(deps.store, scheme, signal)) ?? vocabulary
  const ids = taken()
  let sameId = 0
  let count = 0
  // What the product ships was in use until this vocabulary took its place.
  const shipped = new Map(
    (traces.size === 0 ? deps.concepts.bundled(scheme) : []).map((one) => [one.iri, one]),
  )
  const document = (concept: Concept) => {
    const { iri, id } = concept
    const isFirst = ids.add(id)
    if (!isFirst) sameId += 1
    const hash = traceOf(deps.concepts.completed(concept))
    const name = isFirst ? id : encodeURIComponent(iri)
    const place = { vocabulary, title, name, version: pending.version, hash }
    const built = deps.builder.concept(concept, place)
    const before = shipped.get(iri)
    shipped.delete(iri)
    const isSame =
      traces.same(built.document.id, hash) || (before !== undefined && traceOf(before) === hash)
    // Records may name a licence by its text on the web.
    if (!isSame) changed.add([iri, ...concept.exactMatch])
    return deps.told(built)
  }
  return {
    sameId: () => sameId,
    count: () => count,
    write: async (concepts: readonly Concept[]) => {
      if (concepts.length === 0) return
      const puts = concepts.map(document)
      count += puts.length
      await changed.flush(signal)
      await deps.index.write(puts, signal)
    },
    end: () => {
      changed.add(shipped.keys())
      return changed.flush(signal)
    },
  }
}

/** Takes documents out of the index that were not written; which concepts they were stands in the documents only. */
async function removeGone(work: Work, isDeleted: boolean) {
  const { deps, pending, vocabulary, traces, changed, signal } = work
  const schemes = new Set<string>()
  for await (const entries of entriesOf(deps.index, vocabulary, signal)) {
    const gone = entries.filter(({ id }) => !traces.isWritten(id))
    const removals = gone.map(({ id }): IndexChange => {
      return { remove: { index: 'vocabulary', id, version: pending.version } }
    })
    if (gone.length === 0) continue
    for (const { id, hash } of changed.isWanted && !changed.isAll() ? gone : []) {
      const { iri, scheme } = await conceptBehind(deps, id, signal)
      schemes.add(scheme)
      const back = deps.concepts.find(iri)
      if (!back || traceOf(back) !== hash) changed.add([iri])
    }
    await changed.flush(signal)
    await deps.index.write(removals, signal)
  }
  // What the product ships comes back, also what the stored vocabulary did not have.
  const back = isDeleted ? [...schemes].flatMap((scheme) => deps.concepts.bundled(scheme)) : []
  changed.add(back.filter(({ id }) => !traces.has(`${vocabulary}/${id}`)).map(({ iri }) => iri))
  await changed.flush(signal)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** IRI and scheme of the concept that a document is about, '' when the profile does not index them. */
async function conceptBehind({ index }: GatherDeps, id: string, signal: AbortSignal) {
  const text = await index.get('vocabulary', id, signal)
  const parsed: unknown = text === undefined ? undefined : JSON.parse(text)
  const record = isRecord(parsed) ? parsed : {}
  return { iri: textOf(record['resource']), scheme: textOf(record['in_scheme']) }
}

// Which concepts of a vocabulary are not what they were: kept beside its cascade mark, so that a crash forgets none
// of them.

const cascading = loadQuery('cascading')

/** Concepts named one by one; behind that every concept of the vocabulary counts as changed. */
const mostNamed = 10_000

/** Stands for all concepts. */
export const everyConcept = 'all'

/** The text of a line: two rewrites in a row keep theirs apart, so that the first one's end does not clear the second one's. */
const noted = (version: number, iri: string) => `${version} ${iri}`

/** The concept in the text of a line. */
export const notedConcept = (text: string): string => text.slice(text.indexOf(' ') + 1)

type Changed = {
  /** False when nobody wants to know: no cascade mark stands in the store. */
  readonly isWanted: boolean
  readonly isAll: () => boolean
  readonly add: (iris: Iterable<string>) => void
  /** Puts what was added into the store; to be called before the index forgets what the concept was. */
  readonly flush: (signal: AbortSignal) => Promise<void>
}

async function changedConcepts(
  store: GraphStore,
  { resource, version }: Pending,
  signal: AbortSignal,
): Promise<Changed> {
  const isWanted = await store.ask(bind(cascading, { resource: namedNode(resource) }), signal)
  let waiting = new Set<string>()
  let count = 0
  const isAll = () => count > mostNamed
  return {
    isWanted,
    isAll,
    add: (iris) => {
      if (!isWanted || isAll()) return
      for (const iri of iris) waiting.add(iri)
    },
    flush: async (signal) => {
      if (waiting.size === 0 || isAll()) return
      count += waiting.size
      const names = isAll() ? [everyConcept] : [...waiting]
      waiting = new Set()
      const add = names.map((iri) => fact(resource, 'changed', noted(version, iri)))
      await store.write([systemChange({ add })], signal)
    },
  }
}
