/** Whether URLs can be reached: asked as seldom and as politely as possible, and remembered between runs. */

import { Failure } from '../../errors.ts'
import type { Outbound } from '../../client/outbound.ts'
import { Semaphore } from '../../workers/semaphore.ts'
import type { Log } from '../../log.ts'
import { allowance, type Paces } from './allowance.ts'
import { verdict, type Ground, type Keeping, type Run, type Verdict } from './asking.ts'
import { invalid } from './checking.ts'
import { joining } from '../joining.ts'
import { lanes } from './lanes.ts'
import { openVerdictFile } from './verdict-file.ts'

export type ReachRun = {
  /**
   * The verdict on a URL that was met in a catalogue: the one that is kept as long as it is fresh, else a new one;
   * the last known when there is none to be had now, nothing when there never was one. Throws the signal's reason only.
   */
  verdict(
    url: string,
    catalogue: string | undefined,
    signal: AbortSignal,
  ): Promise<Verdict | undefined>
}

export type Reach = {
  /** Checks for one run. The same id again, also after a restart, goes on where it was: what the run has asked stays asked. */
  begin(run: string, sink: Run['sink']): ReachRun
  readonly now: () => number
  /** Breaks off what is under way; to be called when the runs have been told to stop. */
  stop(): Promise<void>
}

export type ReachOptions = Keeping & {
  /** File of the verdicts. */
  readonly path: string
  readonly outbound: Outbound
  /** URLs that one run may ask at most. */
  readonly budget: number
  /** Hosts, addresses and ranges inside the institution that may be asked beside public addresses. */
  readonly allow?: readonly string[]
  /** Requests at once, over all hosts. */
  readonly atOnce: number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
}

/** Opens the file of verdicts and makes the one place from which URLs of records are asked. */
export function openReach(options: ReachOptions): Reach {
  const { path, outbound, atOnce, budget, pause, log, now, allow = [] } = options
  const file = openVerdictFile(path, now())
  // What was refused may be on the list by now; what is not is refused again without a request.
  if (allow.length > 0) file.expire(invalid, now())
  const reach = { kind: 'listed', allow } as const
  const manners = { reach, deadlines, room: new Semaphore(atOnce) }
  const ground: Ground = {
    keeping: options,
    file,
    checking: { outbound, manners, pause, log },
    flights: joining(),
    lanes: lanes(atOneHost),
    waiting: new Map(),
  }
  const paces: Paces = new Map()
  let stopped: Promise<void> | undefined
  return {
    now,
    begin: (id, sink) => {
      const begun = file.run(id, now())
      const allowed = allowance({ file, budget, paces }, begun)
      const run: Run = { id, sink, began: begun.began, budget: allowed }
      return {
        verdict: (url, catalogue = '', signal) => verdict(ground, run, { url, catalogue }, signal),
      }
    },
    stop: () => (stopped ??= stop(ground)),
  }
}

/** Checks at once at one host. */
const atOneHost = 2

/** For each attempt, to the head of its answer. */
const attemptMs = 10_000
const deadlines = { connectMs: attemptMs, firstByteMs: attemptMs, pageMs: attemptMs }

async function stop({ flights, file }: Ground): Promise<void> {
  await flights.close(new Failure('run-interrupted', 'the process is stopping'))
  file.close()
}
