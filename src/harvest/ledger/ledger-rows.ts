/** Rows of the ledger, as its methods take and return them; times are in ms since 1970. */

import type { Validator } from '../../pipe/message.ts'

/** One record of a catalogue that a pipe has written or adopted. */
export type RecordRow = {
  readonly serial: number
  readonly originalId: string
  readonly pipe: string
  /** Empty if the record was adopted (`adoptUnowned`) and not offered since. */
  readonly sourceId: string
  /** Hash of the source record and of the transformers at the last write; `null` if unknown, then the record is written again. */
  readonly hash: string | null
  /** Id in the repository; `null` if it did not return one. */
  readonly platformId: string | null
  /** `restored`: restored by an operator; until the source offers it, removed only if the source declares it deleted. */
  readonly state: 'owned' | 'restored'
  /** Consecutive complete runs that did not offer it. */
  readonly missed: number
  /** Time of the last write, adoption or restoration. */
  readonly written: number
  /** Run that last wrote it or was offered it; after a restoration the run that removed it; empty after an adoption. */
  readonly lastRun: string
}

/** A pipe, and a catalogue in which it owns records. */
export type Owner = { readonly catalogue: string; readonly pipe: string }

/** A record that the repository has written, or that a pipe adopts (`run` and `sourceId` are empty then). */
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
  /** Time of the pipe's last run that was complete, or whose source was not modified. */
  readonly alive: number
  /** Hash of the importer's name and of the config keys that select records; `''` if the ledger was found to be an older copy. */
  readonly fingerprint: string
  /** Number of records without a usable identifier. */
  readonly nameless: number
  /** `outputHash` of the importer, `null` without one; `validators` are valid for the same value only. */
  readonly shape: string | null
  /** `transformersHash` of the run; `''` without transformers. */
  readonly transformation: string
  readonly validators: readonly Validator[]
}

/** Source and path of a pipe's file. */
export type PipeFile = { readonly source: string; readonly file: string }

/** A removed record with what is needed to restore it; `platformId` is empty if it is unknown, then it cannot be restored. */
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
