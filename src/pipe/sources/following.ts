/** Sources are read when they change, when it is time, and when somebody asks. */

import type { Log } from '../../log.ts'
import { unlessAborted } from '../../workers/abort.ts'
import type { Found } from './known.ts'
import type { PipeSource } from './source.ts'

export type Following = {
  /** Begins to watch and poll. */
  start(): void
  /** Reads everything again and waits for it; rejects with the signal's reason. */
  reload(signal: AbortSignal): Promise<void>
  /** Reads what has changed in sources that are near, and waits for it; rejects with the signal's reason. */
  look(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

export type Rhythm = {
  readonly pollMs: number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
}

/** Between the first sign of a change and reading: editors write in several steps. */
const settleMs = 50

type Take = (source: PipeSource, news: Found) => void

/** One reading of a source at a time: an older one must not overwrite a newer one. */
function readings(take: Take, log: Log, stopping: AbortSignal) {
  const turns = new Map<PipeSource, Promise<void>>()
  const turn = async (before: Promise<void>, source: PipeSource, fresh: boolean) => {
    await before
    if (stopping.aborted) return
    try {
      take(source, await source.load(fresh, stopping))
    } catch (err) {
      if (!stopping.aborted) log.error({ source: source.name, err }, 'pipes.failed')
    }
  }
  const load = (source: PipeSource, fresh: boolean): Promise<void> => {
    const next = turn(turns.get(source) ?? Promise.resolve(), source, fresh)
    turns.set(source, next)
    return next
  }
  return { load, ended: () => Promise.all(turns.values()) }
}

/** Hands on what every source holds after each reading. */
export function following(
  sources: readonly PipeSource[],
  take: Take,
  { pollMs, pause, log }: Rhythm,
): Following {
  const stopping = new AbortController()
  const loops: Promise<void>[] = []
  const { load, ended } = readings(take, log, stopping.signal)
  const follow = async (source: PipeSource): Promise<void> => {
    while (!stopping.signal.aborted) {
      const woken = new AbortController()
      // Watching begins before reading, so that nothing falls between them.
      const unwatch = source.watch(() => {
        woken.abort()
      })
      await load(source, false)
      const either = AbortSignal.any([stopping.signal, woken.signal])
      if (!either.aborted) await pause(pollMs, either).catch(() => undefined)
      unwatch()
      if (!stopping.signal.aborted) await pause(settleMs, stopping.signal).catch(() => undefined)
    }
  }
  const all = async (some: readonly PipeSource[], fresh: boolean, signal: AbortSignal) => {
    signal.throwIfAborted()
    await unlessAborted(Promise.all(some.map((source) => load(source, fresh))), signal)
  }
  const near = sources.filter(({ isNear }) => isNear)
  return {
    start: () => {
      loops.push(...sources.map(follow))
    },
    reload: (signal) => all(sources, true, signal),
    look: (signal) => all(near, false, signal),
    stop: async () => {
      stopping.abort(new Error('the process stops'))
      await Promise.all([...loops, ended()])
    },
  }
}
