/** Requests to the repository over a few lasting connections. */
import { Agent, request as requestHttp, type IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as requestHttps } from 'node:https'

export type Ask = {
  readonly method: 'GET' | 'HEAD' | 'PUT'
  /** Path and query below the service's address, with a leading slash. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Of the body; N-Triples when nothing is said. */
  readonly mediaType?: string
  /** Characters of the answer that are kept; 64 K when nothing is said. */
  readonly longestAnswer?: number
}

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** As much of it as was asked for. */
  readonly text: string
}

/** One exchange; rejects with the socket's error when the connection fails or stays silent. */
export type Send = (ask: Ask, signal: AbortSignal) => Promise<Answer>

export type Connection = { readonly send: Send; readonly close: () => void }

const usualAnswer = 65_536
const silenceMs = 120_000

/** Connects to a repository service such as `http://localhost:8080/api/hub/repo`; `most` sockets at the same time. */
export function connect(service: string, key: string, most: number): Connection {
  const isSecure = service.startsWith('https:')
  const options = { keepAlive: true, maxSockets: most }
  const agent = isSecure ? new SecureAgent(options) : new Agent(options)
  const start = isSecure ? requestHttps : requestHttp
  const send: Send = (ask, signal) =>
    new Promise((resolve, reject) => {
      const { method, path, longestAnswer = usualAnswer } = ask
      const bytes = ask.body === undefined ? undefined : Buffer.from(ask.body)
      const request = start(
        service + path,
        { agent, method, signal, headers: { ...headersFor(key, ask, bytes), ...ask.headers } },
        (response) => {
          collect(response, longestAnswer).then(resolve, reject)
        },
      )
      request.setTimeout(silenceMs, () => request.destroy(new Error('no answer for two minutes')))
      request.on('error', reject)
      request.end(bytes)
    })
  return { send, close: () => agent.destroy() }
}

const headersFor = (
  key: string,
  { mediaType = 'application/n-triples' }: Ask,
  body: Buffer | undefined,
) => ({
  'X-API-Key': key,
  ...(body && { 'Content-Type': mediaType, 'Content-Length': body.byteLength }),
})

async function collect(response: IncomingMessage, longest: number): Promise<Answer> {
  response.setEncoding('utf8')
  let text = ''
  for await (const part of response)
    if (text.length < longest) text += String(part).slice(0, longest - text.length)
  return { status: response.statusCode ?? 0, headers: response.headers, text }
}
