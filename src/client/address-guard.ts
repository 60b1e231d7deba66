/**
 * Decides which addresses a request may reach, from its `Reach` and the URL. The outbound client asks for the permission of the
 * URL, for each resolved address, and again when the connection is established. The configuration, `http/peer.ts`,
 * `script-repository.ts` and the URL checks use only its checks of addresses, blocks and URLs.
 */

import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { Failure, shown } from '../errors.ts'
import type { Reach } from './outbound-request.ts'

/** Decision for one request, by the IP address to which its host resolves. */
export type Permission = {
  /** Connections are shared only between requests with equal keys. */
  readonly key: string
  readonly permits: (address: string) => boolean
}

/**
 * Permission of a request. Allowances of a configured address apply to its origin only; every other origin must be public. A
 * list applies to every URL.
 */
export function hostPermission(reach: Reach, url: URL): Permission {
  if (reach.kind === 'public') return publicOnly
  if (reach.kind === 'listed') return listPermission(reach.allow, url)
  if (URL.parse(reach.address)?.origin !== url.origin) return publicOnly
  return reach.trust === 'trusted' ? trustedPermission : listPermission(reach.allow, url)
}

function listPermission(entries: readonly string[], url: URL): Permission {
  const allow = entries.map((entry) => entry.trim().toLowerCase())
  const host = hostOf(url)
  const allowances = allow
    .map(allowanceOf)
    .filter(({ port }) => (port ?? portOf(url)) === portOf(url))
  return {
    key: `allowed ${allow.toSorted().join(' ')}`,
    permits: (address) => {
      const kind = addressClass(address)
      if (kind !== 'internal') return kind === 'public'
      return allowances.some(({ place }) =>
        isBlock(place) ? inBlock(address, place) : place === host,
      )
    },
  }
}

/** Entry of a list of the operator; `place` is a host name, an address or a CIDR block. */
type Allowance = { readonly place: string; readonly port: number | undefined }

/** Parses a host, address or CIDR block with an optional port: `10.0.0.0/8:8080`, `[fd00::1]:8080`. Without a port, all ports. */
function allowanceOf(entry: string): Allowance {
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]+)):(\d{1,5})$/.exec(entry) ?? []
  const place = bracketed ?? plain
  return place === undefined ? { place: entry, port: undefined } : { place, port: Number(port) }
}

/**
 * Whether an entry of the operator's list is valid: a host name, an address or a CIDR block, with or without a port from 1 to
 * 65,535.
 */
export function isAllowance(entry: string): boolean {
  const { place, port = 1 } = allowanceOf(entry.trim())
  const isHost = hostName.test(place) && !/^[\d.]+$/.test(place)
  return port > 0 && port <= 65_535 && (isBlock(place) || isHost)
}

/** Expands an entry without a port to one entry each for ports 80 and 443; an entry with a port stays as it is. */
export function webAllowances(entry: string): readonly string[] {
  const { place, port } = allowanceOf(entry.trim())
  const name = place.includes(':') ? `[${place}]` : place
  return port === undefined ? [`${name}:80`, `${name}:443`] : [entry]
}

const hostName = /^[a-z0-9_](?:[a-z0-9_.-]{0,252})$/i

const publicOnly: Permission = {
  key: 'public',
  permits: (address) => addressClass(address) === 'public',
}

const trustedPermission: Permission = {
  key: 'trusted',
  permits: (address) => addressClass(address) !== 'never',
}

// Checks of the URL itself, before its name is resolved.

/**
 * Parses a URL and removes user info and fragment. Throws `address-refused` for an invalid URL, a scheme other than `http`
 * and `https`, or a port on which no web server listens.
 */
export function parseTarget(text: string): URL {
  const url = URL.parse(text)
  if (!url) throw refused(`${shown(text)} is not a URL`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refused(`only http and https are requested, not ${shown(url.protocol)}`)
  }
  if (url.port !== '' && badPorts.has(Number(url.port))) {
    throw refused(`port ${url.port} is blocked, because no web server uses it`)
  }
  url.username = ''
  url.password = ''
  url.hash = ''
  return url
}

/** Host of a URL for resolvers and sockets: IPv6 without brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

/** Port of a URL; 80 or 443 if it has none. */
export const portOf = (url: URL): number =>
  url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)

const refused = (detail: string) => new Failure('address-refused', detail)

/** Blocked ports of the Fetch standard ("bad ports"), and 0. */
const badPorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
])

// Resolution of a host to permitted addresses.

/** Resolves a host name to all its addresses. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/**
 * Returns the permitted addresses of a host, never empty. Throws `address-refused` if it has only others, `source-unreachable` if
 * it has none. Literal addresses are checked here too, because Node calls no `lookup` for them.
 */
export async function permittedAddresses(
  url: URL,
  permission: Permission,
  resolve: Resolve = systemResolver,
): Promise<readonly string[]> {
  const host = hostOf(url)
  const addresses = isIP(host) === 0 ? await resolveAll(host, resolve) : [host]
  const permitted = addresses.filter((address) => permission.permits(address))
  if (permitted.length === 0) throw addressRefused(host)
  return permitted
}

/**
 * Failure for a refused address. It is the same for operators and strangers, so that it does not reveal where an internal
 * name leads.
 */
export const addressRefused = (host: string): Failure =>
  new Failure('address-refused', `${shown(host)} is not an address that may be requested`)

