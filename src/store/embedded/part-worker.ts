/** Entry of the thread that reads the file for the index of the writer. */

import { workerData } from 'node:worker_threads'
import { GraphFile } from './graph-file.ts'
import { type PartMessage, type PartReaderSettings, sentAt, takenAt } from './part-reader.ts'
import { quadsParts } from './quads-parts.ts'

/** Most parts that wait. */
const maxWaiting = 4

const { directory, rule, port, counts }: PartReaderSettings = workerData

function send(message: PartMessage): void {
  port.postMessage(message, message.part ? [message.part.bytes.buffer] : [])
  Atomics.add(counts, sentAt, 1)
  Atomics.notify(counts, sentAt)
}

try {
  const file = new GraphFile(directory, true)
  let sent = 0
  for (const part of quadsParts(file, { rule })) {
    for (let taken = 0; sent - (taken = Atomics.load(counts, takenAt)) >= maxWaiting;)
      Atomics.wait(counts, takenAt, taken)
    send({ part })
    sent += 1
  }
  file.close()
  send({})
} catch (error) {
  send({ error })
}
port.close()
