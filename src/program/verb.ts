/** Verbs of the program `cartulary`: the type of a verb, and what the program hands to it. */

import type { ProgressReporter } from './progress.ts'

/** Exit codes of the program; an end by a signal is 130 or 143. */
export const exitCodes = {
  done: 0,
  failed: 1,
  wrongUsage: 2,
  unreachable: 3,
  partlyDone: 4,
  problemsFound: 5,
} as const

/** Call of a verb: its words and options, and what the options of all verbs name. */
export type Call = {
  readonly words: readonly string[]
  readonly flag: (option: string) => boolean
  readonly text: (option: string) => string | undefined
  /** Values of an option that can be given several times. */
  readonly list: (option: string) => readonly string[]
  /** Address of a service of the platform, once the platform has answered. Rejects with `Unreachable` or `WrongUsage`. */
  readonly server: (path: string) => Promise<string>
  /** API key. Rejects with `WrongUsage`. */
  readonly key: () => Promise<string>
  readonly isJson: boolean
  readonly isQuiet: boolean
  /** Aborts at Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal
  /** Writes to standard output, and waits while it is full. */
  readonly print: (text: string) => Promise<void>
  readonly progress: ProgressReporter
}

/** Verb of the program. */
export type Verb = {
  /** Words that name it: `pipe run`. */
  readonly name: string
  /** Arguments: `<file...>`, `[id...]`. */
  readonly words?: string
  /** Arguments as the help shows them, where the verb checks them itself. */
  readonly usage?: string
  readonly summary: string
  /** Command line without the name of the program, for the help. */
  readonly example: string
  /** Options with their meanings: `--catalogue <id>`. */
  readonly options?: readonly (readonly [flags: string, meaning: string])[]
  /** Question that has to be answered with yes, or by `--yes`, before it runs. */
  readonly asks?: (words: readonly string[]) => string
  /** Runs it; resolves with the exit code, `undefined` for `done`. */
  readonly run: (call: Call) => Promise<number | void>
}

/** The data directory that `--data` or the environment names. */
export const dataDirectory = (): string => process.env['PLATFORM_DATA_DIR'] ?? 'data'
