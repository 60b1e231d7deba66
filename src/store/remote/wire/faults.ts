/** What can go wrong on a wire, for those who retry and for those who read the log; outside it is a `Failure`. */

import { Failure } from '../../../errors.ts'
import type { WireAnswer } from './messages.ts'

/** Seconds after which another try makes sense. */
const retryAfter = 2

/** How far a request had come when its connection failed. */
export type Stage = 'connecting' | 'asking' | 'answering'

/** A connection that could not be made or broke. The message is the system's. */
export class ConnectionFault extends Error {
  readonly stage: Stage
  /** True when the connection had served another request before: it may have been dead already. */
  readonly reused: boolean

  constructor(cause: unknown, stage: Stage, reused: boolean) {
    super(messageOf(cause), { cause })
    this.name = 'ConnectionFault'
    this.stage = stage
    this.reused = reused
  }
}

/** The store asks for credentials and does not take ours. The message holds what it said. */
export class CredentialsFault extends Error {
  constructor(why: string, answer: WireAnswer) {
    super(`${why} (${answer.status}): ${answer.text.slice(0, 2048)}`)
    this.name = 'CredentialsFault'
  }
}

// Where a name has several addresses, Node puts one error per address into an error without a message.
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

/** `store-unavailable`; `cause` is for the log. */
export const unavailable = (detail: string, cause?: unknown): Failure =>
  new Failure('store-unavailable', detail, { retryAfter, cause })

export const refused = (why: string, answer: WireAnswer): Failure =>
  unavailable('The store refuses the configured credentials.', new CredentialsFault(why, answer))

/** The failure that a connection fault becomes when nobody retries any more. */
export const broken = (fault: ConnectionFault): Failure =>
  unavailable(
    fault.stage === 'connecting'
      ? 'The store cannot be reached.'
      : 'The connection to the store broke off.',
    fault,
  )

export const late = (): Failure =>
  new Failure('time-limit', 'The store did not answer within its time limit.')

export const tooLong = (bytes: number): Failure =>
  new Failure('too-large', `The answer of the store is longer than ${bytes} bytes.`)
