/** A scheduler of its own, for tests that need two of them: prints a line when it leads and one per firing. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../../src/errors.ts'
import { logger } from '../../../src/log.ts'
import { openTriggers } from '../../../src/scheduler/triggers.ts'

const [path = ''] = process.argv.slice(2)
const tell = (line: string) => process.stdout.write(`${line}\n`)
const triggers = openTriggers({
  path,
  launcher: {
    launch: ({ pipe }) => {
      tell(`fired ${pipe} ${Date.now()}`)
      throw new Failure('unknown-pipe', 'nothing is started here')
    },
  },
  now: Date.now,
  pause: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
  log: logger('silent'),
})
tell('open')
while (!triggers.leads()) await sleep(10)
tell('leads')
