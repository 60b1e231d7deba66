/** What operators may have done to the catalogues by the console, beside what clients may ask for. */

import { literal } from '../rdf/terms.ts'
import { markLine, systemChange } from '../store/marks.ts'
import { bind, loadQuery, paged } from '../store/queries.ts'
import type { RepositoryContext } from './context.ts'
import { catalogueSize, removeAllOf } from './deleting/catalogue-deletion.ts'
import { demandCatalogue, isPresent, linkLines, present } from './deleting/members.ts'
import { listTombstones } from './deleting/upkeep.ts'
import type { Tombstone } from './deleting/tombstones.ts'
import { datasetLock } from './writing/dataset-ids.ts'
import { originalIdsOf } from './writing/find-datasets.ts'
import { landChanges } from './writing/write-batch.ts'
import { repairAddresses } from './repair-addresses.ts'
import { memberIds } from './resources/lists.ts'

type Clearing = {
  readonly catalogue: string
  /** Searches go on finding what is gone. */
  readonly keepIndex: boolean
  /** Datasets that are gone, and how many there were. */
  readonly progress: (done: number, total?: number) => void
}

/** Tombstones that are read at once. */
const page = 500

export const maintenance = (context: RepositoryContext) => ({
  clear: (clearing: Clearing, signal: AbortSignal) => clearCatalogue(context, clearing, signal),
  repair: (catalogue: string, signal: AbortSignal) => repairCatalogue(context, catalogue, signal),
  repairAddresses: (options: { readonly dryRun: boolean }, signal: AbortSignal) =>
    repairAddresses(context, options, signal),
  /** Newest first; of one catalogue or of all. */
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
 * Deletes all datasets of a catalogue and keeps the catalogue; answers how many are gone, each of which can be restored by
 * itself. Throws `unknown-catalogue`, and whatever kept some of them when the others are gone.
 */
async function clearCatalogue(
  context: RepositoryContext,
  { catalogue, keepIndex, progress }: Clearing,
  signal: AbortSignal,
): Promise<number> {
  await demandCatalogue(context, catalogue, signal)
  const total = await catalogueSize(context, catalogue, signal)
  let gone = 0
  const done = (datasets: number) => {
    gone += datasets
    progress(gone, total)
  }
  const emptying = { catalogue, kind: 'dataset', at: context.now(), keepIndex, done } as const
  const failure = await removeAllOf(context, emptying, signal)
  if (failure !== undefined) throw failure
  return gone
}

// Repairs what direct writers and crashes of a store leave behind: links without dataset, and datasets without link.

const unlinkedQuery = loadQuery('unlinked-datasets')

/** Datasets that are asked about at once. */
const stride = 500
/** Datasets without link that are looked for; more are found the next time. */
const most = 5000

/** A sentence for every link without dataset, dataset without link and original id that is used twice. Throws `unknown-catalogue`. */
async function* repairCatalogue(
  context: RepositoryContext,
  catalogue: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  await demandCatalogue(context, catalogue, signal)
  yield* unlinked(context, catalogue, signal)
  const ids = await memberIds(context, catalogue)
  const byOrigin = new Map<string, string[]>()
  for (let at = 0; at < ids.length; at += stride) {
    signal.throwIfAborted()
    const part = ids.slice(at, at + stride)
    yield* linkedToNothing(context, { catalogue, ids: part }, signal)
    for (const [id, originalId] of await originalIdsOf(context, part, signal))
      byOrigin.set(originalId, [...(byOrigin.get(originalId) ?? []), id])
  }
  for (const [originalId, users] of byOrigin)
    if (users.length > 1)
      yield `the original id "${originalId}" is that of ${users.join(', ')}: delete all but one`
}

type Some = { readonly catalogue: string; readonly ids: readonly string[] }

async function* linkedToNothing(
  context: RepositoryContext,
  { catalogue, ids }: Some,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const datasets = ids.map((id) => ({ kind: 'dataset', id }) as const)
  const there = await present(context, datasets, signal)
  for (const one of datasets.filter((dataset) => !there.has(dataset))) {
    const { id } = one
    // One that came back in the meantime has its link rightly.
    if (await isPresent(context, one, signal)) continue
    await changeLink(context, { catalogue, id }, 'remove')
    yield `the link to ${id} is removed: there is no such dataset`
  }
}

async function* unlinked(
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
    const home = await context.lastHome(id, signal)
    if (home === undefined)
      yield `${id} ("${originalId.value}") is in no catalogue, and nobody knows in which it was`
    else if (home === catalogue) {
      const lock = datasetLock(originalId.value)
      await context.locks.run(lock, () => changeLink(context, { catalogue, id }, 'add'), signal)
      yield `${id} is linked again`
    }
  }
}

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
  await landChanges(context, { changes, marks: [mark] })
}
