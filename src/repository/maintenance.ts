/** What operators may have done to the catalogues by the console, beside what clients may ask for. */

import { literal, namedNode } from '../rdf/terms.ts'
import { markLine, systemChange } from '../store/marks.ts'
import { bind, loadQuery, paged } from '../store/queries.ts'
import type { WriteContext } from './context.ts'
import { catalogueSize, removeDatasetsOf } from './deleting/catalogue-deletion.ts'
import { datasetLock, linkLines } from './deleting/members.ts'
import { isPresent, listTombstones, present } from './deleting/tombstone-upkeep.ts'
import type { Tombstone } from './deleting/tombstones.ts'
import { originalIdsOf, unknownCatalogue } from './writing/find-datasets.ts'
import { landOne } from './writing/write-batch.ts'
import { repairAddresses } from './repair-addresses.ts'

type Clearing = {
  readonly catalogue: string
  /** Searches go on finding what is gone. */
  readonly keepIndex: boolean
  /** Datasets that are gone, and how many there were. */
  readonly progress: (done: number, total?: number) => void
}

export type Maintenance = {
  /**
   * Deletes all datasets of a catalogue and keeps the catalogue; answers how many are gone, each of which can be restored by
   * itself. Throws `unknown-catalogue`, and whatever kept some of them when the others are gone.
   */
  readonly clear: (clearing: Clearing, signal: AbortSignal) => Promise<number>
  /** A sentence for every link without dataset, dataset without link and original id that is used twice. */
  readonly repair: (catalogue: string, signal: AbortSignal) => AsyncIterable<string>
  /** A sentence for every address that earlier versions renamed. */
  readonly repairAddresses: (
    options: { readonly dryRun: boolean },
    signal: AbortSignal,
  ) => AsyncIterable<string>
  /** Newest first; of one catalogue or of all. */
  readonly tombstones: (
    catalogue: string | undefined,
    signal: AbortSignal,
  ) => AsyncIterable<Tombstone>
}

export type MaintenanceDeps = RepairDeps

/** Tombstones that are read at once. */
const page = 500

export const maintenance = (deps: MaintenanceDeps): Maintenance => ({
  clear: (clearing, signal) => clearCatalogue(deps, clearing, signal),
  repair: (catalogue, signal) => repairCatalogue(deps, catalogue, signal),
  repairAddresses: (options, signal) => repairAddresses(deps, options, signal),
  tombstones: async function* tombstones(catalogue, signal) {
    for (let offset = 0; ; offset += page) {
      signal.throwIfAborted()
      const listed = deps.tombstones.list(catalogue, { offset, limit: page })
      if (listed.length === 0) return
      yield* await listTombstones(deps, { catalogue, offset, limit: page }, signal)
    }
  },
})

async function clearCatalogue(
  deps: WriteContext,
  { catalogue, keepIndex, progress }: Clearing,
  signal: AbortSignal,
): Promise<number> {
  if (!(await isPresent(deps, { kind: 'catalogue', id: catalogue }, signal)))
    throw unknownCatalogue(catalogue)
  const total = await catalogueSize(deps, catalogue, signal)
  let gone = 0
  const done = (datasets: number) => {
    gone += datasets
    progress(gone, total)
  }
  const removal = { at: deps.now(), keepIndex }
  const failure = await removeDatasetsOf(deps, { id: catalogue, removal, done }, signal)
  if (failure !== undefined) throw failure
  return gone
}

// Repairs what direct writers and crashes of a store leave behind: links without dataset, and datasets without link.

const membersQuery = loadQuery('member-ids')
const unlinkedQuery = loadQuery('unlinked-datasets')

/** Datasets that are asked about at once. */
const stride = 500
/** Datasets without link that are looked for; more are found the next time. */
const most = 5000

type RepairDeps = WriteContext & {
  /** The catalogue in which searches still find a dataset. */
  readonly lastHome: (dataset: string, signal: AbortSignal) => Promise<string | undefined>
}

/** A sentence for everything that was found. Throws `unknown-catalogue`. */
async function* repairCatalogue(
  deps: RepairDeps,
  catalogue: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (!(await isPresent(deps, { kind: 'catalogue', id: catalogue }, signal)))
    throw unknownCatalogue(catalogue)
  yield* unlinked(deps, catalogue, signal)
  const ids = await membersOf(deps, catalogue, signal)
  const byOrigin = new Map<string, string[]>()
  for (let at = 0; at < ids.length; at += stride) {
    signal.throwIfAborted()
    const part = ids.slice(at, at + stride)
    yield* linkedToNothing(deps, { catalogue, ids: part }, signal)
    for (const [id, originalId] of await originalIdsOf(deps, part, signal))
      byOrigin.set(originalId, [...(byOrigin.get(originalId) ?? []), id])
  }
  for (const [originalId, users] of byOrigin)
    if (users.length > 1)
      yield `the original id "${originalId}" is that of ${users.join(', ')}: delete all but one`
}

async function membersOf(
  { store, names }: RepairDeps,
  id: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const catalogue = namedNode(names.catalogue(id))
  const prefix = literal(names.dataset(''))
  const rows = await store.select(bind(membersQuery, { catalogue, prefix }), signal)
  const ids = rows.flatMap((row) => row['ids']?.value.split(' ').filter(Boolean) ?? [])
  return [...new Set(ids)].sort()
}

type Some = { readonly catalogue: string; readonly ids: readonly string[] }

async function* linkedToNothing(
  deps: RepairDeps,
  { catalogue, ids }: Some,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const datasets = ids.map((id) => ({ kind: 'dataset', id }) as const)
  const there = await present(deps, datasets, signal)
  for (const one of datasets.filter((dataset) => !there.has(dataset))) {
    const { id } = one
    // One that came back in the meantime has its link rightly.
    if (await isPresent(deps, one, signal)) continue
    await changeLink(deps, { catalogue, id }, 'remove')
    yield `the link to ${id} is removed: there is no such dataset`
  }
}

async function* unlinked(
  deps: RepairDeps,
  catalogue: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { store, names } = deps
  const query = bind(unlinkedQuery, { prefix: literal(names.dataset('')) })
  const rows = await store.select(paged(query, { limit: most }), signal)
  for (const { dataset, record, originalId } of rows) {
    signal.throwIfAborted()
    const id = names.idOf('dataset', dataset?.value ?? '')
    if (id === undefined || originalId === undefined || record?.value !== names.record(id)) continue
    const home = await deps.lastHome(id, signal)
    if (home === undefined)
      yield `${id} ("${originalId.value}") is in no catalogue, and nobody knows in which it was`
    else if (home === catalogue) {
      const lock = datasetLock(catalogue, originalId.value)
      await deps.locks.run(lock, () => changeLink(deps, { catalogue, id }, 'add'), signal)
      yield `${id} is linked again`
    }
  }
}

async function changeLink(
  deps: RepairDeps,
  dataset: { readonly catalogue: string; readonly id: string },
  change: 'add' | 'remove',
): Promise<void> {
  const { names, versions } = deps
  const mark = { resource: names.dataset(dataset.id), version: versions.next() }
  const lines = linkLines(names, dataset)
  const graph = names.catalogue(dataset.catalogue)
  const system = systemChange({ add: [markLine('pending', mark)] })
  const changes = [{ graph, [change]: lines }, system]
  await landOne(deps, { result: undefined, group: { changes, marks: [mark] } })
}
