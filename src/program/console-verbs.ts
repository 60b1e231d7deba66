/**
 * Verbs that run in the platform: commands of the console, sent to it. Their arguments and options are those of the table of the
 * console.
 */

import { quotedWord, type Command } from '../console/command.ts'
import { describedCommands } from '../console/command-table.ts'
import { runRemotely } from '../console/console-client.ts'
import { stepOfLine } from './progress.ts'
import type { Call, Verb } from './verb.ts'

/** Row of a verb that is a command of the console. */
type ConsoleRow = {
  readonly name: string
  /** Command of the console, with words that come before those of the caller. */
  readonly sends: string
  /** Arguments, where they are not those of the command. */
  readonly usage?: string
  readonly summary?: string
  readonly example: string
  readonly asks?: Verb['asks']
}

const rows: readonly ConsoleRow[] = [
  { name: 'pipe list', sends: 'pipes', example: 'pipe list' },
  {
    name: 'pipe run',
    sends: 'launch',
    example: 'pipe run county-archive',
  },
  { name: 'pipe dry-run', sends: 'dryrun', example: 'pipe dry-run county-archive' },
  { name: 'pipe runs', sends: 'runs', example: 'pipe runs county-archive -n 5' },
  {
    name: 'pipe confirm',
    sends: 'confirm',
    example: 'pipe confirm 0197b3c2-6f1e-7c3a-9d52-8c1f6f7f3a10',
    asks: ([run = '']) => `Remove the records that run ${run} holds back?`,
  },
  { name: 'reindex', sends: 'reindex', example: 'reindex dataset' },
  { name: 'reconcile', sends: 'reconcile', example: 'reconcile --dry-run' },
  {
    name: 'key new',
    sends: 'key new',
    usage: '<name>',
    summary: 'makes the key of a program, and shows it once',
    example: 'key new gis-export --may publisher:rivers,reader:*',
  },
  {
    name: 'key invite',
    sends: 'key invite',
    usage: '<name>',
    summary: 'invites a person, who then gets a key',
    example: 'key invite "Anna Berger" --may publisher:rivers --days 365',
  },
  {
    name: 'key list',
    sends: 'key list',
    usage: '',
    summary: 'lists the keys of people and programs',
    example: 'key list',
  },
  {
    name: 'key revoke',
    sends: 'key revoke',
    usage: '<id>',
    summary: 'makes a key invalid',
    example: 'key revoke program-5f0c2a9b1d3e4f60 --yes',
    asks: ([id = '']) => `Revoke the key of ${id}?`,
  },
  { name: 'draft', sends: 'draft', example: 'draft list --catalogue rivers --state review' },
  { name: 'version', sends: 'version', example: 'version diff gauge-levels 3' },
]

/** Verbs that are commands of the console. */
export function consoleVerbs(): readonly Verb[] {
  const commands = new Map(describedCommands().map((command) => [command.name, command]))
  return rows.flatMap((row) => {
    const command = commands.get(row.sends.split(' ')[0] ?? '')
    return command ? [verbOf(row, command)] : []
  })
}

const verbOf = ({ sends, ...row }: ConsoleRow, command: Command): Verb => {
  const { options = {}, words = '', summary } = command
  const hasOptions = !sends.includes(' ') || row.example.includes('--may')
  const entries = hasOptions ? Object.entries(options) : []
  return {
    usage: words,
    summary,
    ...row,
    options: entries.map(([name, { type, short, value = 'value', meaning }]) => [
      `${short === undefined ? '' : `-${short}, `}--${name}${type === 'boolean' ? '' : ` <${value}>`}`,
      meaning,
    ]),
    run: (call) => {
      const optionWords = entries.flatMap(([name, { type }]) => {
        if (type === 'boolean') return call.flag(name) ? [`--${name}`] : []
        const value = call.text(name)
        return value === undefined ? [] : [`--${name}=${value}`]
      })
      const { words } = call
      const separator = words.some((word) => word.startsWith('-')) ? ['--'] : []
      return sendCommand(call, [...sends.split(' '), ...optionWords, ...separator, ...words])
    },
  }
}

/** Sends the words of a command to the console and prints its answer; its progress goes to standard error. */
export async function sendCommand(call: Call, words: readonly string[]): Promise<void> {
  const { isJson, progress, signal } = call
  const address = await call.server('/shell')
  const command = { address, key: await call.key(), line: words.map(quotedWord).join(' ') }
  const printLines = async (text: string) => {
    const lines = text.split('\n').slice(0, -1)
    const results = lines.filter((line) => {
      const step = stepOfLine(line, words[0] ?? '')
      if (step) progress.show(step)
      return !step
    })
    if (results.length === 0) return
    progress.clear()
    const printed = results.map((line) => (isJson ? JSON.stringify({ line }) : line))
    await call.print(`${printed.join('\n')}\n`)
  }
  await runRemotely(command, printLines, signal).finally(progress.clear)
}
