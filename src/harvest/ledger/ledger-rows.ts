/** Rows of the ledger. They come out of SQLite as these types say; times are in milliseconds. */

import type { Validator } from '../../pipe/message.ts'

/** One record of a catalogue that a pipe has written. */
export type RecordRow = {
  readonly serial: number
  readonly originalId: string
  readonly pipe: string
  /** Empty when the record was handed over and its source has not offered it yet. */
  readonly sourceId: string
  /** Hash of what the source sent at the last write. */
  readonly hash: string | null
  readonly platformId: string | null
  /** `restored`: brought back by hand; not removed again before the source has offered it. */
  readonly state: 'owned' | 'restored'
  /** Complete runs in a row that did not offer it. */
  readonly missed: number
  /** When it was last written whole. */
  readonly written: number
  /** The run that wrote it or met it last; empty when the record was handed over. */
  readonly lastRun: string
}

export type Owner = { readonly catalogue: string; readonly pipe: string }

/** A record that the repository has acknowledged. */
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
  /** When the pipe last ended a run that was complete or met an unmodified source. */
  readonly alive: number
  /** Canonical text of the config that decided which records the source offered. */
  readonly fingerprint: string
  /** Records without a usable identifier. */
  readonly nameless: number
  /** Canonical text of the config that decided how records looked: validators hold under the same one only. */
  readonly shape: string | null
  readonly transformation: string
  readonly validators: readonly Validator[]
}

/** A file below one of the sources of pipes. */
export type PipeFile = { readonly source: string; readonly file: string }

/** A record that was removed, as it is needed to take it back. */
export type RemovedRecord = Owner & {
  readonly run: string
  readonly originalId: string
  readonly sourceId: string
  readonly platformId: string
}

/** Number of records that a run had met at the place from which it may be resumed; the rows say which ones. */
export type RunProgress = {
  readonly offered: number
  readonly nameless: number
}
