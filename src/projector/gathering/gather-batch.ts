/**
 * Turns a batch of marks into index changes: a stored resource becomes a document, a missing one a removal; all but vocabularies
 * are written together. Content that writers did not hand over is read for a hundred datasets and resources of declared types at
 * a time, with their catalogues and, for resources, the hashes that the platform stores.
 */

import { Failure } from '../../errors.ts'
import type { Profile, ResourceType } from '../../profile/profile.ts'
import { isHiddenCatalogue } from '../../rdf/catalogue-visibility.ts'
import { readLines } from '../../rdf/lines.ts'
import type { Format } from '../../rdf/media-types.ts'
import { spdx } from '../../rdf/namespaces.ts'
import { parse } from '../../rdf/parse.ts'
import { type Graph, graphOf } from '../../rdf/read.ts'
import type { IndexName } from '../../search-index/index-settings.ts'
import type { IndexChange } from '../../search-index/search-index.ts'
import { yielding, type YieldWhenDue } from '../../workers/event-loop.ts'
import type { BuiltDocument } from '../building/document.ts'
import { indexedShape } from '../building/facets.ts'
import { cataloguesOf, resourceFacts, type EmbeddedCatalogues } from '../indexed-records.ts'
import type { LeftOutValue } from '../mappings/mapping.ts'
import { scoreLines } from '../mappings/values.ts'
import { propertyAt, compileFields } from '../mappings/compiled-fields.ts'
import type { IndexWrite } from '../projector.ts'
import type { PendingResource } from '../queue.ts'
import { type IndexingContext, indexVocabulary } from './vocabulary-indexing.ts'

/** Dependencies for gathering and building batches; created once. */
export type GatherContext = IndexingContext & {
  readonly catalogueCache: EmbeddedCatalogues
  readonly profile: Profile
  /** Called with all reports of a batch that has some, for counters. */
  readonly onLeftOut?: ((reports: readonly LeftOutValue[]) => void) | undefined
}

/** Maximum number of graphs per read, so that other readers of the store are not delayed. */
const perRead = 100

/**
 * Gathers a batch. Catalogues are handled before the datasets that embed them, vocabularies before the records that use them.
 * Vocabularies are written while the batch is gathered, because they may be larger than memory. A resource of no known kind has
 * nothing to index; its mark is cleared with the others.
 */
export async function gatherBatch(
  context: GatherContext,
  resources: readonly PendingResource[],
  signal: AbortSignal,
): Promise<IndexWrite> {
  const { names, index } = context
  const batch = new Batch(context, signal)
  const ofKind = (kind: 'catalogue' | 'vocabulary') =>
    resources.filter(({ resource }) => names.idOf(kind, resource) !== undefined)
  for (const pending of ofKind('vocabulary')) await indexVocabulary(context, pending, signal)
  for (const pending of ofKind('catalogue')) await batch.addCatalogue(pending)
  const records = resources.flatMap((pending) => recordOf(pending, context) ?? [])
  for (let offset = 0; offset < records.length; offset += perRead)
    await batch.addRecords(records.slice(offset, offset + perRead))
  return async () => {
    if (batch.changes.length > 0) await index.write(batch.changes, signal)
    logLeftOut(context, batch.reports)
  }
}

/**
 * Lists the values of a stored record that do not fit their fields, each with the property that it was read from, if any;
 * `undefined` where searches do not find the record. Values of its catalogue are reported for the catalogue only.
 */
export async function findingsOf(
  context: GatherContext,
  { index, id }: { readonly index: IndexName; readonly id: string },
  signal: AbortSignal,
) {
  const { names } = context
  const batch = new Batch(context, signal)
  const isTyped = index !== 'dataset' && index !== 'catalogue'
  const resource = isTyped ? names.resource(index.replace('resource_', ''), id) : names[index](id)
  const pending = { resource, version: 0, markedVersions: [] }
  const record = recordOf(pending, context)
  if (record) await batch.addRecords([record])
  else if (index === 'catalogue') await batch.addCatalogue(pending)
  return batch.reports[0] && findingsIn(context, index, batch.reports[0])
}

function findingsIn(
  { profile }: GatherContext,
  index: IndexName,
  reports: readonly LeftOutValue[],
) {
  const fields = compileFields(indexedShape(profile, index)?.fields ?? [])
  return reports
    .filter(({ field }) => !field.startsWith('catalog.'))
    .map(({ field, problem: reason, value }) => {
      const property = propertyAt(fields, field)
      return { field, reason, value, ...(property !== undefined && { property }) }
    })
}

/** Record that is not stored: id, catalogue (`''` for none) and RDF, in which `<>` is the record. */
export type UnstoredRecord = {
  readonly index: IndexName
  readonly id: string
  readonly catalogue: string
  readonly text: string
  readonly format: Format
}

/**
 * Builds the document of a record that is not stored, and lists the values that are left out of it as `findingsOf` does; `undefined`
 * where searches would not find it, because its catalogue is hidden or absent. Rejects as `parse`, and with `invalid-content` for a
 * text that has nothing about the record.
 */
export async function recordPreview(
  context: GatherContext,
  { index, id, catalogue, text, format }: UnstoredRecord,
  signal: AbortSignal,
) {
  const { names } = context
  const batch = new Batch(context, signal)
  const isTyped = index !== 'dataset' && index !== 'catalogue'
  const resource = isTyped ? names.resource(index.replace('resource_', ''), id) : names[index](id)
  const statements = await parse(text, format, { baseIri: resource })
  if (!statements.some(({ subject }) => subject.value === resource))
    throw new Failure('invalid-content', `the text has no statement about <${resource}>`)
  const content = { catalogue, quads: () => statements, created: true }
  const pending = { resource, version: 0, markedVersions: [], content }
  const record = recordOf(pending, context)
  if (record) await batch.addRecords([record])
  else {
    const graph = graphOf(statements)
    const isHidden = isHiddenCatalogue(graph, resource)
    await batch.putCatalogue(pending, { id, graph, isHidden, hash: '' })
  }
  const [change] = batch.changes
  if (!change || !('put' in change)) return undefined
  const findings = findingsIn(context, index, batch.reports[0] ?? [])
  return { record: change.put.record, findings }
}

/**
 * Logs the number of reports of a batch in one line and passes all of them to the counters. `findingsOf` lists those of one
 * record.
 */
function logLeftOut(
  { log, onLeftOut }: GatherContext,
  reportsByRecord: readonly (readonly LeftOutValue[])[],
): void {
  const records = reportsByRecord.filter((reports) => reports.length > 0)
  if (records.length === 0) return
  const reports = records.flat()
  const problems: Record<string, number> = {}
  for (const { problem } of reports) problems[problem] = (problems[problem] ?? 0) + 1
  log.info({ records: records.length, values: reports.length, problems }, 'batch.leftOut')
  onLeftOut?.(reports)
}

/** Mark of a dataset or of a resource of a declared type. */
type RecordMark = PendingResource & { readonly id: string; readonly kind: 'dataset' | ResourceType }

/** Returns the mark with id and kind; `undefined` for other resources, also of types that the profile no longer declares. */
function recordOf(
  pending: PendingResource,
  { names, profile }: GatherContext,
): RecordMark | undefined {
  const dataset = names.idOf('dataset', pending.resource)
  if (dataset !== undefined) return { ...pending, id: dataset, kind: 'dataset' }
  const typed = names.typedIdOf(pending.resource)
  const kind = profile.resources.find(({ id }) => id === typed?.type)
  return typed && kind && { ...pending, id: typed.id, kind }
}

type CatalogueState = Awaited<ReturnType<EmbeddedCatalogues['get']>>

/** Index changes of a batch, and the reports of each document. */
class Batch {
  readonly changes: IndexChange[] = []
  readonly reports: (readonly LeftOutValue[])[] = []
  readonly #context: GatherContext
  readonly #signal: AbortSignal

  constructor(context: GatherContext, signal: AbortSignal) {
    this.#context = context
    this.#signal = signal
  }

