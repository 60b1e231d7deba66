/** A plain client with kept-alive connections: the web's own `fetch` costs more than what is measured. */

import { Agent, request } from 'node:http'

export type Wired = {
  /** Sends one request and reads its answer to the end; answers the status. */
  readonly send: (address: string, options?: Sending) => Promise<number>
  readonly close: () => void
}

type Sending = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export function wire(): Wired {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  return {
    send: (address, { method = 'GET', headers = {}, body } = {}) =>
      new Promise((resolve, reject) => {
        const length =
          body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
        const call = request(
          address,
          { agent, method, headers: { ...headers, ...length } },
          (answer) => {
            answer.resume()
            answer.once('end', () => resolve(answer.statusCode ?? 0))
          },
        )
        call.once('error', reject)
        call.end(body)
      }),
    close: () => agent.destroy(),
  }
}
