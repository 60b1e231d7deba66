/**
 * Decides where each segment of a pipe runs: at an address of the operator's configuration, in this process, or at the
 * endpoint that the pipe gives. Asked when pipes are checked, runs start and messages arrive, and by the exporter.
 */

import type { ClusterConfig } from '../config/cluster.ts'
import type { Endpoint, Segment } from './document.ts'
import type { SegmentKind } from './segment.ts'

/**
 * Where a segment runs: in this process, at a URL, behind a queue of a message broker (`bus`), or nowhere. `by` says who
 * configured the address; one from a pipe is used only as far as `Reach` permits, and never for a broker of its own.
 */
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
  | { readonly kind: 'unknown'; readonly knownNames: readonly string[] }

/** Who consumes queues whose names have no scheme: segments behind the broker, or (`own`) segments of this process. */
type PlainQueues = 'broker' | 'own'

/** `broker` if the operator has configured one. */
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
  services: ClusterConfig['serviceDiscovery'],
  kinds: readonly SegmentKind[],
  plainQueues: PlainQueues = 'broker',
): (segment: Segment) => Placement {
  const isQueue = (address: string) => plainQueues === 'broker' || isBrokerAddress(address)
  const byName = new Map(
    kinds.flatMap((kind) => kind.names.map((name) => [normalName(name), kind])),
  )
  const kindAtQueue = (address: string) => {
    const [name] =
      Object.entries(services).find(([, { eventbus }]) => eventbus?.address === address) ?? []
    return name === undefined ? undefined : byName.get(normalName(name))
  }
  const allNames = [...Object.keys(services), ...kinds.flatMap((kind) => kind.names.slice(0, 1))]
  const names = [...new Set(allNames)].toSorted()
  return ({ header, body }) => {
    const service = Object.hasOwn(services, header.name) ? services[header.name] : undefined
    if (service?.http) return { kind: 'http', ...service.http, by: 'operator' }
    if (service?.eventbus && isQueue(service.eventbus.address)) {
      return { kind: 'bus', ...service.eventbus, by: 'operator' }
    }
    const segment = byName.get(normalName(header.name))
    if (segment) return { kind: 'built-in', segment }
    const endpoint = body.endpoint && endpointOf(body.endpoint)
    if (!endpoint) return { kind: 'unknown', knownNames: names }
    if (endpoint.kind === 'http' || isQueue(endpoint.address)) return endpoint
    const kind = kindAtQueue(endpoint.address)
    return kind ? { kind: 'built-in', segment: kind } : { kind: 'unknown', knownNames: names }
  }
}

type RemotePlacement = Extract<Placement, { readonly kind: 'http' | 'bus' }>

function endpointOf({ protocol, address, method }: Endpoint): RemotePlacement | undefined {
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

/** Normal form of other spellings, which pipes of other platforms use, by the spelling without its prefix. */
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
