/** The config of an exporter, and the repository that it names: the pipe's endpoint, one of the operator's, or our own. */

import { z } from 'zod'
import type { JsonObject } from '../../text/json.ts'
import type { ConfigProblem, SegmentPlace } from '../../pipe/segment.ts'
import { configProblems } from '../segment-config.ts'
import type { ExportContext } from './export-run.ts'
import { repositoryByFetch, remoteRepository, type RepositoryClient } from './repository-client.ts'

const repositoryConfig = z.looseObject({
  /** A name of `serviceDiscovery`, or any other for the repository of this process. */
  serviceName: z.string().optional(),
  /** Another repository. */
  endpoint: z
    .looseObject({
      address: z.string().refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), {
        error: 'must be an http(s) address',
      }),
      apiKey: z.union([z.string().min(1), z.object({ secret: z.string() })], {
        error:
          'must be a key or { "secret": name }: the platform does not send its own key to an address of a pipe',
      }),
    })
    .optional(),
})

/** Unknown keys are kept. */
export const exportConfig = z.looseObject({
  hub: repositoryConfig.default({}),
  /** Whether measurements are left out. Harvests have no measurements. */
  skip: z.boolean().default(false),
  /** Records of the catalogue that no pipe owns become this pipe's at the end of a complete run. */
  adoptUnowned: z.boolean().default(false),
  /** Fate of a stored record that a foreign transformer did not give back. */
  onDropped: z.enum(['keep', 'remove']).default('keep'),
  /** Share of the pipe's records that a run may remove without asking; 100: no guard. */
  guardPercent: z.number().min(0).max(100).optional(),
  /** Number of records that a run may always remove without asking. */
  guardMinimum: z.int().min(0).optional(),
  /** Complete runs in a row that must miss a record before it goes. */
  missingRuns: z.int().min(1).optional(),
})
export type ExportConfig = z.infer<typeof exportConfig>

/** Where an exporter writes to, and how. */
export type ExportTarget = {
  readonly settings: ExportConfig
  readonly client: RepositoryClient
  /** Catalogue that the pipe names; absent when only the run knows it. */
  readonly catalogue: string | undefined
}

/** Where an exporter writes to, or what is wrong with its config. */
export function exportTarget(
  context: ExportContext,
  config: JsonObject,
  place: SegmentPlace,
): ExportTarget | { readonly problems: readonly ConfigProblem[] } {
  const read = exportConfig.safeParse(config)
  if (!read.success) return { problems: configProblems(read.error) }
  const client = clientFor(context, read.data.hub, place)
  if ('detail' in client) return { problems: [client] }
  return { settings: read.data, client, catalogue: place.catalogue }
}

/** The endpoint of the pipe, one that the operator names, or the repository of this process. */
function clientFor(
  { outbound, repository, serviceDiscovery, key, secret, config: { allow } }: ExportContext,
  { endpoint, serviceName = '' }: ExportConfig['hub'],
  { trust, catalogue }: SegmentPlace,
): RepositoryClient | ConfigProblem {
  if (endpoint) {
    const { apiKey, address } = endpoint
    const value = typeof apiKey === 'string' ? apiKey : secret(apiKey.secret)
    if (value === undefined)
      return { key: 'hub.endpoint.apiKey', detail: 'names a secret that is not configured' }
    const reach = { kind: 'configured', address, trust, allow } as const
    return remoteRepository({ address, key: value, reach, outbound })
  }
  const isNamed = Object.hasOwn(serviceDiscovery, serviceName)
  const address = isNamed ? serviceDiscovery[serviceName]?.http?.address : undefined
  if (address !== undefined) {
    const reach = { kind: 'configured', address, trust: 'trusted', allow } as const
    return remoteRepository({ address, key: key.away(catalogue), reach, outbound })
  }
  if (repository) return repositoryByFetch(repository, key.here(catalogue))
  return { key: 'hub.serviceName', detail: 'names no repository, and this process has none' }
}
