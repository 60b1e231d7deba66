/** Messages between the main thread and the workers of the embedded store: plain text and small records, never quads. */

import type { MessagePort } from 'node:worker_threads'
import type { StatementRule } from './statement-rule.ts'
import { Failure, type Complaint, type Kind } from '../../errors.ts'
import type { GraphChange, Written } from '../graph-store.ts'
import type { Effect } from './effects.ts'
import type { RdfEngine } from './engine.ts'
import type { QueryShape } from './quads.ts'

type Counts = {
  readonly quads: number
  readonly graphs: number
  /** Deleted statements that still use the engine's memory. */
  readonly dead: number
}

/** Calls of the writing worker by name, with parameters and result. */
export type Jobs = {
  read: [job: { readonly graph: string; readonly links: boolean }, result: string | undefined]
  readAll: [
    job: { readonly graphs: readonly string[]; readonly links: boolean },
    result: ReadonlyMap<string, string>,
  ]
  write: [job: { readonly changes: readonly GraphChange[] }, result: readonly Written[]]
  query: [job: { readonly text: string; readonly shape: QueryShape }, result: string]
  counts: [job: object, result: Counts]
  /** Sends every later effect to the port until it is closed; those of the system graph with `includesSystemGraph` only. */
  follow: [
    job: { readonly port: MessagePort; readonly includesSystemGraph: boolean },
    result: undefined,
  ]
}

/** Name of a call of the writing worker. */
export type JobName = keyof Jobs
/** Call as it is sent to the writing worker. */
export type WriterJob<Name extends JobName = JobName> = {
  [Each in Name]: { readonly id: number; readonly name: Each } & Jobs[Each][0]
}[Name]

/** `Failure` as plain data, because errors lose their fields between threads. */
export type FailureMessage = {
  readonly kind: Kind
  readonly detail: string
  readonly errors: readonly Complaint[]
  readonly cause: string
}

/** Reply to a call: its result or its failure. */
export type WriterReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly refusal: FailureMessage }

/** Report of a worker that takes calls from now on: it has loaded the file, or taken over as a replacement. */
export type WriterOpened = Counts & {
  /** Milliseconds since the start of the worker. */
  readonly ms: number
  /** Names of stored graphs that could not be loaded into the index. */
  readonly unreadable: readonly string[]
}

/** Message of the writing worker to its followers, which reply `size` when they have applied the effects. */
export type EffectFeed = { readonly effects: readonly Effect[]; readonly size: number }

/** Last message of a writing worker to its replacement: state that is not in the file. */
export type Handover = {
  /** Number of quads. */
  readonly count: number
  /** Ports of replicas, which follow the replacement from then on. */
  readonly ports: readonly MessagePort[]
}

/** Signal of a worker: `fragmented` = it should be replaced; `filled` = as a replacement it is ready for the handover. */
export type WriterSignal = 'fragmented' | 'filled'

/** Settings of a writing worker. */
export type WriterSettings = {
  readonly engine: RdfEngine
  /** Port of a replacement, which receives the effects of the present worker, and its handover at the end. */
  readonly feed?: MessagePort
  readonly directory: string
  /** Statements that are in the file and in replicas, not in the index; absent = none. */
  readonly rule?: StatementRule | undefined
  /** Quads above which writes that add are refused. */
  readonly maxQuads: number
  /** Most UTF-16 units of one answer. */
  readonly maxAnswer: number
}

/** Converts a failure for sending it to another thread. */
export const toFailureMessage = (failure: Failure): FailureMessage => ({
  kind: failure.kind,
  detail: failure.detail,
  errors: failure.errors,
  cause: failure.cause instanceof Error ? failure.cause.message : '',
})

/** Converts a received failure back. */
export const fromFailureMessage = (refusal: FailureMessage): Failure =>
  new Failure(refusal.kind, refusal.detail, { errors: refusal.errors, cause: refusal.cause })

/** `Failure` store-full that ended a worker; `undefined` for other errors. Errors of workers have lost their class. */
export function storeFullOf(error: unknown): Failure | undefined {
  if (!(error instanceof Error && 'kind' in error && 'detail' in error)) return undefined
  return error.kind === 'store-full' ? new Failure('store-full', String(error.detail)) : undefined
}
