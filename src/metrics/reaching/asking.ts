/** How one run comes to its verdict on one URL: what is kept, what is under way, what the budget allows, a new check. */

import { Failure } from '../../errors.ts'
import { target } from '../../client/address-guard.ts'
import type { RunSink } from '../../pipe/runs/sink.ts'
import type { Allowance } from './allowance.ts'
import { check, invalid, unreachable, type Checking, type Outcome } from './checking.ts'
import type { Joining } from '../joining.ts'
import type { Lanes } from './lanes.ts'
import { keyOf, type Key, type Known, type VerdictFile } from './verdict-file.ts'

/** What is known of a URL, and since when, in ms. */
export type Verdict = {
  /** HTTP status after redirects, 1100 when the host cannot be reached, 1300 when it is not a URL that may be asked. */
  readonly status: number
  readonly at: number
}

export type Keeping = {
  /** Days that a verdict is kept, a fifth more or less. */
  readonly recheckDays: number
  /** Days that the verdict `1100` is kept. */
  readonly unreachableDays: number
  readonly now: () => number
  /** 0..1 */
  readonly random: () => number
}

/** What all runs share. */
export type Ground = {
  readonly keeping: Keeping
  readonly file: VerdictFile
  readonly checking: Checking
  readonly flights: Joining<void>
  readonly lanes: Lanes
  /** Runs, and how many verdicts each is waiting for. */
  readonly waiting: Map<Run, number>
}

export type Run = {
  readonly id: string
  readonly began: number
  readonly budget: Allowance
  readonly sink: Pick<RunSink, 'alive' | 'request'>
}

type Met = { readonly url: string; readonly catalogue: string }

/** The last known verdict when there is no new one; throws the signal's reason only. */
export async function verdict(
  ground: Ground,
  run: Run,
  met: Met,
  signal: AbortSignal,
): Promise<Verdict | undefined> {
  const { file, flights, keeping } = ground
  const url = askable(met.url)
  const now = keeping.now()
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
  count(ground, run, 1)
  try {
    await flights.join(name, (stop) => ask(asking, stop), signal)
  } finally {
    count(ground, run, -1)
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

function count({ waiting }: Ground, run: Run, by: 1 | -1): void {
  const left = (waiting.get(run) ?? 0) + by
  if (left > 0) waiting.set(run, left)
  else waiting.delete(run)
}

type Asking = Omit<Met, 'url'> & {
  readonly ground: Ground
  readonly run: Run
  readonly url: URL
  readonly key: Key
}

async function ask(asking: Asking, signal: AbortSignal): Promise<void> {
  const { ground, run, url, key, catalogue } = asking
  const { file, lanes, checking, keeping, waiting } = ground
  let outcome: Outcome | undefined
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
