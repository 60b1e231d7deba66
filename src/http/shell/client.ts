/** Who is at the other end of a request. */

import { isIP } from 'node:net'
import { blocks, groupsOf } from '../../client/address-guard.ts'
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
  const list = blocks(ranges)
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
