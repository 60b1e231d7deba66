/** Which addresses one request may reach: its reach, applied to the URL that it is about to ask. */

import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { Failure, shown } from '../errors.ts'
import { classOf, inBlock, isBlock } from './addresses.ts'
import type { Reach } from './outbound-request.ts'

export type Permission = {
  /** Connections are shared only between requests of the same key. */
  readonly key: string
  readonly permits: (address: string) => boolean
}

/** Allowances hold for the origin of the configured address, every other origin is public; a list holds for every URL. */
export function hostPermission(reach: Reach, url: URL): Permission {
  if (reach.kind === 'public') return publicOnly
  if (reach.kind === 'listed') return listed(reach.allow, url)
  if (URL.parse(reach.address)?.origin !== url.origin) return publicOnly
  return reach.trust === 'trusted' ? trusted : listed(reach.allow, url)
}

function listed(entries: readonly string[], url: URL): Permission {
  const allow = entries.map((entry) => entry.trim().toLowerCase())
  const host = hostOf(url)
  return {
    key: `allowed ${allow.toSorted().join(' ')}`,
    permits: (address) => {
      const kind = classOf(address)
      if (kind !== 'internal') return kind === 'public'
      return allow.some((entry) => (isBlock(entry) ? inBlock(address, entry) : entry === host))
    },
  }
}

/** Whether an entry of the operator's list can mean anything: a host name, an address or a CIDR block. */
export const isAllowance = (entry: string): boolean =>
  isBlock(entry.trim()) || (hostName.test(entry.trim()) && !/^[\d.]+$/.test(entry.trim()))

const hostName = /^[a-z0-9_](?:[a-z0-9_.-]{0,252})$/i

const publicOnly: Permission = {
  key: 'public',
  permits: (address) => classOf(address) === 'public',
}

const trusted: Permission = {
  key: 'trusted',
  permits: (address) => classOf(address) !== 'never',
}

// URLs that may be requested at all: the look of the address, before any name is resolved.

/**
 * The URL without user info and fragment, or `address-refused`: not a URL, not `http` or `https`, or a port on which no
 * web server listens.
 */
export function target(text: string): URL {
  const url = URL.parse(text)
  if (!url) throw refused(`${shown(text)} is not a URL`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refused(`only http and https are requested, not ${shown(url.protocol)}`)
  }
  if (url.port !== '' && badPorts.has(Number(url.port))) {
    throw refused(`port ${url.port} is not one of a web server`)
  }
  url.username = ''
  url.password = ''
  url.hash = ''
  return url
}

/** Host as a resolver and a socket want it: IPv6 without brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

export const portOf = (url: URL): number =>
  url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)

const refused = (detail: string) => new Failure('address-refused', detail)

/** The "bad ports" of the Fetch standard, and 0. */
const badPorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
])

// From the host of a URL to the addresses that may be dialled.

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/**
 * The permitted addresses, never empty. `address-refused` when there are others only, `source-unreachable` when there are
 * none. Literal addresses are judged here too: Node asks no `lookup` for them.
 */
export async function permitted(
  url: URL,
  permission: Permission,
  resolve: Resolve = system,
): Promise<readonly string[]> {
  const host = hostOf(url)
  const all = isIP(host) === 0 ? await resolved(host, resolve) : [host]
  const allowed = all.filter((address) => permission.permits(address))
  if (allowed.length === 0) throw addressRefused(host)
  return allowed
}

/** The answer to the operator and to a stranger alike: it does not tell where a name of ours leads. */
export const addressRefused = (host: string): Failure =>
  new Failure('address-refused', `${shown(host)} is not an address that may be requested`)

async function resolved(host: string, resolve: Resolve): Promise<readonly string[]> {
  const unreachable = (cause?: unknown) =>
    new Failure('source-unreachable', `the name ${shown(host)} cannot be resolved`, { cause })
  const all = await resolve(host).catch((cause: unknown) => {
    throw unreachable(cause)
  })
  if (all.length === 0) throw unreachable()
  return all
}

const system: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address)
