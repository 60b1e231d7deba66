/** A `fetch` over the wire, for clients that know nothing else; text goes in and text comes out. */

import type { Fetch } from '../../protocol/client.ts'
import type { WireAnswer, WireRequest } from './messages.ts'

type Send = (request: WireRequest, signal?: AbortSignal) => Promise<WireAnswer>

/**
 * As much of `fetch` as SPARQL clients need: bodies are strings or forms, nothing is redirected. Queries count as idempotent,
 * by POST too; other POSTs are sent once. `TypeError` for a method or a body of another kind.
 */
export function fetching(send: Send): Fetch {
  return async (url, options) => {
    const { body, signal } = options
    const method = methodOf(options.method)
    const headers = Object.fromEntries(new Headers(options.headers))
    const request: WireRequest = {
      url: typeof url === 'string' ? url : url.href,
      method,
      headers,
      ...(body !== undefined && body !== null && { body: textOf(body) }),
      idempotent: method !== 'POST' || isQuery(body, headers['content-type']),
    }
    const { status, text } = await send(request, signal ?? undefined)
    return { ok: status >= 200 && status < 300, status, text: () => Promise.resolve(text) }
  }
}

const methods: readonly WireRequest['method'][] = ['GET', 'POST', 'PUT', 'DELETE']

function methodOf(method = 'GET'): WireRequest['method'] {
  const known = methods.find((one) => one === method.toUpperCase())
  if (!known) throw new TypeError(`the wire knows ${methods.join(', ')}, not ${method}`)
  return known
}

type Body = RequestInit['body']

function textOf(body: NonNullable<Body>): string {
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('the wire sends strings and forms only')
}

/** A query by form or directly (SPARQL 1.1 Protocol 2.1.2, 2.1.3). */
const isQuery = (body: Body, mediaType = ''): boolean =>
  body instanceof URLSearchParams
    ? body.has('query') && !body.has('update')
    : mediaType.startsWith('application/sparql-query')
