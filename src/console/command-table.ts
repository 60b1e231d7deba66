/** The fixed table of commands: found by name, listed, completed. */

import { nearest } from '../text/nearest.ts'
import { helpOf, parseArguments, splitCommandLine, usageOf } from './command-line.ts'
import { type Command, type CommandArguments, WrongCommand } from './command.ts'
import { indexCommands } from './commands/index-commands.ts'
import { launchCommand } from './commands/launch-command.ts'
import { pipeCommands } from './commands/pipe-commands.ts'
import { recordCommands } from './commands/record-commands.ts'
import { runCommands } from './commands/run-commands.ts'
import { metricsCommands, searchCommands, statusCommand } from './commands/service-commands.ts'
import type { Parts } from './console-parts.ts'

/** A line that may be run. */
export type ParsedCommand = { readonly command: Command; readonly wish: CommandArguments }

type Completion = {
  /** Where in the line the word begins that the candidates would replace. */
  readonly from: number
  readonly candidates: readonly string[]
}

export type Table = {
  readonly commands: readonly Command[]
  /** Throws `WrongCommand` with what would be right. */
  readonly order: (line: string) => ParsedCommand
  readonly complete: (line: string) => Completion
}

const mostCandidates = 200

/** `help` and `exit` are always there. */
export function table(given: readonly Command[]): Table {
  const commands: Command[] = [...given, exit].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const byName = new Map<string, Command>()
  const help = helpOn(commands, (name) => known(byName, name))
  commands.unshift(help)
  for (const command of commands)
    for (const name of [command.name, ...(command.aliases ?? [])]) byName.set(name, command)
  return {
    commands,
    order: (line) => {
      const [name, ...words] = splitCommandLine(line)
      if (name === undefined) throw new WrongCommand('no command; help lists all')
      const command = known(byName, name)
      const wish = parseArguments(command, words)
      return wish === 'help' ? helpFor(help, command) : { command, wish }
    },
    complete: (line) => completed(line, byName),
  }
}

const exit: Command = {
  name: 'exit',
  does: 'leaves the console',
  run: async () => undefined,
}

const helpOn = (commands: readonly Command[], find: (name: string) => Command): Command => ({
  name: 'help',
  words: '[command]',
  most: 1,
  does: 'lists the commands, or tells the usage of one',
  complete: (words) => (words.length === 0 ? commands.map(({ name }) => name) : []),
  run: async ({ words: [name] }, { say }) => {
    if (name !== undefined) return say(helpOf(find(name)))
    const widest = Math.max(...commands.map((command) => usageOf(command).length))
    for (const command of commands)
      await say(`${usageOf(command).padEnd(Math.min(widest, 44))}  ${command.does}`)
    await say('-h behind any command tells more; quotes group words')
  },
})

/** `launch -h` is `help launch`. */
const helpFor = (help: Command, command: Command): ParsedCommand => ({
  command: help,
  wish: {
    words: [command.name],
    flag: () => false,
    text: () => undefined,
    number: () => undefined,
  },
})

function known(byName: ReadonlyMap<string, Command>, name: string): Command {
  const command = byName.get(name)
  if (command) return command
  const names = [...byName.keys()].toSorted()
  const close = nearest(name, names)
  const hint = close === undefined ? '' : `; did you mean ${close}?`
  const told = name.length > 60 ? `${name.slice(0, 60)}…` : name
  throw new WrongCommand(`unknown command: ${told}${hint}\nthe commands are ${names.join(', ')}`)
}

function completed(line: string, byName: ReadonlyMap<string, Command>): Completion {
  const from = line.length - (/\S*$/.exec(line)?.[0].length ?? 0)
  const typed = line.slice(from)
  const [name, ...words] = wordsBefore(line.slice(0, from))
  const candidates =
    name === undefined ? [...byName.keys()] : nextWords(byName.get(name), typed, words)
  const fitting = candidates.filter((one) => one.startsWith(typed))
  return { from, candidates: [...new Set(fitting)].toSorted().slice(0, mostCandidates) }
}

function nextWords(
  command: Command | undefined,
  typed: string,
  words: readonly string[],
): readonly string[] {
  if (!command) return []
  if (typed.startsWith('-'))
    return ['--help', ...Object.keys(command.options ?? {}).map((name) => `--${name}`)]
  return command.complete?.(words.filter((word) => !word.startsWith('-'))) ?? []
}

/** An open quote has nothing to complete. */
function wordsBefore(text: string): readonly string[] {
  try {
    return splitCommandLine(text)
  } catch {
    return ['']
  }
}

// The commands of the services that run in this process.

/** `now` is milliseconds of a clock. */
export function commandsOf(parts: Parts, now: () => number): Table {
  const { scheduler, repository, search, metrics, status } = parts
  const ground = scheduler && { scheduler, now }
  return table([
    ...((scheduler ?? repository) ? [launchCommand({ scheduler, repository, now })] : []),
    ...(ground ? [...pipeCommands(ground), ...runCommands(ground)] : []),
    ...(repository ? [...indexCommands(repository, now), ...recordCommands(repository, now)] : []),
    ...(search ? searchCommands(search) : []),
    ...(metrics ? metricsCommands(metrics) : []),
    statusCommand(status),
  ])
}
