/** What kind of network an IP address belongs to, whatever form it hides in. */

import { BlockList, isIP } from 'node:net'

/**
 * `public`: the open internet. `internal`: loopback, private, ULA, carrier NAT; only where the operator allowed it.
 * `never`: nothing of ours is ever meant (unspecified, metadata, link-local, multicast, reserved, tunnels).
 */
type AddressClass = 'public' | 'internal' | 'never'

/** Addresses that are not IP addresses are `never`. */
export function classOf(address: string): AddressClass {
  const plain = address.split('%', 1)[0] ?? ''
  const version = isIP(plain)
  if (version === 4) return classOfIpv4(plain)
  if (version !== 6) return 'never'
  if (never6.check(plain, 'ipv6')) return 'never'
  if (plain !== address) return 'never'
  const groups = groupsOf(plain)
  const inner = groups && embedded(groups)
  if (inner !== undefined) return classOfIpv4(inner)
  return internal6.check(plain, 'ipv6') ? 'internal' : 'public'
}

/** Whether the address is in the block: `10.0.0.0/8`, `fd00::/8`, or a single address. Mapped IPv4 counts as IPv4. */
export function inBlock(address: string, block: string): boolean {
  const parsed = blockOf(block)
  const version = isIP(address)
  if (!parsed || version === 0) return false
  const list = new BlockList()
  list.addSubnet(parsed.network, parsed.length, parsed.version)
  return list.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/** Whether the text is an address or a CIDR block. */
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

/** Shared and special-purpose registries of IANA (RFC 6890); 100.64/10 is the carriers' own. */
const internal4 = blocks([
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
])
const never4 = blocks([
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
const internal6 = blocks(['::1/128', 'fc00::/7', 'fec0::/10'])
const never6 = blocks([
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

function blocks(list: readonly string[]): BlockList {
  const found = new BlockList()
  for (const text of list) {
    const block = blockOf(text)
    if (block) found.addSubnet(block.network, block.length, block.version)
  }
  return found
}

function classOfIpv4(address: string): AddressClass {
  if (never4.check(address)) return 'never'
  return internal4.check(address) ? 'internal' : 'public'
}

/** The IPv4 address inside a mapped, compatible, 6to4 or NAT64 address (RFC 4291, 3056, 6052). */
function embedded(groups: readonly number[]): string | undefined {
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

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): readonly number[] | undefined {
  // The URL parser turns a dotted tail into groups, and every spelling into one.
  const host = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1)
  if (host === undefined) return undefined
  const [head = '', tail] = host.split('::')
  const left = numbers(head)
  const right = numbers(tail ?? '')
  const gap = tail === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array.from({ length: gap }, () => 0), ...right]
}

const numbers = (text: string): readonly number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
