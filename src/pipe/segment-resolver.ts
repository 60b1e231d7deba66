/**
 * Resolves the name of a segment: to an address of the operator's configuration, a segment of this process, or the endpoint
 * in the pipe.
 */

import type { ClusterConfig } from '../config/cluster.ts'
import type { Endpoint, Segment } from './document.ts'
import type { SegmentKind } from './segment.ts'

/** Where a segment runs. `by` says who configured the address; an address from a pipe may not reach internal networks. */
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

/** Whether queue names without a scheme belong to the broker or to this process. */
type PlainQueues = 'broker' | 'own'

export const plainQueuesFor = (eventbusUrl: string | undefined): PlainQueues =>
  eventbusUrl === undefined ? 'own' : 'broker'

/** Whether a queue address contains the URL of its broker. */
export const isBrokerAddress = (address: string): boolean => /^(nats|tls):\/\//i.test(address)

/**
 * Returns the resolver of segments. It tries service discovery by the exact name, then the segments of this process by any
 * spelling, then the endpoint given in the pipe. It never derives an address from a name, because a typing error would then
 * become a run that waits for ever. Without a broker (`own`), queue names lead to the segments of this process.
 */
export function segmentResolver(
  discovered: ClusterConfig['serviceDiscovery'],
  kinds: readonly SegmentKind[],
  plainQueues: PlainQueues = 'broker',
): (segment: Segment) => Placement {
  const isQueue = (address: string) => plainQueues === 'broker' || isBrokerAddress(address)
  const own = new Map(kinds.flatMap((kind) => kind.names.map((name) => [normalName(name), kind])))
  const ownAt = (address: string) => {
    const [name] =
      Object.entries(discovered).find(([, { eventbus }]) => eventbus?.address === address) ?? []
    return name === undefined ? undefined : own.get(normalName(name))
  }
  const all = [...Object.keys(discovered), ...kinds.flatMap((kind) => kind.names.slice(0, 1))]
  const names = [...new Set(all)].toSorted()
  return ({ header, body }) => {
    const service = Object.hasOwn(discovered, header.name) ? discovered[header.name] : undefined
    if (service?.http) return { kind: 'http', ...service.http, by: 'operator' }
    if (service?.eventbus && isQueue(service.eventbus.address)) {
      return { kind: 'bus', ...service.eventbus, by: 'operator' }
    }
    const segment = own.get(normalName(header.name))
    if (segment) return { kind: 'built-in', segment }
    const endpoint = body.endpoint && endpointOf(body.endpoint)
    if (!endpoint) return { kind: 'unknown', known: names }
    if (endpoint.kind === 'http' || isQueue(endpoint.address)) return endpoint
    const local = ownAt(endpoint.address)
    return local ? { kind: 'built-in', segment: local } : { kind: 'unknown', known: names }
  }
}

type Elsewhere = Extract<Placement, { readonly kind: 'http' | 'bus' }>

function endpointOf({ protocol, address, method }: Endpoint): Elsewhere | undefined {
  const scheme = URL.parse(address)?.protocol
  if (scheme === 'http:' || scheme === 'https:') {
    const upperMethod = method?.toUpperCase() === 'PUT' ? 'PUT' : 'POST'
    return { kind: 'http', address, method: upperMethod, headers: {}, by: 'pipe' }
  }
  return /^(event-?)?bus$/i.test(protocol ?? '') && address !== ''
    ? { kind: 'bus', address, by: 'pipe' }
    : undefined
}

// Segment names: all known spellings of a name mean one segment.

const prefixes = ['piveau-consus-', 'platform-consus-', 'consus-', 'piveau-', 'platform-'] as const

/** Names in use, without their prefix, and the segment that each means. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['importing-dcat', 'importing-rdf'],
  ['rdf-importer', 'importing-rdf'],
  ['sparql-importer', 'importing-sparql'],
  ['importing-ckansingle', 'importing-ckan'],
  ['importing-ckanprop', 'importing-ckan'],
  ['importing-drupal', 'importing-dkan'],
  ['importing-pod', 'importing-datajson'],
  ['importing-dcatus', 'importing-datajson'],
  ['importing-dcat-us', 'importing-datajson'],
  ['importing-data-json', 'importing-datajson'],
  ['importing-ods', 'importing-opendatasoft'],
  ['importing-huwise', 'importing-opendatasoft'],
  ['importing-arcgishub', 'importing-arcgis'],
  ['importing-arcgis-hub', 'importing-arcgis'],
  ['transforming-javascript', 'transforming-js'],
  ['transforming-construct', 'transforming-sparql'],
  ['exporting-repo', 'exporting-hub'],
  ['exporting-repository', 'exporting-hub'],
  ['validating-shacl', 'metrics-validating-shacl'],
  ['annotator', 'metrics-annotator'],
  ['accessibility', 'metrics-accessibility'],
  ['score', 'metrics-score'],
])

/** Normal form of a segment name: lower case, without the first matching prefix, aliases resolved. */
export function normalName(name: string): string {
  const lower = name.toLowerCase()
  const prefix = prefixes.find((start) => lower.startsWith(start)) ?? ''
  const bare = lower.slice(prefix.length)
  return aliases.get(bare) ?? bare
}
