/** Passes every effect on to the replica, in order, and lets go of a replica that falls too far behind. */

import type { MessagePort } from 'node:worker_threads'
import { systemGraph } from '../../rdf/namespaces.ts'
import type { Feed } from './messages.ts'
import type { Effect } from './settle.ts'

/** UTF-16 units that may be on their way; a replica behind a long query beside a large import meets this. */
const maxLag = 64 * 1024 * 1024

const sizeOf = (effect: Effect) => {
  if (effect.does === 'drop') return effect.graph.length
  return effect.does === 'load' ? effect.text.length : effect.removed.length + effect.added.length
}

export function feeder() {
  let port: MessagePort | undefined
  let lag = 0
  return {
    follow(next: MessagePort): void {
      port?.close()
      port = next
      lag = 0
      next.on('message', (done: number) => (lag -= done))
      next.on('close', () => (port = port === next ? undefined : port))
      next.unref()
    },
    /** Lets go of the replica because of a change that is not sent: it is built anew for the next query. */
    lose(): void {
      port?.close()
    },
    send(all: readonly Effect[]): void {
      if (!port) return
      const effects = all.filter(({ graph }) => graph !== systemGraph)
      if (effects.length === 0) return
      const size = effects.reduce((sum, effect) => sum + sizeOf(effect), 0)
      lag += size
      const feed: Feed = { effects, size }
      port.postMessage(feed)
      if (lag > maxLag) port.close()
    },
  }
}
