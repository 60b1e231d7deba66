/** The store by itself, spoken to with as little as will do: the measure that the repository is held against. */

import { hash } from 'node:crypto'
import type { GraphStore } from '../../../src/store/graph-store.ts'
import type { EngineConfig } from '../../support/engines/engine.ts'
import { wire, type Answered, type Sending } from '../wire.ts'

/** Each operation is one request about one graph; `read…` answer N-Triples. */
export type RawStore = {
  readonly put: (graph: string, ntriples: string) => Promise<void>
  readonly insert: (graph: string, ntriples: string) => Promise<void>
  readonly readGraph: (graph: string) => Promise<string>
  readonly construct: (graph: string) => Promise<string>
  /** SPARQL JSON results of any query. */
  readonly select: (query: string) => Promise<string>
  readonly close: () => Promise<void>
}

const ntriples = 'application/n-triples'
const insertData = (graph: string, lines: string) => `INSERT DATA { GRAPH <${graph}> { ${lines} } }`
const constructAll = (graph: string) =>
  `CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <${graph}> { ?s ?p ?o } }`
const form = 'application/x-www-form-urlencoded'
const named = (endpoint: string, graph: string) => `${endpoint}?graph=${encodeURIComponent(graph)}`

function right(answer: Pick<Answered, 'status' | 'text'>): string {
  if (answer.status >= 300) throw new Error(`the store answered ${answer.status}: ${answer.text}`)
  return answer.text
}

/** A server, over connections that stay open and with credentials that are asked for once. */
export function rawServer(config: EngineConfig): RawStore {
  const wired = wire()
  const proofOf = proofs(config)
  const send = async (address: string, options: Sending): Promise<string> => {
    const { pathname, search } = new URL(address)
    const Authorization = (await proofOf(address))(options.method ?? 'GET', pathname + search)
    const headers = { ...options.headers, ...(Authorization !== undefined && { Authorization }) }
    return right(await wired.ask(address, { ...options, headers }))
  }
  const { queryEndpoint, updateEndpoint, graphEndpoint } = config
  return {
    put: async (graph, body) => {
      const headers = { 'Content-Type': ntriples }
      await send(named(graphEndpoint, graph), { method: 'PUT', headers, body })
    },
    insert: async (graph, lines) => {
      const headers = { 'Content-Type': 'application/sparql-update' }
      await send(updateEndpoint, { method: 'POST', headers, body: insertData(graph, lines) })
    },
    readGraph: (graph) => send(named(graphEndpoint, graph), { headers: { Accept: ntriples } }),
    construct: (graph) =>
      send(queryEndpoint, {
        method: 'POST',
        headers: { 'Content-Type': form, Accept: ntriples },
        body: new URLSearchParams({ query: constructAll(graph) }).toString(),
      }),
    select: (query) =>
      send(queryEndpoint, {
        method: 'POST',
        headers: { 'Content-Type': form, Accept: 'application/sparql-results+json' },
        body: new URLSearchParams({ query }).toString(),
      }),
    close: () => {
      wired.close()
      return Promise.resolve()
    },
  }
}

/** Makes the `Authorization` of one request. */
type Proof = (method: string, uri: string) => string | undefined

/** How to enter each address of a server; its path is asked once. */
export function proofs(config: EngineConfig): (address: string) => Promise<Proof> {
  const known = new Map<string, Promise<Proof>>()
  return (address) => {
    const { pathname } = new URL(address)
    const proof = known.get(pathname) ?? asked(address, config)
    known.set(pathname, proof)
    return proof
  }
}

/** Asks a path how it wants to be entered; a nonce serves for the whole run. */
async function asked(address: string, { username, password }: EngineConfig): Promise<Proof> {
  if (username === undefined) return () => undefined
  const { ask, close } = wire()
  const challenge = (await ask(address)).headers['www-authenticate'] ?? ''
  close()
  if (!challenge.startsWith('Digest'))
    return () => `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const part = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? ''
  const [realm, nonce] = [part('realm'), part('nonce')]
  const secret = hash('md5', `${username}:${realm}:${password}`)
  let count = 0
  return (method, uri) => {
    const nc = (count += 1).toString(16).padStart(8, '0')
    const told = `${secret}:${nonce}:${nc}:bench:auth:${hash('md5', `${method}:${uri}`)}`
    return (
      `Digest username="${username}", realm="${realm}", nonce="${nonce}", uri="${uri}", qop=auth, ` +
      `nc=${nc}, cnonce="bench", algorithm=MD5, response="${hash('md5', told)}"`
    )
  }
}

/** The embedded store through its port, which is all that there is to it. */
export function rawEmbedded(store: GraphStore): RawStore {
  return {
    put: async (graph, body) => {
      await store.write([{ graph, content: body }])
    },
    insert: async (graph, lines) => {
      await store.write([{ graph, add: lines.trimEnd().split('\n') }])
    },
    readGraph: async (graph) => (await store.read(graph)) ?? '',
    construct: (graph) => store.construct(constructAll(graph)),
    select: async (query) => JSON.stringify(await store.select(query)),
    close: () => store.close(),
  }
}
