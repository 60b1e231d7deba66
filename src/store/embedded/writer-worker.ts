/** Entry of the writing worker: runs calls in groups. A replacement first follows the present worker. */

import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads'
import type { Loading } from '../graph-store.ts'
import { mayExceedMemory, startEngine } from './engine.ts'
import type {
  EffectFeed,
  Handover,
  WriterJob,
  WriterOpened,
  WriterReply,
  WriterSignal,
  WriterSettings,
} from './messages.ts'
import { engineFull, openReplacement, openWriter, type StoreWriter } from './store-writer.ts'

/** UTF-16 units of new contents in one transaction: enough to share one sync, not so many that reads wait long. */
const groupSize = 2 * 1024 * 1024

const settings: WriterSettings = workerData
const startedAt = performance.now()
startEngine(settings.engine)
const queue: WriterJob[] = []
let writer: StoreWriter | undefined
let isSignalled = false

const loading = (now: Loading) => parentPort?.postMessage({ loading: now }, [])
const signal = (message: WriterSignal) => parentPort?.postMessage(message, [])

const sizeOf = (job: WriterJob) =>
  job.name === 'write'
    ? job.changes.reduce((sum, change) => sum + (change.content?.length ?? 0), 1)
    : 0

function takeGroup(): WriterJob[] {
  let size = 0
  const end = queue.findIndex((job) => (size += sizeOf(job)) > groupSize)
  return queue.splice(0, end < 0 ? queue.length : Math.max(1, end))
}

/** Runs `work`; converts a trap of the engine for lack of memory to `store-full`. */
function withStoreFull<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof WebAssembly.RuntimeError && mayExceedMemory(0)
      ? engineFull(error)
      : error
  }
}

function runNextGroup(): void {
  withStoreFull(() =>
    writer?.run(takeGroup(), (replies: readonly WriterReply[]) =>
      parentPort?.postMessage(replies, []),
    ),
  )
  if (queue.length > 0) setImmediate(runNextGroup)
  if (!isSignalled && writer?.needsCompaction() === true) {
    isSignalled = true
    signal('fragmented')
  }
}

function open(openedWriter: StoreWriter): void {
  writer = openedWriter
  const message: WriterOpened = {
    ...openedWriter.opened,
    ms: Math.round(performance.now() - startedAt),
  }
  parentPort?.postMessage({ opened: message }, [])
}

/** Builds an index, applies the effects of the present worker, and takes its place at the handover. */
function replaceWriter(feed: MessagePort): void {
  const replacement = openReplacement(settings)
  const receive = (message: EffectFeed | Handover) => {
    if ('effects' in message) {
      replacement.perform(message.effects)
      feed.postMessage(message.size, [])
      return
    }
    feed.removeAllListeners()
    open(replacement.takeOver(message))
  }
  // Effects that arrived during loading are applied before the handover can begin.
  for (let next = receiveMessageOnPort(feed); next; next = receiveMessageOnPort(feed)) {
    receive(next.message)
  }
  feed.on('message', receive)
  // The present worker has dropped this replacement, which would miss effects.
  feed.on('close', () => process.exit())
  signal('filled')
}

parentPort?.on('message', (message: readonly WriterJob[] | 'close' | 'hand over') => {
  if (message === 'close' || message === 'hand over') {
    if (message === 'close') writer?.close()
    else writer?.handOver()
    parentPort?.close()
    settings.feed?.close()
    return
  }
  if (queue.length === 0) setImmediate(runNextGroup)
  queue.push(...message)
})

if (settings.feed) replaceWriter(settings.feed)
else open(withStoreFull(() => openWriter(settings, loading)))
