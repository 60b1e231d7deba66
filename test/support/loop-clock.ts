/**
 * Loaded into a process before its program: writes how much processor time each longer stretch of its main thread took between two
 * turns of the event loop, in ms, one line each, into the file `LOOP_CLOCK_FILE`. Time of the processor, because the wall clock
 * would count what other processes of a busy machine take.
 */

import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const [everyMs, leastMs] = [5, 20]
const file = process.env['LOOP_CLOCK_FILE']

function usedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

if (isMainThread && file !== undefined) {
  let last = usedMs()
  setInterval(() => {
    const now = usedMs()
    if (now - last > leastMs) appendFileSync(file, `${Math.round(now - last)}\n`)
    last = now
  }, everyMs).unref()
}
