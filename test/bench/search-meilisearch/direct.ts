/** What a client that knows our filters would ask Meilisearch itself, and how it would. */

import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SearchServer } from '../../support/engines/meilisearch.ts'

export type Call = { readonly path: string; readonly body: string }

type Asked = Readonly<Record<string, unknown>>
type Merged = {
  readonly federation: {
    readonly facetsByIndex?: Readonly<Record<string, readonly string[]>>
    readonly limit: number
  }
  readonly queries: readonly (Asked & { readonly indexUid: string; readonly q?: string })[]
}

/**
 * What somebody who knows our filter would send: plain searches with the same filter, facets and attributes. Where we rank by
 * several searches, the first has the words as they are, which may find less than the filter does, and the second has none.
 * Nothing when we need not ask.
 */
export function directOf(calls: readonly Call[]): readonly Call[] {
  const plain = calls.findLast(({ path }) => path.endsWith('/search') && path !== '/multi-search')
  if (plain) return [plain]
  const merged = calls.findLast(({ path }) => path === '/multi-search')
  if (!merged) return []
  const { federation, queries: parts }: Merged = JSON.parse(merged.body)
  const [first] = parts
  if (!first) return []
  const { indexUid, q, filter, sort, attributesToRetrieve } = first
  const facets = federation.facetsByIndex?.[indexUid]
  const { limit } = federation
  const path = `/indexes/${indexUid}/search`
  const common = { filter, sort, attributesToRetrieve, facets, limit }
  return [{ q, ...common }, common].map((body) => ({ path, body: JSON.stringify(body) }))
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