  #put({ onlyIfMissing }: PendingResource, { document, reports }: BuiltDocument): void {
    this.reports.push(reports)
    this.changes.push({ put: document, ...(onlyIfMissing && { onlyIfMissing }) })
  }

  #remove({ version, onlyIfMissing }: PendingResource, index: IndexName, id: string): void {
    // A deleted record was removed by its own write, or is not in the index that is being filled.
    if (!onlyIfMissing) this.changes.push({ remove: { index, id, version } })
  }

  /** Adds a catalogue. It is read into the cache again, so that records which embed it get its current state. */
  async addCatalogue(pending: PendingResource): Promise<void> {
    const { names, catalogueCache } = this.#context
    const id = names.idOf('catalogue', pending.resource) ?? ''
    catalogueCache.forget(id)
    await this.putCatalogue(pending, await catalogueCache.get(id, this.#signal))
  }

  /** Adds a catalogue in a state of it; removes a hidden one, and one without a state. */
  async putCatalogue(pending: PendingResource, catalogue: CatalogueState): Promise<void> {
    const { names, stored, builder } = this.#context
    const { resource: iri, version } = pending
    const id = names.idOf('catalogue', iri) ?? ''
    await stored.prepare([catalogue?.graph], this.#signal)
    if (!catalogue || catalogue.isHidden) return this.#remove(pending, 'catalogue', id)
    const { graph, hash } = catalogue
    return this.#put(pending, builder.catalogue({ id, iri, version, hash, graph }))
  }

  /** Adds datasets and resources of declared types, `perRead` at most. */
  async addRecords(marks: readonly RecordMark[]): Promise<void> {
    const { catalogueCache, stored } = this.#context
    const facts = await storedFacts(this.#context, marks, this.#signal)
    const yieldWhenDue = yielding(() => performance.now())
    const gathered: Gathered[] = []
    for (const mark of marks) {
      const { resource, content } = mark
      const graph = content ? graphOf(content.quads()) : await facts.graph(resource)
      const catalogueId = content ? content.catalogue || undefined : facts.catalogue(resource)
      const catalogue =
        catalogueId === undefined ? undefined : await catalogueCache.get(catalogueId, this.#signal)
      gathered.push({ mark, graph, catalogue })
      await yieldWhenDue()
    }
    const graphs = gathered.flatMap(({ graph, catalogue }) => [graph, catalogue?.graph])
    await stored.prepare(graphs, this.#signal)
    for (const record of gathered) {
      await this.#addRecord(record, facts, yieldWhenDue)
      await yieldWhenDue()
    }
  }

  async #addRecord(
    { mark, graph, catalogue }: Gathered,
    facts: StoredFacts,
    yieldWhenDue: YieldWhenDue,
  ): Promise<void> {
    const { names, builder } = this.#context
    const { id, kind, resource: iri, version, content } = mark
    const isDataset = kind === 'dataset'
    const isUnlisted = (isDataset || kind.inCatalogue) && (!catalogue || catalogue.isHidden)
    if (!graph || isUnlisted)
      return this.#remove(mark, isDataset ? 'dataset' : `resource_${kind.id}`, id)
    const input = { id, iri, version, graph, catalogue }
    if (!isDataset)
      return this.#put(mark, builder.resource(kind, { ...input, hash: facts.hash(iri) }))
    const metrics = content?.scores ? graphOf(content.scores) : await facts.scores(mark)
    // The catalogue record holds the SHA-256 (hex) of the body; '' when another program wrote the graph without one.
    const [checksum] = graph.objects(names.record(id), spdx('checksum'))
    const [hash] = checksum ? graph.objects(checksum, spdx('checksumValue')) : []
    const dataset = { ...input, hash: hash?.value ?? '', metrics }
    const prepared = await builder.prepareDataset(dataset, yieldWhenDue)
    this.#put(mark, builder.dataset({ ...dataset, prepared }))
  }
}

type Gathered = {
  readonly mark: RecordMark
  readonly graph: Graph | undefined
  readonly catalogue: CatalogueState
}

type StoredFacts = Awaited<ReturnType<typeof storedFacts>>

/** Reads from the store what the writers of records did not hand over. */
async function storedFacts(
  { store, names }: GatherContext,
  marks: readonly RecordMark[],
  signal: AbortSignal,
) {
  const withoutContent = marks.filter(({ content }) => !content)
  const iris = (isDataset: boolean) =>
    withoutContent
      .filter(({ kind }) => (kind === 'dataset') === isDataset)
      .map((mark) => mark.resource)
  const withStoredScores = marks.filter(
    ({ kind, content }) => kind === 'dataset' && !content?.created && !content?.scores,
  )
  const graphs = [
    ...withoutContent.map(({ resource }) => resource),
    ...withStoredScores.map(({ id }) => names.metrics(id)),
  ]
  const [texts, catalogues, facts] = await Promise.all([
    graphs.length === 0 ? new Map<string, string>() : store.readAll(graphs, {}, signal),
    cataloguesOf(store, iris(true), signal),
    resourceFacts(store, iris(false), signal),
  ])
  const parseGraph = async (text: string | undefined): Promise<Graph | undefined> =>
    text === undefined ? undefined : graphOf(await readLines(text))
  return {
    catalogue: (resource: string) =>
      [...(catalogues.get(resource) ?? facts.catalogue.get(resource) ?? [])]
        .flatMap((iri) => names.idOf('catalogue', iri) ?? [])
        .at(-1),
    hash: (resource: string) => [...(facts.hash.get(resource) ?? [])][0] ?? '',
    graph: (resource: string) => parseGraph(texts.get(resource)),
    scores: ({ id, resource }: RecordMark) => {
      const text = texts.get(names.metrics(id))
      return parseGraph(text && scoreLines(text, resource))
    },
  }
}
