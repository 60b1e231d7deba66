/** What is remembered of each pipe: its last complete run, and where it stood. */

import type { Validator } from '../../pipe/message.ts'
import type { Sqlite } from '../../sqlite.ts'
import { numberOf, textOf } from './record-rows.ts'

type PipeState = {
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
export type PipePlace = { readonly source: string; readonly file: string }

export type PipeStates = {
  of(pipe: string): PipeState | undefined
  put(pipe: string, state: Omit<PipeState, 'alive'>): void
  /** The source was not modified. */
  touch(pipe: string, time: number): void
  /** The catalogue is gone: an unmodified source says no longer that everything of it is there. */
  forgetSources(catalogue: string): void
  /** Where the pipe stood when it last ran. */
  placeOf(pipe: string): PipePlace | undefined
  putPlace(pipe: string, place: PipePlace): void
}

export const pipeStates = (file: Sqlite): PipeStates => ({
  of: (pipe) => {
    const row = file.first('SELECT * FROM pipe WHERE pipe = ?', pipe)
    if (!row) return undefined
    return {
      catalogue: textOf(row['catalogue']),
      run: textOf(row['run']),
      time: numberOf(row['time']),
      alive: numberOf(row['alive']),
      fingerprint: textOf(row['fingerprint']),
      nameless: numberOf(row['nameless']),
      shape: row['shape'] === null ? undefined : textOf(row['shape']),
      transformation: textOf(row['transformation']),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `put`
      validators: JSON.parse(textOf(row['validators']) || '[]') as readonly Validator[],
    }
  },
  put: (pipe, { catalogue, run, time, fingerprint, nameless, ...state }) =>
    void file.run(
      'INSERT OR REPLACE INTO pipe VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      pipe,
      catalogue,
      run,
      time,
      time,
      fingerprint,
      nameless,
      state.shape ?? null,
      state.transformation,
      JSON.stringify(state.validators),
    ),
  touch: (pipe, time) => void file.run('UPDATE pipe SET alive = ? WHERE pipe = ?', time, pipe),
  forgetSources: (catalogue) =>
    void file.run(`UPDATE pipe SET validators = '[]' WHERE catalogue = ?`, catalogue),
  placeOf: (pipe) => {
    const row = file.first('SELECT source, file FROM place WHERE pipe = ?', pipe)
    return row && { source: textOf(row['source']), file: textOf(row['file']) }
  },
  putPlace: (pipe, place) =>
    void file.run('INSERT OR REPLACE INTO place VALUES (?, ?, ?)', pipe, place.source, place.file),
})
