/** The worker's side of a call: runs it and answers with its value or its trouble. */

import type { MessagePort } from 'node:worker_threads'
import { isDamage, isUnusable } from '../database.ts'
import type { Call, Reply } from './messages.ts'

/** Thrown inside a worker when the main thread no longer wants the answer. */
export class Stopped extends Error {}

/** Payloads were typed where they were sent; here they are what the thread border left of them. */
export type Calls = Readonly<Record<string, (payload: never, id: number) => unknown>>

export function serve(port: MessagePort, calls: Calls): void {
  port.on('message', ({ id, name, payload }: Call<never>) => {
    port.postMessage(run(calls, { id, name, payload }), [])
    if (name === 'close') port.close()
  })
}

function run(calls: Calls, { id, name, payload }: Call<never>): Reply {
  try {
    const call = calls[name]
    if (!call) throw new Error(`no call ${name}`)
    return { id, value: call(payload, id) }
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    if (error instanceof Stopped) return { id, trouble: 'stopped', message }
    const isAtFault = name === 'open' ? isUnusable(error) : isDamage(error)
    return { id, trouble: isAtFault ? 'damaged' : 'other', message }
  }
}
