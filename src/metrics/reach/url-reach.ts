/**
 * Whether URLs can be reached: asked as seldom and as politely as possible, and remembered between runs. A run comes to its
 * verdict by what is kept, by a check that is under way, or by a new one as far as its budget allows.
 */

import { target } from '../../client/address-guard.ts'
import type { Outbound } from '../../client/outbound.ts'
import { Semaphore } from '../../workers/semaphore.ts'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { RunSink } from '../../pipe/runs/run.ts'
import { joining, type Joining } from '../joining.ts'
import { allowance, type Allowance, type Paces } from './check-budget.ts'
import { check, type Checking, invalid, type CheckOutcome, unreachable } from './url-check.ts'
import { lanes, type Lanes } from './host-turns.ts'
import {
  type UrlKey,
  urlKeyOf,
  type Known,
  openVerdictFile,
  type VerdictFile,
} from './verdict-file.ts'

export type ReachRun = {
  /**
   * The verdict on a URL that was met in a catalogue: the one that is kept as long as it is fresh, else a new one;
   * the last known when there is none to be had now, nothing when there never was one. Throws the signal's reason only.
   */
  verdict(
    url: string,
    catalogue: string | undefined,
    signal: AbortSignal,
  ): Promise<UrlVerdict | undefined>
}

export type UrlReach = {
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
export function openReach(options: ReachOptions): UrlReach {
  const { path, outbound, atOnce, budget, pause, log, now, allow = [] } = options
  const file = openVerdictFile(path, now())
  // What was refused may be on the list by now; what is not is refused again without a request.
  if (allow.length > 0) file.expire(invalid, now())
  const reach = { kind: 'listed', allow } as const
  const requestDefaults = { reach, deadlines, room: new Semaphore(atOnce) }
  const context: ReachContext = {
    keeping: options,
    file,
    checking: { outbound, requestDefaults, pause, log },
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
        verdict: (url, catalogue = '', signal) => verdict(context, run, { url, catalogue }, signal),
      }
    },
    stop: () => (stopped ??= stop(context)),
  }
}

/** Checks at once at one host. */
const atOneHost = 2

/** For each attempt, to the head of its answer. */
const attemptMs = 10_000
const deadlines = { connectMs: attemptMs, firstByteMs: attemptMs, pageMs: attemptMs }

async function stop({ flights, file }: ReachContext): Promise<void> {
  await flights.close(new Failure('run-interrupted', 'the process is stopping'))
  file.close()
}

// How one run comes to its verdict on one URL: what is kept, what is under way, what the budget allows, a new check.

/** What is known of a URL, and since when, in ms. */
export type UrlVerdict = {
  /** HTTP status after redirects, 1100 when the host cannot be reached, 1300 when it is not a URL that may be asked. */
  readonly status: number
  readonly at: number
}

type Keeping = {
  /** Days that a verdict is kept, a fifth more or less. */
  readonly recheckDays: number
  /** Days that the verdict `1100` is kept. */
  readonly unreachableDays: number
  readonly now: () => number
  /** 0..1 */
  readonly random: () => number
}

/** What all runs share. */
type ReachContext = {
  readonly keeping: Keeping
  readonly file: VerdictFile
  readonly checking: Checking
  readonly flights: Joining<void>
  readonly lanes: Lanes
  /** Runs, and how many verdicts each is waiting for. */
  readonly waiting: Map<Run, number>
}

type Run = {
  readonly id: string
  readonly began: number
  readonly budget: Allowance
  readonly sink: Pick<RunSink, 'alive' | 'request'>
}

type Met = { readonly url: string; readonly catalogue: string }

/** The last known verdict when there is no new one; throws the signal's reason only. */
async function verdict(
  context: ReachContext,
  run: Run,
  met: Met,
  signal: AbortSignal,
): Promise<UrlVerdict | undefined> {
  const { file, flights, keeping } = context
  const url = askable(met.url)
  const now = keeping.now()
  if (!url) return { status: invalid, at: now }
  const key = urlKeyOf(url)
  const name = key.toString('base64')
  const known = file.known(key)
  if (!flights.has(name)) {
    if (known && (known.due > now || known.tried >= run.began)) return verdictOf(known)
    if (!run.budget.take(known, met.catalogue, now)) {
      passOver(file, key, { known, catalogue: met.catalogue, now })
      return verdictOf(known)
    }
  }
  const asking: Asking = { context, run, url, key, catalogue: met.catalogue }
  count(context, run, 1)
  try {
    await flights.join(name, (stop) => ask(asking, stop), signal)
  } finally {
    count(context, run, -1)
  }
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

const verdictOf = (known: Known | undefined): UrlVerdict | undefined =>
  known?.status === undefined ? undefined : { status: known.status, at: known.checked }

type Passed = {
  readonly known: Known | undefined
  readonly catalogue: string
  readonly now: number
}

/** So that the next run can foresee it. */
function passOver(file: VerdictFile, key: UrlKey, { known, catalogue, now }: Passed): void {
  if (known?.catalogue === catalogue) return
  const fresh = { status: undefined, checked: 0, due: now, tried: 0 }
  file.keep(key, { ...fresh, ...known, catalogue })
}

function count({ waiting }: ReachContext, run: Run, by: 1 | -1): void {
  const left = (waiting.get(run) ?? 0) + by
  if (left > 0) waiting.set(run, left)
  else waiting.delete(run)
}

type Asking = Omit<Met, 'url'> & {
  readonly context: ReachContext
  readonly run: Run
  readonly url: URL
  readonly key: UrlKey
}

async function ask(asking: Asking, signal: AbortSignal): Promise<void> {
  const { context, run, url, key, catalogue } = asking
  const { file, lanes, checking, keeping, waiting } = context
  let outcome: CheckOutcome | undefined
  try {
    const turn = { host: url.host, owner: run.id }
    outcome = await lanes.take(turn, () => check(checking, url, signal), signal)
  } finally {
    if (outcome?.asked !== true) run.budget.giveBack()
  }
  const { status, asked, answered } = outcome
  const known = { ...renewed(keeping, file.known(key), status), catalogue }
  file.keep(key, known, asked ? run.id : undefined)
  if (asked) run.sink.request({ host: url.host, status: answered ?? 'error' })
  // Also who waits for a check of another run, or behind one, has not stood still.
  for (const one of waiting.keys()) one.sink.alive()
}

function renewed(
  { recheckDays, unreachableDays, now, random }: Keeping,
  known: Known | undefined,
  status: number | undefined,
): Omit<Known, 'catalogue'> {
  const tried = now()
  if (status === undefined) {
    return { status: known?.status, checked: known?.checked ?? 0, due: tried, tried }
  }
  const days = status === unreachable ? unreachableDays : recheckDays * (0.8 + 0.4 * random())
  return { status, checked: tried, due: tried + Math.round(days * dayMs), tried }
}

const dayMs = 86_400_000
