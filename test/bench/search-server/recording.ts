/** Passes calls on to a search engine and keeps them, and sends them again. */

import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RunningEngine } from '../search-servers.ts'

export type Call = { readonly path: string; readonly body: string }

/** Server that passes all calls on to the engine and keeps those with a body. */
export async function recording({ url }: RunningEngine) {
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

type Found = {
  /** Of Meilisearch. */
  readonly estimatedTotalHits?: number
  /** Of OpenSearch. */
  readonly hits: { readonly total: { readonly value: number } }
}

/** How much a call finds; the whole answer is parsed, as we have to do it too. */
export async function sent(agent: Agent, { url, key }: RunningEngine, call: Call): Promise<number> {
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
  const { estimatedTotalHits, hits }: Found = JSON.parse(text)
  return estimatedTotalHits ?? hits.total.value
}
