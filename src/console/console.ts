/** `npm run console`: runs one command in the console of a running platform. */

import { runScript, scriptKey } from '../config/script.ts'
import { runRemotely, consoleUsage, parseClientArguments } from './console-client.ts'

await runScript(consoleUsage, async (argumentList, signal) => {
  const parsed = parseClientArguments(argumentList)
  const key = await scriptKey(parsed.key)
  return runRemotely(
    { ...parsed, key },
    {
      out: (text) => void process.stdout.write(text),
      err: (text) => void process.stderr.write(text),
    },
    signal,
  )
})
