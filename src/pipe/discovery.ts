/** Where the segment of a name is: at an address that the operator names, in this process, or where the pipe says. */

import type { ClusterConfig } from '../config/cluster.ts'
import type { Endpoint, Segment } from './document.ts'
import { normalName } from './naming.ts'
import type { SegmentKind } from './segment.ts'

/** `by` says who named the address: the operator's configuration, or the pipe, whose word opens no inner network. */
export type Placement =
  | { readonly kind: 'built-in'; readonly segment: SegmentKind }
  | {
      readonly kind: 'http'
      readonly address: string
      readonly method: 'POST' | 'PUT'
      readonly headers: Readonly<Record<string, string>>
      readonly by: 'operator' | 'pipe'
    }
  | { readonly kind: 'bus'; readonly address: string; readonly by: 'operator' | 'pipe' }
  | { readonly kind: 'unknown'; readonly known: readonly string[] }

/**
 * Service discovery by the exact name, then the segments of this process by any spelling, then the endpoint that the
 * pipe gives. No address is ever guessed from a name: a typing error would become a run that waits for ever.
 */
export function resolver(
  discovered: ClusterConfig['serviceDiscovery'],
  kinds: readonly SegmentKind[],
): (segment: Segment) => Placement {
  const own = new Map(kinds.flatMap((kind) => kind.names.map((name) => [normalName(name), kind])))
  const known = [...Object.keys(discovered), ...kinds.flatMap((kind) => kind.names.slice(0, 1))]
  const names = [...new Set(known)].toSorted()
  return ({ header, body }) => {
    const service = Object.hasOwn(discovered, header.name) ? discovered[header.name] : undefined
    if (service?.http) return { kind: 'http', ...service.http, by: 'operator' }
    if (service?.eventbus) return { kind: 'bus', ...service.eventbus, by: 'operator' }
    const segment = own.get(normalName(header.name))
    if (segment) return { kind: 'built-in', segment }
    const told = body.endpoint && endpointOf(body.endpoint)
    return told ?? { kind: 'unknown', known: names }
  }
}

function endpointOf({ protocol, address, method }: Endpoint): Placement | undefined {
  const scheme = URL.parse(address)?.protocol
  if (scheme === 'http:' || scheme === 'https:') {
    const asked = method?.toUpperCase() === 'PUT' ? 'PUT' : 'POST'
    return { kind: 'http', address, method: asked, headers: {}, by: 'pipe' }
  }
  return /^(event-?)?bus$/i.test(protocol ?? '') && address !== ''
    ? { kind: 'bus', address, by: 'pipe' }
    : undefined
}
