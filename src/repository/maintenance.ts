/**
 * Maintenance commands of operators, which the console calls: empties catalogues, repairs their links, reports original ids that
 * are used twice, restores addresses, removes surplus statements (`store-repair.ts`), lists tombstones.
 */

import { literal, namedNode, quad } from '../rdf/terms.ts'
import { markLine, systemChange } from '../store/marks.ts'
import { bind, loadQuery, paged } from '../store/queries.ts'
import type { RepositoryContext } from './repository-context.ts'
import { removeAllMembers } from './deleting/member-removal.ts'
import { requireCatalogue, isPresent, linkLines, existingOf } from './deleting/members.ts'
import { listTombstones } from './deleting/deletion-maintenance.ts'
import type { Tombstone } from './deleting/tombstones.ts'
import { datasetLock } from './writing/dataset-ids.ts'
import { originalIdsOf, datasetPlaces } from './writing/find-datasets.ts'
import { commitChanges } from './writing/write-batch.ts'
import { memberIds } from './resources/resource-lists.ts'
import { repairStore } from './store-repair.ts'
import type { Quad } from '@rdfjs/types'
import type { Row } from '../store/graph-store.ts'
import { fromLines } from '../rdf/lines.ts'
import type { Names } from '../rdf/names.ts'
import { addressProperties, dct } from '../rdf/namespaces.ts'
import { editDataset } from './writing/write-datasets.ts'
import { localName } from '../rdf/iri.ts'

/** Request of an operator to empty a catalogue. */
type ClearRequest = {
  readonly catalogue: string
  /** True when searches go on finding the deleted datasets. */
  readonly keepIndex: boolean
  /** Called with the number of deleted datasets, and the number of all datasets at the start. */
  readonly progress: (done: number, total?: number) => void
}

/** Number of tombstones that are read at a time. */
const pageSize = 500

