/** Notifies an external receiver when the runs of a pipe begin to fail and when they succeed again; tells which pipes fail. */

import { Failure } from '../errors.ts'
import type { Outbound } from '../client/outbound.ts'
import type { Log } from '../log.ts'
import type { Run } from '../pipe/runs/run.ts'
import type { Runs } from '../pipe/runs/run-history.ts'

/** Receiver of notifications and dependencies. */
export type NotifierDeps = {
  /** URL of the receiver; may contain a secret and is never logged. */
  readonly url: string
  /** Internal hosts and networks that may be reached. */
  readonly allow: readonly string[]
  /** Public address of the scheduler, without trailing slash. */
  readonly scheduler: string
  readonly outbound: Pick<Outbound, 'read'>
  readonly runs: Pick<Runs, 'list' | 'resumption'>
  readonly log: Log
}

/** Notifier of a process; `ended` must be called for every run. */
export type Notifier = {
  /** Takes a run that has ended; notifies in the background. */
  readonly ended: (run: Run) => void
  /** Aborts pending notifications. */
  readonly stop: () => Promise<void>
}

/** Verdict of a run: whether its pipe works. */
type RunHealth = 'good' | 'bad'

/** Maximum number of queued messages; beyond it the one that has waited longest is dropped. */
const mostWaiting = 100
/** Number of latest runs of a pipe that are searched for a verdict, and the page size; mostly the first page suffices. */
const [mostRunsBefore, pageSize] = [50, 5]
/** Longest `Retry-After` of the receiver to wait for. */
const retryAfterMaxMs = 60_000

/** Creates the notifier. Messages are sent one by one with the usual retries. */
export function notifier(deps: NotifierDeps): Notifier {
  const { log } = deps
  const stopping = new AbortController()
  // The last verdict in this process takes precedence over the history, because a resumed run ends twice.
  const lastHealth = new Map<string, RunHealth>()
  const queue: Message[] = []
  let sending: Promise<void> | undefined
  const sendAll = async () => {
    for (let message = queue.shift(); message; message = queue.shift())
      await send(deps, message, stopping.signal)
    sending = undefined
  }
  return {
    ended: (run) => {
      const health = healthOf(deps.runs, run)
      if (!health || stopping.signal.aborted) return
      const healthBefore = lastHealth.get(run.pipe) ?? previousHealth(deps, run)
      lastHealth.set(run.pipe, health)
      if (healthBefore === health) return
      queue.push(messageOf(deps, run, health))
      if (queue.length > mostWaiting) {
        const dropped = queue.shift()
        log.warn({ run: dropped?.run.id }, 'notify.dropped')
      }
      sending ??= sendAll()
    },
    stop: async () => {
      stopping.abort(new Failure('run-cancelled', 'the process is shutting down'))
      queue.length = 0
      await sending
    },
  }
}

/**
 * Verdict of a run; `undefined` if it proves nothing about its pipe: not ended, cancelled, dry, or of some records only
 * (`only`, or a retry of the failed ones).
 */
function healthOf(runs: NotifierDeps['runs'], run: Run): RunHealth | undefined {
  const { dryRun, only, retryOf } = runs.resumption(run.id).start
  if (dryRun || only || retryOf !== undefined) return undefined
  if (run.status === 'failed' || run.status === 'timed-out') return 'bad'
  if (run.status !== 'finished') return undefined
  return run.problem ? 'bad' : 'good'
}

/** Verdict of the latest run that has one and is considered, among the last fifty; good if there is none. */
function lastVerdict(
  runs: NotifierDeps['runs'],
  pipe: string,
  isConsidered: (run: Run) => boolean = () => true,
): RunHealth {
  for (let offset = 0; offset < mostRunsBefore; offset += pageSize) {
    const runsOfPage = runs.list({ pipe, offset, limit: pageSize })
    for (const run of runsOfPage) {
      const health = isConsidered(run) ? healthOf(runs, run) : undefined
      if (health) return health
    }
    if (runsOfPage.length < pageSize) break
  }
  return 'good'
}

/** Verdict before a run; good if there was none, so that a first failure is notified. */
const previousHealth = ({ runs }: NotifierDeps, { id, pipe, endTime = '' }: Run): RunHealth =>
  lastVerdict(runs, pipe, (other) => other.id !== id && (other.endTime ?? '9') <= endTime)

/** Tracks which of the pipes fail by their latest runs: read from the history once, then updated with every run that ends. */
export function failingPipes(runs: NotifierDeps['runs'], pipes: readonly string[]) {
  const names = new Set(pipes.filter((pipe) => lastVerdict(runs, pipe) === 'bad'))
  return {
    ended: (run: Run): void => {
      const health = healthOf(runs, run)
      if (health === 'bad') names.add(run.pipe)
      else if (health === 'good') names.delete(run.pipe)
    },
    names: (): readonly string[] => [...names].toSorted(),
  }
}

/** Body of a notification. */
type Message = {
  readonly event: 'pipe.failing' | 'pipe.recovered'
  readonly pipe: string
  readonly run: Omit<Run, 'segments' | 'progress'>
  /** URL of the run. */
  readonly href: string
}

function messageOf({ scheduler }: NotifierDeps, run: Run, health: RunHealth): Message {
  const { segments: _, progress: __, ...summary } = run
  return {
    event: health === 'bad' ? 'pipe.failing' : 'pipe.recovered',
    pipe: run.pipe,
    run: summary,
    href: `${scheduler}/runs/${run.id}`,
  }
}

/** Sends a message. Never rejects. The receiver recognises duplicates by their request id. */
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
        isRepeatable: true,
        redirects: 0,
        retryAfterMaxMs,
      },
      signal,
    )
    if (status < 300) log.info(fields, 'notify.sent')
    else log.warn({ ...fields, status }, 'notify.refused')
  } catch (error) {
    // The message of a failure may contain the URL of the receiver.
    const why = error instanceof Failure ? error.kind : 'internal'
    if (!signal.aborted) log.warn({ ...fields, why }, 'notify.failed')
  }
}
