/** Commands of the console: type, parsing of lines, arguments and options, usage. */

import { parseArgs } from 'node:util'

/** Option of a command as `parseArgs` of Node.js takes it, with its texts for the help. */
type Option = {
  readonly type: 'boolean' | 'string'
  readonly short?: string
  /** Placeholder of its value in the usage: `ms`, `pipe`. */
  readonly value?: string
  readonly meaning: string
  /** Bounds of a whole number, both included. */
  readonly range?: readonly [least: number, most: number]
}

/** Arguments of a command line, checked against the command. */
export type CommandArguments = {
  readonly words: readonly string[]
  readonly flag: (option: string) => boolean
  readonly text: (option: string) => string | undefined
  readonly number: (option: string) => number | undefined
}

/** Answer of a command: texts of one or more lines, produced as fast as the reader takes them. */
type CommandAnswer = string | Iterable<string> | AsyncIterable<string>

/** Progress, signal and key that a command gets from the console. */
export type CommandContext = {
  /** Sends a line about the progress: at most one in five seconds, and none while the reader is slow. */
  readonly progress: (line: string) => void
  /** Aborts when the command shall end. */
  readonly signal: AbortSignal
  /** Id of the API key of the reader. */
  readonly key: string
}

/** Command of the console. */
export type Command = {
  readonly name: string
  readonly aliases?: readonly string[]
  /** Arguments in the usage: `<catalogue> [pipe]`; brackets say how many there must and may be, `…` that there may be more. */
  readonly words?: string
  /** Description for the help: `lists the pipes`. */
  readonly summary: string
  readonly options?: Readonly<Record<string, Option>>
  /** Whether it goes on when its reader leaves; its signal aborts when the console stops. */
  readonly outlivesReader?: boolean
  /** Candidates for the argument after these. */
  readonly complete?: (words: readonly string[]) => readonly string[]
  /** Throws a `Failure` for errors that the reader may see. */
  readonly run: (
    args: CommandArguments,
    context: CommandContext,
  ) => CommandAnswer | Promise<CommandAnswer>
}

/** Error of a line that is no valid command; the message is the answer. */
export class WrongCommand extends Error {}

/** Most characters of a line. */
export const longestLine = 10_000

/** Part of a word: in double quotes, in single quotes, or bare. */
const wordPart = /"((?:\\["\\]|[^"\\]|\\(?!["\\]))*)"|'([^']*)'|([^\s"']+)/y

/**
 * Splits a line at blanks. Quotes of both kinds group; between double quotes a backslash escapes a double quote or a backslash. A
 * word that begins with `{` is a JSON object and stays unchanged. Throws `WrongCommand`.
 */
export function splitCommandLine(line: string): readonly string[] {
  if (line.length > longestLine)
    throw new WrongCommand(`the line is longer than ${longestLine} characters`)
  const words: string[] = []
  let position = nextWord(line, 0)
  while (position < line.length) {
    const word = line[position] === '{' ? jsonWord(line, position) : plainWord(line, position)
    words.push(word.text)
    position = nextWord(line, word.end)
  }
  return words
}

