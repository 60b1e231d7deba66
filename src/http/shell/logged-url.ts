/** Addresses as they may stand in a log. */

import { isSecretName } from '../../secrets.ts'

const longest = 2000

/** What stands in a path and opens a door by itself. */
const capability = /(\/segments\/r\/)[^/?#]+/

/**
 * Path and query of a URL without user info, without capabilities and without the values of parameters that carry secrets; at most 2,000
 * characters.
 */
export function loggedUrl(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const local = (start < 0 ? '/' : url.slice(start)).replace(capability, '$1•••')
  const query = local.indexOf('?')
  const told = query < 0 ? local : `${local.slice(0, query)}?${stripped(local.slice(query + 1))}`
  return told.length > longest ? `${told.slice(0, longest)}…` : told
}

const stripped = (query: string): string =>
  query
    .split('&')
    .map((pair) => {
      const [name = ''] = pair.split('=', 1)
      return isSecretName(plain(name)) ? `${name}=•••` : pair
    })
    .join('&')

/** A name may hide behind percent-encoding. */
function plain(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}
