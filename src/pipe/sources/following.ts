/** Sources are read when they change, when it is time, and when somebody asks. */

import type { Log } from '../../log.ts'
import { unlessAborted } from '../../aborting.ts'
import type { Found } from './known.ts'
import type { PipeSource } from './source.ts'

export type Following = {
  /** Begins to watch and poll. */
  start(): void
  /** Reads everything again and waits for it; rejects with the signal's reason. */
  reload(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

export type Rhythm = {
  readonly pollMs: number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
}

/** Between the first sign of a change and reading: editors write in several steps. */
const settleMs = 50

/** Hands on what every source holds after each reading. */
export function following(
  sources: readonly PipeSource[],
  take: (source: PipeSource, news: Found) => void,
  { pollMs, pause, log }: Rhythm,
): Following {
  const stopping = new AbortController()
  const turns = new Map<PipeSource, Promise<void>>()
  const loops: Promise<void>[] = []
  const turn = async (before: Promise<void>, source: PipeSource, fresh: boolean) => {
    await before
    if (stopping.signal.aborted) return
    try {
      take(source, await source.load(fresh, stopping.signal))
    } catch (err) {
      if (!stopping.signal.aborted) log.error({ source: source.name, err }, 'pipes.failed')
    }
  }
  // One reading of a source at a time: an older one must not overwrite a newer one.
  const load = (source: PipeSource, fresh: boolean): Promise<void> => {
    const next = turn(turns.get(source) ?? Promise.resolve(), source, fresh)
    turns.set(source, next)
    return next
  }
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
  return {
    start: () => {
      loops.push(...sources.map(follow))
    },
    reload: async (signal) => {
      signal.throwIfAborted()
      await unlessAborted(Promise.all(sources.map((source) => load(source, true))), signal)
    },
    stop: async () => {
      stopping.abort(new Error('the process stops'))
      await Promise.all([...loops, ...turns.values()])
    },
  }
}
