/** What a client that knows our filters would ask Meilisearch itself, and how it would. */

import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SearchServer } from '../../support/engines/meilisearch.ts'

export type Call = { readonly path: string; readonly body: string }

type Query = Readonly<Record<string, unknown>> & { readonly q?: string }
type Merged = {
  readonly federation: {
    readonly facetsByIndex?: Readonly<Record<string, readonly string[]>>
    readonly limit: number
    readonly offset: number
  }
  readonly queries: readonly (Query & { readonly indexUid: string })[]
}

/** What every document holds, so that a ranked search finds those that have none of the words as they are. */
const sentinel = /^"zzz" ?/

/**
 * What somebody who knows our filter would send: plain searches with the same filter, order, facets and attributes. Where we
 * rank, the first has the words as they are, which may find less than the filter does, and the second has none. Nothing when
 * we need not ask.
 */
export function directOf(calls: readonly Call[]): readonly Call[] {
  const own = calls.findLast(({ path }) => path.endsWith('search'))
  if (!own) return []
  const { path, query } = own.path === '/multi-search' ? firstOf(own) : parsed(own)
  const { q, filter, sort, attributesToRetrieve, facets, limit, offset } = query
  const common = { filter, sort, attributesToRetrieve, facets, limit, offset }
  const asked = q === undefined ? [common] : [{ ...common, q: q.replace(sentinel, '') }, common]
  return asked.map((body) => ({ path, body: JSON.stringify(body) }))
}

function parsed({ path, body }: Call): { readonly path: string; readonly query: Query } {
  const query: Query = JSON.parse(body)
  return { path, query }
}

function firstOf({ body }: Call): { readonly path: string; readonly query: Query } {
  const { federation, queries }: Merged = JSON.parse(body)
  const { facetsByIndex, limit, offset } = federation
  const { indexUid = '', ...query } = queries[0] ?? {}
  const facets = facetsByIndex?.[indexUid]
  return { path: `/indexes/${indexUid}/search`, query: { ...query, facets, limit, offset } }
}

/** A door that passes everything on, and remembers what was asked. */
export async function recording({ url }: SearchServer) {
  let calls: Call[] = []
  const agent = new Agent({ keepAlive: true })
  const server = createServer((incoming, outgoing) => {
    const pass = async () => {
      const body = await textOf(incoming)
      const { url: path = '/', method = 'GET', headers } = incoming
      if (method === 'POST') calls.push({ path, body })
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        httpRequest(new URL(path, url), { method, headers, agent }, resolve)
          .on('error', reject)
          .end(body)
      })
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    }
    pass().catch((error: unknown) => outgoing.destroy(error instanceof Error ? error : undefined))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** What was asked since the last time. */
    take: (): readonly Call[] => {
      const taken = calls
      calls = []
      return taken
    },
    close: () => {
      server.close()
      server.closeAllConnections()
      agent.destroy()
    },
  }
}

async function textOf(message: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of message) if (Buffer.isBuffer(part)) parts.push(part)
  return Buffer.concat(parts).toString()
}

/** How much a call finds; the whole answer is parsed, as we have to do it too. */
export async function sent(agent: Agent, { url, key }: SearchServer, call: Call): Promise<number> {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(call.body),
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(new URL(call.path, url), { method: 'POST', headers, agent }, resolve)
      .on('error', reject)
      .end(call.body)
  })
  const text = await textOf(answer)
  if (answer.statusCode !== 200) throw new Error(text)
  const { estimatedTotalHits }: { estimatedTotalHits: number } = JSON.parse(text)
  return estimatedTotalHits
}
