/** A request on its way, and the clocks that watch it. */

import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { Failure } from '../../../errors.ts'
import { bodyOf, drained } from './body.ts'
import { ConnectionFault, late, type Stage } from './faults.ts'
import type { WireAnswer, WireLimits, WireRequest } from './messages.ts'

type Options = WireLimits & {
  /** Whether the connection is given up after an answer of 400 or more. */
  readonly destroyAfterError: boolean
}

/** From the first byte sent to the last byte read, or to the first thing that goes wrong. */
export class Running {
  readonly #request: ClientRequest
  readonly #options: Options
  readonly #done = Promise.withResolvers<WireAnswer>()
  #stage: Stage = 'connecting'
  /** Of the stage: until a connection stands, then until the head of the answer is there. */
  #clock: NodeJS.Timeout | undefined

  constructor(request: ClientRequest, options: Options) {
    this.#request = request
    this.#options = options
  }

  /** Ends the request; its promise rejects with `reason`, unless it is settled. */
  stop(reason: unknown): void {
    this.#done.reject(reason)
    this.#request.destroy()
  }

  /** Sends `body` and collects the answer. Rejects with a `ConnectionFault`, a `Failure` or what `stop` was given. */
  async answer({ body, into }: Pick<WireRequest, 'body' | 'into'>): Promise<WireAnswer> {
    const request = this.#request
    // Timers rather than promises that pause: a thousand times a second, two of those cost more than the parsing.
    const whole = setTimeout(() => this.stop(late()), this.#options.totalMs)
    request.on('socket', (socket) => this.#connect(socket))
    request.on('response', (response) => this.#read(response, into))
    request.on('error', (error) => this.stop(this.#fault(error)))
    request.on('close', () => {
      if (this.#stage !== 'answering') this.stop(this.#fault(new Error('the connection closed')))
    })
    if (typeof body === 'object') {
      // Whatever goes wrong on the way is told by the request itself.
      pipeline(Readable.from(body.chunks()), request, () => undefined)
    } else request.end(body)
    try {
      return await this.#done.promise
    } finally {
      clearTimeout(whole)
      clearTimeout(this.#clock)
    }
  }

  #connect(socket: Socket): void {
    const { connectMs } = this.#options
    if (!socket.connecting) return this.#ask()
    const standing = 'encrypted' in socket ? 'secureConnect' : 'connect'
    socket.once(standing, () => this.#ask())
    this.#clock = setTimeout(() => {
      this.stop(this.#fault(new Error(`no connection within ${connectMs} ms`)))
    }, connectMs)
  }

  #ask(): void {
    clearTimeout(this.#clock)
    if (this.#stage !== 'connecting') return
    this.#stage = 'asking'
    this.#clock = setTimeout(() => this.stop(late()), this.#options.firstByteMs)
  }

  #read(response: IncomingMessage, into: WireRequest['into']): void {
    clearTimeout(this.#clock)
    this.#stage = 'answering'
    const { statusCode: status = 0, socket } = response
    // At once when the body ends: one turn later the connection may carry somebody else's request.
    if (this.#options.destroyAfterError && status >= 400) response.on('end', () => socket.destroy())
    const text =
      into && status < 300 ? drained(response, into()) : bodyOf(response, this.#options.bytes)
    text.then(
      (body) => this.#done.resolve({ status, headers: headersOf(response), text: body }),
      (error: unknown) => this.stop(error instanceof Failure ? error : this.#fault(error)),
    )
  }

  readonly #fault = (error: unknown): ConnectionFault =>
    new ConnectionFault(error, this.#stage, this.#request.reusedSocket)
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ')
  return plain
}
