/** Reads the file in a thread of its own, while this one loads what has been read. */

import { MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads'
import { startWorker } from '../../workers/pool.ts'
import type { PartOptions, QuadsPart } from './quads-parts.ts'

/** Settings of the thread. */
export type PartReaderSettings = PartOptions & {
  readonly directory: string
  readonly port: MessagePort
  /** Numbers of parts that were sent and that were taken. */
  readonly counts: Int32Array
}

/** Message of the thread; the last one has neither part nor error. */
export type PartMessage = { readonly part?: QuadsPart; readonly error?: unknown }

/** Milliseconds after which a thread that sends nothing counts as lost. */
const silentMs = 120_000

/** Places of the numbers in `counts`. */
export const [sentAt, takenAt] = [0, 1]

/** Reads the graphs in parts as `quadsParts` does; this thread blocks while it waits. Throws the errors of the reader. */
export function* readAside({
  directory,
  rule,
}: Pick<PartReaderSettings, 'directory' | 'rule'>): Generator<QuadsPart> {
  const { port1, port2 } = new MessageChannel()
  const counts = new Int32Array(new SharedArrayBuffer(8))
  const data: PartReaderSettings = { directory, rule, port: port2, counts }
  startWorker({
    entry: new URL('./part-worker.ts', import.meta.url),
    name: 'store reader',
    data,
    transfer: [port2],
    isPart: true,
  })
  for (let taken = 0; ; taken += 1) {
    if (Atomics.wait(counts, sentAt, taken, silentMs) === 'timed-out')
      throw new Error('the thread that reads store.db is silent')
    const { part, error }: PartMessage = receiveMessageOnPort(port1)?.message ?? {}
    if (error !== undefined) throw error
    if (!part) return
    Atomics.add(counts, takenAt, 1)
    Atomics.notify(counts, takenAt)
    yield part
  }
}
