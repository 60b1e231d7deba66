/** Looks after deletions while the platform runs: what is past its window is removed, what was left in doubt or undone is taken on. */

import type { Log } from '../../../log.ts'
import type { Tombstones } from '../tombstones.ts'

export type KeeperDeps = {
  readonly tombstones: Pick<Tombstones, 'purge'>
  /** What is to be looked after, round by round; a failure is told and tried again in the next round. */
  readonly cares: readonly ((signal: AbortSignal) => Promise<void>)[]
  readonly log: Log
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Milliseconds between two rounds, and tombstones removed before others get their turn. */
const roundMs = 10_000
const purged = 200

export type Keeper = { stop(): Promise<void> }

/** The first round has come to its end, as far as the store lets it, before this resolves. */
export async function keeper(deps: KeeperDeps): Promise<Keeper> {
  const stopping = new AbortController()
  const { signal } = stopping
  await care(deps, signal)
  const running = work(deps, signal)
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

async function work(deps: KeeperDeps, signal: AbortSignal): Promise<void> {
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

async function care({ cares, log }: KeeperDeps, signal: AbortSignal): Promise<void> {
  for (const one of cares) {
    try {
      await one(signal)
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'deletion.undone')
    }
  }
}