/** Functions of the console commands; the generators of repairs yield sentences for the operator. */
export const maintenance = (context: RepositoryContext) => ({
  clear: (request: ClearRequest, signal: AbortSignal) => clearCatalogue(context, request, signal),
  repair: (catalogue: string, signal: AbortSignal) => repairCatalogue(context, catalogue, signal),
  repairAddresses: (options: { readonly dryRun: boolean }, signal: AbortSignal) =>
    repairAddresses(context, options, signal),
  repairStore: (options: { readonly dryRun: boolean }, signal: AbortSignal) =>
    repairStore(context, options, signal),
  /** Lists tombstones, newest first; of one catalogue or of all. */
  tombstones: async function* tombstones(
    catalogue: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<Tombstone> {
    for (let offset = 0; ; offset += pageSize) {
      signal.throwIfAborted()
      const page = { catalogue, offset, limit: pageSize }
      const tombstones = await listTombstones(context, page, signal)
      yield* tombstones
      if (tombstones.length < pageSize) return
    }
  },
})

/**
 * Deletes all datasets of a catalogue and keeps the catalogue; returns the number of deleted ones, each of which can be restored.
 * Rejects with `unknown-catalogue`; when some datasets cannot be deleted, deletes the others and rejects with the first failure.
 */
async function clearCatalogue(
  context: RepositoryContext,
  { catalogue, keepIndex, progress }: ClearRequest,
  signal: AbortSignal,
): Promise<number> {
  await requireCatalogue(context, catalogue, signal)
  const total = (await memberIds(context, catalogue)).length
  let deleted = 0
  const addDone = (datasets: number) => {
    deleted += datasets
    progress(deleted, total)
  }
  const removal = { catalogue, kind: 'dataset', at: context.now(), keepIndex, addDone } as const
  const failure = await removeAllMembers(context, removal, signal)
  if (failure !== undefined) throw failure
  return deleted
}

// Repair of inconsistencies left by other programs and crashes of a store: links without dataset, and datasets without link.

const unlinkedQuery = loadQuery('unlinked-datasets')

/** Number of datasets that one query is about. */
const batchSize = 500
/** Most datasets without link, of all catalogues, that one query returns. */
const maxUnlinked = 1000

/**
 * Repairs the links of a catalogue; yields a sentence for every link without dataset, dataset without link and original id that
 * is used twice. Rejects with `unknown-catalogue`.
 */
async function* repairCatalogue(
  context: RepositoryContext,
  catalogue: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  await requireCatalogue(context, catalogue, signal)
  yield* unlinkedDatasets(context, catalogue, signal)
  const ids = await memberIds(context, catalogue)
  const idsByOriginalId = new Map<string, string[]>()
  for (let at = 0; at < ids.length; at += batchSize) {
    signal.throwIfAborted()
    const batch = ids.slice(at, at + batchSize)
    yield* brokenLinks(context, { catalogue, ids: batch }, signal)
    for (const [id, originalId] of await originalIdsOf(context, batch, signal))
      idsByOriginalId.set(originalId, [...(idsByOriginalId.get(originalId) ?? []), id])
  }
  for (const [originalId, datasets] of idsByOriginalId)
    if (datasets.length > 1)
      yield `the original id "${originalId}" is used by ${datasets.join(', ')}: delete all but one`
}

type LinkedDatasets = { readonly catalogue: string; readonly ids: readonly string[] }

/** Removes the links of a catalogue that lead to no dataset. */
async function* brokenLinks(
  context: RepositoryContext,
  { catalogue, ids }: LinkedDatasets,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const datasets = ids.map((id) => ({ kind: 'dataset', id }) as const)
  const existing = await existingOf(context, datasets, signal)
  for (const missing of datasets.filter((dataset) => !existing.has(dataset))) {
    const { id } = missing
    // A dataset that was written meanwhile keeps its link.
    if (await isPresent(context, missing, signal)) continue
    await changeLink(context, { catalogue, id }, 'remove')
    yield `the link to ${id} is removed: there is no such dataset`
  }
}

/** Adds the links of datasets in no catalogue that the index has in this one; names those that the index has in none. */
async function* unlinkedDatasets(
  context: RepositoryContext,
  catalogue: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { names } = context
  for await (const { dataset, record, originalId } of unlinkedRows(context, signal)) {
    signal.throwIfAborted()
    const id = names.idOf('dataset', dataset?.value ?? '')
    if (id === undefined || originalId === undefined || record?.value !== names.record(id)) continue
    const indexedCatalogue = await context.indexedCatalogueOf(id, signal)
    if (indexedCatalogue === undefined)
      yield `${id} ("${originalId.value}") is in no catalogue, and its former catalogue is not known`
    else if (indexedCatalogue === catalogue) {
      const lock = datasetLock(originalId.value)
      await context.locks.run([lock], () => changeLink(context, { catalogue, id }, 'add'), signal)
      yield `${id} is linked again`
    }
  }
}

/** Datasets in no catalogue with their records and original ids, in the order of their IRIs. */
async function* unlinkedRows(
  { store, names }: RepositoryContext,
  signal: AbortSignal,
): AsyncGenerator<Row> {
  const prefix = literal(names.dataset(''))
  for (let after = ''; ;) {
    const query = bind(unlinkedQuery, { prefix, after: literal(after) })
    const rows = await store.select(paged(query, { limit: maxUnlinked }), signal)
    yield* rows
    if (rows.length < maxUnlinked) return
    after = rows.at(-1)?.['dataset']?.value ?? ''
  }
}

/** Adds or removes the links to one dataset and its record, and has the dataset indexed again. */
async function changeLink(
  context: RepositoryContext,
  dataset: { readonly catalogue: string; readonly id: string },
  change: 'add' | 'remove',
): Promise<void> {
  const { names, versions } = context
  const mark = { resource: names.dataset(dataset.id), version: versions.next() }
  const lines = linkLines(names, dataset)
  const graph = names.catalogue(dataset.catalogue)
  const system = systemChange({ add: [markLine('pending', mark)] })
  const changes = [{ graph, [change]: lines }, system]
  await commitChanges(context, { changes, marks: [mark] })
}

// Repair of addresses that earlier versions renamed: access URLs, pages and the like that are IRIs of the platform.

const damagedQuery = loadQuery('renamed-addresses')

const addressPredicates = new Set(addressProperties.map(({ value }) => value))

/** Most graphs that one query returns. */
const maxGraphs = 1000

/** Yields a sentence for every address that is restored or cannot be, then a summary. With `dryRun` nothing is written. */
async function* repairAddresses(
  context: RepositoryContext,
  { dryRun }: { readonly dryRun: boolean },
  signal: AbortSignal,
): AsyncGenerator<string> {
  let [restored, unrestored] = [0, 0]
  for await (const graph of damagedGraphs(context, signal)) {
    for (const { quad: statement, address } of await repairGraph(context, graph, dryRun, signal)) {
      const { subject, predicate, object } = statement
      const where = `${localName(predicate.value)} of ${subject.value}`
      if (address === undefined) {
        unrestored += 1
        yield `${where} is ${object.value}, and nothing says what it was`
      } else {
        restored += 1
        yield `${where} ${dryRun ? 'would be' : 'is'} ${address} again`
      }
    }
  }
  if (restored + unrestored === 0) return
  yield `${restored} ${dryRun ? 'can be restored' : 'restored'}, ${unrestored} cannot; these are corrected when their source sends a changed description`
}

/** IRIs of the graphs in which an address is an IRI of the platform, in order. */
async function* damagedGraphs(
  { store, names }: RepositoryContext,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const values = {
    predicate: addressProperties,
    base: literal(names.base),
    genid: literal(names.genidPrefix),
  }
  for (let after = ''; ;) {
    signal.throwIfAborted()
    const query = bind(damagedQuery, { ...values, after: literal(after) })
    const rows = await store.select(paged(query, { limit: maxGraphs }), signal)
    const graphs = rows.flatMap(({ graph }) => graph?.value ?? [])
    yield* graphs
    if (graphs.length < maxGraphs) return
    after = graphs.at(-1) ?? ''
  }
}

/** Statement whose object should be an address; `address` is the one at the source, if known. */
type DamagedAddress = { readonly quad: Quad; readonly address?: string }

/** Returns the damaged addresses of a graph, and repairs those whose address at the source is known, unless it is a dry run. */
async function repairGraph(
  context: RepositoryContext,
  graph: string,
  dryRun: boolean,
  signal: AbortSignal,
): Promise<readonly DamagedAddress[]> {
  const { names, store } = context
  const id = names.idOf('dataset', graph)
  const located =
    id === undefined ? undefined : (await datasetPlaces(context, [id], signal)).get(id)
  if (dryRun || !located) {
    const damage = damageIn(fromLines((await store.read(graph, {}, signal)) ?? ''), names)
    // A graph that is in no catalogue cannot be edited; the next write of its source repairs it.
    return located ? damage : damage.map((entry) => ({ quad: entry.quad }))
  }
  const edit = async (quads: readonly Quad[]) => {
    const damage = damageIn(quads, names)
    const repairs = new Map(
      damage.flatMap(({ quad: damaged, address }) =>
        address === undefined
          ? []
          : [[damaged, quad(damaged.subject, damaged.predicate, namedNode(address))] as const],
      ),
    )
    if (repairs.size === 0) return { result: damage }
    const repaired = quads.map((q) => repairs.get(q) ?? q)
    return { graph: repaired, isRepair: true, result: damage }
  }
  return (await editDataset(context, located, edit, signal)).result
}

/** Returns the damaged statements of a graph. The address of a distribution is its `dct:identifier`, if that is one URL. */
function damageIn(quads: readonly Quad[], names: Names): readonly DamagedAddress[] {
  const identifiers = Map.groupBy(
    quads.filter(({ predicate }) => predicate.value === dct('identifier').value),
    ({ subject }) => subject.value,
  )
  const addressOf = (node: string): string | undefined => {
    if (names.idOf('distribution', node) === undefined) return undefined
    const identifierTexts = (identifiers.get(node) ?? []).map(({ object }) => object.value)
    const [url, ...otherUrls] = identifierTexts.filter((text) => urlPattern.test(text))
    return otherUrls.length === 0 ? url : undefined
  }
  return quads
    .filter(
      ({ predicate, object }) =>
        addressPredicates.has(predicate.value) && isPlatformIri(object, names),
    )
    .map((q) => ({ quad: q, address: addressOf(q.object.value) }))
}

/** Tells whether an object is an IRI of the platform that may have replaced an address. */
const isPlatformIri = ({ termType, value }: Quad['object'], names: Names): boolean =>
  termType === 'NamedNode' && names.owns(value) && !value.startsWith(names.genidPrefix)

const urlPattern = /^(?:https?|ftps?):\/\/[^\s<>"{}|\\^`]+$/i
