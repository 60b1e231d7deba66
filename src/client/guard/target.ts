/** URLs that may be requested at all: the look of the address, before any name is resolved. */

import { Failure, shown } from '../../errors.ts'

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
