/** A proxy in front of a server that lets calls through, or answers them itself as a test says. */

import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Answer in place of the server's. */
export type OwnAnswer = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

export type RefusingProxy = {
  readonly url: string
  /** Says what a call is answered with; `undefined` lets it through. */
  refuse: (call: { readonly method: string; readonly path: string }) => OwnAnswer | undefined
  readonly stop: () => Promise<void>
}

/** Starts a proxy on loopback that lets every call through. */
export async function refusingProxy(target: string): Promise<RefusingProxy> {
  const { hostname, port } = new URL(target)
  const pass = (asked: IncomingMessage) => ({
    hostname,
    port,
    method: asked.method,
    path: asked.url,
    headers: asked.headers,
  })
  const server = createServer((asked, answer) => {
    const own = proxy.refuse({ method: asked.method ?? '', path: asked.url ?? '' })
    if (own) {
      const headers = { 'Content-Type': 'application/json', ...own.headers }
      asked.resume().once('end', () => {
        answer.writeHead(own.status, headers).end(JSON.stringify(own.body))
      })
      return
    }
    const sent = request(pass(asked), (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(answer)
    })
    sent.once('error', () => answer.destroy())
    asked.pipe(sent)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy: RefusingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse: () => undefined,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return proxy
}
