/** Small servers that misbehave as told, and wires to them. */

import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net'
import { onTestFinished } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { logger } from '../../../src/log.ts'
import type { ServiceRequest } from '../../../src/client/service-request.ts'
import {
  serviceClient,
  type ServiceClient,
  type ServiceOptions,
} from '../../../src/client/service.ts'

const generous = { connectMs: 20_000, firstByteMs: 20_000, totalMs: 40_000, bytes: 1_000_000 }

type Told = Partial<Omit<ServiceOptions, 'limits'>> & {
  readonly limits?: Partial<ServiceOptions['limits']>
}

/** A wire whose pauses take no time, with generous limits; closed when the test ends. */
export function wire(told: Told = {}): ServiceClient {
  const connected = serviceClient({
    service: { name: 'store', unavailable: 'store-unavailable' },
    closesAfterError: false,
    sockets: 4,
    retryable: ({ status }) => status === 503,
    log: logger('silent'),
    pause: () => Promise.resolve(),
    random: () => 0.5,
    now: () => performance.now(),
    ...told,
    limits: { ...generous, ...told.limits },
  })
  onTestFinished(() => connected.close())
  return connected
}

/** A read by GET, unless told otherwise. */
export const asking = (url: string, told: Partial<ServiceRequest> = {}): ServiceRequest => ({
  url,
  method: 'GET',
  headers: {},
  isIdempotent: true,
  ...told,
})

/** An update by POST that must not be sent twice, unless told otherwise. */
export const updating = (url: string, told: Partial<ServiceRequest> = {}): ServiceRequest =>
  asking(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/sparql-update' },
    body: 'INSERT DATA { GRAPH <urn:g> { <urn:s> <urn:p> "ü" } }',
    isIdempotent: false,
    ...told,
  })

/** What a promise was rejected with; fails when it was not, or not with a `Failure`. */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const outcome = await promise.then(
    () => 'no failure at all',
    (error: unknown) => error,
  )
  if (outcome instanceof Failure) return outcome
  throw new Error(`expected a Failure, got ${String(outcome)}`)
}

type Listening = {
  readonly url: string
  /** Connections accepted so far. */
  readonly connections: () => number
}

function listening(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // A reset by the other side is what many of these tests are about.
    socket.on('error', () => socket.destroy())
  })
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      resolve({ url: `http://127.0.0.1:${port}/ds`, connections: () => connections })
    }),
  )
}

/** A server that speaks HTTP as it should. */
export const httpServer = (
  listener: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<Listening> =>
  listening(createHttpServer((request, response) => void listener(request, response)))

/** A request as it stood on the socket. */
export type RawRequest = {
  readonly head: string
  readonly body: string
  readonly socket: Socket
  /** Counted from 1: of all requests, and of those on its connection. */
  readonly number: number
  readonly onConnection: number
}

/** A server without manners: `act` gets every whole request and writes to the socket what it likes. */
export async function rawServer(act: (request: RawRequest) => void): Promise<Listening> {
  let number = 0
  const server = createTcpServer((socket) => {
    let onConnection = 0
    let text = ''
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part
      const border = text.indexOf('\r\n\r\n')
      if (border < 0) return
      const head = text.slice(0, border)
      const body = text.slice(border + 4)
      if (body.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)) return
      text = ''
      number += 1
      onConnection += 1
      act({ head, body, socket, number, onConnection })
    })
  })
  return listening(server)
}

/** A whole answer, as text for a raw socket. */
export const wholeAnswer = (text: string, status = '200 OK', ...fields: string[]): string =>
  [`HTTP/1.1 ${status}`, `Content-Length: ${text.length}`, ...fields, '', text].join('\r\n')
