/** Removes the datasets of a catalogue that has gone already, batch by batch, until its last link is gone. */

import type { Names } from '../../../rdf/names.ts'
import { namedNode } from '../../../rdf/terms.ts'
import type { GraphStore } from '../../../store/graph-store.ts'
import { fact, systemChange } from '../../../store/marks.ts'
import { bind, loadQuery, paged } from '../../../store/queries.ts'
import { timestamp } from '../../content/record.ts'
import { removeMembers } from '../../resources/removing.ts'
import type { CatalogueDeletion } from '../deletions.ts'
import { datasetLock } from '../../writing/locks.ts'
import { landChanges } from '../../writing/landing.ts'
import {
  originsOf,
  remainsOf,
  removeDatasets,
  type Doomed,
  type RemovingDeps,
} from '../removing.ts'
import type { Remains } from '../tombstones.ts'

const membersQuery = loadQuery('linked-datasets')
const sizeQuery = loadQuery('catalogue-size')

/** Datasets whose locks are held together, and graphs that are read at once. */
const page = 100
const slice = 10
/** Characters of contents that are kept in memory before they are removed. */
const most = 8 * 2 ** 20

export const deletionFacts = (names: Names, { id, version, at }: CatalogueDeletion): string[] => [
  fact(names.catalogue(id), 'deleting', String(version)),
  fact(names.catalogue(id), 'deletedAt', timestamp(at)),
]

/** How many datasets a catalogue still links, and how many resources of declared types are in it. */
export async function sizeOf(
  { store, names }: { readonly store: GraphStore; readonly names: Names },
  id: string,
  signal: AbortSignal,
): Promise<number> {
  const catalogue = namedNode(names.catalogue(id))
  const [row] = await store.select(bind(sizeQuery, { catalogue }), signal)
  return Number(row?.['size']?.value ?? 0)
}

/** One pass over the datasets and over the resources of declared types, then the end of the catalogue. Throws when the store is away; done again, it goes on. */
export async function emptyCatalogue(
  deps: RemovingDeps,
  deletion: CatalogueDeletion,
  gone: (datasets: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const failure = await removeLinked(deps, deletion, gone, signal)
  await removeMembers(deps, deletion, gone, signal)
  if (failure !== undefined) throw failure
  const drop = { graph: deps.names.catalogue(deletion.id), drop: true } as const
  const facts = systemChange({ remove: deletionFacts(deps.names, deletion) })
  await landChanges(deps, [drop, facts], [])
}

/** What is to go: all datasets of a catalogue, together with it (`version` of its deletion) or alone. */
export type Emptying = Pick<CatalogueDeletion, 'id' | 'at'> & {
  readonly version?: number
  /** Searches go on finding them. */
  readonly keepIndex?: boolean
}

/** One pass over the datasets that a catalogue links; answers what kept some of them, if anything did. Throws when the store is away. */
export async function removeLinked(
  deps: RemovingDeps,
  emptying: Emptying,
  gone: (datasets: number) => void,
  signal: AbortSignal,
): Promise<unknown> {
  // Links that stay where they are: to what is not a dataset of ours, and to what could not be removed this time.
  let passed = 0
  let failure: unknown
  for (;;) {
    signal.throwIfAborted()
    const linked = await links(deps, emptying.id, passed, signal)
    if (linked.length === 0) break
    const ids = linked.flatMap((iri) => deps.names.idOf('dataset', iri) ?? [])
    const outcome = await removePage(deps, emptying, ids, signal)
    failure ??= outcome.failure
    passed += linked.length - outcome.gone
    gone(outcome.gone)
  }
  return failure
}

async function links(
  { store, names }: RemovingDeps,
  id: string,
  offset: number,
  signal: AbortSignal,
): Promise<string[]> {
  const query = bind(membersQuery, { catalogue: namedNode(names.catalogue(id)) })
  const rows = await store.select(paged(query, { limit: page, offset }), signal)
  return rows.flatMap((row) => row['resource']?.value ?? [])
}

type Outcome = { readonly gone: number; readonly failure: unknown }

/** Under the locks of all of them: who writes one of these datasets at this moment comes to an end first. */
async function removePage(
  deps: RemovingDeps,
  { id: catalogue, at, version, keepIndex }: Emptying,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Outcome> {
  if (ids.length === 0) return { gone: 0, failure: undefined }
  const datasets = await originsOf(deps, ids, signal)
  const locks = datasets.flatMap(({ originalId }) =>
    originalId === undefined ? [] : [datasetLock(catalogue, originalId)],
  )
  const doomed = { catalogue, datasets, ...(version !== undefined && { deletion: version }) }
  const how = { at, ...(keepIndex && { keepIndex }) }
  return deps.locks.runAll(locks, () => removeSlices(deps, doomed, how, signal), signal)
}

async function removeSlices(
  deps: RemovingDeps,
  doomed: Doomed,
  how: Pick<Emptying, 'at' | 'keepIndex'>,
  signal: AbortSignal,
): Promise<Outcome> {
  let gone = 0
  let failure: unknown
  const remove = async (remains: readonly Remains[]) => {
    for (const one of await removeDatasets(deps, remains, how)) {
      if ('failure' in one) failure ??= one.failure
      else gone += 1
    }
  }
  let held: readonly Remains[] = []
  for (let start = 0; start < doomed.datasets.length; start += slice) {
    const datasets = doomed.datasets.slice(start, start + slice)
    held = [...held, ...(await remainsOf(deps, { ...doomed, datasets }, signal))]
    if (held.reduce((sum, { content }) => sum + content.length, 0) < most) continue
    await remove(held)
    held = []
  }
  if (held.length > 0) await remove(held)
  return { gone, failure }
}
