/** Requests to the repository over a few lasting connections. */
import { Agent, request as requestHttp, type IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as requestHttps } from 'node:https'

export type Ask = {
  readonly method: 'HEAD' | 'PUT'
  /** Path and query below the service's address, with a leading slash. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** N-Triples; the content type is set when there is one. */
  readonly body?: string
}

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** At most the first 64 KB. */
  readonly text: string
}

/** One exchange; rejects with the socket's error when the connection fails or stays silent. */
export type Send = (ask: Ask, signal: AbortSignal) => Promise<Answer>

export type Connection = { readonly send: Send; readonly close: () => void }

const longestAnswer = 65_536
const silenceMs = 120_000

/** Connects to a repository service such as `http://localhost:8080/api/hub/repo`; `most` sockets at the same time. */
export function connect(service: string, key: string, most: number): Connection {
  const isSecure = service.startsWith('https:')
  const options = { keepAlive: true, maxSockets: most }
  const agent = isSecure ? new SecureAgent(options) : new Agent(options)
  const start = isSecure ? requestHttps : requestHttp
  const send: Send = ({ method, path, headers, body }, signal) =>
    new Promise((resolve, reject) => {
      const bytes = body === undefined ? undefined : Buffer.from(body)
      const request = start(
        service + path,
        { agent, method, signal, headers: { ...headersFor(key, bytes), ...headers } },
        (response) => {
          collect(response).then(resolve, reject)
        },
      )
      request.setTimeout(silenceMs, () => request.destroy(new Error('no answer for two minutes')))
      request.on('error', reject)
      request.end(bytes)
    })
  return { send, close: () => agent.destroy() }
}

const headersFor = (key: string, body: Buffer | undefined) => ({
  'X-API-Key': key,
  ...(body && { 'Content-Type': 'application/n-triples', 'Content-Length': body.byteLength }),
})

async function collect(response: IncomingMessage): Promise<Answer> {
  response.setEncoding('utf8')
  let text = ''
  for await (const part of response)
    if (text.length < longestAnswer) text += String(part).slice(0, longestAnswer - text.length)
  return { status: response.statusCode ?? 0, headers: response.headers, text }
}
