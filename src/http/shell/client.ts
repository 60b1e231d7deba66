/** Who is at the other end of a request. */

import { BlockList, isIP } from 'node:net'
import type { AppContext } from './context.ts'

/** Address of a request that came without a socket, from a station in the same process. */
export const inProcess = 'in-process'

/**
 * Tells the client's address: the peer, or, when the peer is a trusted proxy, the last address in `X-Forwarded-For` or
 * `Forwarded` (RFC 7239) that is not a trusted proxy itself. `trusted` holds addresses and CIDR ranges.
 */
export function clientAddress(trusted: readonly string[] = []): (c: AppContext) => string {
  const isProxy = inRanges(trusted)
  return (c) => {
    const peer = c.env?.incoming?.socket.remoteAddress
    if (peer === undefined) return inProcess
    const address = plain(peer)
    if (trusted.length === 0 || !isProxy(address)) return address
    const named = forwarded(c.req.header('Forwarded'), c.req.header('X-Forwarded-For'))
    return named.findLast((hop) => !isProxy(hop)) ?? named[0] ?? address
  }
}

/** Tells whether an address, in whatever spelling sockets and headers have, is in one of the ranges. */
export function inRanges(ranges: readonly string[]): (address: string) => boolean {
  const list = blockList(ranges)
  return (hop) => {
    const address = hopAddress(hop)
    return isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
}

/** Whether a text is an address or a CIDR range. */
export function isRange(text: string): boolean {
  const [address = '', bits, more] = text.split('/')
  const kind = isIP(address)
  if (kind === 0 || more !== undefined) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (kind === 6 ? 128 : 32))
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges.filter(isRange)) {
    const [address = '', bits] = range.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

/** Whether an address is of this host (RFC 6890). */
export const isLoopback = (address: string): boolean =>
  address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))

/** The eight groups of an IPv6 address, without leading zeros; `undefined` for another text. */
function groupsOf(address: string): readonly string[] | undefined {
  if (isIP(address) !== 6) return undefined
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => '0')
  return [...groups, ...zeros, ...after].map((group) => Number.parseInt(group, 16).toString(16))
}

/** Whom an address belongs to, as far as one can tell: its /24 (IPv4) or /56 (IPv6); a text that is no address as it is. */
export function networkOf(address: string): string {
  if (isIP(address) === 4) return `${address.split('.').slice(0, 3).join('.')}.0/24`
  const groups = groupsOf(address)
  if (!groups) return address
  const [a = '0', b = '0', c = '0', d = '0'] = groups
  return `${a}:${b}:${c}:${(Number.parseInt(d, 16) & 0xff00).toString(16)}::/56`
}

/** One machine: who has an IPv6 address has all of its /64. */
export const machineOf = (address: string): string =>
  groupsOf(address)?.slice(0, 4).join(':') ?? address

/** An IPv4 address that came over an IPv6 socket, without its prefix. */
export const plain = (address: string): string =>
  address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address

/** The hops in order; what is not an address (`unknown`, `_hidden`) is left out. */
function forwarded(standard: string | undefined, common: string | undefined): readonly string[] {
  const hops =
    standard === undefined
      ? (common?.split(',') ?? [])
      : standard.split(',').map((hop) => /for=("[^"]*"|[^;,\s]*)/i.exec(hop)?.[1] ?? '')
  return hops.map(hopAddress).filter((hop) => isIP(hop) !== 0)
}

function hopAddress(hop: string): string {
  const text = hop.trim().replaceAll('"', '')
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1]
  return plain(bracketed ?? text.replace(/^([\d.]+):\d+$/, '$1'))
}
