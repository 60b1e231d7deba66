/** `npm run vocabularies`: a client that installs, lists and checks the vocabularies of a running platform. */

import { runScript, scriptKey } from '../config/script.ts'
import { VocabularyClient } from './vocabulary-client.ts'
import {
  parseVocabularyArguments,
  runVocabularyCommand,
  vocabulariesUsage,
} from './vocabulary-commands.ts'

const bundled = new URL('../../shapes/vocabularies', import.meta.url).pathname

await runScript(vocabulariesUsage, async (argumentList, signal) => {
  const { command, key, ...platform } = parseVocabularyArguments(argumentList)
  const client = new VocabularyClient(platform, signal)
  const context = { client, bundled, key: () => scriptKey(key), signal }
  const lines = runVocabularyCommand(command, context)
  for (;;) {
    const { done, value } = await lines.next()
    if (done === true) return value ? 0 : 1
    process.stdout.write(`${value}\n`)
  }
})
