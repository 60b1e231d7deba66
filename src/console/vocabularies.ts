/** `npm run vocabularies`: a client that installs, lists and checks the vocabularies of a running platform. */

import { WrongUsage } from '../errors.ts'
import { clientKey } from '../http/keys/client-key.ts'
import { vocabulariesUsage, parseVocabularyArguments } from './vocabularies/vocabulary-arguments.ts'
import { runVocabularyCommand } from './vocabularies/vocabulary-commands.ts'
import { RequestRefused } from './vocabularies/vocabulary-client.ts'

const bundled = new URL('../../shapes/vocabularies', import.meta.url).pathname

/** For one document from its first byte to the platform's answer. */
const limitMs = 30 * 60_000

process.exitCode = await run(process.argv.slice(2))

/** 0 when all went well, 1 when something failed, 2 when the question was wrong. */
async function run(argumentList: readonly string[]): Promise<number> {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  try {
    const wish = parseVocabularyArguments(argumentList)
    const well = await runVocabularyCommand(wish, {
      bundled,
      key: async () => wish.key ?? (await clientKey(process.env)),
      say: (line) => void process.stdout.write(`${line}\n`),
      limit: () => AbortSignal.any([stop.signal, AbortSignal.timeout(limitMs)]),
    })
    return well ? 0 : 1
  } catch (error) {
    if (stop.signal.aborted) return 130
    if (error instanceof WrongUsage) {
      process.stderr.write(`${error.message}\n\n${vocabulariesUsage}`)
      return 2
    }
    if (!(error instanceof RequestRefused)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  }
}
