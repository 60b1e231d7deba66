/** Rows of the ledger, as SQLite returns them; times are in ms since 1970. */

import type { Validator } from '../../pipe/message.ts'

/** One record of a catalogue that a pipe has written. */
export type RecordRow = {
  readonly serial: number
  readonly originalId: string
  readonly pipe: string
  /** Empty if the record was transferred and not offered since. */
  readonly sourceId: string
  /** Source hash at the last write. */
  readonly hash: string | null
  readonly platformId: string | null
  /** `restored`: restored by an operator; not removed again before the source has offered it. */
  readonly state: 'owned' | 'restored'
  /** Consecutive complete runs that did not offer it. */
  readonly missed: number
  /** Time of the last write. */
  readonly written: number
  /** Run that last wrote or met it; empty if it was transferred. */
  readonly lastRun: string
}

/** A pipe that owns records in a catalogue. */
export type Owner = { readonly catalogue: string; readonly pipe: string }

/** A record that the repository has written. */
export type WrittenRecord = Owner & {
  readonly originalId: string
  readonly sourceId: string
  readonly hash?: string
  readonly platformId?: string | null
  readonly run: string
  readonly time: number
}

/** The last complete run of a pipe. */
export type PipeState = {
  readonly catalogue: string
  readonly run: string
  /** When it ended. */
  readonly time: number
  /** Time of the pipe's last run that was complete or not modified. */
  readonly alive: number
  /** Canonical config keys that select records. */
  readonly fingerprint: string
  /** Number of records without a usable identifier. */
  readonly nameless: number
  /** Canonical config keys that affect the content of records; validators are valid for the same value only. */
  readonly shape: string | null
  /** Digest of the transformers; `''` without any. */
  readonly transformation: string
  readonly validators: readonly Validator[]
}

/** Source and path of a pipe's file. */
export type PipeFile = { readonly source: string; readonly file: string }

/** A removed record with what is needed to restore it. */
export type RemovedRecord = Owner & {
  readonly run: string
  readonly originalId: string
  readonly sourceId: string
  readonly platformId: string
}

/** Counts of a run at its last checkpoint; `lastRun` of the rows says which records it was offered. */
export type RunProgress = {
  readonly offered: number
  readonly nameless: number
}
