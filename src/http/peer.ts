/** Address of the client of a request, and public address of the platform, also behind trusted proxies. */

import { isIP } from 'node:net'
import { blockList, groupsOf } from '../client/address-guard.ts'
import type { AppContext } from './context.ts'

/** Client address of a call from a service in the same process. */
export const inProcess = 'in-process'

type IsInRange = (address: string) => boolean

/** Makes a test whether an address, as sockets and headers have it, is in one of the ranges (addresses and CIDR). */
export function inRanges(ranges: readonly string[]): IsInRange {
  const list = blockList(ranges)
  return (hop) => {
    const address = hopAddress(hop)
    return isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
}

/** Whether an address is a loopback address (RFC 6890). */
export const isLoopback = (address: string): boolean =>
  address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))

/** Network of an address, which usually belongs to one customer: its /24 (IPv4) or /56 (IPv6); any other text stays as it is. */
export function networkOf(address: string): string {
  if (isIP(address) === 4) return `${address.split('.').slice(0, 3).join('.')}.0/24`
  const groups = groupsOf(address)
  if (!groups) return address
  const [a = 0, b = 0, c = 0, d = 0] = groups
  return `${[a, b, c, d & 0xff00].map(hex).join(':')}::/56`
}

/** Key of a client for limits: the /64 of an IPv6 address, because a client has all of it; any other text stays as it is. */
export const machineOf = (address: string): string =>
  groupsOf(address)?.slice(0, 4).map(hex).join(':') ?? address

const hex = (group: number): string => group.toString(16)

/** Removes the prefix `::ffff:` of an IPv4 address from an IPv6 socket. */
export const withoutIpv6Prefix = (address: string): string =>
  address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address

/** Address of a hop in a forwarding header, without quotes, brackets and port. */
function hopAddress(hop: string): string {
  const text = hop.trim().replaceAll('"', '')
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1]
  return withoutIpv6Prefix(bracketed ?? text.replace(/^([\d.]+):\d+$/, '$1'))
}

/** Values that proxies added to `Forwarded` (RFC 7239), else to `X-Forwarded-…`; the nearest proxy is last. */
function forwarded(c: AppContext, name: 'for' | 'host' | 'proto'): readonly string[] {
  const elements = c.req.header('Forwarded')?.split(',')
  if (!elements) return c.req.header(`X-Forwarded-${name}`)?.split(',') ?? []
  const parameter = new RegExp(`(?:^|;)\\s*${name}="?([^";]*)`, 'i')
  return elements.map((element) => parameter.exec(element)?.[1] ?? '')
}

/**
 * Makes the function that returns the client's address: that of the peer, or, behind trusted proxies, the last address in
 * their headers that is no trusted proxy, else the first one. Entries that are no addresses (`unknown`, `_hidden`) are
 * skipped. For calls inside of the process it is the address of the visitor, or `inProcess`.
 */
export function clientAddress(trusted: readonly string[] = []): (c: AppContext) => string {
  const isProxy = inRanges(trusted)
  return (c) => {
    const peer = c.env?.incoming?.socket.remoteAddress
    if (peer === undefined) return c.env?.visitor ?? inProcess
    const address = withoutIpv6Prefix(peer)
    if (trusted.length === 0 || !isProxy(address)) return address
    const hops = forwarded(c, 'for')
      .map(hopAddress)
      .filter((hop) => isIP(hop) !== 0)
    return hops.findLast((hop) => !isProxy(hop)) ?? hops[0] ?? address
  }
}

// Public address of the platform for links in its answers. IRIs do not depend on it.

/** Configured addresses: absolute http(s) URLs that end in `/`. */
export type PublicAddress = {
  /** `PLATFORM_PUBLIC_URL`: used for all requests. */
  readonly configured?: string
  /** `PLATFORM_BASE_URI`: used for requests with its host, or without a valid host. */
  readonly base: string
}

/**
 * Makes the function that returns the public address of a request, with `/` at its end: the configured one (`PublicAddress`),
 * else from the `Host` header or, behind a trusted proxy, from `Forwarded` or `X-Forwarded-Host` and `-Proto`, and
 * `X-Forwarded-Prefix`. Invalid hosts are ignored.
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
    const forwardedTo = isProxy(socket.remoteAddress ?? '') ? proxyAddressOf(c, isProxy) : {}
    const host = [forwardedTo.host, c.req.header('Host')].find(isHost)
    if (host === undefined) return base?.href ?? '/'
    if (base && new URL(`${base.protocol}//${host}`).host === base.host) return base.href
    const scheme = forwardedTo.proto ?? ('encrypted' in socket ? 'https' : 'http')
    return new URL(forwardedTo.prefix ?? '/', `${scheme}://${host}`).href
  }
}

/**
 * Whether a text is a host name, an IPv4 address or an IPv6 address in brackets, with or without a port; such a text is safe in
 * headers and HTML.
 */
function isHost(text: string | undefined): text is string {
  if (text === undefined || text.length > 255 || !URL.canParse(`http://${text}`)) return false
  const inBrackets = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1]
  return inBrackets === undefined ? /^[\w.-]+(?::\d+)?$/.test(text) : isIP(inBrackets) === 6
}

type ProxyAddress = { readonly host?: string; readonly proto?: string; readonly prefix?: string }

/** Host, protocol and prefix that the outermost trusted proxy received; values of hops before it are ignored. */
function proxyAddressOf(c: AppContext, isProxy: IsInRange): ProxyAddress {
  const hops = forwarded(c, 'for')
  const fromEnd = hops.findLastIndex((hop) => !isProxy(hop)) - hops.length
  const outermostValue = (list: readonly string[]) => (list.at(fromEnd) ?? list[0] ?? '').trim()
  const proto = outermostValue(forwarded(c, 'proto')).toLowerCase()
  const prefix = outermostValue(c.req.header('X-Forwarded-Prefix')?.split(',') ?? [])
  return {
    host: outermostValue(forwarded(c, 'host')),
    ...((proto === 'http' || proto === 'https') && { proto }),
    ...(/^(?:\/[\w.~-]+)+\/?$/.test(prefix) && { prefix: `${prefix.replace(/\/$/, '')}/` }),
  }
}
