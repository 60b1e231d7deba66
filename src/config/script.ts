/** Shared parts of commands, and of the start of the platform: arguments, address and key of the platform, exit codes. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { z } from 'zod'
import { WrongUsage } from '../errors.ts'

/** Failure of a command that is printed as its message alone, without a stack. */
export class ScriptFailure extends Error {}

/**
 * Parses the arguments of a command into options and words. The value of `--key` may begin with a hyphen. Throws `WrongUsage`.
 */
export function scriptArguments<Options extends NonNullable<ParseArgsConfig['options']>>(
  argumentList: readonly string[],
  options: Options,
) {
  const args = argumentList.flatMap((word, i) => {
    if (argumentList[i - 1] === '--key') return []
    const value = argumentList[i + 1]
    return word === '--key' && value !== undefined ? [`--key=${value}`] : [word]
  })
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (cause) {
    throw new WrongUsage(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** Lines of the usage of each command that asks a running platform. */
export const serverUsage = `  --server url         the platform (default: PLATFORM_PORT on this host, else PLATFORM_PUBLIC_URL, else http://localhost:8080)
  --key key            API key (default: PLATFORM_API_KEY, else the file api-key in PLATFORM_DATA_DIR)
`

/**
 * Options of each command that asks a running platform. `to` is the older name of `server`; for `npm run console` it is the
 * address of the console.
 */
export const serverOptions = {
  server: { type: 'string' },
  to: { type: 'string' },
  key: { type: 'string' },
} as const

type ServerValues = { readonly server?: string; readonly to?: string }

/**
 * Address of a service of the platform, from the options or the environment, without a slash at its end. `path` is the path of
 * the service in a platform; it is not appended to an option with a path, which is the address of the service itself. Throws
 * `WrongUsage`.
 */
export function serviceAddress(
  path: string,
  { server, to }: ServerValues,
  env: NodeJS.ProcessEnv = process.env,
): string {
  const { PLATFORM_PORT: port, PLATFORM_PUBLIC_URL: publicUrl } = env
  const option = server ?? to
  const defaultAddress = port ? `http://localhost:${port}` : publicUrl || 'http://localhost:8080'
  const url = URL.parse(option ?? defaultAddress)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw new WrongUsage(
      option === undefined
        ? `${defaultAddress}: no http or https address (PLATFORM_PORT, PLATFORM_PUBLIC_URL)`
        : `--server ${option}: no http or https address`,
    )
  const base = `${url.origin}${url.pathname}`.replace(/\/+$/, '')
  return option === undefined || url.pathname === '/' ? base + path : base
}

/** Path of the repository service in a platform. */
export const repositoryPath = '/api/hub/repo'

/** API key: the option, else `PLATFORM_API_KEY`, else the generated key in `PLATFORM_DATA_DIR`. Rejects with `WrongUsage`. */
export async function scriptKey(option: string | undefined): Promise<string> {
  const { PLATFORM_API_KEY: fromEnvironment, PLATFORM_DATA_DIR: directory = './data' } = process.env
  if (option !== undefined || fromEnvironment) return option ?? fromEnvironment ?? ''
  const file = join(directory, 'api-key')
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (cause) {
    const message = `no API key: give --key or PLATFORM_API_KEY (there is no ${file})`
    throw new WrongUsage(message, { cause })
  }
}

const problemSchema = z.looseObject({ title: z.string().optional(), detail: z.string().optional() })

/** Detail or title of a problem document with the HTTP status, else the status alone. */
export async function refusalOf(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => undefined)
  const { detail, title } = problemSchema.safeParse(body).data ?? {}
  const words = detail ?? title
  return words === undefined ? `answered ${answer.status}` : `${words} (${answer.status})`
}

/** Whether a word of the command line asks for the usage. */
export const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h'

/**
 * Runs a command and sets the exit code of the process: the one that `work` resolves with, 2 with the usage for `WrongUsage`, 1
 * for `ScriptFailure`, 130 where `work` rejects after Ctrl-C. Rejects with other errors. `--help` or `-h` as the first word
 * prints the usage.
 */
export async function runScript(
  usage: string,
  work: (argumentList: readonly string[], signal: AbortSignal) => Promise<number>,
): Promise<void> {
  if (isHelp(process.argv[2])) return void process.stdout.write(usage)
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  process.exitCode = await work(process.argv.slice(2), stop.signal).catch((error: unknown) => {
    if (stop.signal.aborted) return 130
    const isUsage = error instanceof WrongUsage
    if (!isUsage && !(error instanceof ScriptFailure)) throw error
    process.stderr.write(`${error.message}\n${isUsage ? `\n${usage}` : ''}`)
    return isUsage ? 2 : 1
  })
}
