/**
 * Table of the commands of the console: parsing of lines, help, completion; for the page, telnet and the program `cartulary`, which
 * sends them by HTTP.
 */

import { nearest } from '../text/nearest.ts'
import {
  type Command,
  type CommandArguments,
  helpOf,
  parseArguments,
  splitCommandLine,
  usageOf,
  WrongCommand,
} from './command.ts'
import type { Parts } from './console-parts.ts'
import { draftCommand, versionCommand } from './draft-commands.ts'
import { jobsCommand } from './job-commands.ts'
import { keyCommand } from './key-command.ts'
import { launchCommand, pipeCommands } from './pipe-commands.ts'
import {
  metricsCommands,
  recordCommands,
  searchCommands,
  statusCommand,
} from './record-commands.ts'
import { runCommands } from './run-commands.ts'

/** Command with its checked arguments. */
export type ParsedCommand = { readonly command: Command; readonly args: CommandArguments }

/** Commands of a console. */
export type Table = {
  /** Parses a line. Throws `WrongCommand` with what would be right. */
  readonly parse: (line: string) => ParsedCommand
  /** Candidates for the last word of a line; `from` is the index where that word begins. */
  readonly complete: (line: string) => {
    readonly from: number
    readonly candidates: readonly string[]
  }
}

/** Most candidates of a completion. */
const mostCandidates = 200

/** Makes the table of the commands of the services that run in this process. */
export const commandsOf = (parts: Parts): Table => table(commandList(parts))

/** All commands as a platform with every service has them, to describe them: they must not run. */
export const describedCommands = (): readonly Command[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a command reads its part when it runs
  commandList(new Proxy({}, { get: () => ({}) }) as Parts)

const commandList = (parts: Parts): readonly Command[] => {
  const { scheduler, repository, search, metrics, jobs, keys, records, status } = parts
  return [
    ...((scheduler ?? repository) ? [launchCommand(scheduler, repository)] : []),
    ...(scheduler ? [...pipeCommands(scheduler), ...runCommands(scheduler)] : []),
    ...(repository ? recordCommands(repository) : []),
    ...(search ? searchCommands(search) : []),
    ...(metrics ? metricsCommands(metrics) : []),
    ...(jobs ? [jobsCommand(jobs)] : []),
    ...(keys ? [keyCommand(keys)] : []),
    ...(records ? [draftCommand(records), versionCommand(records)] : []),
    statusCommand(status),
  ]
}

/** Makes a table of commands, with `help` and `exit`. */
export function table(services: readonly Command[]): Table {
  const commands: Command[] = [...services, exit].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const byName = new Map<string, Command>()
  const find = (name: string): Command => {
    const command = byName.get(name)
    if (command) return command
    const names = [...byName.keys()].toSorted()
    const suggestion = nearest(name, names)
    const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`
    const short = name.length > 60 ? `${name.slice(0, 60)}…` : name
    throw new WrongCommand(`unknown command: ${short}${hint}\nthe commands are ${names.join(', ')}`)
  }
  const help: Command = {
    name: 'help',
    words: '[command]',
    summary: 'lists the commands, or shows the usage of one',
    complete: () => [...byName.keys()],
    run: ({ words: [name] }) => (name === undefined ? overview(commands) : helpOf(find(name))),
  }
  commands.unshift(help)
  for (const command of commands)
    for (const name of [command.name, ...(command.aliases ?? [])]) byName.set(name, command)
  return {
    parse: (line) => {
      const [name, ...words] = splitCommandLine(line)
      if (name === undefined) throw new WrongCommand('no command; help lists all')
      const command = find(name)
      const parsed = parseArguments(command, words)
      // `launch -h` is `help launch`.
      return parsed === 'help'
        ? { command: help, args: { ...noArguments, words: [command.name] } }
        : { command, args: parsed }
    },
    complete: (line) => {
      const [, before = '', typed = ''] = /^(.*?)(\S*)$/s.exec(line) ?? []
      const [name, ...words] = before.split(/\s+/).filter((word) => word !== '')
      const command = byName.get(name ?? '')
      const options = ['help', ...Object.keys(command?.options ?? {})].map((name) => `--${name}`)
      const argumentWords =
        name === undefined ? [...byName.keys()] : (command?.complete?.(words) ?? [])
      const candidates = (command && typed.startsWith('-') ? options : argumentWords)
        .filter((candidate) => candidate.startsWith(typed))
        .toSorted()
      return { from: before.length, candidates: candidates.slice(0, mostCandidates) }
    },
  }
}

const noArguments: CommandArguments = {
  words: [],
  flag: () => false,
  text: () => undefined,
  number: () => undefined,
}

const exit: Command = { name: 'exit', summary: 'leaves the console', run: () => [] }

function overview(commands: readonly Command[]): readonly string[] {
  const widest = Math.max(...commands.map((command) => usageOf(command).length))
  const lines = commands.map(
    (command) => `${usageOf(command).padEnd(Math.min(widest, 44))}  ${command.summary}`,
  )
  return [...lines, '-h after any command shows more; quotes group words']
}
