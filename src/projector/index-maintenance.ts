/** What an operator may have done to the indices: projected again, filled anew, compared with the store. */

import { Failure, shown } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Profile } from '../profile/profile.ts'
import type { Names } from '../rdf/names.ts'
import { namedNode } from '../rdf/terms.ts'
import type { IndexName } from '../search-index/index-settings.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import type { GraphStore } from '../store/graph-store.ts'
import { bind, loadQuery } from '../store/queries.ts'
import type { Pause } from '../workers/pause.ts'
import { indexNames } from './building/index-settings.ts'
import { catalogueMembers } from './cascades.ts'
import type { EngineStart } from './engine-start.ts'
import { feed } from './feed.ts'
import { type Records, storedCatalogues } from './indexed-records.ts'
import { readMarks } from './queue.ts'
import type { Projector } from './projector.ts'
import { reconcile, type ReconcileOptions } from './reconcile.ts'

type MaintenanceContext = {
  readonly store: GraphStore
  readonly index: SearchIndex
  readonly names: Names
  readonly profile: Profile
  /** Those of all indices. */
  readonly records: () => readonly Records[]
  readonly projector: Pick<Projector, 'again' | 'awaits'>
  readonly engine: Pick<EngineStart, 'anew' | 'rebuilding'>
  readonly log: Log
  readonly pause: Pause
}

type Progress = (done: number, total?: number) => void

/** Milliseconds between two looks at how far the filling is. */
const lookMs = 250

/** Each call goes on until it is done or its signal fires; numbers are records. */
export function indexMaintenance(context: MaintenanceContext) {
  const { store, profile, index, projector, engine, log, pause } = context
  const take = (resource: string) => projector.again(resource)
  const awaits = (resource: string) => projector.awaits(resource)
  let isComparing = false
  return {
    /** Projects catalogues with all that is in them again; none = everything. Throws `unknown-catalogue`. */
    again: async (catalogues: readonly string[], progress: Progress, signal: AbortSignal) => {
      const { pages, total } = await (catalogues.length === 0
        ? everything(context.records(), signal)
        : cataloguesWithMembers(context, catalogues, signal))
      return feed(pages, { take, pause, progress: (done) => progress(done, total) }, signal)
    },
    /**
     * Fills indices anew beside what answers, and swaps them in; none = all. Throws `invalid-parameter` for a name that is none,
     * and `conflict` while any is being filled. The signal ends the waiting only.
     */
    refill: async (given: readonly string[], progress: Progress, signal: AbortSignal) => {
      const filling = await engine.anew(chosenIndices(profile, given))
      const sum = (of: 'done' | 'of') =>
        filling.rebuilding().reduce((all, state) => all + state[of], filling.filled())
      while (filling.rebuilding().length > 0) {
        progress(sum('done'), sum('of'))
        await pause(lookMs, signal)
      }
      return filling.filled()
    },
    /** When the oldest write was made that is not indexed yet, milliseconds since 1970. */
    oldest: async (signal: AbortSignal) => {
      const [mark] = await readMarks(store, 1, signal)
      // Versions are microseconds of the clock.
      return mark && mark.version / 1000
    },
    /** Compares store and index. Throws `conflict` while an index is being filled, or while they are compared already. */
    reconcile: async (options: ReconcileOptions, signal: AbortSignal) => {
      if (engine.rebuilding()?.length !== 0)
        throw new Failure('conflict', 'an index is being filled; try again when it is whole')
      if (isComparing) throw new Failure('conflict', 'store and index are being compared already')
      isComparing = true
      try {
        const comparison = { take, pause, index, awaits, records: context.records() }
        const drift = await reconcile(comparison, options, signal)
        log.info({ ...drift, dryRun: options.dryRun }, 'reconcile.finished')
        return drift
      } finally {
        isComparing = false
      }
    },
  }
}

/** None given = all. Throws `invalid-parameter`. */
function chosenIndices(profile: Profile, given: readonly string[]): readonly IndexName[] {
  const all = indexNames(profile)
  const unknown = given.find((name) => !all.some((one) => one === name))
  if (unknown === undefined) return all.filter((name) => given.length === 0 || given.includes(name))
  const detail = `there is no index ${shown(unknown)}; the indices are ${all.join(', ')}`
  throw new Failure('invalid-parameter', detail)
}

/** IRIs in pages, and how many there are. */
type Work = { readonly pages: Parameters<typeof feed>[0]; readonly total: number }

/** Everything that any index is made of. */
async function everything(records: readonly Records[], signal: AbortSignal): Promise<Work> {
  const pages: (readonly string[])[] = []
  for (const { ids, resource } of records) pages.push((await ids(signal)).map(resource))
  return { pages, total: pages.reduce((sum, { length }) => sum + length, 0) }
}

const sizeQuery = loadQuery('catalogue-size')

/** Catalogues with everything in them. Throws `unknown-catalogue`. */
async function cataloguesWithMembers(
  { store, names }: Pick<MaintenanceContext, 'store' | 'names'>,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Work> {
  const present = await storedCatalogues({ store, names }, signal)
  const missing = ids.find((id) => !present.includes(id))
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