/** Quotes a word so that `splitCommandLine` returns it unchanged. */
export const quotedWord = (word: string): string =>
  /^[^\s"'{\\]+$/.test(word) ? word : `"${word.replaceAll(/["\\]/g, String.raw`\$&`)}"`

type Word = { readonly text: string; readonly end: number }

function nextWord(line: string, from: number): number {
  const offset = line.slice(from).search(/\S/)
  return offset < 0 ? line.length : from + offset
}

/** Reads quoted and bare parts up to the next blank. */
function plainWord(line: string, from: number): Word {
  let [text, end] = ['', from]
  while (end < line.length && !/\s/.test(line.charAt(end))) {
    wordPart.lastIndex = end
    const [part, double, single, bare] = wordPart.exec(line) ?? []
    if (part === undefined)
      throw new WrongCommand(`the quote ${line[end]} at character ${end + 1} is not closed`)
    text += double?.replaceAll(/\\(["\\])/g, '$1') ?? single ?? bare ?? ''
    end += part.length
  }
  return { text, end }
}

/** Reads up to the bracket that closes the first one; brackets in strings do not count. */
function jsonWord(line: string, from: number): Word {
  let depth = 0
  let inText = false
  for (let position = from; position < line.length; position++) {
    const char = line[position]
    if (inText && char === '\\') position++
    else if (char === '"') inText = !inText
    else if (!inText && char === '{') depth++
    else if (!inText && char === '}') depth--
    if (depth === 0) return { text: line.slice(from, position + 1), end: position + 1 }
  }
  throw new WrongCommand(`the object that begins at character ${from + 1} is not closed`)
}

// Arguments and options.

const help: Option = { short: 'h', type: 'boolean', meaning: 'this text' }

/** Parses arguments and options in any order; `--` ends the options. Returns `help` for `-h`. Throws `WrongCommand`. */
export function parseArguments(
  command: Command,
  words: readonly string[],
): CommandArguments | 'help' {
  const { options = {} } = command
  const [least, most] = argumentCounts(command.words)
  const { values, positionals } = parseOptions(command, words)
  if (values['help'] === true) return 'help'
  if (positionals.length < least) throw wrongCommand(command, 'something is missing')
  if (positionals.length > most) {
    const extra = positionals.slice(most).join(' ')
    throw wrongCommand(
      command,
      most === 0 ? `${command.name} takes no words` : `too many words: ${extra}`,
    )
  }
  const text = (name: string) => {
    const value = values[name]
    return typeof value === 'string' ? value : undefined
  }
  for (const [name, { range: [low, high] = [0, 0] }] of Object.entries(options)) {
    const value = text(name)
    if (high === 0 || value === undefined) continue
    if (!/^\d{1,15}$/.test(value) || Number(value) < low || Number(value) > high)
      throw wrongCommand(command, `--${name} must be a whole number ${low}..${high}, got ${value}`)
  }
  return {
    words: positionals,
    flag: (name) => values[name] === true,
    text,
    number: (name) => (text(name) === undefined ? undefined : Number(text(name))),
  }
}

/** Least and most arguments of a usage such as `<name> [show|launch]`. */
function argumentCounts(usage = ''): readonly [least: number, most: number] {
  const forms = usage.split(' | ').map((form) => {
    const optional = form.match(/\[[^\]]*\]/g) ?? []
    const least = form.replaceAll(/\[[^\]]*\]/g, '').match(/<[^>]*>/g)?.length ?? 0
    const further = optional.map((argument) =>
      argument.includes('…') ? 1000 : argument.includes('<') ? 2 : 1,
    )
    return { least, most: further.reduce((sum, count) => sum + count, least) }
  })
  return [Math.min(...forms.map((form) => form.least)), Math.max(...forms.map((form) => form.most))]
}

function parseOptions(command: Command, words: readonly string[]) {
  const options: Readonly<Record<string, Option>> = { ...command.options, help }
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true })
  } catch (error) {
    const message = error instanceof Error ? error.message : 'not understood'
    throw wrongCommand(command, (message.split(/\.\s|\n/)[0] ?? message).replace(/\.$/, ''))
  }
}

const wrongCommand = (command: Command, why: string): WrongCommand =>
  new WrongCommand(`${why}; usage: ${usageOf(command)}`)

const valueText = ({ type, value = 'value' }: Option) => (type === 'boolean' ? '' : ` ${value}`)

/** Usage in one line: `runs [pipe] [-n count]`. */
export function usageOf({ name, words, options = {} }: Command): string {
  const optionTexts = Object.entries(options).map(([long, option]) => {
    const { short } = option
    return `[${short === undefined ? `--${long}` : `-${short}`}${valueText(option)}]`
  })
  return [name, ...(words === undefined ? [] : [words]), ...optionTexts].join(' ')
}

/** Help of a command: usage, meaning and options, in several lines. */
export function helpOf(command: Command): string {
  const { aliases = [], options = {}, summary } = command
  const rows = Object.entries({ ...options, help }).map(([long, option]) => {
    const short = option.short === undefined ? '    ' : `-${option.short}, `
    return `  ${`${short}--${long}${valueText(option)}`.padEnd(24)}${option.meaning}`
  })
  const also = aliases.length > 0 ? [`  also: ${aliases.join(', ')}`] : []
  return [usageOf(command), `  ${summary}`, ...also, ...rows].join('\n')
}
