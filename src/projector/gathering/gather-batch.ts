/**
 * One batch from marks to index: what is stored becomes a document, what is gone a removal, to be written as a whole. Datasets and
 * resources of declared types go the same way: what their writer did not hand over is read in one message for all of them, with
 * the catalogue and the hash that the platform keeps beside it.
 */

import type { Profile, ResourceType } from '../../profile/profile.ts'
import { fromLines } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { spdx } from '../../rdf/namespaces.ts'
import { type Graph, graphOf } from '../../rdf/read.ts'
import type { IndexChange } from '../../search-index/search-index.ts'
import { yielding } from '../../workers/event-loop.ts'
import type { Built } from '../building/document.ts'
import { cataloguesOf, typedFacts } from '../indexed-records.ts'
import type { Report } from '../mappings/mapping.ts'
import { scoreLines } from '../mappings/metrics.ts'
import type { Write } from '../projector.ts'
import type { Pending } from '../queue.ts'
import type { CatalogueContexts } from './catalogue-contexts.ts'
import { type IndexingContext, indexVocabulary } from './vocabulary-indexing.ts'

export type GatherContext = IndexingContext & {
  readonly contexts: CatalogueContexts
  readonly profile: Profile
  /** Called with all reports of a batch, for counters. */
  readonly leftOut?: ((reports: readonly Report[]) => void) | undefined
}

/** Resources whose graphs are read with one message: a store has its limits, and others read meanwhile. */
const perRead = 100

/**
 * Catalogues come before the datasets that embed them, vocabularies before the records that use them; these are written on
 * their own and at once, because they may be larger than memory. A resource of no known kind has nothing to index; its mark is
 * cleared with the others.
 */
export async function gatherBatch(
  context: GatherContext,
  batch: readonly Pending[],
  signal: AbortSignal,
): Promise<Write> {
  const { names, index } = context
  const all: Built[] = []
  const changes: IndexChange[] = []
  const change: ChangeMaker = ({ filling }, made) => {
    const isBuilt = 'document' in made
    if (isBuilt) all.push(made)
    // What is gone was removed by a write of its own, or is not in what is being filled.
    if (isBuilt) changes.push({ put: made.document, ...(filling && { filling }) })
    else if (!filling) changes.push({ remove: made })
  }
  const of = (kind: 'catalogue' | 'vocabulary') =>
    batch.filter(({ resource }) => names.idOf(kind, resource) !== undefined)
  for (const pending of of('vocabulary')) await indexVocabulary(context, pending, signal)
  for (const pending of of('catalogue')) await catalogueChange(context, pending, change, signal)
  const records = batch.flatMap((pending) => recordOf(pending, context) ?? [])
  for (let at = 0; at < records.length; at += perRead)
    await recordChanges(context, records.slice(at, at + perRead), change, signal)
  return async () => {
    if (changes.length > 0) await index.write(changes, signal)
    tellLeftOut(context, all)
  }
}

type Removal = Extract<IndexChange, { readonly remove: unknown }>['remove']

/** Takes what a resource has become: a document, or nothing any more. */
type ChangeMaker = (pending: Pending, made: Built | Removal) => void

/** Tells what was left out: each record in the debug log, the batch in one line, all of it to the counters. */
function tellLeftOut({ log, leftOut }: GatherContext, all: readonly Built[]): void {
  const incomplete = all.map(({ reports }) => reports).filter((reports) => reports.length > 0)
  if (incomplete.length === 0) return
  for (const reports of incomplete) {
    const values = reports.map(({ field, problem, value }) => ({ field, problem, value }))
    log.debug({ resource: reports[0]?.resource, leftOut: values }, 'record.leftOut')
  }
  const reports = incomplete.flat()
  const problems: Record<string, number> = {}
  for (const { problem } of reports) problems[problem] = (problems[problem] ?? 0) + 1
  log.info({ records: incomplete.length, values: reports.length, problems }, 'batch.leftOut')
  leftOut?.(reports)
}

/** The context of a catalogue is read anew, so that datasets of later batches see it. */
async function catalogueChange(
  { names, contexts, stored, builder }: GatherContext,
  pending: Pending,
  change: ChangeMaker,
  signal: AbortSignal,
): Promise<void> {
  const { resource, version } = pending
  const id = names.idOf('catalogue', resource) ?? ''
  contexts.forget(id)
  const context = await contexts.get(id, signal)
  await stored.prepare([context?.graph], signal)
  if (!context || context.hidden) change(pending, { index: 'catalogue', id, version })
  else change(pending, builder.catalogue({ ...context, iri: resource, version }))
}

