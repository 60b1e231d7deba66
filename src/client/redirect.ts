/** Requests of the outbound client and their redirects: target, method, headers, cookies and `User-Agent`. */

import { Failure, shown } from '../errors.ts'
import { isSecretName } from '../secrets.ts'
import { parseTarget } from './address-guard.ts'

/** One request in a chain of redirects. */
export type Step = {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly credentials: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** `Cookie` header with the cookies that the host set earlier in the chain. */
  readonly cookie?: string
}

/** Maximum number of cookies per chain of redirects, and characters of each; further and longer ones are ignored. */
const [mostCookies, longestCookie] = [20, 4096]

/** Cookies of one request and its redirects; each is sent only to the host name that set it. */
export class Cookies {
  readonly #cookies = new Map<string, { readonly url: URL; readonly pair: string }>()

  /** Stores the cookies of a response; those with `Max-Age=0` are removed. */
  store(url: URL, lines: readonly string[] = []): void {
    for (const line of lines) {
      const [, pair = '', name = ''] = /^\s*(([^=;,\s]+)=[^;]*)/.exec(line) ?? []
      const key = `${url.hostname} ${name}`
      if (name === '' || pair.length > longestCookie) continue
      if (/;\s*max-age=0*(?:;|$)/i.test(line)) this.#cookies.delete(key)
      else if (this.#cookies.size < mostCookies || this.#cookies.has(key))
        this.#cookies.set(key, { url, pair })
    }
  }

  /** `Cookie` header for a URL; cookies set over https are not sent over http. */
  header({ hostname, protocol }: URL): string | undefined {
    const cookies = [...this.#cookies.values()].filter(
      ({ url }) =>
        url.hostname === hostname && (url.protocol !== 'https:' || protocol === 'https:'),
    )
    return cookies.length === 0 ? undefined : cookies.map(({ pair }) => pair.trim()).join('; ')
  }
}

/**
 * Next request after a response with this status and `Location`; `undefined` if it is no redirect. Throws `address-refused` for a
 * target as `parseTarget` does, and for one that leads from https to http with credentials.
 */
export function nextStep(
  step: Step,
  status: number,
  location: string | undefined,
): Step | undefined {
  if (!redirects.has(status) || location === undefined || location.trim() === '') return undefined
  const reference = decodeUtf8(location)
  const next = URL.parse(reference, step.url.href)
  if (!next) throw new Failure('address-refused', `a redirect to ${shown(reference)} is not a URL`)
  const url = parseTarget(next.href)
  const isSameOrigin = url.origin === step.url.origin
  const hasCredentials = Object.keys(step.credentials).length > 0
  if (hasCredentials && step.url.protocol === 'https:' && url.protocol === 'http:') {
    const detail = 'a redirect from https to http is not followed with credentials'
    throw new Failure('address-refused', detail)
  }
  const dropsBody = status === 303 || (status < 303 && step.method === 'POST')
  const method = dropsBody && step.method !== 'HEAD' ? 'GET' : step.method
  const { body, ...stepWithoutBody } = step
  return {
    ...stepWithoutBody,
    url,
    method,
    credentials: isSameOrigin ? step.credentials : {},
    headers: dropsBody ? withoutBody(step.headers) : step.headers,
    ...(!dropsBody && body !== undefined && { body }),
  }
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

const withoutBody = (headers: Step['headers']): Step['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')))

/** Decodes a header value as UTF-8; Node reads it as Latin-1. Text that is no UTF-8 stays as it is. */
function decodeUtf8(header: string): string {
  const text = Buffer.from(header, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? header : text
}

// Request headers.

type Fields = Readonly<Record<string, string>>

/** `User-Agent`: `Cartulary/{version} (+{base}; {contact})`. Characters that are not valid in a header comment are removed. */
export function userAgent(version: string, base: string, contact?: string): string {
  const parts = [`+${base}`, ...(contact === undefined ? [] : [contact])].map(commentText)
  return `Cartulary/${commentText(version)} (${parts.filter((part) => part !== '').join('; ')})`
}

const commentText = (text: string): string => text.replace(/[^\u0020-\u007e]|[()\\;]/g, '').trim()

/**
 * Separates plain headers from credentials, with names in lower case. Headers with the name of a secret count as credentials;
 * headers that the client sets itself or never sends (`droppedHeaders`) are dropped.
 */
export function splitHeaders(
  headers: Fields = {},
  credentials: Fields = {},
): { readonly headers: Fields; readonly credentials: Fields } {
  const headerPairs = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  )
  const credentialPairs = Object.entries(credentials).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  )
  return {
    headers: Object.fromEntries(
      headerPairs.filter(([name]) => !isSecretName(name) && !droppedHeaders.has(name)),
    ),
    credentials: Object.fromEntries([
      ...headerPairs.filter(([name]) => isSecretName(name)),
      ...credentialPairs.filter(([name]) => !droppedHeaders.has(name)),
    ]),
  }
}

const droppedHeaders: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
])
