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
  readonly unavailable: 'store-unavailable' | 'engine-unavailable' | 'export-failed'
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
    const signals = signal ? [closing, signal] : [closing]
    for (const each of signals) each.throwIfAborted()
    const agent = agents[outgoing.url.protocol === 'https:' ? 'https:' : 'http:']
    const running = new RunningRequest(started(outgoing, agent), options, bounds)
    const stop = () => running.end(closing.aborted ? closing.reason : signal?.reason)
    for (const each of signals) each.addEventListener('abort', stop)
    // Timers rather than promises that pause: a thousand times a second, two of those cost more than the parsing.
    const whole = setTimeout(running.late, bounds.until - now())
    try {
      return await running.answer(outgoing.body)
    } finally {
      clearTimeout(whole)
      for (const each of signals) each.removeEventListener('abort', stop)
    }
  }
  /** Gives up connections that wait for work: when one was found dead, they are likely to be as well. */
  const dropIdle = (): void => {
    for (const agent of Object.values(agents))
      for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy()
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
class RunningRequest {
  readonly #request: ClientRequest
  readonly #options: ExchangeOptions
  readonly #bounds: ServiceBounds
  readonly #done = Promise.withResolvers<ServiceAnswer>()
  #stage: Stage = 'connecting'
  /** Of the stage: until a connection stands, then until the head of the answer is there. */
  #clock: NodeJS.Timeout | undefined

  constructor(request: ClientRequest, options: ExchangeOptions, bounds: ServiceBounds) {
    this.#request = request
    this.#options = options
    this.#bounds = bounds
  }

  /** Ends the request; its promise rejects with `reason`, unless it is settled. */
  end(reason: unknown): void {
    clearTimeout(this.#clock)
    this.#done.reject(reason)
    this.#request.destroy()
  }

  readonly late = (): void => {
    const { name } = this.#options.service
    this.end(new Failure('time-limit', `The ${name} did not answer within its time limit.`))
  }

  answer(body: string | undefined): Promise<ServiceAnswer> {
    const request = this.#request
    request.on('socket', (socket) => this.#connect(socket))
    request.on('response', (response) => {
      this.#read(response).catch((error: unknown) =>
        error instanceof Failure ? this.end(error) : this.#fail(error),
      )
    })
    request.on('error', (error) => this.#fail(error))
    request.on('close', () => {
      if (this.#stage !== 'answering') this.#fail(new Error('the connection closed'))
    })
    request.end(body)
    return this.#done.promise
  }

  #fail(error: unknown): void {
    this.end(new ConnectionError(error, this.#stage, this.#request.reusedSocket))
  }

  #connect(socket: Socket): void {
    const { connectMs, firstByteMs } = this.#bounds
    const ask = () => {
      clearTimeout(this.#clock)
      this.#stage = 'asking'
      this.#clock = setTimeout(this.late, firstByteMs)
    }
    if (!socket.connecting) return ask()
    const late = () => this.#fail(new Error(`no connection within ${connectMs} ms`))
    this.#clock = setTimeout(late, connectMs)
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', ask)
  }

  async #read(response: IncomingMessage): Promise<void> {
    clearTimeout(this.#clock)
    this.#stage = 'answering'
    const { service, destroyAfterError } = this.#options
    const { statusCode: status = 0, socket, headers } = response
    // At once when the body ends: one turn later the connection may carry somebody else's request.
    if (destroyAfterError && status >= 400) response.on('end', () => socket.destroy())
    if (this.#request.method !== 'HEAD' && !isFramed(response)) {
      const detail = `The ${service.name} does not say where its answer ends.`
      throw new Failure(service.unavailable, detail, { retryAfter: 2 })
    }
    const { bytes } = this.#bounds
    const check = (length: number) => {
      if (length <= bytes) return
      const detail = `The answer of the ${service.name} is longer than ${bytes} bytes.`
      throw new Failure('too-large', detail)
    }
    // One that declares more is refused before it is read.
    check(Number(headers['content-length'] ?? 0))
    const parts: Buffer[] = []
    let length = 0
    for await (const part of response) {
      if (part instanceof Buffer) length += parts.push(part) && part.length
      check(length)
    }
    const text = Buffer.concat(parts).toString()
    this.#done.resolve({ status, headers: headersOf(response), text })
  }
}

// A body that lasts until the connection closes cannot be told from one that was cut. Errors may: nobody builds on them.
const isFramed = ({ headers, statusCode = 0 }: IncomingMessage): boolean =>
  statusCode >= 300 ||
  statusCode === 204 ||
  'content-length' in headers ||
  'transfer-encoding' in headers

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ')
  return plain
}
