/** The ground of all portals: a server on a free port of 127.0.0.1 that counts its requests and misbehaves on demand. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { misbehave } from './misbehaviour.ts'
import { faultRules, type FaultRule, type Faults } from './faults.ts'

/** A request that arrived, in order. */
export type SeenRequest = {
  /** 1-based. */
  readonly number: number
  readonly method: string
  /** Path and query as sent. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** When it arrived, in milliseconds of `performance.now()`. */
  readonly at: number
}

export type Portal = {
  /** `http://127.0.0.1:{port}`, without a slash at the end. */
  readonly url: string
  readonly port: number
  readonly requests: readonly SeenRequest[]
  /** Connections that were opened. */
  readonly connections: () => number
  readonly faults: Faults
  /** Forgets requests and their count; faults stay. */
  reset(): void
  close(): Promise<void>
}

/** What a portal says when nothing goes wrong: `app.fetch` of a Hono app, or any function of that shape. */
export type PortalAnswer = (request: Request, number: number) => Response | Promise<Response>

export async function portal(
  answer: PortalAnswer,
  rules: readonly FaultRule[] = [],
): Promise<Portal> {
  const faults = faultRules(rules)
  const requests: SeenRequest[] = []
  const counts = { connections: 0 }
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => incoming.socket.resetAndDestroy())
  })
  server.on('connection', () => (counts.connections += 1))

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const number = requests.length + 1
    const at = performance.now()
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    )
    const seen = { number, method: incoming.method ?? '', path: incoming.url ?? '', headers, at }
    const place = requests.push({ ...seen, body: '' }) - 1
    const body = await textOf(incoming)
    requests[place] = { ...seen, body }
    const request = new Request(new URL(seen.path, `http://127.0.0.1:${port}`), {
      method: seen.method,
      headers,
      ...(body !== '' && { body }),
    })
    const fault = faults.find(request, number)
    const right = () => answer(request, number)
    if (fault) await misbehave(fault, response, right)
    else await send(await right(), response)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => counts.connections,
    faults,
    reset: () => {
      requests.length = 0
      counts.connections = 0
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** An answer as JSON. */
export const json = (value: unknown, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(value), {
    headers: { 'Content-Type': 'application/json', ...headers },
  })

async function send(answer: Response, response: ServerResponse): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer())
  response.writeHead(answer.status, [...answer.headers].flat())
  response.end(body)
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}
