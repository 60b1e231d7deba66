/**
 * One request to a service of the operator's (a triplestore, a search engine, a repository) and its whole answer, over a few
 * lasting connections and within limits. Such hosts are trusted: no guard looks at their addresses.
 */

import { Agent, request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import { Failure } from '../errors.ts'

/** How long and how much one request may take; all in milliseconds, except `bytes`. */
export type ServiceLimits = {
  /** Until a connection stands, and in all for the attempts to get one. */
  readonly connectMs: number
  /** From the standing connection until the head of the answer. */
  readonly firstByteMs: number
  /** The whole call: waiting for a socket, authentication, every attempt and the pauses between them. */
  readonly totalMs: number
  /** Length of an answer's body as it is sent. */
  readonly bytes: number
}

/** Takes an answer while it arrives, before more of it is read. What it throws ends the request. */
type Sink = { readonly take: (part: Buffer) => void }

export type ServiceRequest = {
  /** Absolute, `http:` or `https:`, without user info. */
  readonly url: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Without `Authorization` (where credentials are configured) and `Content-Length`, which the client sets. */
  readonly headers: Readonly<Record<string, string>>
  /** Sent whole, in UTF-8, with its length. */
  readonly body?: string
  /** True when sending it twice does what sending it once does. */
  readonly idempotent: boolean
  readonly limits?: Partial<ServiceLimits>
}

/** A complete answer, whatever its status. Header names are in lower case. */
export type ServiceAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** A request that is ready to be sent as it is. */
export type Outgoing = Pick<ServiceRequest, 'method' | 'headers' | 'body'> & {
  readonly url: URL
}

/** The limits of a call, and the time by the client's clock at which all of it must be over. */
export type ServiceBounds = Omit<ServiceLimits, 'totalMs'> & { readonly until: number }

/** Rejects with a `ConnectionError`, a `Failure` (time-limit, too-large, unavailable) or the signal's reason. */
export type Exchange = (
  outgoing: Outgoing,
  bounds: ServiceBounds,
  signal?: AbortSignal,
) => Promise<ServiceAnswer>

/** How the service is called in messages, such as `store`, and what it is when it is not available. */
export type ServiceName = {
  readonly name: string
  readonly unavailable: 'store-unavailable' | 'engine-unavailable'
}

/** How far a request had come when its connection failed. */
type Stage = 'connecting' | 'asking' | 'answering'

/** A connection that could not be made or broke. The message is the system's. */
export class ConnectionError extends Error {
  readonly stage: Stage
  /** True when the connection had served another request before: it may have been dead already. */
  readonly reused: boolean

  constructor(cause: unknown, stage: Stage, reused: boolean) {
    super(systemMessage(cause), { cause })
    this.name = 'ConnectionError'
    this.stage = stage
    this.reused = reused
  }
}

// Where a name has several addresses, Node puts one error per address into an error without a message.
function systemMessage(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(systemMessage).join('; ')
  return error instanceof Error ? error.message : String(error)
}

type ExchangeOptions = {
  readonly service: ServiceName
  readonly sockets: number
  readonly destroyAfterError: boolean
  readonly now: () => number
  /** Ends what runs, with its reason, and closes all connections. */
  readonly closing: AbortSignal
}

// Shorter than the idle time of the servers that we know (5 s and more), so that we are the ones who hang up.
const idleMs = 4000

/** At most `sockets` connections to one origin at the same time; what comes in between waits. */
export function exchanges(options: ExchangeOptions) {
  const { sockets, now, closing } = options
  const settings = { keepAlive: true, maxSockets: sockets, timeout: idleMs }
  const agents = { 'http:': new Agent(settings), 'https:': new SecureAgent(settings) }
  closing.addEventListener('abort', () => {
    for (const agent of Object.values(agents)) agent.destroy()
  })
  const exchange: Exchange = async (outgoing, bounds, signal) => {
    closing.throwIfAborted()
    signal?.throwIfAborted()
    const limits = { ...bounds, totalMs: bounds.until - now() }
    const agent = agents[outgoing.url.protocol === 'https:' ? 'https:' : 'http:']
    const one = new Running(started(outgoing, agent), limits, options)
    const stop = () => one.stop(closing.aborted ? closing.reason : signal?.reason)
    const signals = signal ? [closing, signal] : [closing]
    for (const each of signals) each.addEventListener('abort', stop)
    try {
      return await one.answer(outgoing)
    } finally {
      for (const each of signals) each.removeEventListener('abort', stop)
    }
  }
  /** Gives up connections that wait for work: when one was found dead, they are likely to be as well. */
  const dropIdle = (): void => {
    for (const agent of Object.values(agents))
      for (const idle of Object.values(agent.freeSockets))
        for (const socket of idle ?? []) socket.destroy()
  }
  return { exchange, dropIdle }
}

function started({ url, method, headers, body }: Outgoing, agent: Agent): ClientRequest {
  const hasBody = body !== undefined || method === 'POST' || method === 'PUT'
  return (url.protocol === 'https:' ? requestHttps : requestHttp)({
    agent,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    path: url.pathname + url.search,
    method,
    headers: hasBody ? { ...headers, 'Content-Length': Buffer.byteLength(body ?? '') } : headers,
  })
}

/** A request from the first byte sent to the last byte read, or to the first thing that goes wrong. */
class Running {
  readonly #request: ClientRequest
  readonly #limits: ServiceLimits
  readonly #options: ExchangeOptions
  readonly #done = Promise.withResolvers<ServiceAnswer>()
  #stage: Stage = 'connecting'
  /** Of the stage: until a connection stands, then until the head of the answer is there. */
  #clock: NodeJS.Timeout | undefined

  constructor(request: ClientRequest, limits: ServiceLimits, options: ExchangeOptions) {
    this.#request = request
    this.#limits = limits
    this.#options = options
  }

  /** Ends the request; its promise rejects with `reason`, unless it is settled. */
  stop(reason: unknown): void {
    this.#done.reject(reason)
    this.#request.destroy()
  }

  async answer({ body }: Pick<ServiceRequest, 'body'>): Promise<ServiceAnswer> {
    const request = this.#request
    // Timers rather than promises that pause: a thousand times a second, two of those cost more than the parsing.
    const whole = setTimeout(() => this.stop(this.#late()), this.#limits.totalMs)
    request.on('socket', (socket) => this.#connect(socket))
    request.on('response', (response) => this.#read(response))
    request.on('error', (error) => this.stop(this.#fault(error)))
    request.on('close', () => {
      if (this.#stage !== 'answering') this.stop(this.#fault(new Error('the connection closed')))
    })
    request.end(body)
    try {
      return await this.#done.promise
    } finally {
      clearTimeout(whole)
      clearTimeout(this.#clock)
    }
  }

  #late(): Failure {
    const detail = `The ${this.#options.service.name} did not answer within its time limit.`
    return new Failure('time-limit', detail)
  }

  #connect(socket: Socket): void {
    const { connectMs } = this.#limits
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
    this.#clock = setTimeout(() => this.stop(this.#late()), this.#limits.firstByteMs)
  }

  #read(response: IncomingMessage): void {
    clearTimeout(this.#clock)
    this.#stage = 'answering'
    const { statusCode: status = 0, socket } = response
    // At once when the body ends: one turn later the connection may carry somebody else's request.
    if (this.#options.destroyAfterError && status >= 400) response.on('end', () => socket.destroy())
    const parts: Buffer[] = []
    received(response, this.#bounded(parts, response), this.#options.service).then(
      () => this.#done.resolve({ status, headers: headersOf(response), text: textOf(parts) }),
      (error: unknown) => this.stop(error instanceof Failure ? error : this.#fault(error)),
    )
  }

  /** Collects the parts of a body within the limit; one that declares more is refused before it is read. */
  #bounded(parts: Buffer[], { headers }: IncomingMessage): Sink {
    const { bytes } = this.#limits
    const declared = Number(headers['content-length'] ?? 0)
    let length = 0
    return {
      take: (part) => {
        length += part.length
        if (Math.max(length, declared) > bytes) {
          const { name } = this.#options.service
          throw new Failure('too-large', `The answer of the ${name} is longer than ${bytes} bytes.`)
        }
        parts.push(part)
      },
    }
  }

  readonly #fault = (error: unknown): ConnectionError =>
    new ConnectionError(error, this.#stage, this.#request.reusedSocket)
}

/** Hands a body over while it arrives; rejects with what the sink throws, and when the body ends before its end. */
function received(response: IncomingMessage, sink: Sink, service: ServiceName): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!isFramed(response)) {
      const detail = `The ${service.name} does not say where its answer ends.`
      return reject(new Failure(service.unavailable, detail, { retryAfter: 2 }))
    }
    response.on('data', (part: Buffer) => {
      try {
        sink.take(part)
      } catch (error) {
        reject(error)
      }
    })
    response.on('end', () => {
      if (response.complete) resolve()
    })
    response.on('error', reject)
    response.on('close', () => {
      if (!response.complete) reject(new Error('the answer ended early'))
    })
  })
}

// A body that lasts until the connection closes cannot be told from one that was cut. Errors may: nobody builds on them.
const isFramed = ({ headers, statusCode = 0 }: IncomingMessage): boolean =>
  statusCode >= 300 ||
  statusCode === 204 ||
  'content-length' in headers ||
  'transfer-encoding' in headers

const textOf = (parts: readonly Buffer[]): string =>
  (parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)).toString()

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ')
  return plain
}
