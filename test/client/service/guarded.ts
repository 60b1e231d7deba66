/** A server that wants to know who asks, by Basic or Digest, and keeps a record of what it was sent. */

import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { challengesIn } from '../../../src/client/authentication.ts'
import { httpServer } from './servers.ts'

export const credentials = { username: 'portal', password: 'a secret: worth 1 "quote"' }

type Seen = {
  readonly method: string
  readonly path: string
  readonly body: string
  readonly status: number
  /** Of a digest: how often its nonce was used by then. */
  readonly count?: string
}

type Options = {
  readonly algorithm?: 'MD5' | 'SHA-256'
  /** How many uses a nonce stands; 0 = none, the nonce is stale at once. */
  readonly uses?: number
  /** Whether the server says `stale=true` for a nonce that it knew. */
  readonly saysStale?: boolean
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += String(part)
  return text
}

type Judge = (request: IncomingMessage) => { challenge?: string; count?: string }

async function guarded(judge: Judge) {
  const seen: Seen[] = []
  const { url } = await httpServer(async (request, response) => {
    const body = await textOf(request)
    const { challenge, count } = judge(request)
    if (challenge !== undefined) response.setHeader('WWW-Authenticate', challenge)
    const status = challenge === undefined ? 200 : 401
    const { method = '', url: path = '' } = request
    seen.push({ method, path, body, status, ...(count !== undefined && { count }) })
    response.writeHead(status).end(status === 200 ? 'welcome' : 'who are you?')
  })
  return { url, seen }
}

/** Wants Basic on every path. */
export const basicServer = () => {
  const right = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')
  return guarded(({ headers }) =>
    headers.authorization === `Basic ${right}` ? {} : { challenge: 'Basic realm="store"' },
  )
}

/** Wants Digest on every path, and counts along. `forget` makes it forget all nonces. */
export async function digestServer(options: Options = {}) {
  const { algorithm = 'MD5', uses = Infinity, saysStale = true } = options
  const nonces = new Map<string, number>()
  let given = 0
  const digest = (text: string) =>
    createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
      .update(text)
      .digest('hex')
  const challenge = (stale: boolean): string => {
    given += 1
    nonces.set(`n${given}`, 0)
    const more = stale && saysStale ? ', stale=true' : ''
    return `Digest realm="SPARQL", nonce="n${given}", opaque="o", qop="auth", algorithm=${algorithm}${more}`
  }
  const server = await guarded(({ method, url = '', headers }) => {
    const sent = challengesIn(headers.authorization ?? '')[0]?.parameters
    if (!sent) return { challenge: challenge(false) }
    const field = (name: string) => sent.get(name) ?? ''
    const { username, password } = credentials
    const response = digest(
      [
        digest(`${username}:SPARQL:${password}`),
        field('nonce'),
        field('nc'),
        field('cnonce'),
        'auth',
        digest(`${method}:${url}`),
      ].join(':'),
    )
    if (response !== field('response') || field('uri') !== url || field('opaque') !== 'o')
      return { challenge: challenge(false) }
    const used = nonces.get(field('nonce'))
    const count = field('nc')
    if (used === undefined || used >= uses || Number.parseInt(count, 16) <= used)
      return { challenge: challenge(true), count }
    nonces.set(field('nonce'), used + 1)
    return { count }
  })
  return { ...server, forget: () => nonces.clear() }
}
