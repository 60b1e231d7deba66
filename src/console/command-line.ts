/** A command line cut into its words, and words put together again. */

import { parseArgs } from 'node:util'
import { type Command, type Option, type CommandArguments, WrongCommand } from './command.ts'

/** Characters of one line. */
export const longestLine = 10_000

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

/** A word as `wordsOf` reads it back. */
export const quotedWord = (word: string): string =>
  /^[^\s"'{\\]+$/.test(word) ? word : `"${word.replaceAll(/["\\]/g, '\\$&')}"`

type Word = { readonly text: string; readonly end: number }

const isBlank = (char: string | undefined) => char !== undefined && /\s/.test(char)

function nextWord(line: string, from: number): number {
  let at = from
  while (isBlank(line[at])) at++
  return at
}

function plainWord(line: string, from: number): Word {
  let text = ''
  let at = from
  while (at < line.length && !isBlank(line[at])) {
    const char = line[at]
    if (char === '"' || char === "'") {
      const part = quotedPart(line, at)
      text += part.text
      at = part.end
    } else {
      text += char
      at++
    }
  }
  return { text, end: at }
}

function quotedPart(line: string, from: number): Word {
  const quote = line[from]
  let text = ''
  for (let at = from + 1; at < line.length; at++) {
    const char = line[at]
    if (char === quote) return { text, end: at + 1 }
    const next = line[at + 1]
    const escapes = quote === '"' && char === '\\' && (next === '"' || next === '\\')
    text += escapes ? next : char
    if (escapes) at++
  }
  throw new WrongCommand(`the quote ${quote} at character ${from + 1} is not closed`)
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

// Words behind the name of a command, checked against what it takes.

/** Options stand anywhere; `--` ends them. `help` when the usage is asked for. Throws `WrongCommand`. */
export function parseArguments(
  command: Command,
  words: readonly string[],
): CommandArguments | 'help' {
  const { options = {}, least = 0, most = least } = command
  const { values, positionals } = parsed(command, words)
  if (values.get('help') === true) return 'help'
  if (positionals.length < least) throw wrong(command, 'something is missing')
  if (positionals.length > most) {
    const extra = positionals.slice(most).join(' ')
    throw wrong(command, most === 0 ? `${command.name} takes no words` : `too many words: ${extra}`)
  }
  const numbers = new Map<string, number>()
  for (const [name, option] of Object.entries(options)) {
    const value = values.get(name)
    if (option.kind === 'number' && typeof value === 'string')
      numbers.set(name, numberOf(command, { name, option, value }))
  }
  return {
    words: positionals,
    flag: (name) => values.get(name) === true,
    text: (name) => {
      const value = values.get(name)
      return typeof value === 'string' ? value : undefined
    },
    number: (name) => numbers.get(name),
  }
}

/** `launch <pipe> [-n number]` */
export function usageOf({ name, words, options = {} }: Command): string {
  const tail = Object.entries(options).map(([long, option]) => {
    const value = option.kind === 'flag' ? '' : ` ${option.value ?? option.kind}`
    return `[${option.short === undefined ? `--${long}` : `-${option.short}`}${value}]`
  })
  return [name, ...(words === undefined ? [] : [words]), ...tail].join(' ')
}

/** Usage, meaning and options, several lines. */
export function helpOf(command: Command): string {
  const { aliases = [], options = {}, does } = command
  const rows = Object.entries(options).map(([long, option]) => {
    const short = option.short === undefined ? '    ' : `-${option.short}, `
    const value = option.kind === 'flag' ? '' : ` ${option.value ?? option.kind}`
    return `  ${`${short}--${long}${value}`.padEnd(24)}${option.means}`
  })
  return [
    usageOf(command),
    `  ${does}`,
    ...(aliases.length > 0 ? [`  also: ${aliases.join(', ')}`] : []),
    ...rows,
    `  ${'-h, --help'.padEnd(24)}this text`,
  ].join('\n')
}

const wrong = (command: Command, why: string): WrongCommand =>
  new WrongCommand(`${why}; usage: ${usageOf(command)}`)

function parsed(command: Command, words: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries({ ...command.options, help }).map(([name, { short, kind }]) => [
      name,
      {
        type: kind === 'flag' ? ('boolean' as const) : ('string' as const),
        ...(short !== undefined && { short }),
      },
    ]),
  )
  try {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    return { values: new Map<string, unknown>(Object.entries(values)), positionals }
  } catch (error) {
    const message = error instanceof Error ? error.message : 'not understood'
    throw wrong(command, (message.split(/\.\s|\n/)[0] ?? message).replace(/\.$/, ''))
  }
}

const help: Option = { short: 'h', kind: 'flag', means: 'usage' }

function numberOf(
  command: Command,
  {
    name,
    option,
    value,
  }: { readonly name: string; readonly option: Option; readonly value: string },
): number {
  const { least = 1, most = 1_000_000 } = option
  const number = Number(value)
  if (/^\d{1,15}$/.test(value) && number >= least && number <= most) return number
  throw wrong(command, `--${name} must be a whole number ${least}..${most}, got ${value}`)
}
