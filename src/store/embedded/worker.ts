/** Entry of the writing worker: collects what has arrived and does it in one go. */

import { parentPort, workerData } from 'node:worker_threads'
import { startEngine } from './engine.ts'
import type { Job, Opened, Reply, WriterSettings } from './messages.ts'
import { openWriter } from './writer.ts'

/** UTF-16 units of changes per transaction: enough to share one sync, not so many that reads wait. */
const groupSize = 2 * 1024 * 1024

const settings: WriterSettings = workerData
const started = performance.now()
startEngine(settings.engine)
const writer = openWriter(settings, () => parentPort?.postMessage([], []))
const queue: Job[] = []

const sizeOf = (job: Job) =>
  job.name === 'write'
    ? job.changes.reduce((sum, change) => sum + (change.content?.length ?? 0), 1)
    : 0

function take(): Job[] {
  let size = 0
  const end = queue.findIndex((job) => (size += sizeOf(job)) > groupSize)
  return queue.splice(0, end < 0 ? queue.length : Math.max(1, end))
}

function turn(): void {
  writer.run(take(), (replies: readonly Reply[]) => parentPort?.postMessage(replies, []))
  if (queue.length > 0) setImmediate(turn)
}

parentPort?.on('message', (message: readonly Job[] | 'close') => {
  if (message === 'close') {
    writer.close()
    parentPort?.close()
    return
  }
  if (queue.length === 0) setImmediate(turn)
  queue.push(...message)
})

const opened: Opened = { ...writer.opened, ms: Math.round(performance.now() - started) }
parentPort?.postMessage({ opened }, [])
