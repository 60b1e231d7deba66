/** Tells somebody outside when the runs of a pipe begin to go wrong, and when they go well again. */

import { Failure } from '../errors.ts'
import type { Outbound } from '../client/outbound.ts'
import type { Log } from '../log.ts'
import type { Run } from '../pipe/runs/run.ts'
import type { Runs } from '../pipe/runs/run-history.ts'

/** Whom it tells, and from where it knows. */
export type NotifierDeps = {
  /** Where the summary is sent; it may hold a secret and is in no log. */
  readonly url: string
  /** Hosts and networks inside the institution that may be reached. */
  readonly allow: readonly string[]
  /** Public address of the scheduler, without a slash at its end. */
  readonly scheduler: string
  readonly outbound: Pick<Outbound, 'read'>
  readonly runs: Pick<Runs, 'list' | 'resumption'>
  readonly log: Log
}

export type Notifier = {
  /** Takes a run that has ended; whatever comes of it, the caller does not wait. */
  readonly ended: (run: Run) => void
  /** Breaks off what is on its way. */
  readonly stop: () => Promise<void>
}

type Verdict = 'good' | 'bad'

/** Messages that wait while the receiver is slow; older ones go first when there are more. */
const mostWaiting = 100
/** Runs of a pipe that are looked at for one that says something, and how many at a time: mostly the first does. */
const [mostBefore, page] = [50, 5]
const retryAfterMaxMs = 60_000

/** Several messages are sent one after the other, each tried as often as other requests are. */
export function notifier(deps: NotifierDeps): Notifier {
  const { log } = deps
  const stopping = new AbortController()
  // What was told last counts more than the history: a run that goes on ends twice.
  const last = new Map<string, Verdict>()
  const waiting: Message[] = []
  let sending: Promise<void> | undefined
  const work = async () => {
    for (let message = waiting.shift(); message; message = waiting.shift())
      await send(deps, message, stopping.signal)
    sending = undefined
  }
  return {
    ended: (run) => {
      const verdict = verdictOf(deps.runs, run)
      if (!verdict || stopping.signal.aborted) return
      const before = last.get(run.pipe) ?? verdictBefore(deps, run)
      last.set(run.pipe, verdict)
      if (before === verdict) return
      waiting.push(messageOf(deps, run, verdict))
      if (waiting.length > mostWaiting) {
        const dropped = waiting.shift()
        log.warn({ run: dropped?.run.id }, 'notify.dropped')
      }
      sending ??= work()
    },
    stop: async () => {
      stopping.abort(new Failure('run-cancelled', 'the process is shutting down'))
      waiting.length = 0
      await sending
    },
  }
}

/** Nothing for a run that says nothing about its pipe: broken off by somebody, dry, or about some records only. */
function verdictOf(runs: NotifierDeps['runs'], run: Run): Verdict | undefined {
  const { dryRun, only, retryOf } = runs.resumption(run.id).start
  if (dryRun || only || retryOf !== undefined) return undefined
  if (run.status === 'failed' || run.status === 'timed-out') return 'bad'
  if (run.status !== 'finished') return undefined
  return run.problem ? 'bad' : 'good'
}

/** That of the last run that says something, among those that count. A pipe that never ran has never gone wrong. */
function lastVerdict(
  runs: NotifierDeps['runs'],
  pipe: string,
  counts: (run: Run) => boolean = () => true,
): Verdict {
  for (let offset = 0; offset < mostBefore; offset += page) {
    const verdict = runs.list({ pipe, offset, limit: page })
    for (const run of verdict) {
      const verdict = counts(run) ? verdictOf(runs, run) : undefined
      if (verdict) return verdict
    }
    if (verdict.length < page) break
  }
  return 'good'
}

/** Good where it never ran: the first failure is news. */
const verdictBefore = ({ runs }: NotifierDeps, { id, pipe, endTime = '' }: Run): Verdict =>
  lastVerdict(runs, pipe, (one) => one.id !== id && (one.endTime ?? '9') <= endTime)

/** Which pipes go wrong by their last runs: asked of the history once, then told by every run that ends. */
export function failingPipes(runs: NotifierDeps['runs'], pipes: readonly string[]) {
  const names = new Set(pipes.filter((pipe) => lastVerdict(runs, pipe) === 'bad'))
  return {
    ended: (run: Run): void => {
      const verdict = verdictOf(runs, run)
      if (verdict === 'bad') names.add(run.pipe)
      else if (verdict === 'good') names.delete(run.pipe)
    },
    names: (): readonly string[] => [...names].toSorted(),
  }
}

type Message = {
  readonly event: 'pipe.failing' | 'pipe.recovered'
  readonly pipe: string
  readonly run: Omit<Run, 'segments' | 'progress'>
  /** Where the run can be read. */
  readonly href: string
}

function messageOf({ scheduler }: NotifierDeps, run: Run, verdict: Verdict): Message {
  const { segments: _, progress: __, ...summary } = run
  return {
    event: verdict === 'bad' ? 'pipe.failing' : 'pipe.recovered',
    pipe: run.pipe,
    run: summary,
    href: `${scheduler}/runs/${run.id}`,
  }
}

/** Never rejects. A message that arrives twice is known by its request id. */
async function send(
  { url, allow, outbound, log }: NotifierDeps,
  message: Message,
  signal: AbortSignal,
): Promise<void> {
  const fields = { run: message.run.id, pipe: message.pipe, notice: message.event }
  try {
    const { status } = await outbound.read(
      {
        url,
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'X-Request-Id': `${message.run.id}-${message.event}`,
        },
        body: JSON.stringify(message),
        reach: { kind: 'configured', address: url, trust: 'foreign', allow },
        maxBytes: 65_536,
        repeatable: true,
        redirects: 0,
        retryAfterMaxMs,
      },
      signal,
    )
    if (status < 300) log.info(fields, 'notify.sent')
    else log.warn({ ...fields, status }, 'notify.refused')
  } catch (error) {
    // The words of a failure may name the address.
    const why = error instanceof Failure ? error.kind : 'internal'
    if (!signal.aborted) log.warn({ ...fields, why }, 'notify.failed')
  }
}
