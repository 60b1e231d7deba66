/** The records that look different because concepts of a vocabulary changed: what a cascade mark on a vocabulary stands for. */

import { literal, namedNode } from '../../../rdf/terms.ts'
import { markLine, systemChange, type Mark } from '../../../store/marks.ts'
import { bind, loadQuery } from '../../../store/queries.ts'
import { taken } from '../vocabulary/traces.ts'
import { conceptsIn } from '../vocabulary/stored-vocabulary.ts'
import type { GatherDeps } from '../records.ts'
import { embeddedChange } from './embedded.ts'
import { conceptsPerQuery, countMentioning, graphsMentioning } from './mentioning.ts'
import { notesOf, type Notes } from './notes.ts'

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

export type Users = {
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
