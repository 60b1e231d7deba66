/** Request headers: which are secrets, which are ours, and how the client introduces itself. */

import { isSecretName } from '../secrets.ts'

type Fields = Readonly<Record<string, string>>

/**
 * `Cartulary/{version} (+{base}; {contact})`: who asks, and whom to write to when it bothers. Characters that a header or a
 * comment in it cannot hold are left out.
 */
export function userAgent(version: string, base: string, contact?: string): string {
  const parts = [`+${base}`, ...(contact === undefined ? [] : [contact])].map(commentText)
  return `Cartulary/${commentText(version)} (${parts.filter((part) => part !== '').join('; ')})`
}

const commentText = (text: string): string => text.replace(/[^\u0020-\u007e]|[()\\;]/g, '').trim()

/** Plain headers and credentials apart, names in lower case; what only a browser sends is dropped. */
export function separated(
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
