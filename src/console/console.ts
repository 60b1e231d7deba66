/** `npm run console`: one command of the console of a running platform, from the command line. */

import { WrongUsage } from '../errors.ts'
import { clientKey } from '../http/keys/client-key.ts'
import { ask, consoleUsage, wantedOf } from './console-client.ts'

process.exitCode = await run(process.argv.slice(2))

/** 0 when the command finished, 1 when it failed, 2 when the question was wrong, 130 after Ctrl-C. */
async function run(argumentList: readonly string[]): Promise<number> {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  const aside = (text: string) => void process.stderr.write(text)
  try {
    const wanted = wantedOf(argumentList)
    const key = wanted.key ?? (await clientKey(process.env))
    const out = (text: string) => void process.stdout.write(text)
    return await ask({ ...wanted, key }, { out, aside }, stop.signal)
  } catch (error) {
    if (stop.signal.aborted) return 130
    if (!(error instanceof WrongUsage)) throw error
    aside(`${error.message}\n\n${consoleUsage}`)
    return 2
  }
}
