/** Which addresses one request may reach: its reach, applied to the URL that it is about to ask. */

import type { Reach } from '../request.ts'
import { classOf, inBlock, isBlock } from './address.ts'
import { hostOf } from './target.ts'

export type Permission = {
  /** Connections are shared only between requests of the same key. */
  readonly key: string
  readonly permits: (address: string) => boolean
}

/** Allowances hold for the origin of the configured address, every other origin is public; a list holds for every URL. */
export function permission(reach: Reach, url: URL): Permission {
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
