/** What a command of the console is. */

export type Option = {
  readonly short?: string
  readonly kind: 'flag' | 'text' | 'number'
  /** What stands for its value in the usage: `ms`, `pipe`. */
  readonly value?: string
  readonly means: string
  /** Bounds of a number, both included. */
  readonly least?: number
  readonly most?: number
}

/** What was asked for, checked against the command: as many words as it takes, its own options only. */
export type CommandArguments = {
  readonly words: readonly string[]
  readonly flag: (option: string) => boolean
  readonly text: (option: string) => string | undefined
  readonly number: (option: string) => number | undefined
}

export type Io = {
  /** One or more lines; resolves when the reader has room for more. */
  readonly say: (text: string) => Promise<void>
  /** A line that may be left out when the reader is slow. */
  readonly tell: (line: string) => void
}

export type Command = {
  readonly name: string
  readonly aliases?: readonly string[]
  /** What follows the name, options left out: `<catalogue> <pipe>`. */
  readonly words?: string
  /** How many words it takes; none by default. */
  readonly least?: number
  readonly most?: number
  readonly does: string
  readonly options?: Readonly<Record<string, Option>>
  /** Goes on after its reader has left; its signal is the end of the console. */
  readonly lasts?: boolean
  /** What may stand in the place after these words. */
  readonly complete?: (words: readonly string[]) => readonly string[]
  /** Throws `Failure` for everything that the reader may be told. */
  readonly run: (wish: CommandArguments, io: Io, signal: AbortSignal) => Promise<void>
}

/** The line cannot be obeyed; the message is the answer. */
export class WrongCommand extends Error {}
