/** Passes every effect on to those that follow the writing worker, in order, and lets go of one that falls too far behind. */

import type { MessagePort } from 'node:worker_threads'
import { systemGraph } from '../../rdf/namespaces.ts'
import type { Feed, Handover } from './messages.ts'
import { sizeOf, type Effect } from './settle.ts'

/** UTF-16 units that may be on their way; a replica behind a long query beside a large import meets this. */
const maxLag = 64 * 1024 * 1024

type Follower = { readonly port: MessagePort; readonly whole: boolean; lag: number }

function post(follower: Follower, effects: readonly Effect[]): void {
  if (effects.length === 0) return
  const size = effects.reduce((sum, effect) => sum + sizeOf(effect), 0)
  follower.lag += size
  const feed: Feed = { effects, size }
  follower.port.postMessage(feed, [])
  if (follower.lag > maxLag) follower.port.close()
}

/** `ports` are of public copies that followed another worker until now. */
export function feeder(ports: readonly MessagePort[] = []) {
  const followers = new Set<Follower>()
  const follow = (port: MessagePort, whole: boolean): void => {
    const follower: Follower = { port, whole, lag: 0 }
    followers.add(follower)
    port.on('message', (done: number) => (follower.lag -= done))
    port.on('close', () => followers.delete(follower))
    port.unref()
  }
  for (const port of ports) follow(port, false)
  return {
    /** `whole` = the system graph too. */
    follow,
    /** Lets go of everybody because of a change that is not sent: who wants a copy builds it anew. */
    lose(): void {
      for (const { port } of followers) port.close()
    },
    send(effects: readonly Effect[]): void {
      if (followers.size === 0) return
      const open = effects.filter(({ graph }) => graph !== systemGraph)
      for (const follower of followers) post(follower, follower.whole ? effects : open)
    },
    /** Ends it: the successor gets what is left to do, and the ports of all others. */
    handOver(rest: Omit<Handover, 'ports'>): void {
      const all = [...followers]
      followers.clear()
      for (const { port } of all) port.removeAllListeners()
      const successor = all.findLast(({ whole }) => whole)
      const ports = all.flatMap(({ port, whole }) => (whole ? [] : [port]))
      const message: Handover = { ...rest, ports }
      successor?.port.postMessage(message, ports)
    },
  }
}
