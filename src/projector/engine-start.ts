/** Configures the search engine and fills its indices, now or as soon as it is there: writes do not wait for it. */

import { Failure } from '../errors.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import type { IndexName, IndexSettings } from '../search-index/index-settings.ts'
import type { Log } from '../log.ts'
import { isAway } from './projector.ts'
import type { Reindex, Rebuilding } from './reindex.ts'

export type EngineStartDeps = {
  readonly index: SearchIndex
  readonly log: Log
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** Starts filling these indices. */
  readonly fill: (indices: readonly IndexName[]) => Reindex
  /** Told the largest version in the engine, when that is known late. */
  readonly found: (newest: number) => void
}

/** What an engine said when it was configured. */
export type EngineState = { readonly rebuild: readonly IndexName[]; readonly newest: number }

export type EngineStart = {
  /** `undefined` while the engine has not been reached. */
  readonly rebuilding: () => readonly Rebuilding[] | undefined
  /**
   * Begins to fill these indices anew. Throws `conflict` while any is being filled, and `engine-unavailable` while the engine is
   * away.
   */
  readonly anew: (indices: readonly IndexName[]) => Promise<Reindex>
  readonly stop: () => Promise<void>
}

/** Milliseconds between two looks for an engine. */
const pauseMs = 1000
/** Milliseconds between two looks whether replaced documents take too much memory. */
const wornMs = 120_000

async function configured(
  index: SearchIndex,
  settings: readonly IndexSettings[],
): Promise<EngineState> {
  const { rebuild } = await index.configure(settings)
  return { rebuild, newest: await index.newest() }
}

/** What the engine says, or nothing when it is away. */
export function configuredOrAway(
  { index, log }: Pick<EngineStartDeps, 'index' | 'log'>,
  settings: readonly IndexSettings[],
): Promise<EngineState | undefined> {
  return configured(index, settings).catch((error: unknown) => {
    if (!isAway(error)) throw error
    log.warn({ err: error }, 'engine.waiting')
    return undefined
  })
}

/** Fills what `first` names; without it the engine is looked for until it is there. */
export function engineStart(
  { index, log, pause, fill, found }: EngineStartDeps,
  settings: readonly IndexSettings[],
  first: EngineState | undefined,
): EngineStart {
  const stopping = new AbortController()
  const { signal } = stopping
  let filling = first && fill(first.rebuild)
  // The earlier one, if it runs still, would fill the same.
  index.onLost?.((rebuild) => {
    if (signal.aborted) return
    void filling?.stop()
    filling = fill(rebuild)
  })

  const work = async () => {
    while (!filling && !signal.aborted) {
      await pause(pauseMs, signal)
      if (signal.aborted) return
      try {
        const { rebuild, newest } = await configured(index, settings)
        log.info({ rebuild }, 'engine.reached')
        found(newest)
        filling = fill(rebuild)
      } catch (error) {
        log[isAway(error) ? 'debug' : 'error']({ err: error, retryInMs: pauseMs }, 'engine.waiting')
      }
    }
  }
  const anew = oneAtATime(async (indices) => {
    if (!filling) throw new Failure('engine-unavailable', 'The search engine is not ready yet.')
    if (filling.rebuilding().length > 0) throw underWay()
    const { rebuild } = await index.configure(settings, indices)
    filling = fill(rebuild)
    return filling
  })
  const isWhole = () => filling?.rebuilding().length === 0
  const running = Promise.all([work(), refillWorn({ index, log, pause, isWhole, anew }, signal)])

  return {
    anew,
    rebuilding: () => filling?.rebuilding(),
    stop: async () => {
      stopping.abort()
      await running
      await filling?.stop()
    },
  }
}

type Refill = Pick<EngineStartDeps, 'index' | 'log' | 'pause'> &
  Pick<EngineStart, 'anew'> & { readonly isWhole: () => boolean }

/** Fills indices anew, while they run, whose replaced documents take more memory than the others. */
async function refillWorn(
  { index, log, pause, isWhole, anew }: Refill,
  signal: AbortSignal,
): Promise<void> {
  while (index.worn && !signal.aborted) {
    await pause(wornMs, signal)
    if (signal.aborted || !isWhole()) continue
    try {
      const worn = await index.worn()
      if (worn.length === 0) continue
      log.info({ indices: worn }, 'index.worn')
      await anew(worn)
    } catch (error) {
      log.warn({ err: error }, 'index.worn-failed')
    }
  }
}

const underWay = (): Failure =>
  new Failure('conflict', 'an index is being filled already; try again when it is whole')

/** Throws `conflict` while an earlier call goes on. */
function oneAtATime(begin: EngineStart['anew']): EngineStart['anew'] {
  let isBeginning = false
  return async (indices) => {
    if (isBeginning) throw underWay()
    isBeginning = true
    try {
      return await begin(indices)
    } finally {
      isBeginning = false
    }
  }
}
