/** Words behind the name of a command, checked against what it takes. */

import { parseArgs } from 'node:util'
import { WrongCommand, type Command, type Option, type Wish } from '../command.ts'

/** Options stand anywhere; `--` ends them. `help` when the usage is asked for. Throws `WrongCommand`. */
export function wishOf(command: Command, words: readonly string[]): Wish | 'help' {
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
