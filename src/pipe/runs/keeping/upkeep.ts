/** What is done in the background: writing in groups, forgetting runs that are too old. */

import type { Log } from '../../../log.ts'
import type { LiveDeps, LiveRun } from '../living/live-run.ts'
import type { Followers } from '../telling/following.ts'

type Options = {
  readonly deps: LiveDeps
  readonly lives: ReadonlyMap<string, LiveRun>
  readonly watching: Followers
  readonly historyDays: number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
}

const roundMs = 250
const pruneEveryMs = 3_600_000
const itemsPerRound = 5000
const dayMs = 86_400_000

/** Runs until it is stopped; `stop` writes what is left. A round that fails is logged and tried again. */
export function upkeep(options: Options): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { lives, log } = options
  const writeAll = (): void => {
    for (const live of lives.values()) live.flush()
  }
  const forget = forgetting(options)
  const round = (): void => {
    try {
      writeAll()
      forget()
      for (const id of options.watching.watched()) {
        if (!lives.has(id)) options.watching.tell(id)
      }
    } catch (err) {
      log.error({ err }, 'runs.unwritten')
    }
  }
  const loop = async (): Promise<void> => {
    while (await rested(options, stopping.signal)) round()
  }
  const done = loop()
  return {
    async stop() {
      stopping.abort()
      await done
      writeAll()
    },
  }
}

async function rested({ pause, log }: Options, signal: AbortSignal): Promise<boolean> {
  try {
    await pause(roundMs, signal)
  } catch (err) {
    if (!signal.aborted) log.error({ err }, 'runs.pause')
    return false
  }
  return !signal.aborted
}

/** One slice per call: a run of a million items does not stop the others while it is forgotten. */
function forgetting({ deps, historyDays }: Options): () => void {
  const { file, items, rows, now } = deps
  let next = 0
  return () => {
    if (now() < next) return
    const oldest = rows.endedBefore(now() - historyDays * dayMs)
    if (oldest === undefined) {
      next = now() + pruneEveryMs
      return
    }
    file.transaction(() => {
      if (items.drop(oldest, itemsPerRound) < itemsPerRound) rows.drop(oldest)
    })
  }
}
