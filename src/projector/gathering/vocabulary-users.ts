/** The records that look different because concepts of a vocabulary changed: what a cascade mark on a vocabulary stands for. */

import { isDeepStrictEqual } from 'node:util'
import { languageMaps, type MappingClass, type Profile } from '../../profile/profile.ts'
import { isIri } from '../../rdf/iri.ts'
import type { Names } from '../../rdf/names.ts'
import { ctl } from '../../rdf/namespaces.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { fact, type Mark, markLine, systemChange } from '../../store/marks.ts'
import { bind, loadQuery, paged } from '../../store/queries.ts'
import { mentionsOf } from '../../vocabularies/concept-table.ts'
import type { GatherDeps } from './record-changes.ts'
import { conceptsIn } from './stored-vocabulary.ts'
import { taken } from './traces.ts'
import { everyConcept, notedConcept } from './vocabulary-indexing.ts'

const awaiting = loadQuery('awaiting')
const factsQuery = loadQuery('vocabulary-facts')
const catalogueHandles = loadQuery('catalogue-handles')
const resourceHandles = loadQuery('resource-handles')

/** Milliseconds until a vocabulary is looked at again that is not indexed yet. */
const pauseMs = 100
/** Records between two lines of progress. */
const told = 2000

export type UsersDeps = Omit<GatherDeps, 'told'> & {
  /** A version larger than all before. */
  readonly next: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

type Users = {
  /** Up to `pageSize` records behind `after`, '' = from the beginning; fewer = these were the last. */
  page(mark: Mark, after: string, signal: AbortSignal): Promise<readonly string[]>
  /** Lines of the system graph that go together with the mark, once all pages are indexed. */
  lines(mark: Mark): Promise<readonly string[]>
}

/** Records per page. */
export const pageSize = 200

type Walk = {
  readonly mark: Mark
  readonly notes: Notes
  readonly records: AsyncGenerator<string>
  /** Handed out, and perhaps not taken yet. */
  readonly open: string[]
}

/**
 * Users are found by the IRI of the concept as an object of any triple, in its spellings with http and https, with and without
 * a slash at the end. Not found this way, until they are written or the index is built anew: records that reach a concept
 * by a literal (a code, a label), by an IRI that only resembles one (deed of a licence, media type of a file type, LOC and
 * lexvo languages, NUTS regions for countries).
 */
export function vocabularyUsers(deps: UsersDeps): Users {
  let walk: Walk | undefined
  const start = async (mark: Mark, signal: AbortSignal): Promise<Walk> => {
    const waits = bind(awaiting, { resource: namedNode(mark.resource) })
    // What changed is known when the vocabulary itself is indexed.
    while (await deps.store.ask(waits, signal)) await deps.pause(pauseMs, signal)
    signal.throwIfAborted()
    const notes = await notesOf(deps.store, mark, signal)
    return { mark, notes, records: recordsOf(deps, { mark, notes }, signal), open: [] }
  }
  return {
    page: async (mark, after, signal) => {
      const isSame = walk?.mark.resource === mark.resource && walk.mark.version === mark.version
      const current = walk && isSame && after !== '' ? walk : await start(mark, signal)
      // A walk that breaks off cannot go on: the next call begins again.
      walk = undefined
      const { open, records } = current
      open.splice(0, open.indexOf(after) + 1)
      while (open.length < pageSize) {
        const next = await records.next()
        if (next.done) break
        open.push(next.value)
      }
      walk = current
      return [...open]
    },
    lines: (mark) => Promise.resolve(walk?.mark.resource === mark.resource ? walk.notes.lines : []),
  }
}

type Task = { readonly mark: Mark; readonly notes: Notes }

async function* recordsOf(
  deps: UsersDeps,
  task: Task,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { names, log } = deps
  const vocabulary = names.idOf('vocabulary', task.mark.resource) ?? ''
  const isNew = taken()
  const changesDatasets = embeddedChange(deps)
  const total = await totalOf(deps, task.notes, signal)
  const isEvery = task.notes.every === 'gone'
  let records = 0
  for await (const graph of isEvery ? everyRecord(deps, signal) : graphsOf(deps, task, signal)) {
    const catalogue = names.idOf('catalogue', graph)
    const isRecord =
      catalogue !== undefined ||
      names.idOf('dataset', graph) !== undefined ||
      names.typedIdOf(graph) !== undefined
    if (!isRecord || !isNew.add(graph)) continue
    // The mark for the datasets comes before the catalogue's new document, which would hide that they are old.
    if (catalogue !== undefined && (isEvery || (await changesDatasets(catalogue, signal))))
      await markDatasets(deps, graph, signal)
    records += 1
    yield graph
    if (records % told === 0) log.info({ vocabulary, records, of: total }, 'enrichment.progress')
  }
  const concepts = task.notes.concepts.length
  log.info({ vocabulary, concepts, every: task.notes.every, records }, 'enrichment.usersFound')
}

/** How many records there are to do, where that can be asked in one query. */
const totalOf = (deps: UsersDeps, { every, concepts }: Notes, signal: AbortSignal) =>
  every === undefined && concepts.length <= conceptsPerQuery
    ? countMentioning(deps, concepts, signal)
    : undefined

async function markDatasets({ store, next }: UsersDeps, resource: string, signal: AbortSignal) {
  const line = markLine('cascade', { resource, version: next() })
  await store.write([systemChange({ add: [line] })], signal)
}

async function* graphsOf(deps: UsersDeps, { mark, notes }: Task, signal: AbortSignal) {
  const { concepts, every } = notes
  for (let at = 0; at < concepts.length; at += conceptsPerQuery)
    yield* graphsMentioning(deps, concepts.slice(at, at + conceptsPerQuery), signal)
  if (every !== 'stored') return
  for await (const batch of storedConcepts(deps, mark.resource, signal))
    for (let at = 0; at < batch.length; at += conceptsPerQuery)
      yield* graphsMentioning(deps, batch.slice(at, at + conceptsPerQuery), signal)
}

async function* storedConcepts({ store }: UsersDeps, vocabulary: string, signal: AbortSignal) {
  const query = bind(factsQuery, { vocabulary: namedNode(vocabulary) })
  const scheme = (await store.select(query, signal))[0]?.['scheme']
  if (!scheme) return
  for await (const batch of conceptsIn(store, scheme.value, signal))
    yield batch.map(({ iri }) => iri)
}

/** Catalogues, whose datasets follow by marks of their own, and resources of declared types. */
async function* everyRecord({ store, names }: UsersDeps, signal: AbortSignal) {
  const queries = [
    bind(catalogueHandles, { prefix: literal(names.catalogue('')) }),
    bind(resourceHandles, {}),
  ]
  for (const query of queries)
    for (const row of await store.select(query, signal)) {
      const resource = row['resource']?.value
      if (resource !== undefined) yield resource
    }
}

// What stands beside the cascade mark of a vocabulary: the concepts that changed, and those that its writer took
// away.

const leftovers = loadQuery('vocabulary-leftovers')

/** Values read at a time: some stores do not sort more. */
const notesPage = 5000

type Notes = {
  /** Concepts whose users look different now. */
  readonly concepts: readonly string[]
  /** `stored` every concept that the vocabulary has, `gone` concepts that nobody can name any more. */
  readonly every?: 'stored' | 'gone'
  /** The lines that say so. */
  readonly lines: readonly string[]
}

async function valuesOf(
  store: GraphStore,
  { vocabulary, name }: { readonly vocabulary: string; readonly name: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = []
  for (;;) {
    const after = literal(found.at(-1) ?? '')
    const given = { vocabulary: namedNode(vocabulary), property: ctl(name), after }
    const rows = await store.select(paged(bind(leftovers, given), { limit: notesPage }), signal)
    found.push(...rows.flatMap((row) => row['value']?.value ?? []))
    if (rows.length < notesPage) return found
  }
}

/** Reads the notes of a mark. */
async function notesOf(store: GraphStore, mark: Mark, signal: AbortSignal): Promise<Notes> {
  const vocabulary = mark.resource
  const [changed, retired, cascades] = await Promise.all(
    ['changed', 'retired', 'cascade'].map((name) => valuesOf(store, { vocabulary, name }, signal)),
  )
  const concepts = new Set((changed ?? []).map(notedConcept))
  for (const iri of retired ?? []) concepts.add(iri)
  const isGone = retired?.includes(everyConcept)
  const isEvery = concepts.delete(everyConcept)
  // A later rewrite may have taken away the same concepts: its own cascade needs to know.
  const isLast = (cascades ?? []).every((version) => Number(version) <= mark.version)
  const retiredLines = (retired ?? []).map((value) =>
    fact(vocabulary, 'retired', value === everyConcept ? value : { iri: value }),
  )
  return {
    concepts: [...concepts],
    ...(isEvery && { every: isGone ? ('gone' as const) : ('stored' as const) }),
    lines: [
      ...(changed ?? []).map((value) => fact(vocabulary, 'changed', value)),
      ...(isLast ? retiredLines : []),
    ],
  }
}

// Finds the graphs that mention concepts, page by page.

const mentions = loadQuery('mentions')
const count = loadQuery('mentions-count')

/** Concepts per query: each is asked for in up to four spellings. */
const conceptsPerQuery = 250
/** Graphs per answer: some stores do not sort more. */
const page = 5000

type Place = { readonly store: GraphStore; readonly names: Names }

const termsOf = (concepts: readonly string[]) =>
  concepts
    .flatMap((iri) => mentionsOf(iri))
    .filter(isIri)
    .map((iri) => namedNode(iri))

/** Graphs under the platform's base that mention one of the concepts, in order; each once. */
async function* graphsMentioning(
  { store, names }: Place,
  concepts: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<string> {
  const concept = termsOf(concepts)
  if (concept.length === 0) return
  let after = ''
  for (;;) {
    const given = { concept, start: literal(names.base), after: literal(after) }
    const rows = await store.select(paged(bind(mentions, given), { limit: page }), signal)
    for (const row of rows) {
      const graph = row['graph']?.value
      if (graph === undefined) continue
      after = graph
      yield graph
    }
    if (rows.length < page) return
  }
}

/** How many there are. */
async function countMentioning(
  { store, names }: Place,
  concepts: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const concept = termsOf(concepts)
  if (concept.length === 0) return 0
  const query = bind(count, { concept, start: literal(names.base) })
  const [row] = await store.select(query, signal)
  return Number(row?.['size']?.value ?? 0)
}

// What the datasets of a catalogue carry of it, and whether that is still what the index has.

/** Classes that look nothing up. */
const plain: ReadonlySet<MappingClass> = new Set([
  ...languageMaps,
  'StandardText',
  'StandardKeyword',
  'StandardResourceKeyword',
  'StandardDisabled',
  'LabeledText',
  'DateTime',
  'Integer',
  'Numeric',
  'Boolean',
])

/** Fields of a catalogue that stand in its datasets in one way or another; `undefined` when the catalogue's document does not show all of them. */
function embeddedFields(profile: Profile): readonly string[] | undefined {
  const own = new Set(profile.catalogue.fields.map(({ name }) => name))
  const embedding = [profile.dataset, ...profile.resources.map(({ shape }) => shape)]
  const children = embedding
    .flatMap(({ fields }) => fields.filter(({ name }) => name === 'catalog'))
    .flatMap((field) => field.children)
  const isSeen = children.every(
    ({ name, paths, mapping }) =>
      (paths.length === 0 ? own.has(name) : plain.has(mapping)) || name === 'id',
  )
  if (!isSeen || !own.has('country') || !own.has('language')) return undefined
  return ['country', 'language', ...children.map(({ name }) => name)]
}

const chosen = (record: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  names.map((name) => record[name])

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Answers whether the datasets of a catalogue would look different, now that concepts have changed. */
function embeddedChange(deps: Omit<GatherDeps, 'told'>) {
  const fields = embeddedFields(deps.profile)
  return async (id: string, signal: AbortSignal): Promise<boolean> => {
    const context = await deps.contexts.get(id, signal)
    if (!context || context.hidden) return false
    const text = await deps.index.get('catalogue', id, signal)
    const before: unknown = text === undefined ? undefined : JSON.parse(text)
    if (!fields || !isRecord(before)) return true
    await deps.stored.prepare([context.graph], signal)
    const input = { ...context, iri: deps.names.catalogue(id), version: 0 }
    const after: unknown = JSON.parse(JSON.stringify(deps.builder.catalogue(input).document.record))
    return !isRecord(after) || !isDeepStrictEqual(chosen(before, fields), chosen(after, fields))
  }
}
