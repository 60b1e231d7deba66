/**
 * A scheduler of its own, for tests that need two of them: prints a line when it leads and one per firing. Every firing makes
 * a run in the file beside. A second argument says where in its first group of firings it dies.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { logger } from '../../../src/log.ts'
import { openRuns } from '../../../src/pipe/runs/run-history.ts'
import { openTriggers } from '../../../src/scheduler/triggers.ts'

const [path = '', death] = process.argv.slice(2)
const tell = (line: string) => process.stdout.write(`${line}\n`)
const dieAt = (moment: string) => {
  if (moment === death) process.kill(process.pid, 'SIGKILL')
}
const now = Date.now
const log = logger('silent')
const pause = (ms: number, signal: AbortSignal) =>
  sleep(ms, undefined, { signal }).catch(() => undefined)
const runs = openRuns({ path: `${path}.runs`, owner: String(process.pid), now, pause, log })
let made = 0
const triggers = openTriggers({
  path,
  launcher: {
    launch: ({ pipe, startedBy, trigger = '' }) => {
      const start = { pipe, startedBy, trigger, dryRun: false, configs: {}, segments: [] }
      const run = runs.create(start)
      runs.change(run.id, { status: 'cancelled' })
      tell(`fired ${pipe} ${now()}`)
      made += 1
      if (made === 25) dieAt('amid')
      return { run }
    },
  },
  runs: {
    list: (filter) => runs.list(filter),
    transaction: (work) => {
      dieAt('claimed')
      const result = runs.transaction(work)
      if (made > 0) dieAt('made')
      return result
    },
  },
  now,
  pause,
  log,
})
tell('open')
while (!triggers.isLeader()) await sleep(10)
tell('leads')