async function resolveAll(host: string, resolve: Resolve): Promise<readonly string[]> {
  const unreachable = (cause?: unknown) =>
    new Failure('source-unreachable', `the name ${shown(host)} cannot be resolved`, { cause })
  const addresses = await resolve(host).catch((cause: unknown) => {
    throw unreachable(cause)
  })
  if (addresses.length === 0) throw unreachable()
  return addresses
}

const systemResolver: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address)

// Classification of IP addresses in all notations.

/**
 * Class of an address. `public`: the open internet. `internal`: loopback, private, ULA, site-local, carrier NAT; only if allowed
 * by the operator. `never`: unspecified, metadata, link-local, multicast, reserved, documentation, benchmarks, Teredo.
 */
type AddressClass = 'public' | 'internal' | 'never'

/** Class of an IP address; `never` for an IPv6 address with a zone and for anything else. */
export function addressClass(address: string): AddressClass {
  const withoutZone = address.split('%', 1)[0] ?? ''
  const version = isIP(withoutZone)
  if (version === 4) return classOfIpv4(withoutZone)
  if (version !== 6) return 'never'
  if (never6.check(withoutZone, 'ipv6')) return 'never'
  if (withoutZone !== address) return 'never'
  const groups = groupsOf(withoutZone)
  const embedded = groups && embeddedIpv4(groups)
  if (embedded !== undefined) return classOfIpv4(embedded)
  return internal6.check(withoutZone, 'ipv6') ? 'internal' : 'public'
}

/**
 * Whether an address is in a block such as `10.0.0.0/8` or `fd00::/8`, or equals a single address. IPv4-mapped addresses
 * count as IPv4.
 */
export function inBlock(address: string, block: string): boolean {
  const parsed = blockOf(block)
  const version = isIP(address)
  if (!parsed || version === 0) return false
  const list = new BlockList()
  list.addSubnet(parsed.network, parsed.length, parsed.version)
  return list.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/** Whether a text is an address or a CIDR block. */
export const isBlock = (text: string): boolean => blockOf(text) !== undefined

type Block = {
  readonly network: string
  readonly length: number
  readonly version: 'ipv4' | 'ipv6'
}

function blockOf(text: string): Block | undefined {
  const [network = '', suffix, ...rest] = text.split('/')
  const version = isIP(network)
  if (version === 0 || rest.length > 0 || network.includes('%')) return undefined
  const longest = version === 4 ? 32 : 128
  const length = suffix === undefined ? longest : /^\d{1,3}$/.test(suffix) ? Number(suffix) : -1
  if (length < 0 || length > longest) return undefined
  return { network, length, version: version === 4 ? 'ipv4' : 'ipv6' }
}

// Blocks of the IANA special-purpose address registries (RFC 6890) and of multicast, by class. 100.64.0.0/10 is carrier NAT;
// fd00:ec2::254 is the metadata service of a cloud.

const internal4 = blockList([
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
])
const never4 = blockList([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '198.18.0.0/15',
])
const internal6 = blockList(['::1/128', 'fc00::/7', 'fec0::/10'])
const never6 = blockList([
  '::/128',
  'fe80::/10',
  'fd00:ec2::254/128',
  'ff00::/8',
  '2001:db8::/32',
  '3fff::/20',
  '100::/64',
  '2001::/32',
  '2001:20::/28',
  '64:ff9b:1::/48',
])

/** Block list of the addresses and CIDR blocks of a list; other entries are ignored. */
export function blockList(list: readonly string[]): BlockList {
  const result = new BlockList()
  for (const text of list) {
    const block = blockOf(text)
    if (block) result.addSubnet(block.network, block.length, block.version)
  }
  return result
}

function classOfIpv4(address: string): AddressClass {
  if (never4.check(address)) return 'never'
  return internal4.check(address) ? 'internal' : 'public'
}

/** IPv4 address inside a mapped, compatible, 6to4 or NAT64 address (RFC 4291, 3056, 6052). */
function embeddedIpv4(groups: readonly number[]): string | undefined {
  const [a = 0, b = 0, c = 0] = groups
  const zeros = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0)
  if (a === 0x2002) return ipv4(b, c)
  const last = () => ipv4(groups[6] ?? 0, groups[7] ?? 0)
  if (a === 0x64 && b === 0xff9b && zeros(2, 6)) return last()
  if (!zeros(0, 5)) return undefined
  if (groups[5] === 0xffff) return last()
  const loopback = groups[6] === 0 && groups[7] === 1
  return groups[5] === 0 && !loopback ? last() : undefined
}

const ipv4 = (high: number, low: number): string =>
  [high >> 8, high & 255, low >> 8, low & 255].join('.')

/** The eight groups of an IPv6 address without its zone; `undefined` for any other text. */
export function groupsOf(address: string): readonly number[] | undefined {
  if (isIP(address) !== 6) return undefined
  // The URL parser normalises all notations, including a dotted tail.
  const host = URL.parse(`http://[${address.split('%', 1)[0]}]/`)?.hostname.slice(1, -1)
  if (host === undefined) return undefined
  const [head = '', tail] = host.split('::')
  const left = numbers(head)
  const right = numbers(tail ?? '')
  const gap = tail === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array.from({ length: gap }, () => 0), ...right]
}

const numbers = (text: string): readonly number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
