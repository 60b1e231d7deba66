/** What an operator may have done to the indices: projected again, filled anew, compared with the store. */

import { Failure, shown } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Profile } from '../../profile/profile.ts'
import type { Names } from '../../rdf/names.ts'
import { namedNode } from '../../rdf/terms.ts'
import type { IndexName } from '../../search-index/index-settings.ts'
import type { SearchIndex } from '../../search-index/search-index.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { indexNames } from '../building/index-settings.ts'
import { catalogueMembers } from '../cascades.ts'
import type { EngineStart } from '../engine-start.ts'
import { feed } from '../feed.ts'
import { storedCatalogues, type Records } from '../indexed-records.ts'
import { readMarks } from '../marks.ts'
import type { Projector } from '../projector.ts'
import { type Asked, type Drift, reconcile } from './reconcile.ts'

type UpkeepDeps = {
  readonly store: GraphStore
  readonly index: SearchIndex
  readonly names: Names
  readonly profile: Profile
  /** Those of all indices. */
  readonly records: () => readonly Records[]
  readonly projector: Pick<Projector, 'again' | 'awaits'>
  readonly engine: Pick<EngineStart, 'anew' | 'rebuilding'>
  readonly log: Log
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/** A number is how many records; what is under way ends with the signal. */
export type IndexMaintenance = {
  /** Projects catalogues with all that is in them again; none = everything. Throws `unknown-catalogue`. */
  readonly again: (
    catalogues: readonly string[],
    progress: Progress,
    signal: AbortSignal,
  ) => Promise<number>
  /**
   * Fills indices anew beside what answers, and swaps them in; none = all. Throws `invalid-parameter` for a name that is none,
   * and `conflict` while any is being filled. The signal ends the waiting only.
   */
  readonly refill: (
    indices: readonly string[],
    progress: Progress,
    signal: AbortSignal,
  ) => Promise<number>
  /** When the oldest write was made that is not indexed yet, milliseconds since 1970. */
  readonly oldest: (signal: AbortSignal) => Promise<number | undefined>
  /** Compares store and index. Throws `conflict` while an index is being filled, or while they are compared already. */
  readonly reconcile: (asked: Asked, signal: AbortSignal) => Promise<Drift>
}

/** Milliseconds between two looks at how far the filling is. */
const lookMs = 250

export function indexMaintenance(deps: UpkeepDeps): IndexMaintenance {
  const { store, profile, index, projector, engine, log, pause } = deps
  const indices = indexNames(profile)
  const take = (resource: string) => projector.again(resource)
  let isComparing = false
  return {
    again: async (catalogues, progress, signal) => {
      const { pages, total } =
        catalogues.length === 0
          ? await everything(deps.records(), signal)
          : await cataloguesWithMembers(deps, catalogues, signal)
      return feed(pages, { take, pause, progress: (done) => progress(done, total) }, signal)
    },
    refill: async (wanted, progress, signal) => {
      const filling = await engine.anew(wanted.length === 0 ? indices : wanted.map(named(indices)))
      for (;;) {
        signal.throwIfAborted()
        const states = filling.rebuilding()
        if (states.length === 0) break
        const sum = (of: 'done' | 'of') => states.reduce((all, state) => all + state[of], 0)
        progress(filling.filled() + sum('done'), filling.filled() + sum('of'))
        await pause(lookMs, signal)
      }
      return filling.filled()
    },
    oldest: async (signal) => {
      const [mark] = await readMarks(store, 1, signal)
      // Versions are microseconds of the clock.
      return mark && mark.version / 1000
    },
    reconcile: async (asked, signal) => {
      if (engine.rebuilding()?.length !== 0)
        throw new Failure('conflict', 'an index is being filled; try again when it is whole')
      if (isComparing) throw new Failure('conflict', 'store and index are being compared already')
      isComparing = true
      try {
        const awaits = (resource: string) => projector.awaits(resource)
        const context = { take, pause, index, awaits, records: deps.records() }
        const drift = await reconcile(context, asked, signal)
        log.info({ ...drift, dryRun: asked.dryRun }, 'reconcile.finished')
        return drift
      } finally {
        isComparing = false
      }
    },
  }
}

const named =
  (indices: readonly IndexName[]) =>
  (name: string): IndexName => {
    const found = indices.find((index) => index === name)
    if (found) return found
    const detail = `there is no index ${shown(name)}; the indices are ${indices.join(', ')}`
    throw new Failure('invalid-parameter', detail)
  }

type Progress = (done: number, total?: number) => void

const sizeQuery = loadQuery('catalogue-size')

/** IRIs in pages, and how many there are. */
type Work = { readonly pages: AsyncIterable<readonly string[]>; readonly total: number }

/** Everything that any index is made of. */
async function everything(records: readonly Records[], signal: AbortSignal): Promise<Work> {
  const all: (readonly string[])[] = []
  for (const { ids, resource } of records) all.push((await ids(signal)).map(resource))
  const pages = async function* () {
    yield* all
  }
  return { pages: pages(), total: all.reduce((sum, { length }) => sum + length, 0) }
}

/** Catalogues with everything in them. Throws `unknown-catalogue`. */
async function cataloguesWithMembers(
  { store, names }: Pick<UpkeepDeps, 'store' | 'names'>,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Work> {
  const known = await storedCatalogues({ store, names }, signal)
  const missing = ids.find((id) => !known.includes(id))
  if (missing !== undefined)
    throw new Failure('unknown-catalogue', `there is no catalogue ${shown(missing)}`)
  const catalogues = [...new Set(ids)].map((id) => names.catalogue(id))
  let total = catalogues.length
  for (const catalogue of catalogues) {
    const [row] = await store.select(bind(sizeQuery, { catalogue: namedNode(catalogue) }), signal)
    total += Number(row?.['size']?.value ?? 0)
  }
  const pages = async function* () {
    for (const catalogue of catalogues) {
      yield [catalogue]
      yield* catalogueMembers(store, catalogue, signal)
    }
  }
  return { pages: pages(), total }
}
