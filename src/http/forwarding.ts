/**
 * Answers requests by sending them on to the process that writes: what a reader does not do itself. Bodies and answers go through as
 * streams, without headers that concern one connection only (RFC 9110 7.6.1).
 */

import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { forwardMs, type WriterClient } from '../client/forwarding.ts'
import { traceHeaders } from '../trace.ts'
import { type App, type AppContext, newApp, type SharedAppOptions } from './app.ts'
import { inProcess } from './peer.ts'

/** Headers of one connection, and those that `forwardingHeaders` sets. */
const dropped = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade expect forwarded x-forwarded-for x-forwarded-host x-forwarded-proto x-forwarded-prefix x-request-id traceparent'.split(
    ' ',
  ),
)

/** Makes the app, which sends every request on. */
export function forwardingApp(http: SharedAppOptions, writer: Pick<WriterClient, 'send'>): App {
  const app = newApp({ ...http, name: 'forwarding' })
  app.use(async (c) => {
    c.get('deadline').extend(forwardMs)
    const { pathname, search } = new URL(c.req.url)
    const { method, raw } = c.req
    const body = raw.body ? { body: Readable.fromWeb(raw.body) } : {}
    const request = { method, path: pathname + search, headers: forwardingHeaders(c), ...body }
    return answerOf(await writer.send(request, c.get('signal')), method)
  })
  return app
}

/** Headers of the request with the address of its client and the public address of the platform, which the writer cannot see. */
function forwardingHeaders(c: AppContext): Record<string, string> {
  const headers: Record<string, string> = {}
  const named = new Set((c.req.header('Connection') ?? '').toLowerCase().split(/\s*,\s*/))
  for (const [name, value] of c.req.raw.headers)
    if (!dropped.has(name) && !named.has(name)) headers[name] = value
  const client = c.get('client')
  const { protocol, host, pathname } = new URL(c.get('root'))
  return {
    ...headers,
    ...traceHeaders(),
    ...(client !== inProcess && { 'x-forwarded-for': client }),
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-host': host,
    ...(pathname !== '/' && { 'x-forwarded-prefix': pathname.slice(0, -1) }),
    'x-request-id': c.get('requestId'),
  }
}

const withoutBody = new Set([101, 204, 205, 304])

function answerOf(message: IncomingMessage, method: string): Response {
  const { statusCode: status = 502, rawHeaders } = message
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (!dropped.has(name.toLowerCase())) headers.append(name, value)
  }
  if (method === 'HEAD' || withoutBody.has(status)) {
    message.resume()
    return new Response(null, { status, headers })
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of Node and of the DOM name one class
  return new Response(Readable.toWeb(message) as ReadableStream, { status, headers })
}
