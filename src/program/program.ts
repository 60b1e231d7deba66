/** Program `cartulary`: makes the command line from the table of verbs, runs a verb, and ends with the exit code that says how it went. */

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Command, CommanderError } from 'commander'
import {
  requireServer,
  ScriptFailure,
  scriptKey,
  serviceAddress,
  Unreachable,
} from '../config/script.ts'
import { WrongCommand } from '../console/command.ts'
import { Failure, StartRefused, WrongUsage } from '../errors.ts'
import { progressReporter } from './progress.ts'
import { type Call, exitCodes, type Verb } from './verb.ts'
import { verbs } from './verbs.ts'

const signalCodes = { SIGINT: 130, SIGTERM: 143 } as const
/** Milliseconds in which a second signal is the same: a terminal and npm both send Ctrl-C. */
const echoMs = 300

/** Groups of verbs with two words. */
const groups: Readonly<Record<string, string>> = {
  pipe: 'pipes and their runs',
  key: 'keys of people and programs',
  vocabularies: 'vocabularies of the platform',
  profile: 'profiles of metadata',
}

/** Runs the program with the words of `process.argv`; sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  let isPlatform = false
  const stop = new AbortController()
  let ended: { readonly code: number; readonly at: number } | undefined
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      if (ended && performance.now() - ended.at > echoMs) process.exit(ended.code)
      ended ??= { code: signalCodes[name], at: performance.now() }
      stop.abort()
    })
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', ({ code }: NodeJS.ErrnoException) => {
      // The reader has left, for example `head`; a platform goes on.
      if (!isPlatform) process.exit(code === 'EPIPE' ? exitCodes.done : exitCodes.failed)
    })
  const program = commandLine(async (verb, call) => {
    isPlatform = verb.name === 'start' || verb.name === 'demo'
    process.exitCode = (await verb.run(call)) ?? exitCodes.done
  }, stop.signal)
  try {
    await program.parseAsync(argv)
  } catch (error) {
    const isJson = program.opts()['json'] === true
    process.exitCode = ended?.code ?? reportError(error, isJson)
  }
  if (ended && !isPlatform) process.exitCode = ended.code
  // Where a platform has ended things may still be open.
  if (isPlatform) process.stdout.write('', () => process.exit())
}

/** Prints an error unless commander has; returns the exit code. */
function reportError(error: unknown, isJson: boolean): number {
  if (error instanceof CommanderError)
    return error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUsage
  const isUsage = error instanceof WrongUsage || error instanceof WrongCommand
  const isExpected =
    isUsage ||
    error instanceof ScriptFailure ||
    error instanceof StartRefused ||
    error instanceof Failure
  const detail = error instanceof Error ? error.message : String(error)
  const message = error instanceof Failure ? error.detail : detail
  const stack = !isExpected && error instanceof Error ? (error.stack ?? message) : message
  process.stderr.write(isJson ? `${JSON.stringify({ error: message })}\n` : `${stack}\n`)
  if (isUsage) return exitCodes.wrongUsage
  return error instanceof Unreachable ? exitCodes.unreachable : exitCodes.failed
}

type RunVerb = (verb: Verb, call: Call) => Promise<void>

/** Makes the command line of all verbs. */
function commandLine(run: RunVerb, signal: AbortSignal): Command {
  const packageFile = new URL('../../package.json', import.meta.url)
  const { version }: { readonly version: string } = JSON.parse(readFileSync(packageFile, 'utf8'))
  const program = new Command('cartulary')
    .description(
      'Open-data portal over a triplestore: the platform, and the commands of its operator.',
    )
    .version(version, '--version', 'shows the version')
    .helpOption('-h, --help', 'shows the help')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .option(
      '--server <url>',
      'the platform (env: CARTULARY_SERVER; else PLATFORM_HOST, PLATFORM_PORT)',
    )
    .option('--key-file <file>', 'file of the API key, - for standard input (env: CARTULARY_KEY)')
    .option('--json', 'prints JSON')
    .option('--data <directory>', 'the data directory (env: PLATFORM_DATA_DIR; default: data)')
    .option('--env-file <file>', 'reads variables from a file; those of the environment win')
    .option('--quiet', 'prints results only')
    .option('--no-color', 'prints without colours (env: NO_COLOR)')
    .option('--yes', 'answers questions with yes')
    .addHelpText('after', exitCodeHelp)
  const parents = new Map<string, Command>()
  for (const verb of verbs) {
    const [first = '', second] = verb.name.split(' ')
    const parent = second === undefined ? program : (parents.get(first) ?? groupOf(program, first))
    if (second !== undefined) parents.set(first, parent)
    addVerb(parent, second ?? first, verb, async (words, command) =>
      run(verb, await callOf(words, command, verb, signal)),
    )
  }
  return program
}

