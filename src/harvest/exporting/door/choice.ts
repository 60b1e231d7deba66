/** Which repository an exporter writes to: the one of this process, one that the operator names, or one of the pipe. */

import { z } from 'zod'
import type { ClusterConfig } from '../../../config/cluster.ts'
import type { OwnKeys } from '../../../http/keys/known-keys.ts'
import type { Outbound } from '../../../client/outbound.ts'
import type { ConfigProblem, SegmentPlace } from '../../../pipe/segment.ts'
import { distantDoor, ownDoor, type Door, type Repository } from './door.ts'

export type Doors = {
  readonly outbound: Outbound
  readonly repository: Repository | undefined
  readonly serviceDiscovery: ClusterConfig['serviceDiscovery']
  readonly key: OwnKeys
  readonly secret: (name: string) => string | undefined
  readonly allow: readonly string[]
}

export const hubConfig = z.looseObject({
  /** A name of `serviceDiscovery`, or any other for the repository of this process. */
  serviceName: z.string().optional(),
  /** Another repository. */
  endpoint: z
    .looseObject({
      address: z.string().refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), {
        error: 'must be an http(s) address',
      }),
      apiKey: z.union([z.string().min(1), z.object({ secret: z.string() })], {
        error: 'must be a key or { "secret": name }: our own key is not sent where a pipe says',
      }),
    })
    .optional(),
})
type Hub = z.infer<typeof hubConfig>

/** The door, or what is wrong with the config. */
export function doorTo(
  doors: Doors,
  { endpoint, serviceName }: Hub,
  place: Pick<SegmentPlace, 'trust' | 'catalogue'>,
): Door | ConfigProblem {
  const { outbound, repository, serviceDiscovery, key } = doors
  if (endpoint) {
    const { apiKey, address } = endpoint
    const value = typeof apiKey === 'string' ? apiKey : doors.secret(apiKey.secret)
    if (value === undefined)
      return { key: 'hub.endpoint.apiKey', detail: 'names a secret that nobody configured' }
    const reach = { kind: 'configured', address, trust: place.trust, allow: doors.allow } as const
    return distantDoor({ address, key: value, reach, outbound })
  }
  const known = serviceName !== undefined && Object.hasOwn(serviceDiscovery, serviceName)
  const address = known ? serviceDiscovery[serviceName]?.http?.address : undefined
  if (address !== undefined) {
    const reach = { kind: 'configured', address, trust: 'trusted', allow: doors.allow } as const
    return distantDoor({ address, key: key.away(place.catalogue), reach, outbound })
  }
  if (repository) return ownDoor(repository, key.here(place.catalogue))
  return { key: 'hub.serviceName', detail: 'names no repository, and this process has none' }
}
