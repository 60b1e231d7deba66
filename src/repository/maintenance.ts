/** Maintenance of catalogues by operators, through the console. */

import { literal, namedNode, quad } from '../rdf/terms.ts'
import { markLine, systemChange } from '../store/marks.ts'
import { bind, loadQuery, paged } from '../store/queries.ts'
import type { RepositoryContext } from './repository-context.ts'
import { catalogueSize, removeAllMembers } from './deleting/catalogue-deletion.ts'
import { requireCatalogue, isPresent, linkLines, existingOf } from './deleting/members.ts'
import { listTombstones } from './deleting/deletion-maintenance.ts'
import type { Tombstone } from './deleting/tombstones.ts'
import { datasetLock } from './writing/dataset-ids.ts'
import { originalIdsOf, datasetPlaces } from './writing/find-datasets.ts'
import { commitChanges } from './writing/write-batch.ts'
import { memberIds } from './resources/resource-lists.ts'
import { repairStore } from './store-repair.ts'
import type { Quad } from '@rdfjs/types'
import { fromLines } from '../rdf/lines.ts'
import type { Names } from '../rdf/names.ts'
import { dcat, dct, foaf, prov, vcard } from '../rdf/namespaces.ts'
import { editDataset } from './writing/write-datasets.ts'
import { localName } from '../rdf/iri.ts'

/** Request of an operator to empty a catalogue. */
type Clearing = {
  readonly catalogue: string
  /** True when searches go on finding the deleted datasets. */
  readonly keepIndex: boolean
  /** Called with the number of deleted datasets, and the total. */
  readonly progress: (done: number, total?: number) => void
}

/** Tombstones that are read at once. */
const page = 500

export const maintenance = (context: RepositoryContext) => ({
  clear: (clearing: Clearing, signal: AbortSignal) => clearCatalogue(context, clearing, signal),
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
    for (let offset = 0; ; offset += page) {
      signal.throwIfAborted()
      const listed = context.tombstones.list(catalogue, { offset, limit: page })
      if (listed.length === 0) return
      yield* await listTombstones(context, { catalogue, offset, limit: page }, signal)
    }
  },
})

/**
 * Deletes all datasets of a catalogue and keeps the catalogue; returns the number of deleted ones, each of which can be restored.
 * Throws `unknown-catalogue`, and after deleting the others the failure that kept some.
 */
