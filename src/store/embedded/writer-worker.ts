/** Entry of the writing worker: collects what has arrived and does it in one go. A successor follows the present one first. */

import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads'
import type { Loading } from '../graph-store.ts'
import { isTight, startEngine } from './engine.ts'
import type {
  EffectFeed,
  Handover,
  WriterJob,
  WriterOpened,
  WriterReply,
  Sign,
  WriterSettings,
} from './messages.ts'
import { engineFull, openSuccessor, openWriter, type StoreWriter } from './store-writer.ts'

/** UTF-16 units of changes per transaction: enough to share one sync, not so many that reads wait. */
const groupSize = 2 * 1024 * 1024

const settings: WriterSettings = workerData
const started = performance.now()
startEngine(settings.engine)
const queue: WriterJob[] = []
let writer: StoreWriter | undefined
let isCrowded = false

const loading = (now: Loading) => parentPort?.postMessage({ loading: now }, [])
const sign = (what: Sign) => parentPort?.postMessage(what, [])

const sizeOf = (job: WriterJob) =>
  job.name === 'write'
    ? job.changes.reduce((sum, change) => sum + (change.content?.length ?? 0), 1)
    : 0

function take(): WriterJob[] {
  let size = 0
  const end = queue.findIndex((job) => (size += sizeOf(job)) > groupSize)
  return queue.splice(0, end < 0 ? queue.length : Math.max(1, end))
}

/** The engine's trap with the name of what it means here: its memory is used up. */
function named<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof WebAssembly.RuntimeError && isTight(0) ? engineFull(error) : error
  }
}

function turn(): void {
  named(() =>
    writer?.run(take(), (replies: readonly WriterReply[]) => parentPort?.postMessage(replies, [])),
  )
  if (queue.length > 0) setImmediate(turn)
  if (!isCrowded && writer?.isCrowded() === true) {
    isCrowded = true
    sign('crowded')
  }
}

function open(opened: StoreWriter): void {
  writer = opened
  const message: WriterOpened = { ...opened.opened, ms: Math.round(performance.now() - started) }
  parentPort?.postMessage({ opened: message }, [])
}

/** Builds an index, brings it up to what the present worker does, and takes that one's place when it hands over. */
function succeed(feed: MessagePort): void {
  const successor = openSuccessor(settings)
  const hear = (message: EffectFeed | Handover) => {
    if ('effects' in message) {
      successor.perform(message.effects)
      feed.postMessage(message.size, [])
      return
    }
    feed.removeAllListeners()
    open(successor.takeOver(message))
  }
  // What has come meanwhile is done before anybody waits for it.
  for (let next = receiveMessageOnPort(feed); next; next = receiveMessageOnPort(feed)) {
    hear(next.message)
  }
  feed.on('message', hear)
  // Let go of: this copy would miss something.
  feed.on('close', () => process.exit())
  sign('filled')
}

parentPort?.on('message', (message: readonly WriterJob[] | 'close' | 'hand over') => {
  if (message === 'close' || message === 'hand over') {
    if (message === 'close') writer?.close()
    else writer?.handOver()
    parentPort?.close()
    settings.feed?.close()
    return
  }
  if (queue.length === 0) setImmediate(turn)
  queue.push(...message)
})

if (settings.feed) succeed(settings.feed)
else open(named(() => openWriter(settings, loading)))
