/** One request and the head of its answer. */

import { once } from 'node:events'
import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as requestHttps, type RequestOptions } from 'node:https'
import { Failure, shown } from '../errors.ts'
import { connectionFault } from './faults.ts'
import type { Sockets, Way } from './guard/sockets.ts'
import { hostOf, portOf } from './guard/target.ts'
import type { Patience } from './patience.ts'

export type Ask = Way & {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly patience: Patience
  /** Told when there is a connection: what fails from then on is not the network's fault. */
  readonly connected: () => void
}

/** Throws the signal's reason when it was aborted, else a `Failure`. */
export async function exchange(ask: Ask, sockets: Sockets): Promise<IncomingMessage> {
  // What breaks it off when time is up; the body is broken off by its reader.
  const breaking = new AbortController()
  const signal = AbortSignal.any([ask.signal, breaking.signal])
  for (;;) {
    const call = send({ ...ask, signal }, sockets)
    try {
      return await headOf(call, ask)
    } catch (error) {
      ask.signal.throwIfAborted()
      if (wentStale(call, error, ask)) continue
      breaking.abort()
      call.destroy()
      throw connectionFault(error, shown(ask.url.host))
    }
  }
}

/** A kept connection that the server closed just when we wanted it: another one is due, not another attempt. */
const wentStale = (call: ClientRequest, error: unknown, ask: Ask): boolean =>
  call.reusedSocket && !(error instanceof Failure) && ask.method !== 'POST'

function send(ask: Ask, sockets: Sockets): ClientRequest {
  const { url, method, headers, signal, permission } = ask
  const options: RequestOptions & { readonly way: Way } = {
    agent: sockets.agentOf(url),
    hostname: hostOf(url),
    port: portOf(url),
    path: `${url.pathname}${url.search}`,
    method,
    headers,
    signal,
    maxHeaderSize: 65_536,
    way: { url, permission, signal },
  }
  try {
    const call = url.protocol === 'https:' ? requestHttps(options) : requestHttp(options)
    // Errors after the head are told by the body as well.
    call.on('error', () => undefined)
    call.end(ask.body)
    return call
  } catch (cause) {
    throw connectionFault(cause, shown(url.host))
  }
}

async function headOf(call: ClientRequest, ask: Ask): Promise<IncomingMessage> {
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    call.on('response', resolve)
    call.on('error', reject)
    call.on('close', () => reject(new Failure('source-unreachable', 'the connection was closed')))
  })
  // Whoever waits for the connection hears of the failure there.
  answered.catch(() => undefined)
  await ask.patience.within(once(call, 'socket'), 'connectMs')
  ask.connected()
  return ask.patience.within(answered, 'firstByteMs')
}
