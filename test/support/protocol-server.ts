/** A SPARQL 1.1 store on a real socket: the other end of the dialect `sparql11`. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { StoreConfig } from '../../src/store/open-store.ts'
import { SparqlDouble } from './sparql-double.ts'

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

type Called = { readonly store: SparqlDouble; readonly guard: Guard | undefined }

async function answer(
  { store, guard }: Called,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, url = '/', headers } = request
  const body = await text(request)
  if (guard && !isWelcome(headers, guard)) {
    guard.refused.push(body)
    response.writeHead(401, { 'www-authenticate': 'Basic realm="store"' }).end()
    return
  }
  if (method === 'POST' && headers['content-type'] === 'application/sparql-update') {
    const done = await store.update(body)
    response.writeHead(done.status).end(done.text)
    return
  }
  const { searchParams } = new URL(url, 'http://store')
  const form = method === 'POST' ? new URLSearchParams(body) : searchParams
  const mediaType = headers.accept?.split(/[,;]/)[0] ?? 'application/sparql-results+json'
  const shape = {
    mediaType: mediaType === '*/*' ? 'application/sparql-results+json' : mediaType,
    defaultGraphs: form.getAll('default-graph-uri'),
    namedGraphs: form.getAll('named-graph-uri'),
  }
  const found = await store.query(form.get('query') ?? '', shape)
  response.writeHead(found.status, { 'content-type': mediaType }).end(found.text)
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

/** Serves a new and empty store on a free port of 127.0.0.1. */
export async function protocolServer(guard?: Guard): Promise<ProtocolServer> {
  const store = new SparqlDouble()
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
    stop: async () => {
      await closed(server)
      await store.close()
    },
  }
}