async function clearCatalogue(
  context: RepositoryContext,
  { catalogue, keepIndex, progress }: Clearing,
  signal: AbortSignal,
): Promise<number> {
  await requireCatalogue(context, catalogue, signal)
  const total = await catalogueSize(context, catalogue, signal)
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

/** Datasets that are asked about at once. */
const stride = 500
/** Datasets without link that are looked for; more are found the next time. */
const most = 5000

/**
 * Yields a sentence for every link without dataset, dataset without link and original id that is used twice. Throws `unknown-
 * catalogue`.
 */
async function* repairCatalogue(
  context: RepositoryContext,
  catalogue: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  await requireCatalogue(context, catalogue, signal)
  yield* unlinkedDatasets(context, catalogue, signal)
  const ids = await memberIds(context, catalogue)
  const byOrigin = new Map<string, string[]>()
  for (let at = 0; at < ids.length; at += stride) {
    signal.throwIfAborted()
    const part = ids.slice(at, at + stride)
    yield* brokenLinks(context, { catalogue, ids: part }, signal)
    for (const [id, originalId] of await originalIdsOf(context, part, signal))
      byOrigin.set(originalId, [...(byOrigin.get(originalId) ?? []), id])
  }
  for (const [originalId, users] of byOrigin)
    if (users.length > 1)
      yield `the original id "${originalId}" is used by ${users.join(', ')}: delete all but one`
}

type DatasetIdsOf = { readonly catalogue: string; readonly ids: readonly string[] }

/** Removes the links of a catalogue that lead to no dataset. */
async function* brokenLinks(
  context: RepositoryContext,
  { catalogue, ids }: DatasetIdsOf,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const datasets = ids.map((id) => ({ kind: 'dataset', id }) as const)
  const there = await existingOf(context, datasets, signal)
  for (const one of datasets.filter((dataset) => !there.has(dataset))) {
    const { id } = one
    // A dataset that was written meanwhile keeps its link.
    if (await isPresent(context, one, signal)) continue
    await changeLink(context, { catalogue, id }, 'remove')
    yield `the link to ${id} is removed: there is no such dataset`
  }
}

/** Links datasets again that are in no catalogue, where the index still knows their catalogue. */
async function* unlinkedDatasets(
  context: RepositoryContext,
  catalogue: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { store, names } = context
  const query = bind(unlinkedQuery, { prefix: literal(names.dataset('')) })
  const rows = await store.select(paged(query, { limit: most }), signal)
  for (const { dataset, record, originalId } of rows) {
    signal.throwIfAborted()
    const id = names.idOf('dataset', dataset?.value ?? '')
    if (id === undefined || originalId === undefined || record?.value !== names.record(id)) continue
    const home = await context.indexedCatalogueOf(id, signal)
    if (home === undefined)
      yield `${id} ("${originalId.value}") is in no catalogue, and its former catalogue is not known`
    else if (home === catalogue) {
      const lock = datasetLock(originalId.value)
      await context.locks.run([lock], () => changeLink(context, { catalogue, id }, 'add'), signal)
      yield `${id} is linked again`
    }
  }
}

/** Adds or removes the links to one dataset and has it indexed again. */
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

/** Predicates whose objects are addresses at the source. */
const predicates = [
  dcat('accessURL'),
  dcat('downloadURL'),
  dcat('landingPage'),
  dcat('endpointURL'),
  dcat('endpointDescription'),
  foaf('page'),
  foaf('homepage'),
  vcard('hasURL'),
  prov('used'),
]
const isAddress = new Set(predicates.map(({ value }) => value))

/** Graphs that are looked for at once. */
const maxGraphs = 1000

/** Yields a sentence for every address that is restored or cannot be, then a summary. With `dryRun` nothing is written. */
async function* repairAddresses(
  context: RepositoryContext,
  { dryRun }: { readonly dryRun: boolean },
  signal: AbortSignal,
): AsyncGenerator<string> {
  let [restored, left] = [0, 0]
  for await (const graph of damagedGraphs(context, signal)) {
    for (const { quad: damaged, address } of await repairGraph(context, graph, dryRun, signal)) {
      const { subject, predicate, object } = damaged
      const where = `${localName(predicate.value)} of ${subject.value}`
      if (address === undefined) {
        left += 1
        yield `${where} is ${object.value}, and nothing says what it was`
      } else {
        restored += 1
        yield `${where} ${dryRun ? 'would be' : 'is'} ${address} again`
      }
    }
  }
  if (restored + left === 0) return
  yield `${restored} ${dryRun ? 'can be restored' : 'restored'}, ${left} cannot; these are corrected when their source sends a changed description`
}

/** Graphs with addresses that are names of the platform, in order and page by page. */
async function* damagedGraphs(
  { store, names }: RepositoryContext,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const values = {
    predicate: predicates,
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
type Damage = { readonly quad: Quad; readonly address?: string }

/** Finds the damage of one graph and repairs it as far as the addresses are known, unless it is a dry run. */
async function repairGraph(
  context: RepositoryContext,
  graph: string,
  dryRun: boolean,
  signal: AbortSignal,
): Promise<readonly Damage[]> {
  const { names, store } = context
  const id = names.idOf('dataset', graph)
  const located =
    id === undefined ? undefined : (await datasetPlaces(context, [id], signal)).get(id)
  if (dryRun || !located) {
    const found = damageIn(fromLines((await store.read(graph, {}, signal)) ?? ''), names)
    // Outside a catalogue only the next write of the source knows the addresses.
    return located ? found : found.map((one) => ({ quad: one.quad }))
  }
  const edit = async (quads: readonly Quad[]) => {
    const found = damageIn(quads, names)
    const fresh = new Map(
      found.flatMap(({ quad: one, address }) =>
        address === undefined
          ? []
          : [[one, quad(one.subject, one.predicate, namedNode(address))] as const],
      ),
    )
    if (fresh.size === 0) return { result: found }
    return { graph: quads.map((one) => fresh.get(one) ?? one), result: found }
  }
  return (await editDataset(context, located, edit, signal)).result
}

/** Returns the damaged statements of a graph. The name of a distribution at its source is its `dct:identifier`, if that is one URL. */
function damageIn(quads: readonly Quad[], names: Names): readonly Damage[] {
  const identifiers = Map.groupBy(
    quads.filter(({ predicate }) => predicate.value === dct('identifier').value),
    ({ subject }) => subject.value,
  )
  const addressOf = (node: string): string | undefined => {
    if (names.idOf('distribution', node) === undefined) return undefined
    const said = (identifiers.get(node) ?? []).map(({ object }) => object.value)
    const [url, ...more] = said.filter((text) => isUrl.test(text))
    return more.length === 0 ? url : undefined
  }
  return quads
    .filter(({ predicate, object }) => isAddress.has(predicate.value) && isOurs(object, names))
    .map((one) => ({ quad: one, address: addressOf(one.object.value) }))
}

/** Tells whether an object is an IRI of the platform that may replace an address. */
const isOurs = ({ termType, value }: Quad['object'], names: Names): boolean =>
  termType === 'NamedNode' && names.owns(value) && !value.startsWith(names.genidPrefix)

const isUrl = /^(?:https?|ftps?):\/\/[^\s<>"{}|\\^`]+$/i
