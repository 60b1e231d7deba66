/** The embedded store as a SPARQL server on a real socket: the other end of the dialect `sparql11`. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { EmbeddedStore } from '../../src/store/graph-store.ts'
import type { StoreConfig } from '../../src/store/open.ts'

export type ProtocolServer = {
  readonly url: string
  readonly config: StoreConfig
  /** Breaks all connections and refuses new ones, as a killed server does; what it had begun it may have done. */
  readonly kill: () => Promise<void>
  /** Listens again, on the same port. */
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Who may enter by HTTP Basic; keeps the bodies of those who were turned away. */
export type Guard = {
  readonly username: string
  readonly password: string
  readonly refused: string[]
}

const isWelcome = ({ authorization }: IncomingMessage['headers'], guard: Guard) =>
  authorization === `Basic ${btoa(`${guard.username}:${guard.password}`)}`

async function answer(
  { store, guard }: { readonly store: EmbeddedStore; readonly guard: Guard | undefined },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', url = '/', headers } = request
  const body = method === 'GET' || method === 'HEAD' ? undefined : await text(request)
  if (guard && !isWelcome(headers, guard)) {
    guard.refused.push(body ?? '')
    response.writeHead(401, { 'www-authenticate': 'Basic realm="store"' }).end()
    return
  }
  const given = Object.entries(headers).filter(([, value]) => typeof value === 'string')
  const answered = await store.protocol(
    new Request(new URL(url, 'http://store'), {
      method,
      headers: Object.fromEntries(given) as Record<string, string>,
      ...(body !== undefined && { body }),
    }),
  )
  response.writeHead(answered.status, Object.fromEntries(answered.headers))
  response.end(await answered.text())
}

const listening = (server: Server, port: number) =>
  new Promise<number>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

const closed = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/** Serves a store on a free port of 127.0.0.1; the store itself stays the caller's. */
export async function protocolServer(store: EmbeddedStore, guard?: Guard): Promise<ProtocolServer> {
  const server = createServer((request, response) => {
    answer({ store, guard }, request, response).catch(() => response.destroy())
  })
  const port = await listening(server, 0)
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    config: {
      dialect: 'sparql11',
      queryEndpoint: `${url}/query`,
      updateEndpoint: `${url}/update`,
      ...(guard && { username: guard.username, password: guard.password }),
    },
    kill: () => closed(server),
    restart: async () => void (await listening(server, port)),
    stop: () => closed(server),
  }
}
