/**
 * Projects the users of a resource again when a fact changed that they embed: the members of a catalogue, the records that
 * mention a concept of a vocabulary. A cascade mark in the store stays until all of them are indexed, so the work starts again
 * after a crash or a failure.
 *
 * Users of a concept are found by its IRI as the object of a triple, in its spellings with http and https, with and without a
 * trailing slash. Other records keep the old texts until they are written or the index is rebuilt: those that refer to a concept
 * by a literal (code, label), or by a similar IRI (text of a licence, media type of a file type, LOC and lexvo languages, NUTS
 * regions for countries).
 */

import type { JobRunner } from '../jobs/job-runner.ts'
import type { JobRun } from '../jobs/job.ts'
import type { Log } from '../log.ts'
import { isIri } from '../rdf/iri.ts'
import type { Names } from '../rdf/names.ts'
import { ctl } from '../rdf/namespaces.ts'
import { literal, namedNode } from '../rdf/terms.ts'
import type { GraphStore, SelectStore } from '../store/graph-store.ts'
import { factLine, type Mark, markLine, systemChange } from '../store/marks.ts'
import { textOr } from '../text/json.ts'
import { bind, loadQuery, paged, type Query, type QueryValues } from '../store/queries.ts'
import { variantsInRecords } from '../vocabularies/concept-table.ts'
import { backgroundLoop, type BackgroundLoop } from '../workers/background-loop.ts'
import type { Pause } from '../workers/pause.ts'
import { projectResources } from './project-resources.ts'
import { conceptsIn } from './gathering/stored-concepts.ts'
import { allConcepts } from './gathering/vocabulary-indexing.ts'
import type { Projector } from './projector.ts'
import { readCascades } from './queue.ts'

const queries = {
  awaiting: loadQuery('awaiting'),
  facts: loadQuery('vocabulary-facts'),
  catalogues: loadQuery('catalogue-handles'),
  resources: loadQuery('resource-handles'),
  factValues: loadQuery('vocabulary-leftovers'),
  mentions: loadQuery('mentions'),
  members: loadQuery('catalogue-members-after'),
}

/** Maximum number of marks read at a time. */
const maxMarks = 100
/** Milliseconds after a failure, between two checks for marks without a notification, and for marks that a job may have left. */
const [retryMs, checkMs, busyMs] = [1000, 60_000, 1000]
/** Maximum rows per query: some stores sort no more than this. */
const maxRows = 5000
/** Milliseconds between two checks whether a vocabulary is indexed. */
const pollMs = 100
/** Concepts per query; each is looked up in up to four spellings. */
const conceptsPerQuery = 250

/** Resources to project again for a cascade mark. */
export type Affected = {
  /** IRIs of the resources. */
  readonly pages: AsyncIterable<readonly string[]>
  /** Lines of the system graph to remove together with the mark, when all resources are indexed. */
  readonly lines?: readonly string[]
}

/** Finds the resources to project again for a cascade mark. */
export type FindAffected = (mark: Mark, signal: AbortSignal) => Promise<Affected>

type CascadeContext = {
  readonly store: GraphStore
  readonly projector: Pick<Projector, 'projectAgain'>
  readonly jobs: JobRunner
  readonly log: Log
  readonly affected: FindAffected
  readonly pause: Pause
}

const kind = 'project-again'

/**
 * Submits a job for each resource with a cascade mark, until it is stopped: at the start for marks of an earlier process, for new
 * ones after `wake`, and for others every minute. A job removes a mark when the users of the resource are indexed.
 */
