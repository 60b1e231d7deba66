/** What an operator may have done to the indices: projected again, filled anew, compared with the store. */

import { Failure, shown } from '../../errors.ts'
import type { SearchIndex } from '../../search-index/search-index.ts'
import type { IndexName } from '../../search-index/index-settings.ts'
import type { Log } from '../../log.ts'
import type { Profile } from '../../profile/fields.ts'
import type { Names } from '../../rdf/names.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import type { EngineStart } from '../engine-start.ts'
import { catalogueContexts } from '../gathering/catalogue-contexts.ts'
import { readMarks } from '../loop/marks.ts'
import { members } from '../loop/members.ts'
import type { Records } from '../loop/records.ts'
import type { Projector } from '../projector.ts'
import { indexNames } from '../settings.ts'
import { again, type Progress } from './again.ts'
import { reconcile, type Asked, type Drift } from './reconcile.ts'
import { sides } from './sides.ts'

export type UpkeepDeps = {
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
export type Upkeep = {
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

export function upkeep(deps: UpkeepDeps): Upkeep {
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
