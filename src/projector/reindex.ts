/** Fills indices from the store while their old documents go on answering, and swaps each when it is whole. */

import type { SearchIndex } from '../search-index/search-index.ts'
import type { IndexName } from '../search-index/index-settings.ts'
import type { Log } from '../log.ts'
import { feed } from './feed.ts'
import type { Records } from './indexed-records.ts'
import type { Projector } from './projector.ts'

/** How far the filling of an index is; until it ends the old documents answer. */
export type Rebuilding = { readonly index: IndexName; readonly done: number; readonly of: number }

export type ReindexDeps = {
  readonly index: SearchIndex
  /** Those of all indices. */
  readonly records: () => readonly Records[]
  readonly projector: Pick<Projector, 'fill'>
  /** The largest version of which the index has told that it has it, 0 when there is none. */
  readonly indexed: () => Promise<number>
  readonly log: Log
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** Epoch milliseconds. */
  readonly now: () => number
}

export type Reindex = {
  readonly rebuilding: () => readonly Rebuilding[]
  /** Records of the indices that are whole by now. */
  readonly filled: () => number
  /** Resolves when every index is whole, or when it is stopped. */
  readonly ended: Promise<void>
  readonly stop: () => Promise<void>
}

/** Milliseconds after a failure. */
const pauseMs = 1000

/**
 * That an index is being filled stands in the index: after a crash `configure` names it again, and what it holds already is
 * not projected a second time. A record that cannot be projected keeps the old documents until it can.
 */
export function reindex(deps: ReindexDeps, indices: readonly IndexName[]): Reindex {
  const stopping = new AbortController()
  const { signal } = stopping
  const state = new Map<IndexName, Rebuilding>(
    indices.map((index) => [index, { index, done: 0, of: 0 }]),
  )

  let filled = 0
  const work = async (index: IndexName) => {
    while (!signal.aborted) {
      try {
        const count = await rebuild(deps, { index, tell: (now) => state.set(index, now) }, signal)
        filled += count
        state.delete(index)
        return
      } catch (error) {
        if (signal.aborted) return
        deps.log.error({ index, err: error, retryInMs: pauseMs }, 'reindex.failed')
        await deps.pause(pauseMs, signal)
      }
    }
  }
  const ended = Promise.all(indices.map(work)).then(() => undefined)

  return {
    rebuilding: () => [...state.values()],
    filled: () => filled,
    ended,
    stop: () => {
      stopping.abort()
      return ended
    },
  }
}

type Task = { readonly index: IndexName; readonly tell: (state: Rebuilding) => void }

/** Records whose presence in the index is asked for at a time. */
const perPage = 500

async function rebuild(
  { index: engine, records, projector, indexed, log, pause, now }: ReindexDeps,
  { index, tell }: Task,
  signal: AbortSignal,
): Promise<number> {
  const start = now()
  tell({ index, done: 0, of: 0 })
  const all = records().find((one) => one.index === index)
  const ids = (await all?.ids(signal)) ?? []
  const of = ids.length
  let [present, told] = [0, 0]
  const progress = (fed: number) => {
    const done = present + fed
    tell({ index, done, of })
    if (done - told < of / 20 || done === 0) return
    told = done
    log.info({ index, done, of }, 'reindex.progress')
  }
  const absent = async function* () {
    for (let at = 0; at < of; at += perPage) {
      const page = ids.slice(at, at + perPage)
      // A record that becomes many documents is always looked at.
      const missing = all?.hashes ? await engine.missing(index, page) : page
      present += page.length - missing.length
      yield missing.map((id) => all?.resource(id) ?? id)
    }
  }
  tell({ index, done: 0, of })
  log.info({ index, of }, 'reindex.started')
  const take = (resource: string) => projector.fill(resource)
  const window = engine.batch === undefined ? {} : { window: 2 * engine.batch }
  const filled = await feed(absent(), { take, pause, progress, ...window }, signal)
  const version = await indexed()
  // Documents that only fill have the version 0, and what was deleted has none: without a word on how far it is, the index
  // would look like an older copy at the next start. No record has an empty id.
  if (version > 0) await engine.write([{ remove: { index, id: '', version } }])
  await engine.finish(index)
  const counts = { records: present + filled, present, ms: now() - start }
  log.info({ index, ...counts }, 'reindex.finished')
  return counts.records
}
