/** Checker of descriptions: handles one text at a time over all clients, and reads it in a worker thread. */

import { Failure } from '../../errors.ts'
import { type Fields, textOr } from '../../text/json.ts'
import { WorkerLost, WorkerPool } from '../../workers/pool.ts'
import { FairLimiter } from '../../workers/fair-limiter.ts'
import type { PageContext } from '../context.ts'
import { listAt } from '../record.ts'
import type { CheckCalls } from './check-worker.ts'
import type { CheckedText, LocatedResults } from './checked-text.ts'

/** Outcome of a check. `results` is absent where no service validates; `refusal` is why the text could not be checked. */
export type CheckedDescription = Partial<LocatedResults> & {
  readonly fault?: Extract<CheckedText, { fault: unknown }>['fault']
  readonly records?: readonly Fields[]
  /** Points of each dataset, as the validation service gives them. */
  readonly expected?: readonly Fields[]
  readonly refusal?: Failure
}

/** Most bytes of a text of an anonymous reader, and of a steward who is signed in. */
export const [longestOfStranger, longestOfSteward] = [200_000, 2_000_000]

/** Most waiting texts, and milliseconds for one call of the worker. */
const [mostWaiting, readMs] = [8, 5000]
const busy = 'other texts are being checked: try again in a moment'

/** Makes a checker. Its worker starts with the first text and ends a minute after the last one. */
export function openChecker() {
  const refusal = () => new Failure('queue-full', busy, { retryAfter: 10 })
  const limiter = new FairLimiter({ atOnce: 1, waiting: mostWaiting, refusal })
  const pool = new WorkerPool<CheckCalls>({
    entry: new URL('check-worker.ts', import.meta.url),
    name: 'check',
    workers: 1,
    callMs: readMs,
    heapMb: 96,
    idleMs: 60_000,
    isIsolated: true,
  })
  const call = async <Name extends keyof CheckCalls>(
    name: Name,
    payload: CheckCalls[Name][0],
    signal: AbortSignal,
  ): Promise<CheckCalls[Name][1]> =>
    pool.call(name, payload, { signal }).catch((error: unknown) => {
      throw error instanceof WorkerLost ? refusalOf(error) : error
    })
  const checkText = async (context: PageContext, text: string, model: string) => {
    const { ports, signal, ask } = context
    const parsed = await call('read', text, signal)
    if ('fault' in parsed) return parsed
    const { records, mediaType } = parsed
    const service = context.steward ? 'stewardValidation' : 'validation'
    if (!ports[service]) return { records }
    const init = (accept: string) => {
      const headers = { 'Content-Type': mediaType, Accept: accept }
      return { method: 'POST', body: text, signal, headers }
    }
    const path = (operation: string) => `/validation/${operation}?shapeModel=${model}`
    const answer = await ask(service, path('report'), init('application/n-triples'))
    const expected = await ask(service, path('score'), init('application/json'))
    const located = await call('place', { text, report: textOr(answer) ?? '' }, signal)
    return { records, expected: listAt(expected, 'datasets'), ...located }
  }
  return {
    /**
     * Checks a text against a shape model. Rejects with the signal's reason, and with `queue-full` when too many texts wait;
     * other failures are in the outcome.
     */
    check: (context: PageContext, text: string, model: string): Promise<CheckedDescription> => {
      const work = () => checkText(context, text, model)
      return limiter.run('all', work, context.signal).catch((error: unknown) => {
        if (!(error instanceof Failure) || error.kind === 'queue-full') throw error
        return { refusal: error }
      })
    },
  }
}

/** Failure for a call whose worker was ended. */
function refusalOf(cause: WorkerLost): Failure {
  switch (cause.reason) {
    case 'timeout':
      return new Failure('time-limit', 'reading the text takes too long', { cause })
    case 'crashed':
      return new Failure('too-complex', 'the text needs more memory than it may have', { cause })
    case 'queue-full':
    case 'closed':
      return new Failure('queue-full', busy, { retryAfter: 10 })
    default:
      return cause.reason satisfies never
  }
}
