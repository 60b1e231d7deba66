/**
 * Keeps tombstones true while the platform runs: what the store holds is not deleted, what was left in doubt or undone is taken
 * on, and what is past its window is removed.
 */

import type { Log } from '../../log.ts'
import type { Names } from '../../rdf/names.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { memberIri } from './members.ts'
import type { Doubt, TombstonePage, Tombstone, Tombstones } from './tombstones.ts'

const presentQuery = loadQuery('present-resources')

/** Resources asked about in one query. */
const most = 500

type PresenceDeps = { readonly store: Pick<GraphStore, 'select'>; readonly names: Names }
type ResourceName = Pick<Tombstone, 'kind' | 'id'>

const iriOf = (names: Names, { kind, id }: ResourceName): string =>
  kind === 'catalogue' ? names.catalogue(id) : memberIri(names, { kind, id })

/** Those of some resources that the store holds. */
export async function present<T extends ResourceName>(
  { store, names }: PresenceDeps,
  resources: readonly T[],
  signal: AbortSignal,
): Promise<ReadonlySet<T>> {
  const found = new Set<string>()
  for (let start = 0; start < resources.length; start += most) {
    const resource = resources.slice(start, start + most).map((one) => namedNode(iriOf(names, one)))
    const rows = await store.select(bind(presentQuery, { resource }), signal)
    for (const row of rows) if (row['resource']) found.add(row['resource'].value)
  }
  return new Set(resources.filter((one) => found.has(iriOf(names, one))))
}

/** Whether the store holds a resource. */
export const isPresent = async (
  deps: PresenceDeps,
  name: ResourceName,
  signal: AbortSignal,
): Promise<boolean> => (await present(deps, [name], signal)).size > 0

type DoubtDeps = PresenceDeps & { readonly tombstones: Tombstones }

/**
 * Settles tombstones whose resource is gone and discards those whose resource is there: the process may have died, or the
 * store may have been lost sight of, between tombstone and removal.
 */
export async function resolveDoubts(deps: DoubtDeps, signal: AbortSignal): Promise<void> {
  const { tombstones } = deps
  for (;;) {
    const doubts = tombstones.doubts(most)
    if (doubts.length === 0) return
    const there = await present(deps, doubts, signal)
    const serials = (which: boolean) =>
      doubts.filter((one) => there.has(one) === which).map(({ serial }) => serial)
    tombstones.discard(serials(true))
    tombstones.settle(serials(false))
  }
}

/** A page of tombstones; one whose resource has come back by another way is discarded and left out. */
export async function listTombstones(
  deps: DoubtDeps,
  { catalogue, ...page }: TombstonePage & { readonly catalogue: string | undefined },
  signal: AbortSignal,
): Promise<readonly Tombstone[]> {
  const listed: readonly (Tombstone & Doubt)[] = deps.tombstones.list(catalogue, page)
  const there = await present(deps, listed, signal)
  deps.tombstones.discard([...there].map(({ serial }) => serial))
  return listed.filter((one) => !there.has(one)).map(withoutSerial)
}

const withoutSerial = (stone: Tombstone): Tombstone => {
  const { kind, id, originalId, catalogue, deletedAt, restorableUntil } = stone
  return { kind, id, originalId, catalogue, deletedAt, restorableUntil }
}

type UpkeepDeps = {
  readonly tombstones: Pick<Tombstones, 'purge'>
  /** What is looked after in each round; a failure is logged and tried again in the next one. */
  readonly cares: readonly ((signal: AbortSignal) => Promise<void>)[]
  readonly log: Log
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Milliseconds between two rounds, and tombstones removed before others get their turn. */
const roundMs = 10_000
const purged = 200

/** The first round has come to its end, as far as the store lets it, before this resolves. */
export async function startUpkeep(deps: UpkeepDeps): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController()
  await care(deps, stopping.signal)
  const running = work(deps, stopping.signal)
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

async function work(deps: UpkeepDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let count = 0
    for (let more = purged; more === purged && !signal.aborted; count += more) {
      more = deps.tombstones.purge(purged)
      await deps.pause(1, signal)
    }
    if (count > 0) deps.log.info({ count }, 'tombstone.purged')
    await deps.pause(roundMs, signal)
    await care(deps, signal)
  }
}

async function care({ cares, log }: UpkeepDeps, signal: AbortSignal): Promise<void> {
  for (const one of cares) {
    try {
      await one(signal)
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'deletion.undone')
    }
  }
}
