/** What goes between the main thread and the workers: plain text and small records, never quads. */

import type { MessagePort } from 'node:worker_threads'
import { Failure, type Complaint, type Kind } from '../../errors.ts'
import type { Change, Written } from '../graph-store.ts'
import type { Effect } from './effects.ts'
import type { RdfEngine } from './engine.ts'
import type { QueryShape } from './quads.ts'

type Counts = {
  readonly quads: number
  readonly graphs: number
  /** Statements that were deleted and still take the engine's memory. */
  readonly dead: number
}

/** Jobs of the writing worker: what each is given and what it answers. */
export type Jobs = {
  read: [job: { readonly graph: string; readonly links: boolean }, result: string | undefined]
  readAll: [
    job: { readonly graphs: readonly string[]; readonly links: boolean },
    result: ReadonlyMap<string, string>,
  ]
  write: [job: { readonly changes: readonly Change[] }, result: readonly Written[]]
  query: [job: { readonly text: string; readonly shape: QueryShape }, result: string]
  counts: [job: object, result: Counts]
  /** Every later effect goes through the port, until somebody closes it; `whole` = those of the system graph too. */
  follow: [job: { readonly port: MessagePort; readonly whole: boolean }, result: undefined]
}

export type JobName = keyof Jobs
export type WriterJob<Name extends JobName = JobName> = {
  [Each in Name]: { readonly id: number; readonly name: Each } & Jobs[Each][0]
}[Name]

/** A `Failure` as plain data: an Error loses its fields on the way. */
export type FailureMessage = {
  readonly kind: Kind
  readonly detail: string
  readonly errors: readonly Complaint[]
  readonly cause: string
}

export type WriterReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly refusal: FailureMessage }

/** The first message of a worker: it has read the durable copy and takes jobs. */
export type WriterOpened = Counts & {
  readonly ms: number
  /** Graphs that are kept but could not be loaded into the index. */
  readonly unreadable: readonly string[]
}

/** From the writing worker to its followers, which answer `size` when they have done the effects. */
export type EffectFeed = { readonly effects: readonly Effect[]; readonly size: number }

/** The last that a writing worker sends to its successor: what is nowhere on the disk. */
export type Handover = {
  readonly count: number
  /** Of public copies, which follow the successor from now on. */
  readonly ports: readonly MessagePort[]
}

/** From the writing worker beside its answers: it wants a successor; as a successor, it waits for the handover. */
export type Sign = 'crowded' | 'filled'

export type WriterSettings = {
  readonly engine: RdfEngine
  /** Where the worker is a successor: what the present one does comes from here, and its handover in the end. */
  readonly feed?: MessagePort
  readonly directory: string
  /** Quads above which a write that adds is refused. */
  readonly maxQuads: number
  /** UTF-16 units of one answer. */
  readonly maxAnswer: number
}

export const toFailureMessage = (failure: Failure): FailureMessage => ({
  kind: failure.kind,
  detail: failure.detail,
  errors: failure.errors,
  cause: failure.cause instanceof Error ? failure.cause.message : '',
})

export const fromFailureMessage = (refusal: FailureMessage): Failure =>
  new Failure(refusal.kind, refusal.detail, { errors: refusal.errors, cause: refusal.cause })

/** The `Failure` store-full that ended a worker. An error that has come from a worker is not of our class any more. */
export function fullOf(error: unknown): Failure | undefined {
  if (!(error instanceof Error && 'kind' in error && 'detail' in error)) return undefined
  return error.kind === 'store-full' ? new Failure('store-full', String(error.detail)) : undefined
}
