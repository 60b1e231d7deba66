/**
 * Configures the search engine and fills its indices from the store, at once or as soon as the engine is available; writes do not
 * wait for it. While an index is being filled, its old documents are served; the new ones replace them when it is complete. The
 * index itself records that it is being filled: after a crash `configure` reports it, and records that it holds already are not
 * projected again. A record that cannot be projected keeps the index in filling, with its old documents, until it can.
 */

import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import type { IndexName, IndexSettings } from '../search-index/index-settings.ts'
import type { SearchIndex } from '../search-index/search-index.ts'
import { type BackgroundLoop, backgroundLoop } from '../workers/background-loop.ts'
import type { Pause } from '../workers/pause.ts'
import { projectResources } from './project-resources.ts'
import type { RecordSource } from './indexed-records.ts'
import { isEngineUnavailable, type Projector } from './projector.ts'

/** Progress of the filling of an index, in records; until it ends the old documents are served. */
export type RebuildProgress = {
  readonly index: IndexName
  readonly done: number
  readonly of: number
}

/** Indices that are being filled together. */
type Reindex = {
  readonly rebuilding: () => readonly RebuildProgress[]
  /** Records of the indices that are complete. */
  readonly filled: () => number
  readonly stop: () => Promise<void>
}

type EngineContext = { readonly index: SearchIndex; readonly log: Log; readonly pause: Pause }

/** State of an engine after it was configured: indices to fill, and the largest version that it holds. */
export type StartState = { readonly rebuild: readonly IndexName[]; readonly newestVersion: number }

/** Milliseconds between two attempts to reach the engine, and after a failure. */
const pauseMs = 1000

/** Configures the engine; `undefined` when it is unavailable. */
export async function configureEngine(
  { index, log }: Pick<EngineContext, 'index' | 'log'>,
  settings: readonly IndexSettings[],
  level: 'warn' | 'debug' = 'warn',
): Promise<StartState | undefined> {
  try {
    const { rebuild } = await index.configure(settings)
    return { rebuild, newestVersion: await index.newestVersion() }
  } catch (error) {
    if (!isEngineUnavailable(error)) throw error
    log[level]({ err: error }, 'engine.waiting')
    return undefined
  }
}

type StartContext = EngineContext & {
  /** Starts filling these indices. */
  readonly fill: (indices: readonly IndexName[]) => Reindex
  /** Called with the largest version in the engine, when it becomes available after the start. */
  readonly onReached: (newest: number) => void
}

/** Fills indices until they are complete, and again when the engine loses them, which ends the filling before. */
export class EngineStart {
  readonly #context: StartContext
  readonly #settings: readonly IndexSettings[]
  readonly #reachLoop: BackgroundLoop
  /** Resolves when earlier fillings have ended. */
  #earlierFillings: Promise<unknown> = Promise.resolve()
  #isStopped = false
  #filling: Reindex | undefined

