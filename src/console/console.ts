/** `npm run console`: one command of the console of a running platform, from the command line. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { usage, wantedOf, WrongUsage } from './client/arguments.ts'
import { ask } from './client/asking.ts'

process.exitCode = await run(process.argv.slice(2))

/** 0 when the command finished, 1 when it failed, 2 when the question was wrong, 130 after Ctrl-C. */
async function run(argumentList: readonly string[]): Promise<number> {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  const aside = (text: string) => void process.stderr.write(text)
  try {
    const wanted = wantedOf(argumentList)
    const key = wanted.key ?? (await knownKey())
    const out = (text: string) => void process.stdout.write(text)
    return await ask({ ...wanted, key }, { out, aside }, stop.signal)
  } catch (error) {
    if (stop.signal.aborted) return 130
    if (!(error instanceof WrongUsage)) throw error
    aside(`${error.message}\n\n${usage}`)
    return 2
  }
}

async function knownKey(): Promise<string> {
  const given = process.env['PLATFORM_API_KEY']
  if (given) return given
  const file = join(process.env['PLATFORM_DATA_DIR'] ?? './data', 'api-key')
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (cause) {
    const message = `no API key: give --key or PLATFORM_API_KEY (there is no ${file})`
    throw new WrongUsage(message, { cause })
  }
}
