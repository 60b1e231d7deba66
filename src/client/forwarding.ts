/** Sends requests on to the process that writes, with their bodies and answers as streams. */

import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import { backgroundLoop } from '../workers/background-loop.ts'
import type { Pause } from '../workers/pause.ts'
import { plainConnections } from './connections.ts'
import { deadlineClock } from './deadlines.ts'
import { exchange, ExchangeFault } from './exchange.ts'

/** Request to send on; `path` with the query. */
type ForwardedRequest = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Readable
}

/** Client for the process that writes. */
export type WriterClient = {
  /**
   * Sends a request, once, and resolves with the head of the answer, whatever its status. Rejects with `writer-away`, or with the
   * reason of the signal.
   */
  readonly send: (request: ForwardedRequest, signal: AbortSignal) => Promise<IncomingMessage>
  /** Whether the writer, or one of several, answered last. */
  readonly isUp: () => boolean
  readonly stop: () => Promise<void>
}

type Options = {
  /** Origins of the writer and of the processes that may take over. */
  readonly origins: readonly string[]
  readonly log: Log
  readonly pause: Pause
  /** Monotonic time in ms. */
  readonly now: () => number
}

/** Milliseconds between two looks at the writer, between two while none is ready, and of one look. */
const [lookMs, soonMs, lookLimitMs] = [2000, 250, 2000]
/** Milliseconds of a request that is sent on: the writer has shorter limits, this one ends what it left hanging. */
export const forwardMs = 900_000
/** Milliseconds for a connection. */
const connectMs = 2000
/** Most connections to the writer, and milliseconds for which an idle one is kept. */
const [sockets, keepAliveMs] = [256, 4000]
const retryAfter = 5

/** Answer of an origin when it was asked whether it is ready: yes, no, or none at all. */
type Look = 'ready' | 'up' | 'away'

/**
 * Makes the client. Of several origins it uses the one that is ready, which is asked for in a loop: a process is not ready before it
 * writes.
 */
export function writerClient({ origins, log, pause, now }: Options): WriterClient {
  const connections = plainConnections(sockets, keepAliveMs)
  const clockOf = (ms: number) =>
    deadlineClock({ connectMs, firstByteMs: ms, idleMs: ms, pageMs: ms }, now)
  const found = new Map<string, Look>()
  const lookAll = async (signal: AbortSignal) => {
    const clock = clockOf(lookLimitMs)
    const looks = origins.map(async (origin) => {
      return [origin, await look(origin, { connections, clock, signal })] as const
    })
    const before = current(origins, found)
    for (const [origin, state] of await Promise.all(looks)) found.set(origin, state)
    const after = current(origins, found)
    if (before !== after) log.warn({ writer: after ?? null }, 'writer.changed')
    return [...found.values()].includes('ready') ? lookMs : soonMs
  }
  const timing = { log, pause, firstMs: 0 }
  const loop = backgroundLoop('writer.look-failed', lookMs, lookAll, timing)
  return {
    isUp: () => current(origins, found) !== undefined,
    send: async ({ method, path, headers, body }, signal) => {
      const origin = current(origins, found)
      if (origin === undefined) throw away('The process that writes cannot be reached.')
      const url = new URL(origin + path)
      const outgoing = { url, method, headers, ...(body && { body }) }
      const isRepeatable = body === undefined && (method === 'GET' || method === 'HEAD')
      const call = { clock: clockOf(forwardMs), signal, connections, isRepeatable }
      try {
        return await exchange(outgoing, call)
      } catch (error) {
        if (!(error instanceof ExchangeFault)) throw error
        loop.wake()
        throw away(detailOf(error, isRepeatable), error)
      }
    },
    stop: async () => {
      await loop.stop()
      connections.close()
    },
  }
}

/** Asks an origin whether it is ready. Rejects with the reason of the signal only. */
async function look(
  origin: string,
  call: Pick<Parameters<typeof exchange>[1], 'connections' | 'clock' | 'signal'>,
): Promise<Look> {
  const url = new URL('/health/ready', origin)
  try {
    const outgoing = { url, method: 'GET', headers: {} }
    const message = await exchange(outgoing, { ...call, isRepeatable: true })
    message.resume()
    // A writer with a port for administration answers 404 here.
    return (message.statusCode ?? 500) < 500 ? 'ready' : 'up'
  } catch {
    call.signal.throwIfAborted()
    return 'away'
  }
}

/** Origin to send to: the ready one, else one that answers at all; before the first look the first. */
function current(origins: readonly string[], looks: ReadonlyMap<string, Look>): string | undefined {
  if (looks.size === 0) return origins[0]
  const inState = (state: Look) => origins.find((origin) => looks.get(origin) === state)
  return inState('ready') ?? inState('up')
}

const away = (detail: string, cause?: unknown) =>
  new Failure('writer-away', detail, { retryAfter, cause })

function detailOf({ phase }: ExchangeFault, isRead: boolean): string {
  if (phase === 'connecting')
    return 'The process that writes cannot be reached; nothing was sent to it.'
  return isRead
    ? 'The process that writes did not answer.'
    : 'The process that writes did not answer; whether it has carried out the request is not known.'
}
