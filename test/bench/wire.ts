/** A plain client with kept-alive connections: the web's own `fetch` costs more than what is measured. */

import { once } from 'node:events'
import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

export type Wired = {
  /** Sends one request and reads its answer to the end; answers the status. */
  readonly send: (address: string, options?: Sending) => Promise<number>
  /** The same with the answer itself. */
  readonly ask: (address: string, options?: Sending) => Promise<Answered>
  readonly close: () => void
}

export type Answered = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export type Sending = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export function wire(): Wired {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const sent = (address: string, { method = 'GET', headers = {}, body }: Sending = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
      const call = request(address, { agent, method, headers: { ...headers, ...length } }, resolve)
      call.once('error', reject)
      call.end(body)
    })
  return {
    send: async (address, options) => {
      const answer = await sent(address, options)
      answer.resume()
      await once(answer, 'end')
      return answer.statusCode ?? 0
    },
    ask: async (address, options) => {
      const answer = await sent(address, options)
      const { statusCode: status = 0, headers } = answer
      return { status, headers, text: await text(answer) }
    },
    close: () => agent.destroy(),
  }
}
