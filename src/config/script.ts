/** What the commands started by `npm run` share: arguments, the platform that they talk to, its key, and how they end. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { z } from 'zod'
import { WrongUsage } from '../errors.ts'

/** What a person at the command line has to know, and nothing else. */
export class ScriptFailure extends Error {}

/** Options and words. A generated key may begin with a hyphen and is no option then. Throws `WrongUsage`. */
export function scriptArguments<Options extends NonNullable<ParseArgsConfig['options']>>(
  argumentList: readonly string[],
  options: Options,
) {
  const args = argumentList.flatMap((word, at) => {
    if (argumentList[at - 1] === '--key') return []
    const value = argumentList[at + 1]
    return word === '--key' && value !== undefined ? [`--key=${value}`] : [word]
  })
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (cause) {
    throw new WrongUsage(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/**
 * The repository service that an option names, without a slash at its end. A path of its own is the service itself: where services
 * have ports, they have no common prefix. Throws `WrongUsage`.
 */
export function repositoryAddress(option: string, given = 'http://localhost:8080'): string {
  const url = URL.parse(given)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new WrongUsage(`--${option} ${given}: no http or https address`)
  return url.pathname === '/' ? `${url.origin}/api/hub/repo` : url.href.replace(/\/+$/, '')
}

/** The key given, `PLATFORM_API_KEY`, or what the platform made for itself in `PLATFORM_DATA_DIR`. Throws `WrongUsage`. */
export async function scriptKey(given: string | undefined): Promise<string> {
  const { PLATFORM_API_KEY: set, PLATFORM_DATA_DIR: directory = './data' } = process.env
  if (given !== undefined || set) return given ?? set ?? ''
  const file = join(directory, 'api-key')
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (cause) {
    const message = `no API key: give --key or PLATFORM_API_KEY (there is no ${file})`
    throw new WrongUsage(message, { cause })
  }
}

const problemSchema = z.looseObject({ title: z.string().optional(), detail: z.string().optional() })

/** The words of a problem document with the status, else the status. */
export async function refusalOf(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => undefined)
  const { detail, title } = problemSchema.safeParse(body).data ?? {}
  const words = detail ?? title
  return words === undefined ? `answered ${answer.status}` : `${words} (${answer.status})`
}

/** Exits with what `work` answers: 2 with the usage for `WrongUsage`, 1 for `ScriptFailure`, 130 after Ctrl-C. */
export async function runScript(
  usage: string,
  work: (argumentList: readonly string[], signal: AbortSignal) => Promise<number>,
): Promise<void> {
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
