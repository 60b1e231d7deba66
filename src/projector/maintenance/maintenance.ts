/** What an operator may have done to the indices: projected again, filled anew, compared with the store. */

import { Failure, shown } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Profile } from '../../profile/profile.ts'
import type { Names } from '../../rdf/names.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import type { IndexName } from '../../search-index/index-settings.ts'
import type { SearchIndex } from '../../search-index/search-index.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { indexNames } from '../building/index-settings.ts'
import { members, page, type Users } from '../cascades.ts'
import type { EngineStart } from '../engine-start.ts'
import { feed, type Feed } from '../feed.ts'
import { catalogueContexts } from '../gathering/catalogue-contexts.ts'
import type { Records } from '../indexed-records.ts'
import { readMarks } from '../marks.ts'
import type { Projector } from '../projector.ts'
import { type Asked, type Drift, reconcile } from './reconcile.ts'
import { sides } from './stored-hashes.ts'

type UpkeepDeps = {
  readonly store: GraphStore
  readonly index: SearchIndex
  readonly names: Names
  readonly profile: Profile
  readonly records: Records
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
  const { store, names, profile, index, projector, engine, log, pause } = deps
  const indices = indexNames(profile)
  const take = (resource: string) => projector.again(resource)
  const common = { take, pause }
  let isComparing = false
  return {
    again: (catalogues, progress, signal) =>
      again(
        { ...deps, ...common, indices, members: members(store) },
        { catalogues, progress },
        signal,
      ),
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
        const own = sides({ store, names, profile, contexts: catalogueContexts(store, names) })
        const awaits = (resource: string) => projector.awaits(resource)
        const drift = await reconcile({ ...common, index, awaits, sides: own }, asked, signal)
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

// Projects catalogues again into the present index, with everything in them.

const handlesQuery = loadQuery('catalogue-handles')
const sizeQuery = loadQuery('catalogue-size')

type AgainDeps = {
  readonly store: GraphStore
  readonly names: Names
  readonly records: Records
  readonly members: Users
  readonly indices: readonly IndexName[]
  readonly take: Feed['take']
  readonly pause: Feed['pause']
}

type Progress = (done: number, total?: number) => void

/** No catalogues = everything that any index is made of. How many records; throws `unknown-catalogue`. */
async function again(
  deps: AgainDeps,
  { catalogues, progress }: { readonly catalogues: readonly string[]; readonly progress: Progress },
  signal: AbortSignal,
): Promise<number> {
  const [pages, total] =
    catalogues.length === 0
      ? await everything(deps, signal)
      : await membersOf(deps, catalogues, signal)
  const { take, pause } = deps
  return feed(pages, { take, pause, progress: (done) => progress(done, total) }, signal)
}

type Work = readonly [pages: AsyncIterable<readonly string[]>, total: number]

async function everything({ records, indices }: AgainDeps, signal: AbortSignal): Promise<Work> {
  const counts = await Promise.all(indices.map((index) => records.count(index, signal)))
  const pages = async function* () {
    for (const index of indices) yield* records.pages(index, signal)
  }
  return [pages(), counts.reduce((sum, count) => sum + count, 0)]
}

async function membersOf(
  { store, names, members }: AgainDeps,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Work> {
  const prefix = literal(names.catalogue(''))
  const rows = await store.select(bind(handlesQuery, { prefix }), signal)
  const known = new Set(rows.map((row) => row['resource']?.value))
  const missing = ids.find((id) => !known.has(names.catalogue(id)))
  if (missing !== undefined)
    throw new Failure('unknown-catalogue', `there is no catalogue ${shown(missing)}`)
  const catalogues = [...new Set(ids)].map((id) => names.catalogue(id))
  let total = catalogues.length
  for (const catalogue of catalogues) {
    const [row] = await store.select(bind(sizeQuery, { catalogue: namedNode(catalogue) }), signal)
    total += Number(row?.['size']?.value ?? 0)
  }
  const pages = async function* () {
    for (const resource of catalogues) {
      yield [resource]
      const mark = { resource, version: 0 }
      for (let after = ''; ;) {
        const found = await members.page(mark, after, signal)
        yield found
        if (found.length < page) break
        after = found.at(-1) ?? after
      }
    }
  }
  return [pages(), total]
}
