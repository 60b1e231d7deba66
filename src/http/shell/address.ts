/** Where clients reach the platform, as its answers name it: links, pages of lists, feeds. IRIs are another matter. */

import { isIP } from 'node:net'
import { inRanges } from './client.ts'
import type { AppContext } from './context.ts'

/** Both are absolute http(s) addresses that end in `/`. */
export type PublicAddress = {
  /** `PLATFORM_PUBLIC_URL`: counts whatever a request says. */
  readonly configured?: string | undefined
  /** `PLATFORM_BASE_URI`: counts where a request came by its host, or by none that can be named. */
  readonly base: string
}

/**
 * Tells the address that a request came by, with `/` at its end: the `Host` header or, from a trusted proxy, what it says of
 * that in `Forwarded` (RFC 7239) or `X-Forwarded-Host`, `-Proto` and `-Prefix`. What is no host is not repeated.
 */
export function publicRoot(
  address: PublicAddress | undefined,
  trusted: readonly string[] = [],
): (c: AppContext) => string {
  const configured = address?.configured
  if (configured !== undefined) return () => configured
  const base = address && new URL(address.base)
  const isProxy = inRanges(trusted)
  return (c) => {
    const socket = c.env?.incoming?.socket
    if (!socket) return base?.href ?? `${new URL(c.req.url).origin}/`
    const {
      host: named,
      proto,
      prefix,
    } = isProxy(socket.remoteAddress ?? '') ? forwardedBy(c, isProxy) : {}
    const host = [named, c.req.header('Host')].find(isHost)
    if (host === undefined) return base?.href ?? '/'
    if (base && new URL(`${base.protocol}//${host}`).host === base.host) return base.href
    const scheme = proto ?? ('encrypted' in socket ? 'https' : 'http')
    return new URL(prefix ?? '/', `${scheme}://${host}`).href
  }
}

/** A name, an IPv4 address, or an IPv6 address in brackets, with or without a port: nothing that ends a header or a tag. */
function isHost(text: string | undefined): text is string {
  if (text === undefined || text.length > 255 || !URL.canParse(`http://${text}`)) return false
  const inBrackets = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1]
  return inBrackets === undefined ? /^[\w.-]+(?::\d+)?$/.test(text) : isIP(inBrackets) === 6
}

type Named = Readonly<Record<'host' | 'proto' | 'prefix', string | undefined>>

/** What the outermost of the trusted proxies was asked for; those in front of it may have said anything. */
function forwardedBy(c: AppContext, isProxy: (address: string) => boolean): Named {
  const values = (name: string) => c.req.header(name)?.split(',') ?? []
  const elements = values('Forwarded')
  const parameter = (element: string | undefined, name: string) =>
    new RegExp(`(?:^|;)\\s*${name}="?([^";]*)`, 'i').exec(element ?? '')?.[1]
  const hops =
    elements.length > 0
      ? elements.map((element) => parameter(element, 'for') ?? '')
      : values('X-Forwarded-For')
  const proxies = hops.length - hops.findLastIndex((hop) => !isProxy(hop))
  const outermost = (list: readonly string[]) => (list.at(-proxies) ?? list[0])?.trim()
  const said = (name: 'host' | 'proto') =>
    elements.length > 0
      ? parameter(outermost(elements), name)
      : outermost(values(`X-Forwarded-${name}`))
  const [proto, prefix] = [said('proto')?.toLowerCase(), outermost(values('X-Forwarded-Prefix'))]
  return {
    host: said('host'),
    proto: proto === 'http' || proto === 'https' ? proto : undefined,
    prefix: /^(?:\/[\w.~-]+)+\/?$/.test(prefix ?? '')
      ? `${prefix?.replace(/\/$/, '')}/`
      : undefined,
  }
}
