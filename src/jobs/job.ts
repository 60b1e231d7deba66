/** Types of jobs: work that outlives the request that submitted it, as the table of jobs stores it and as services run it. */

import type { Json } from '../text/json.ts'

/** States: `waiting` until `runAt` has come and kind and key are free; `done`, `failed` and `cancelled` are final. */
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
  /** Name of the code that runs it, such as `reindex`. */
  readonly kind: string
  /** Thing that the job works on. One job of a key runs at a time, whatever its kind. */
  readonly key: string
  /** Input of the code that runs it. */
  readonly payload: Json
  readonly state: JobState
  readonly progress?: JobProgress
  /** Earliest start. */
  readonly runAt: number
  /** Number of the opening of the table that took the job last; 0 before the first one. */
  readonly lease: number
  /** Number of times it was started, retries included. */
  readonly attempts: number
  /** Failure of its last attempt; absent unless the job has failed. */
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
  /** Reports the progress; each report replaces the one before. */
  readonly progress: (progress: JobProgress) => void
  /** Aborts when the job is cancelled, or its service or the runner stops. */
  readonly signal: AbortSignal
}

/** Code that runs the jobs of a kind. */
export type JobKind = {
  readonly kind: string
  /** Jobs of the kind that run at once. */
  readonly atOnce: number
  /** Whether an operator may cancel it; default true. */
  readonly isCancellable?: boolean
  /** Milliseconds before the next attempt, doubled after each failure; `firstMs` again after progress. Without it a failure is final. */
  readonly retry?: { readonly firstMs: number; readonly longestMs: number }
  /** Runs the job. It is called again after a crash, even when the work was complete, and must find what is left to do. */
  readonly run: (job: Job, run: JobRun) => Promise<Json | void>
}

/** Jobs that another part of the platform stores and runs, such as runs of pipes; the list of jobs includes them. */
export type JobSource = {
  readonly kind: string
  readonly get: (id: string) => Job | undefined
  /** Jobs in one state, or in all; newest first. */
  readonly list: (state: JobState | undefined, limit: number) => readonly Job[]
  /** Cancels a job. Throws `conflict` when it has ended, or another process runs it. */
  readonly cancel: (id: string) => void
}
