/** Jobs: work that outlives the request that asked for it, as the table keeps it and as a service does it. */

import type { Json } from '../text/json.ts'

/** `waiting` until `runAt`, a free place and a free key; `done`, `failed` and `cancelled` are final. */
export const jobStates = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const

export type JobState = (typeof jobStates)[number]

/** Progress of a job; `of` is absent while the total is unknown. */
export type JobProgress = { readonly done: number; readonly of?: number; readonly note?: string }

/** Problem document (RFC 9457) of a failed job. */
type JobProblem = {
  readonly [extension: string]: unknown
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail?: string
}

/** A job. Times are milliseconds since 1970. */
export type Job = {
  readonly id: string
  /** Names the code that does it. */
  readonly kind: string
  /** Thing that the job works on. One job of a key runs at a time, whatever its kind. */
  readonly key: string
  /** Input of the code that does it. */
  readonly payload: Json
  readonly state: JobState
  readonly progress?: JobProgress
  /** Does not start earlier. */
  readonly runAt: number
  /** Number of the opening of the table that took the job last; 0 before the first one. */
  readonly lease: number
  /** Number of times it was started. */
  readonly attempts: number
  /** Why the last attempt failed. */
  readonly problem?: JobProblem
  /** Result of the work; absent where it has none. */
  readonly result?: Json
  /** Id of the API key, or the name of the service that submitted it. */
  readonly createdBy: string
  readonly createdAt: number
  readonly startedAt?: number
  readonly endedAt?: number
}

/** Connection of a running job to its runner. */
export type JobRun = {
  /** Says how far the job has come; what was said last counts. */
  readonly progress: (progress: JobProgress) => void
  /** Aborts when the job is cancelled or its service stops. */
  readonly signal: AbortSignal
}

/** The code for the jobs of a kind. */
export type JobKind = {
  readonly kind: string
  /** Jobs of the kind that run at once. */
  readonly atOnce: number
  /** An operator may end it; by default true. */
  readonly isCancellable?: boolean
  /** Milliseconds before the next attempt; doubled after each failure, begun again after progress. Without it a failure is final. */
  readonly retry?: { readonly firstMs: number; readonly longestMs: number }
  /** Does the job. It may be called again after a crash, also when it had just ended: it finds what is left to do. */
  readonly run: (job: Job, run: JobRun) => Promise<Json | void>
}

/** Work with tables of its own that the list of jobs shows too, such as runs of pipes. */
export type JobSource = {
  readonly kind: string
  readonly get: (id: string) => Job | undefined
  /** Jobs in one state, or in all; newest first. */
  readonly list: (state: JobState | undefined, limit: number) => readonly Job[]
  /** Tells a job to end. Throws `conflict` where it has ended, or another process does it. */
  readonly cancel: (id: string) => void
}