export function cascades({
  store,
  projector,
  jobs,
  log,
  affected,
  pause,
}: CascadeContext): BackgroundLoop {
  const run = async (resource: string, { progress, signal }: JobRun) => {
    const submit = (user: string) => projector.projectAgain(user)
    let done = 0
    // Marks written meanwhile are handled by this job, too.
    for (;;) {
      const mark = await cascadeOf(store, resource, signal)
      if (!mark) return
      const { pages, lines = [] } = await affected(mark, signal)
      const doneBefore = done
      const report = (records: number) => progress({ done: (done = doneBefore + records) })
      await projectResources(pages, { submit, pause, progress: report }, signal)
      await store.write([systemChange({ remove: [markLine('cascade', mark), ...lines] })], signal)
    }
  }
  const registration = jobs.register({
    kind,
    atOnce: 1,
    isCancellable: false,
    retry: { firstMs: retryMs, longestMs: 10 * retryMs },
    run: ({ payload }, context) => run(textOr(payload) ?? '', context),
  })
  const scan = async (signal: AbortSignal) => {
    const resources = new Set((await readCascades(store, maxMarks, signal)).map(resourceOf))
    for (const resource of resources) {
      const key = `users of ${resource}`
      if (!jobs.active(kind, key))
        jobs.submit({ kind, key, payload: resource, createdBy: 'projector' })
    }
    return resources.size > 0 ? busyMs : checkMs
  }
  const loop = backgroundLoop('cascade.failed', checkMs, scan, { log, pause, firstMs: 0, retryMs })
  return {
    wake: loop.wake,
    stop: async () => {
      await loop.stop()
      await registration.stop()
    },
  }
}

const resourceOf = ({ resource }: Mark): string => resource

/** Reads a cascade mark of a resource; `undefined` when it has none. */
async function cascadeOf(
  store: GraphStore,
  resource: string,
  signal: AbortSignal,
): Promise<Mark | undefined> {
  const values = { vocabulary: namedNode(resource), property: ctl('cascade') }
  for await (const [version] of keyedPages(store, queries.factValues, values, signal))
    return { resource, version: Number(version) }
  return undefined
}

/**
 * Lists the members of a catalogue: its datasets and its resources of declared types. Members removed meanwhile may still be
 * listed.
 */
export const catalogueMembers = (store: GraphStore, catalogue: string, signal: AbortSignal) =>
  keyedPages(store, queries.members, { catalogue: namedNode(catalogue) }, signal)

/**
 * Yields the values of a query with one ordered column, in pages. Each page begins after the last value (`$after`) of the page
 * before, so that no value is missed when others are removed meanwhile.
 */
async function* keyedPages(
  store: SelectStore,
  query: Query,
  values: QueryValues,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  for (let after = ''; ;) {
    const text = paged(bind(query, { ...values, after: literal(after) }), { limit: maxRows })
    const rows = await store.select(text, signal)
    const page = rows.flatMap((row) => Object.values(row)[0]?.value ?? [])
    if (page.length > 0) yield page
    if (rows.length < maxRows) return
    after = page.at(-1) ?? after
  }
}

// Records that embed changed concepts of a vocabulary.

type UsersContext = {
  readonly store: GraphStore
  readonly names: Names
  readonly log: Log
  /** Returns a version larger than all before. */
  readonly nextVersion: () => number
  readonly pause: Pause
}

/**
 * Finds the records that use changed concepts of a vocabulary, after the vocabulary itself is indexed: the changes are known
 * then.
 */
export async function vocabularyUsers(
  context: UsersContext,
  mark: Mark,
  signal: AbortSignal,
): Promise<Affected> {
  const { store, pause } = context
  const unindexedQuery = bind(queries.awaiting, { resource: namedNode(mark.resource) })
  while (await store.ask(unindexedQuery, signal)) await pause(pollMs, signal)
  signal.throwIfAborted()
  const changes = await changesOf(store, mark, signal)
  return { pages: recordsUsing(context, changes, signal), lines: changes.lines }
}

/** Facts next to the cascade mark of a vocabulary: concepts that changed, and concepts that its writer removed. */
type Changes = {
  readonly vocabulary: string
  /** Concepts whose users have to be projected again. */
  readonly concepts: readonly string[]
  /**
   * `stored`: all concepts that the vocabulary has now, too; `gone`: concepts that cannot be listed any more, so that all records
   * are projected again; absent: no others than `concepts`.
   */
  readonly scope: 'stored' | 'gone' | undefined
  /** Lines of the system graph with these facts, to remove with the mark. */
  readonly lines: readonly string[]
}

