/** Who is at the other end of a request, and by which address they reach the platform, as far as trusted proxies tell. */

import { isIP } from 'node:net'
import { blockList, groupsOf } from '../client/address-guard.ts'
import type { AppContext } from './context.ts'

/** Address of a request that came without a socket, from a service in the same process. */
export const inProcess = 'in-process'

type IsInRange = (address: string) => boolean

/** Tells whether an address, in whatever spelling sockets and headers have, is in one of the ranges (addresses and CIDR). */
export function inRanges(ranges: readonly string[]): IsInRange {
  const list = blockList(ranges)
  return (hop) => {
    const address = hopAddress(hop)
    return isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
}

/** Whether an address is of this host (RFC 6890). */
export const isLoopback = (address: string): boolean =>
  address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))

/** Whom an address belongs to, as far as one can tell: its /24 (IPv4) or /56 (IPv6); a text that is no address as it is. */
export function networkOf(address: string): string {
  if (isIP(address) === 4) return `${address.split('.').slice(0, 3).join('.')}.0/24`
  const groups = groupsOf(address)
  if (!groups) return address
  const [a = 0, b = 0, c = 0, d = 0] = groups
  return `${[a, b, c, d & 0xff00].map(hex).join(':')}::/56`
}

/** One machine: who has an IPv6 address has all of its /64. */
export const machineOf = (address: string): string =>
  groupsOf(address)?.slice(0, 4).map(hex).join(':') ?? address

const hex = (group: number): string => group.toString(16)

/** An IPv4 address that came over an IPv6 socket, without its prefix. */
export const withoutIpv6Prefix = (address: string): string =>
  address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address

/** The address of a hop, without quotes, brackets and port. */
function hopAddress(hop: string): string {
  const text = hop.trim().replaceAll('"', '')
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1]
  return withoutIpv6Prefix(bracketed ?? text.replace(/^([\d.]+):\d+$/, '$1'))
}

/** The values that proxies added, the nearest last: of `Forwarded` (RFC 7239), else of `X-Forwarded-…`. */
function forwarded(c: AppContext, name: 'for' | 'host' | 'proto'): readonly string[] {
  const elements = c.req.header('Forwarded')?.split(',')
  if (!elements) return c.req.header(`X-Forwarded-${name}`)?.split(',') ?? []
  const parameter = new RegExp(`(?:^|;)\\s*${name}="?([^";]*)`, 'i')
  return elements.map((element) => parameter.exec(element)?.[1] ?? '')
}

/**
 * Tells the client's address: the peer (without a socket, the visitor for whom the process asks), or, when the peer is a trusted proxy, the last address that the proxies name and that is
 * not a trusted proxy itself. What is no address (`unknown`, `_hidden`) is passed over.
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

// Where clients reach the platform, as its answers name it: links, pages of lists, feeds. IRIs are another matter.

/** Both are absolute http(s) addresses that end in `/`. */
export type PublicAddress = {
  /** `PLATFORM_PUBLIC_URL`: counts whatever a request says. */
  readonly configured?: string
  /** `PLATFORM_BASE_URI`: counts where a request came by its host, or by none that can be named. */
  readonly base: string
}

/**
 * Tells the address that a request came by, with `/` at its end: the `Host` header or, from a trusted proxy, what it says of
 * that in `Forwarded` or `X-Forwarded-Host`, `-Proto` and `-Prefix`. What is no host is not repeated.
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
    const named = isProxy(socket.remoteAddress ?? '') ? proxyAddressOf(c, isProxy) : {}
    const host = [named.host, c.req.header('Host')].find(isHost)
    if (host === undefined) return base?.href ?? '/'
    if (base && new URL(`${base.protocol}//${host}`).host === base.host) return base.href
    const scheme = named.proto ?? ('encrypted' in socket ? 'https' : 'http')
    return new URL(named.prefix ?? '/', `${scheme}://${host}`).href
  }
}

/** A name, an IPv4 address, or an IPv6 address in brackets, with or without a port: nothing that ends a header or a tag. */
function isHost(text: string | undefined): text is string {
  if (text === undefined || text.length > 255 || !URL.canParse(`http://${text}`)) return false
  const inBrackets = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1]
  return inBrackets === undefined ? /^[\w.-]+(?::\d+)?$/.test(text) : isIP(inBrackets) === 6
}

type ProxyAddress = { readonly host?: string; readonly proto?: string; readonly prefix?: string }

/** Host, protocol and prefix that the outermost trusted proxy was asked for; values of proxies in front of it are not trusted. */
function proxyAddressOf(c: AppContext, isProxy: IsInRange): ProxyAddress {
  const hops = forwarded(c, 'for')
  const fromEnd = hops.findLastIndex((hop) => !isProxy(hop)) - hops.length
  const outermost = (list: readonly string[]) => (list.at(fromEnd) ?? list[0] ?? '').trim()
  const proto = outermost(forwarded(c, 'proto')).toLowerCase()
  const prefix = outermost(c.req.header('X-Forwarded-Prefix')?.split(',') ?? [])
  return {
    host: outermost(forwarded(c, 'host')),
    ...((proto === 'http' || proto === 'https') && { proto }),
    ...(/^(?:\/[\w.~-]+)+\/?$/.test(prefix) && { prefix: `${prefix.replace(/\/$/, '')}/` }),
  }
}
