/** What rows of the ledger are, and how SQLite's are read. Times are ms. */

import type { Validator } from '../../pipe/message.ts'
import type { Row } from '../../sqlite.ts'

/** One record of a catalogue that a pipe has written. */
export type RecordRow = {
  readonly serial: number
  readonly originalId: string
  readonly pipe: string
  /** Empty when the record was handed over and its source has not offered it yet. */
  readonly sourceId: string
  /** What the source sent at the last write. */
  readonly hash: string | undefined
  readonly platformId: string | undefined
  /** `restored`: brought back by hand; not removed again before the source has offered it. */
  readonly state: 'owned' | 'restored'
  /** Complete runs in a row that did not offer it. */
  readonly missed: number
  /** When it was last written whole, ms. */
  readonly written: number
}

/** A record that the repository has acknowledged. */
export type LandedRecord = Pick<
  RecordRow,
  'originalId' | 'pipe' | 'sourceId' | 'hash' | 'platformId'
> & {
  readonly catalogue: string
  readonly run: string
  readonly time: number
}

export type Owner = { readonly catalogue: string; readonly pipe: string }

/** The last complete run of a pipe. */
export type PipeState = {
  readonly catalogue: string
  readonly run: string
  /** When it ended, ms. */
  readonly time: number
  /** When the pipe last ended a run that was complete or met an unmodified source, ms. */
  readonly alive: number
  /** What decided which records the source offered. */
  readonly fingerprint: string
  /** Records without a usable identifier. */
  readonly nameless: number
  /** What decided how records looked: validators hold under the same one only. */
  readonly shape: string | undefined
  readonly transformation: string
  readonly validators: readonly Validator[]
}

/** A file below one of the sources of pipes. */
export type PipeFile = { readonly source: string; readonly file: string }

/** A record that was removed, as it is needed to take it back. */
export type Removed = Owner & {
  readonly run: string
  readonly originalId: string
  readonly sourceId: string
  readonly platformId: string
}

export const pipeRow = (row: Row): PipeState => ({
  catalogue: textOf(row['catalogue']),
  run: textOf(row['run']),
  time: numberOf(row['time']),
  alive: numberOf(row['alive']),
  fingerprint: textOf(row['fingerprint']),
  nameless: numberOf(row['nameless']),
  shape: optional(row['shape']),
  transformation: textOf(row['transformation']),
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `putPipe`
  validators: JSON.parse(textOf(row['validators']) || '[]') as readonly Validator[],
})

export const recordRow = (row: Row): RecordRow => ({
  serial: numberOf(row['serial']),
  originalId: textOf(row['original']),
  pipe: textOf(row['pipe']),
  sourceId: textOf(row['source']),
  hash: optional(row['hash']),
  platformId: optional(row['platform']),
  state: row['state'] === 'restored' ? 'restored' : 'owned',
  missed: numberOf(row['missed']),
  written: numberOf(row['written']),
})

export const removedRow = (row: Row): Removed => ({
  run: textOf(row['run']),
  catalogue: textOf(row['catalogue']),
  pipe: textOf(row['pipe']),
  originalId: textOf(row['original']),
  sourceId: textOf(row['source']),
  platformId: textOf(row['platform']),
})

export const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const optional = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined
