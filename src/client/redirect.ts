/** Redirects: their target, method, headers and cookies. */

import { Failure, shown } from '../errors.ts'
import { isSecretName } from '../secrets.ts'
import { parseTarget } from './address-guard.ts'

/** One request in a chain of redirects. */
export type Step = {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly credentials: Readonly<Record<string, string>>
  readonly body?: string
  /** Cookies that the host set earlier in the chain. */
  readonly cookie?: string
}

const [mostCookies, longestCookie] = [20, 4096]

/** Cookies of one request and its redirects; each is sent only to the host that set it. */
export class Cookies {
  readonly #held = new Map<string, { readonly url: URL; readonly pair: string }>()

  /** Stores the cookies of a response. */
  keep(url: URL, lines: readonly string[] = []): void {
    for (const line of lines) {
      const [, pair = '', name = ''] = /^\s*(([^=;,\s]+)=[^;]*)/.exec(line) ?? []
      const key = `${url.hostname} ${name}`
      if (name === '' || pair.length > longestCookie) continue
      if (/;\s*max-age=0*(?:;|$)/i.test(line)) this.#held.delete(key)
      else if (this.#held.size < mostCookies || this.#held.has(key))
        this.#held.set(key, { url, pair })
    }
  }

  /** `Cookie` header for a URL; cookies set over https are not sent over http. */
  header({ hostname, protocol }: URL): string | undefined {
    const own = [...this.#held.values()].filter(
      ({ url }) =>
        url.hostname === hostname && (url.protocol !== 'https:' || protocol === 'https:'),
    )
    return own.length === 0 ? undefined : own.map(({ pair }) => pair.trim()).join('; ')
  }
}

/** Next request after a response with this status and `Location`; `undefined` if it is no redirect. */
export function nextStep(
  step: Step,
  status: number,
  location: string | undefined,
): Step | undefined {
  if (!redirects.has(status) || location === undefined || location.trim() === '') return undefined
  const reference = utf8(location)
  const next = URL.parse(reference, step.url.href)
  if (!next) throw new Failure('address-refused', `a redirect to ${shown(reference)} is not a URL`)
  const url = parseTarget(next.href)
  const isSameOrigin = url.origin === step.url.origin
  const credentials = Object.keys(step.credentials).length > 0
  if (credentials && step.url.protocol === 'https:' && url.protocol === 'http:') {
    const detail = 'a redirect from https to http is not followed with credentials'
    throw new Failure('address-refused', detail)
  }
  const asGet = status === 303 || (status < 303 && step.method === 'POST')
  const method = asGet && step.method !== 'HEAD' ? 'GET' : step.method
  const { body, ...rest } = step
  return {
    ...rest,
    url,
    method,
    credentials: isSameOrigin ? step.credentials : {},
    headers: asGet ? withoutBody(step.headers) : step.headers,
    ...(!asGet && body !== undefined && { body }),
  }
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

const withoutBody = (headers: Step['headers']): Step['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')))

/** Decodes a header value as UTF-8; Node reads it as Latin-1. */
function utf8(header: string): string {
  const text = Buffer.from(header, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? header : text
}

// Request headers: credentials, own headers, `User-Agent`.

type Fields = Readonly<Record<string, string>>

/** `User-Agent`: `Cartulary/{version} (+{base}; {contact})`. Characters that are not valid in a header comment are removed. */
export function userAgent(version: string, base: string, contact?: string): string {
  const parts = [`+${base}`, ...(contact === undefined ? [] : [contact])].map(commentText)
  return `Cartulary/${commentText(version)} (${parts.filter((part) => part !== '').join('; ')})`
}

const commentText = (text: string): string => text.replace(/[^\u0020-\u007e]|[()\\;]/g, '').trim()

/** Separates plain headers from credentials, with names in lower case; drops headers that only browsers send. */
export function splitHeaders(
  headers: Fields = {},
  credentials: Fields = {},
): { readonly headers: Fields; readonly credentials: Fields } {
  const all = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const secret = Object.entries(credentials).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  )
  return {
    headers: Object.fromEntries(all.filter(([name]) => !isSecretName(name) && !dropped.has(name))),
    credentials: Object.fromEntries([
      ...all.filter(([name]) => isSecretName(name)),
      ...secret.filter(([name]) => !dropped.has(name)),
    ]),
  }
}

const dropped: ReadonlySet<string> = new Set([
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
