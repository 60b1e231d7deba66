/** The report of a run, as it is told and as it is kept. */

import type { Finding, Stage } from '../message.ts'
import type { Run } from './run.ts'

/** One of the up to three items that stand for many. */
export type Example = {
  readonly id?: string
  readonly stage?: Stage
  readonly sourceUrl?: string
  readonly detail?: string
}

/** How many, and the first three. */
export type Group = { readonly count: number; readonly examples: readonly Example[] }

/** Ids that changed their state since the run before: how many, and the first ten. */
export type Difference = { readonly count: number; readonly ids: readonly string[] }

export type RunDifference = {
  readonly run: string
  readonly created: number
  readonly updated: number
  readonly removed: number
  readonly newlyFailing: Difference
  readonly newlyFixed: Difference
}

export type SlowPage = { readonly number: number; readonly millis: number; readonly bytes: number }

export type RunReport = {
  readonly run: Run
  readonly counts: Run['counts']
  /** By problem slug, most frequent first. */
  readonly problems: Readonly<Record<string, Group>>
  readonly findings: Readonly<Partial<Record<Finding['slug'], Group>>>
  /** Against the finished run of the pipe before this one; absent when there is none. */
  readonly difference?: RunDifference
  /** Slowest first, at most ten; time in ms from page to page. */
  readonly slowestPages: readonly SlowPage[]
  /** Host → status (or `error`) → number of requests. */
  readonly requests: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** What a run sums up while it goes on: plain JSON, bounded whatever the source does. */
export type Tally = Pick<RunReport, 'problems' | 'findings' | 'slowestPages' | 'requests'>
