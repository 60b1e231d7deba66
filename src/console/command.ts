/** What a command of the console is, and how a line becomes one: words, options, usage. */

import { parseArgs } from 'node:util'

/** As `parseArgs` of Node.js takes it, with what people read of it. */
type Option = {
  readonly type: 'boolean' | 'string'
  readonly short?: string
  /** What stands for its value in the usage: `ms`, `pipe`. */
  readonly value?: string
  readonly means: string
  /** Of a whole number, both included. */
  readonly range?: readonly [least: number, most: number]
}

/** What was asked for, checked against the command: as many words as it takes, its own options only. */
export type CommandArguments = {
  readonly words: readonly string[]
  readonly flag: (option: string) => boolean
  readonly text: (option: string) => string | undefined
  readonly number: (option: string) => number | undefined
}

/** An answer: one or more lines in each text. They are asked for as fast as the reader takes them. */
type CommandAnswer = string | Iterable<string> | AsyncIterable<string>

/** What a command has of the console that runs it. */
export type CommandContext = {
  /** A line about the progress: at most one in five seconds, and none while the reader is slow. */
  readonly progress: (line: string) => void
  /** Aborts when nobody waits for the command any more. */
  readonly signal: AbortSignal
}

/** A command as the table lists it, checks its words and runs it. */
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
  readonly run: (
    given: CommandArguments,
    context: CommandContext,
  ) => CommandAnswer | Promise<CommandAnswer>
}

/** The line cannot be obeyed; the message is the answer. */
export class WrongCommand extends Error {}

/** Characters of one line. */
export const longestLine = 10_000

/** A part of a word: between double quotes, between single ones, bare. */
const wordPart = /"((?:\\["\\]|[^"\\]|\\(?!["\\]))*)"|'([^']*)'|([^\s"']+)/y

/**
 * Words are separated by blanks. Quotes of both kinds group, a backslash between double quotes takes the next quote or
 * backslash as it is. A word that begins with `{` is a JSON object and stays as it stands. Throws `WrongCommand`.
 */
export function splitCommandLine(line: string): readonly string[] {
  if (line.length > longestLine)
    throw new WrongCommand(`the line is longer than ${longestLine} characters`)
  const words: string[] = []
  let at = nextWord(line, 0)
  while (at < line.length) {
    const word = line[at] === '{' ? jsonWord(line, at) : plainWord(line, at)
    words.push(word.text)
    at = nextWord(line, word.end)
  }
  return words
}

/** A word as `splitCommandLine` reads it back. */
export const quotedWord = (word: string): string =>
  /^[^\s"'{\\]+$/.test(word) ? word : `"${word.replaceAll(/["\\]/g, String.raw`\$&`)}"`

type Word = { readonly text: string; readonly end: number }

function nextWord(line: string, from: number): number {
  const found = line.slice(from).search(/\S/)
  return found < 0 ? line.length : from + found
}

/** Quoted and bare parts up to the next blank. */
function plainWord(line: string, from: number): Word {
  let [text, end] = ['', from]
  while (end < line.length && !/\s/.test(line.charAt(end))) {
    wordPart.lastIndex = end
    const [all, double, single, bare] = wordPart.exec(line) ?? []
    if (all === undefined)
      throw new WrongCommand(`the quote ${line[end]} at character ${end + 1} is not closed`)
    text += double?.replaceAll(/\\(["\\])/g, '$1') ?? single ?? bare ?? ''
    end += all.length
  }
  return { text, end }
}

/** Up to the bracket that closes the first one; brackets inside of strings do not count. */
function jsonWord(line: string, from: number): Word {
  let depth = 0
  let inText = false
  for (let at = from; at < line.length; at++) {
    const char = line[at]
    if (inText && char === '\\') at++
    else if (char === '"') inText = !inText
    else if (!inText && char === '{') depth++
    else if (!inText && char === '}') depth--
    if (depth === 0) return { text: line.slice(from, at + 1), end: at + 1 }
  }
  throw new WrongCommand(`the object that begins at character ${from + 1} is not closed`)
}

// Words after the name of a command, checked against what it takes.

const help: Option = { short: 'h', type: 'boolean', means: 'this text' }

/** Options stand anywhere; `--` ends them. `help` when the usage is asked for. Throws `WrongCommand`. */
export function parseArguments(
  command: Command,
  words: readonly string[],
): CommandArguments | 'help' {
  const { options = {}, least = 0, most = least } = command
  const { values, positionals } = parsed(command, words)
  if (values['help'] === true) return 'help'
  if (positionals.length < least) throw wrong(command, 'something is missing')
  if (positionals.length > most) {
    const extra = positionals.slice(most).join(' ')
    throw wrong(command, most === 0 ? `${command.name} takes no words` : `too many words: ${extra}`)
  }
  const text = (name: string) => {
    const value = values[name]
    return typeof value === 'string' ? value : undefined
  }
  for (const [name, { range: [low, high] = [0, 0] }] of Object.entries(options)) {
    const value = text(name)
    if (high === 0 || value === undefined) continue
    if (!/^\d{1,15}$/.test(value) || Number(value) < low || Number(value) > high)
      throw wrong(command, `--${name} must be a whole number ${low}..${high}, got ${value}`)
  }
  return {
    words: positionals,
    flag: (name) => values[name] === true,
    text,
    number: (name) => (text(name) === undefined ? undefined : Number(text(name))),
  }
}

function parsed(command: Command, words: readonly string[]) {
  const options: Readonly<Record<string, Option>> = { ...command.options, help }
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true })
  } catch (error) {
    const message = error instanceof Error ? error.message : 'not understood'
    throw wrong(command, (message.split(/\.\s|\n/)[0] ?? message).replace(/\.$/, ''))
  }
}

const wrong = (command: Command, why: string): WrongCommand =>
  new WrongCommand(`${why}; usage: ${usageOf(command)}`)

const valueText = ({ type, value = 'value' }: Option) => (type === 'boolean' ? '' : ` ${value}`)

/** `launch <pipe> [-n number]` */
export function usageOf({ name, words, options = {} }: Command): string {
  const tail = Object.entries(options).map(([long, option]) => {
    const { short } = option
    return `[${short === undefined ? `--${long}` : `-${short}`}${valueText(option)}]`
  })
  return [name, ...(words === undefined ? [] : [words]), ...tail].join(' ')
}

/** Usage, meaning and options, several lines. */
export function helpOf(command: Command): string {
  const { aliases = [], options = {}, does } = command
  const rows = Object.entries({ ...options, help }).map(([long, option]) => {
    const short = option.short === undefined ? '    ' : `-${option.short}, `
    return `  ${`${short}--${long}${valueText(option)}`.padEnd(24)}${option.means}`
  })
  const also = aliases.length > 0 ? [`  also: ${aliases.join(', ')}`] : []
  return [usageOf(command), `  ${does}`, ...also, ...rows].join('\n')
}