/** A dataset, or a resource of a declared type. */
type RecordMark = Pending & { readonly id: string; readonly kind: 'dataset' | ResourceType }

/** What the profile does not declare any more is in no index. */
function recordOf(
  pending: Pending,
  { names, profile }: Pick<GatherContext, 'names' | 'profile'>,
): RecordMark | undefined {
  const dataset = names.idOf('dataset', pending.resource)
  if (dataset !== undefined) return { ...pending, id: dataset, kind: 'dataset' }
  const typed = names.typedIdOf(pending.resource)
  const kind = profile.resources.find(({ id }) => id === typed?.type)
  return typed && kind && { ...pending, id: typed.id, kind }
}

async function recordChanges(
  context: GatherContext,
  marks: readonly RecordMark[],
  change: ChangeMaker,
  signal: AbortSignal,
): Promise<void> {
  const { contexts, stored, builder, names } = context
  const found = await read(context, marks, signal)
  const turn = yielding(() => performance.now())
  const gathered = []
  for (const mark of marks) {
    const { resource, fresh } = mark
    const graph = fresh ? graphOf(fresh.quads()) : found.graph(resource)
    const home = fresh ? fresh.catalogue : found.catalogue(resource)
    const catalogue = home === undefined ? undefined : await contexts.get(home, signal)
    gathered.push({ mark, graph, catalogue })
    await turn()
  }
  const graphs = gathered.flatMap(({ graph, catalogue }) => [graph, catalogue?.graph])
  await stored.prepare(graphs, signal)
  for (const { mark, graph, catalogue } of gathered) {
    const { id, kind, resource, version, fresh } = mark
    const index = kind === 'dataset' ? kind : (`resource_${kind.id}` as const)
    const isLost = (kind === 'dataset' || kind.inCatalogue) && (!catalogue || catalogue.hidden)
    if (!graph || isLost) change(mark, { index, id, version })
    else if (kind !== 'dataset') {
      const input = { id, iri: resource, version, hash: found.hash(resource), graph }
      change(mark, builder.resource(kind, catalogue ? { ...input, catalogue } : input))
    } else if (catalogue) {
      const metrics = fresh?.scores ? graphOf(fresh.scores) : found.scores(mark)
      const hash = storedHash(graph, names, id)
      const input = { id, iri: resource, version, hash, graph, catalogue }
      change(mark, builder.dataset(metrics ? { ...input, metrics } : input))
    }
    await turn()
  }
}

/** What the store holds of records, as far as their writers did not hand it over. */
async function read(
  { store, names }: GatherContext,
  marks: readonly RecordMark[],
  signal: AbortSignal,
) {
  const unknown = marks.filter(({ fresh }) => !fresh)
  const [datasets, typed] = [true, false].map((isDataset) =>
    unknown.filter(({ kind }) => (kind === 'dataset') === isDataset).map((one) => one.resource),
  )
  const measured = marks.filter(
    ({ kind, fresh }) => kind === 'dataset' && !fresh?.created && !fresh?.scores,
  )
  const graphs = [
    ...unknown.map(({ resource }) => resource),
    ...measured.map(({ id }) => names.metrics(id)),
  ]
  const [texts, homes, facts] = await Promise.all([
    graphs.length === 0 ? new Map<string, string>() : store.readAll(graphs, {}, signal),
    cataloguesOf(store, datasets ?? [], signal),
    typedFacts(store, typed ?? [], signal),
  ])
  const parsed = (text: string | undefined): Graph | undefined =>
    text === undefined ? undefined : graphOf(fromLines(text))
  return {
    catalogue: (resource: string) =>
      [...(homes.get(resource) ?? facts.catalogue.get(resource) ?? [])]
        .flatMap((iri) => names.idOf('catalogue', iri) ?? [])
        .at(-1),
    hash: (resource: string) => [...(facts.hash.get(resource) ?? [])][0] ?? '',
    graph: (resource: string) => parsed(texts.get(resource)),
    scores: ({ id, resource }: RecordMark) => {
      const text = texts.get(names.metrics(id))
      return parsed(text && scoreLines(text, resource))
    },
  }
}

/** The hash that a dataset's catalogue record carries: SHA-256 in hex of what was sent; `''` when a direct writer left it without one. */
function storedHash(graph: Graph, names: Names, id: string): string {
  const [checksum] = graph.objects(names.record(id), spdx('checksum'))
  const [value] = checksum ? graph.objects(checksum, spdx('checksumValue')) : []
  return value?.value ?? ''
}
