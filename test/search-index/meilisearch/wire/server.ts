/** A server that says what a test wants, and remembers what it was asked. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type Asked = {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Told = {
  readonly url: string
  readonly asked: Asked[]
  /** Later requests are answered so. */
  answer: (asked: Asked, response: ServerResponse) => void
  close(): Promise<void>
}

export const json =
  (value: unknown, status = 200) =>
  (_: Asked, response: ServerResponse) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(value))

export async function server(answer: Told['answer'] = json({})): Promise<Told> {
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url, headers } = request
    const asked = { method, url, headers, body: await text(request) }
    told.asked.push(asked)
    told.answer(asked, response)
  }
  const http = createServer((request, response) => void take(request, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const told: Told = {
    url: `http://127.0.0.1:${port}`,
    asked: [],
    answer,
    close: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  return told
}
