/** Whether URLs can be reached: asked as seldom and as politely as possible, and remembered between runs. */

import { Failure } from '../../errors.ts'
import type { Outbound } from '../../http/outbound/outbound.ts'
import { target } from '../../http/outbound/guard/target.ts'
import { room } from '../../http/outbound/politeness/room.ts'
import type { Log } from '../../log.ts'
import type { RunSink } from '../../pipe/runs/sink.ts'
import { allowance, type Allowance } from './allowance.ts'
import { check, invalid, unreachable, type Checking, type Outcome } from './checking.ts'
import { joining, type Joining } from './joining.ts'
import { lanes, type Lanes } from './lanes.ts'
import { keyOf, openVerdictFile, type Key, type Known, type VerdictFile } from './verdict-file.ts'

/** What is known of a URL, and since when, in ms. */
export type Verdict = {
  /** HTTP status after redirects, 1100 when the host cannot be reached, 1300 when it is not a URL that may be asked. */
  readonly status: number
  readonly at: number
}

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
  begin(run: string, sink: Pick<RunSink, 'alive' | 'request'>): ReachRun
  readonly now: () => number
  /** Breaks off what is under way; to be called when the runs have been told to stop. */
  stop(): Promise<void>
}

export type ReachOptions = {
  /** File of the verdicts. */
  readonly path: string
  readonly outbound: Outbound
  /** Days that a verdict is kept, a fifth more or less. */
  readonly recheckDays: number
  /** Days that the verdict `1100` is kept. */
  readonly unreachableDays: number
  /** URLs that one run may ask at most. */
  readonly budget: number
  /** Requests at once, over all hosts. */
  readonly atOnce: number
  /** For each attempt up to the head of its answer; 10 s when absent. */
  readonly attemptMs?: number
  readonly now: () => number
  /** 0..1 */
  readonly random: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly log: Log
}

type Ground = {
  readonly options: ReachOptions
  readonly file: VerdictFile
  readonly checking: Checking
  readonly flights: Joining<void>
  readonly lanes: Lanes
}

/** Opens the file of verdicts and makes the one place from which URLs of records are asked. */
export function openReach(options: ReachOptions): Reach {
  const { path, outbound, atOnce, attemptMs = 10_000, pause, log, now } = options
  const file = openVerdictFile(path, now())
  const deadlines = { connectMs: attemptMs, firstByteMs: attemptMs, pageMs: attemptMs }
  const manners = { deadlines, room: room(atOnce) }
  const checking: Checking = { outbound, manners, pause, log }
  const ground: Ground = { options, file, checking, flights: joining(), lanes: lanes(atOneHost) }
  let stopped: Promise<void> | undefined
  return {
    now,
    begin: (id, sink) => {
      const begun = file.run(id, now())
      const run: Run = {
        id,
        sink,
        began: begun.began,
        budget: allowance(file, options.budget, begun),
      }
      return {
        verdict: (url, catalogue = '', signal) => verdict(ground, run, { url, catalogue }, signal),
      }
    },
    stop: () => (stopped ??= stop(ground)),
  }
}

async function stop({ flights, file }: Ground): Promise<void> {
  await flights.close(new Failure('run-interrupted', 'the process is stopping'))
  file.close()
}

/** Checks at once at one host. */
const atOneHost = 2

type Run = {
  readonly id: string
  readonly began: number
  readonly budget: Allowance
  readonly sink: Pick<RunSink, 'alive' | 'request'>
}

type Met = { readonly url: string; readonly catalogue: string }

async function verdict(
  ground: Ground,
  run: Run,
  met: Met,
  signal: AbortSignal,
): Promise<Verdict | undefined> {
  const { file, flights, options } = ground
  const url = askable(met.url)
  const now = options.now()
  if (!url) return { status: invalid, at: now }
  const key = keyOf(url)
  const name = key.toString('base64')
  const known = file.known(key)
  if (!flights.has(name)) {
    if (known && (known.due > now || known.tried >= run.began)) return verdictOf(known)
    if (!run.budget.take(known, met.catalogue, now)) {
      passOver(file, key, { known, catalogue: met.catalogue, now })
      return verdictOf(known)
    }
  }
  const asking: Asking = { ground, run, url, key, catalogue: met.catalogue }
  await flights.join(name, (stop) => ask(asking, stop), signal)
  return verdictOf(file.known(key))
}

/** Without user info and fragment, or nothing: such a URL is not even looked up. */
function askable(text: string): URL | undefined {
  try {
    return target(text)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

const verdictOf = (known: Known | undefined): Verdict | undefined =>
  known?.status === undefined ? undefined : { status: known.status, at: known.checked }

type Passed = {
  readonly known: Known | undefined
  readonly catalogue: string
  readonly now: number
}

/** So that the next run can foresee it. */
function passOver(file: VerdictFile, key: Key, { known, catalogue, now }: Passed): void {
  if (known?.catalogue === catalogue) return
  const fresh = { status: undefined, checked: 0, due: now, tried: 0 }
  file.keep(key, { ...fresh, ...known, catalogue })
}

type Asking = Omit<Met, 'url'> & {
  readonly ground: Ground
  readonly run: Run
  readonly url: URL
  readonly key: Key
}

async function ask(asking: Asking, signal: AbortSignal): Promise<void> {
  const { ground, run, url, key, catalogue } = asking
  let outcome: Outcome | undefined
  try {
    const work = () => check(ground.checking, url, signal)
    outcome = await ground.lanes.take(url.host, work, signal)
  } finally {
    if (outcome?.asked !== true) run.budget.giveBack()
  }
  const { status, asked, answered } = outcome
  const known = ground.file.known(key)
  ground.file.keep(
    key,
    { ...renewed(ground, known, status), catalogue },
    asked ? run.id : undefined,
  )
  run.sink.alive()
  if (asked) run.sink.request({ host: url.host, status: answered ?? 'error' })
}

function renewed(
  { options }: Ground,
  known: Known | undefined,
  status: number | undefined,
): Omit<Known, 'catalogue'> {
  const tried = options.now()
  if (status === undefined) {
    return { status: known?.status, checked: known?.checked ?? 0, due: tried, tried }
  }
  const { recheckDays, unreachableDays, random } = options
  const days = status === unreachable ? unreachableDays : recheckDays * (0.8 + 0.4 * random())
  return { status, checked: tried, due: tried + Math.round(days * dayMs), tried }
}

const dayMs = 86_400_000