  /** Fills the indices in `initialState`; without it, tries to reach the engine until it is available. */
  constructor(
    context: StartContext,
    settings: readonly IndexSettings[],
    initialState: StartState | undefined,
  ) {
    this.#context = context
    this.#settings = settings
    this.#filling = initialState && context.fill(initialState.rebuild)
    context.index.onDataLost?.((rebuild) => {
      if (this.#isStopped) return
      // A filling that still runs would fill the same indices.
      this.#earlierFillings = Promise.all([this.#earlierFillings, this.#filling?.stop()])
      this.#filling = context.fill(rebuild)
    })
    const reach = (signal: AbortSignal) => this.#reach(signal)
    const { log, pause } = context
    const firstMs = this.#filling ? Infinity : pauseMs
    const options = { log, pause, firstMs, longestRetryMs: pauseMs }
    this.#reachLoop = backgroundLoop('engine.failed', pauseMs, reach, options)
  }

  /** Progress of the current filling; `undefined` while the engine has not been reached. */
  rebuilding(): readonly RebuildProgress[] | undefined {
    return this.#filling?.rebuilding()
  }

  /** Records of the indices of the current filling that are complete. */
  filled(): number {
    return this.#filling?.filled() ?? 0
  }

  /**
   * Starts filling these indices. Throws `conflict` while any is being filled, and `engine-unavailable` while the engine is
   * unavailable.
   */
  async startRefill(indices: readonly IndexName[]): Promise<void> {
    const { index, fill } = this.#context
    if (!this.#filling)
      throw new Failure('engine-unavailable', 'The search engine is not ready yet.')
    if (this.#filling.rebuilding().length > 0)
      throw new Failure('conflict', 'an index is being filled already; try again when it is whole')
    const { rebuild } = await index.configure(this.#settings, indices)
    this.#filling = fill(rebuild)
  }

  /** Stops filling and reaching the engine. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#reachLoop.stop()
    await Promise.all([this.#filling?.stop(), this.#earlierFillings])
  }

  /** Configures the engine and starts filling its indices; returns the milliseconds until the next attempt. */
  async #reach(signal: AbortSignal): Promise<number> {
    const { index, log, fill, onReached } = this.#context
    if (this.#filling) return Infinity
    const state = await configureEngine({ index, log }, this.#settings, 'debug')
    if (signal.aborted || !state) return pauseMs
    log.info({ rebuild: state.rebuild }, 'engine.reached')
    onReached(state.newestVersion)
    this.#filling = fill(state.rebuild)
    return Infinity
  }
}

type ReindexContext = EngineContext & {
  /** Records of all indices. */
  readonly records: () => readonly RecordSource[]
  readonly projector: Pick<Projector, 'fill'>
  /** Largest version that the index has confirmed, 0 when there is none. */
  readonly indexed: () => Promise<number>
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** Fills indices, and replaces the documents of each when it is complete. Failures are retried. */
export function reindex(context: ReindexContext, indices: readonly IndexName[]): Reindex {
  const states = new Map(indices.map((index) => [index, { index, done: 0, of: 0 }]))
  let filled = 0
  const loops = indices.map((index) => {
    const report = (state: RebuildProgress) => states.set(index, state)
    const work = async (signal: AbortSignal) => {
      // Indices finish concurrently, so the sum is read after the wait.
      filled = (await rebuild(context, index, report, signal)) + filled
      states.delete(index)
      return Infinity
    }
    const log = context.log.child({ index })
    const options = { log, pause: context.pause, firstMs: 0, longestRetryMs: pauseMs }
    return backgroundLoop('reindex.failed', pauseMs, work, options)
  })
  return {
    rebuilding: () => [...states.values()],
    filled: () => filled,
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}

/** Records whose presence in the index is checked at a time. */
const perPage = 500

/** Fills one index; resolves with the number of its records that it held already or that were projected. */
async function rebuild(
  { index: engine, records, projector, indexed, log, pause, now }: ReindexContext,
  index: IndexName,
  report: (state: RebuildProgress) => void,
  signal: AbortSignal,
): Promise<number> {
  const startMs = now()
  const source = records().find((entry) => entry.index === index)
  const ids = (await source?.ids(signal)) ?? []
  const total = ids.length
  let [presentCount, lastLogged] = [0, 0]
  const progress = (submitted: number) => {
    const done = presentCount + submitted
    report({ index, done, of: total })
    if (done - lastLogged < total / 20 || done === 0) return
    lastLogged = done
    log.info({ index, done, of: total }, 'reindex.progress')
  }
  const missingPages = async function* () {
    for (let offset = 0; offset < total; offset += perPage) {
      const page = ids.slice(offset, offset + perPage)
      // A record with many documents is always projected.
      const missing = source?.hashes ? await engine.missingIds(index, page) : page
      presentCount += page.length - missing.length
      yield missing.map((id) => source?.resource(id) ?? id)
    }
  }
  report({ index, done: 0, of: total })
  log.info({ index, of: total }, 'reindex.started')
  const submit = (resource: string) => projector.fill(resource)
  const maxInFlight = engine.preferredBatch && 2 * engine.preferredBatch
  const filled = await projectResources(
    missingPages(),
    { submit, pause, progress, maxInFlight },
    signal,
  )
  const version = await indexed()
  // Documents written by filling have the version 0, and removed records leave no document. Without this version the index would
  // look like an older copy at the next start. No record has an empty id.
  if (version > 0) await engine.write([{ remove: { index, id: '', version } }])
  await engine.finish(index)
  const counts = { records: presentCount + filled, present: presentCount, ms: now() - startMs }
  log.info({ index, ...counts }, 'reindex.finished')
  return counts.records
}
