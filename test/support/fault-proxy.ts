/** A proxy in front of a store that injects what networks and stores do to requests, and says what it did. */

import {
  Agent,
  createServer,
  request as requestHttp,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

export const allFaults = [
  /** The connection is reset; the store saw nothing. */
  'reset-before',
  /** The store saw half of the body, then both connections are reset. */
  'reset-during',
  /** The store did its work; its answer is lost. */
  'reset-after',
  /** Answered by the proxy; the store saw nothing. */
  'status-500',
  'status-503',
  /** The store did its work; its answer comes late and whole. */
  'slow',
  /** The store did its work; the answer stops in the middle of a body that has a `Content-Length`. */
  'cut-length',
  /** The same in a body of chunks. */
  'cut-chunked',
] as const

export type Fault = (typeof allFaults)[number]

type Seen = {
  readonly requests: number
  /** How many requests met which fault. */
  readonly faults: Readonly<Record<Fault, number>>
  /** Requests that the store itself did not answer to the end; their connection is reset. */
  readonly unanswered: number
}

export type FaultProxy = {
  /** The target's address with the proxy's host and port. */
  readonly url: string
  /** Probability of each fault per request, 0..1; all 0 at first, to be set at any time. */
  readonly rates: Record<Fault, number>
  /** Faults of the next requests, used up before any rate counts; `undefined` lets a request through. */
  readonly script: (Fault | undefined)[]
  readonly seen: () => Seen
  readonly close: () => Promise<void>
}

type Options = {
  /** 0 ≤ x < 1, asked once per request; seeded, so that a run can be repeated. */
  readonly random?: () => number
  /** How late a slow answer is, in milliseconds; default 50. */
  readonly slowMs?: number
}

/** Listens on a free port of 127.0.0.1 and forwards every path to the origin of `target` (`http:` only). */
export async function faultProxy(target: string, options: Options = {}): Promise<FaultProxy> {
  const { random = () => 1, slowMs = 50 } = options
  const origin = new URL(target)
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const rates = perFault()
  const faults = perFault()
  const script: (Fault | undefined)[] = []
  let requests = 0
  let unanswered = 0

  const server = createServer((request, response) => {
    requests += 1
    const fault = script.length > 0 ? script.shift() : drawn(rates, random())
    if (fault) faults[fault] += 1
    const call = { request, response, origin, agent, slowMs }
    serve(call, fault).catch(() => {
      if (!response.closed) unanswered += 1
      reset(call)
    })
  })
  server.keepAliveTimeout = 30_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    rates,
    script,
    seen: () => ({ requests, faults: { ...faults }, unanswered }),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      agent.destroy()
      await closed
    },
  }
}

const perFault = () =>
  Object.fromEntries(allFaults.map((fault) => [fault, 0])) as Record<Fault, number>

/** One draw decides between all faults, so that their rates add up. */
function drawn(rates: Readonly<Record<Fault, number>>, draw: number): Fault | undefined {
  let border = 0
  return allFaults.find((fault) => draw < (border += rates[fault]))
}

type Call = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly origin: URL
  readonly agent: Agent
  readonly slowMs: number
}

async function serve(call: Call, fault: Fault | undefined): Promise<void> {
  if (fault === 'reset-before') return reset(call)
  const body = await bodyOf(call.request)
  if (fault === 'reset-during') return halfSent(call, body)
  if (fault === 'status-500' || fault === 'status-503') return refuse(call, fault)
  const answer = await forward(call, body)
  if (fault === undefined) return pass(call, answer)
  const whole = await bodyOf(answer)
  if (fault === 'slow') {
    await wait(call.slowMs)
    return pass(call, answer, whole)
  }
  return fault === 'reset-after' ? reset(call) : cut(call, answer, { whole, fault })
}

function reset({ request }: Call): void {
  request.socket.resetAndDestroy()
}

function refuse({ response }: Call, fault: 'status-500' | 'status-503'): void {
  response.writeHead(Number(fault.slice(-3)), { 'Content-Type': 'text/plain' })
  response.end('injected by the fault proxy')
}

/** A request to the store with the head of ours; when our client leaves, so does it. */
function upstream({ request, response, origin, agent }: Call, length: number): ClientRequest {
  const { connection: _, 'transfer-encoding': __, ...headers } = request.headers
  const ahead = requestHttp({
    agent,
    hostname: origin.hostname,
    port: origin.port,
    method: request.method,
    path: request.url,
    headers: {
      ...headers,
      host: origin.host,
      ...(length > 0 && { 'content-length': length }),
    },
  })
  response.on('close', () => ahead.destroy())
  return ahead
}

function forward(call: Call, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const ahead = upstream(call, body.length)
    ahead.on('response', resolve)
    ahead.on('error', reject)
    ahead.end(body)
  })
}

/** The store waits for the other half in vain. A request without a body is reset before it is sent. */
function halfSent(call: Call, body: Buffer): void {
  if (body.length < 2) return reset(call)
  const ahead = upstream(call, body.length)
  ahead.on('error', () => reset(call))
  ahead.write(body.subarray(0, body.length >> 1), () => {
    ahead.destroy()
    reset(call)
  })
}

function headOf(answer: IncomingMessage): Record<string, string | string[]> {
  const { connection, 'keep-alive': _, 'transfer-encoding': __, ...headers } = answer.headers
  const plain = Object.entries(headers).filter(
    (one): one is [string, string | string[]] => !!one[1],
  )
  return { ...Object.fromEntries(plain), ...(connection === 'close' && { connection }) }
}

/** The answer as it is, piped where nobody has read it. */
function pass({ response, request }: Call, answer: IncomingMessage, whole?: Buffer): void {
  response.writeHead(answer.statusCode ?? 502, headOf(answer))
  if (whole) response.end(whole)
  else answer.on('error', () => request.socket.resetAndDestroy()).pipe(response)
}

/** Half of the body, then the end of the connection. Where there is no body, half of the head. */
function cut(
  { request, response }: Call,
  answer: IncomingMessage,
  { whole, fault }: { whole: Buffer; fault: 'cut-length' | 'cut-chunked' },
): void {
  const { socket } = request
  const end = () => socket.end(() => socket.destroy())
  if (whole.length === 0) return void socket.write('HTTP/1.1 ', end)
  const { 'content-length': _, ...head } = headOf(answer)
  response.writeHead(answer.statusCode ?? 502, {
    ...head,
    ...(fault === 'cut-length'
      ? { 'content-length': String(whole.length) }
      : { 'transfer-encoding': 'chunked' }),
  })
  response.write(whole.subarray(0, whole.length >> 1), end)
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of message) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