const exitCodeHelp = `
Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 no platform answers, 4 done in part, 5 problems found,
130 and 143 ended by a signal.`

const groupOf = (program: Command, name: string): Command =>
  program
    .command(name)
    .description(groups[name] ?? '')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })

type Run = (words: readonly string[], command: Command) => Promise<void>

/** Adds a verb to its parent. */
function addVerb(parent: Command, name: string, verb: Verb, run: Run): void {
  const { summary, words, usage, example, options = [] } = verb
  const command = parent
    .command(name)
    .description(summary)
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', `\nExample:\n  cartulary ${example}`)
    .action(() => {
      const asksHelp = name === 'console' && ['-h', '--help'].includes(command.args[0] ?? '')
      return asksHelp ? command.help() : run(command.args, command)
    })
  if (usage !== undefined) command.argument('[words...]').usage(`[options] ${usage}`.trimEnd())
  else if (words !== undefined) command.argument(words)
  for (const [flags, meaning] of options) command.option(flags, meaning)
  // The console knows options that are not in the table of this program, help among them.
  if (name === 'console') command.allowUnknownOption().helpOption(false)
}

/** Makes the call of a verb from its command line; reads the file of variables and asks what has to be confirmed. */
async function callOf(
  words: readonly string[],
  command: Command,
  verb: Verb,
  signal: AbortSignal,
): Promise<Call> {
  const values: Record<string, unknown> = command.optsWithGlobals()
  const valueOf = (option: string) =>
    values[option.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
  const flag = (option: string) => valueOf(option) === true
  const text = (option: string) => {
    const value = valueOf(option)
    return typeof value === 'string' ? value : undefined
  }
  const list = (option: string) => {
    const value = valueOf(option)
    return Array.isArray(value) ? value.map(String) : []
  }
  readEnvironmentFile(text('env-file'))
  if (valueOf('color') === false) process.env['NO_COLOR'] = '1'
  const directory = text('data')
  if (directory !== undefined) process.env['PLATFORM_DATA_DIR'] = directory
  const question = verb.asks?.(words)
  if (question !== undefined && !flag('yes')) await confirm(question, signal)
  const [isJson, isQuiet] = [flag('json'), flag('quiet')]
  return {
    words,
    flag,
    text,
    list,
    isJson,
    isQuiet,
    signal,
    server: async (path) => {
      const address = serviceAddress(path, text('server'))
      await requireServer(address, signal)
      return address
    },
    key: () => scriptKey(text('key-file')),
    print: async (output) => {
      if (!process.stdout.write(output)) await once(process.stdout, 'drain', { signal })
    },
    progress: progressReporter({ stream: process.stderr, isJson, isQuiet, now: Date.now }),
  }
}

function readEnvironmentFile(file: string | undefined): void {
  if (file === undefined) return
  try {
    process.loadEnvFile(file)
  } catch (cause) {
    throw new WrongUsage(`--env-file ${file}: cannot be read`, { cause })
  }
}

/** Asks on the terminal. Rejects with `WrongUsage` unless the answer is yes. */
async function confirm(question: string, signal: AbortSignal): Promise<void> {
  if (!process.stdin.isTTY) throw new WrongUsage(`${question} Give --yes to confirm.`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [y/N] `, { signal }).finally(() => {
    terminal.close()
  })
  if (!/^y(es)?$/i.test(answer.trim())) throw new WrongUsage('not confirmed; nothing was done')
}