async function changesOf(
  store: GraphStore,
  { resource: vocabulary, version }: Mark,
  signal: AbortSignal,
): Promise<Changes> {
  const valuesOf = async (name: string) => {
    const values = { vocabulary: namedNode(vocabulary), property: ctl(name) }
    const factValues: string[] = []
    for await (const page of keyedPages(store, queries.factValues, values, signal))
      factValues.push(...page)
    return factValues
  }
  const changed = await valuesOf('changed')
  const retired = await valuesOf('retired')
  // A later rewrite may have removed the same concepts: its own cascade needs these lines.
  const isLast = (await valuesOf('cascade')).every((other) => Number(other) <= version)
  // A line holds the version of the write and the concept.
  const changedConcepts = changed.map((fact) => fact.slice(fact.indexOf(' ') + 1))
  const concepts = new Set([...changedConcepts, ...retired])
  const hasAllConcepts = concepts.delete(allConcepts)
  const retiredLine = (value: string) =>
    factLine(vocabulary, 'retired', value === allConcepts ? value : { iri: value })
  return {
    vocabulary,
    concepts: [...concepts],
    scope: hasAllConcepts ? (retired.includes(allConcepts) ? 'gone' : 'stored') : undefined,
    lines: [
      ...changed.map((value) => factLine(vocabulary, 'changed', value)),
      ...(isLast ? retired.map(retiredLine) : []),
    ],
  }
}

/** Yields each record once. Before a catalogue is yielded, it gets a cascade mark, by which its members follow. */
async function* recordsUsing(
  context: UsersContext,
  changes: Changes,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const { store, names, log, nextVersion } = context
  const { vocabulary, concepts, scope } = changes
  const visitedGraphs = new Set<string>()
  const isCatalogue = (graph: string) => names.idOf('catalogue', graph) !== undefined
  const isRecord = (graph: string) =>
    names.idOf('dataset', graph) !== undefined || names.typedIdOf(graph) !== undefined
  const pages =
    scope === 'gone' ? allRecords(context, signal) : graphsMentioning(context, changes, signal)
  for await (const page of pages) {
    const graphs = page.filter((graph) => !visitedGraphs.has(graph))
    for (const graph of graphs) visitedGraphs.add(graph)
    const catalogues = graphs.filter(isCatalogue)
    const add = catalogues.map((resource) =>
      markLine('cascade', { resource, version: nextVersion() }),
    )
    if (add.length > 0) await store.write([systemChange({ add })], signal)
    yield [...catalogues, ...graphs.filter(isRecord)]
  }
  const about = { vocabulary, concepts: concepts.length, every: scope, graphs: visitedGraphs.size }
  log.info(about, 'enrichment.usersFound')
}

/** Yields graphs under the platform's base that mention one of the concepts; a graph may occur several times. */
async function* graphsMentioning(
  { store, names }: UsersContext,
  changes: Changes,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const start = literal(names.base)
  for await (const batch of changedConcepts(store, changes, signal))
    for (let offset = 0; offset < batch.length; offset += conceptsPerQuery) {
      const slice = batch.slice(offset, offset + conceptsPerQuery)
      const concept = slice
        .flatMap(variantsInRecords)
        .filter(isIri)
        .map((iri) => namedNode(iri))
      if (concept.length > 0) yield* keyedPages(store, queries.mentions, { concept, start }, signal)
    }
}

async function* changedConcepts(
  store: GraphStore,
  { vocabulary, concepts, scope }: Changes,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  yield concepts
  if (scope !== 'stored') return
  const query = bind(queries.facts, { vocabulary: namedNode(vocabulary) })
  const scheme = (await store.select(query, signal))[0]?.['scheme']?.value
  if (scheme === undefined) return
  for await (const batch of conceptsIn(store, scheme, signal)) yield batch.map(({ iri }) => iri)
}

/** Yields catalogues, whose members follow by the marks of `recordsUsing`, and resources of declared types. */
async function* allRecords(
  { store, names }: UsersContext,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const prefix = literal(names.catalogue(''))
  for (const query of [bind(queries.catalogues, { prefix }), bind(queries.resources, {})])
    yield (await store.select(query, signal)).flatMap((row) => row['resource']?.value ?? [])
}
