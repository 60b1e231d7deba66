/** `npm run vocabularies`: a client that installs, lists and checks the vocabularies of a running platform. */

import { runScript, scriptKey } from '../config/script.ts'
import {
  parseVocabularyArguments,
  runVocabularyCommand,
  vocabulariesUsage,
} from './vocabulary-commands.ts'

const bundled = new URL('../../shapes/vocabularies', import.meta.url).pathname

/** For one document from its first byte to the platform's answer. */
const limitMs = 30 * 60_000

await runScript(vocabulariesUsage, async (argumentList, signal) => {
  const given = parseVocabularyArguments(argumentList)
  const lines = runVocabularyCommand(given, {
    bundled,
    key: () => scriptKey(given.key),
    limit: () => AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
  })
  for (;;) {
    const { done, value } = await lines.next()
    if (done === true) return value ? 0 : 1
    process.stdout.write(`${value}\n`)
  }
})
