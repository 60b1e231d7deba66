/** `npm run console`: runs one command in the console of a running platform. */

import { runScript, scriptKey } from '../config/script.ts'
import { ask, consoleUsage, wantedOf } from './console-client.ts'

await runScript(consoleUsage, async (argumentList, signal) => {
  const wanted = wantedOf(argumentList)
  const key = await scriptKey(wanted.key)
  return ask(
    { ...wanted, key },
    {
      out: (text) => void process.stdout.write(text),
      aside: (text) => void process.stderr.write(text),
    },
    signal,
  )
})
