/**
 * Config of an exporter, and its target repository: the endpoint in the pipe, one configured by the operator, or the one of
 * this process.
 */

import { z } from 'zod'
import type { JsonObject } from '../../text/json.ts'
import type { ConfigProblem, SegmentPlace } from '../../pipe/segment.ts'
import { configProblems } from '../../pipe/segment-config.ts'
import type { ExportContext } from './export-run.ts'
import { repositoryByFetch, remoteRepository, type RepositoryClient } from './repository-client.ts'

const repositoryConfig = z.looseObject({
  /** A name with an address in `serviceDiscovery`; any other name, or none, means the repository of this process. */
  serviceName: z.string().optional(),
  /** Another repository; takes precedence over `serviceName`. */
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

/** Config of an exporter. Unknown keys are kept. */
export const exportConfig = z.looseObject({
  hub: repositoryConfig.default({}),
  /** Writes no metrics; without effect on harvested records. */
  skip: z.boolean().default(false),
  /** Adopts records of the catalogue without an owner at the end of a complete run, which may remove those not offered. */
  adoptUnowned: z.boolean().default(false),
  /** Whether a stored record is removed if a foreign transformer did not return it. */
  onDropped: z.enum(['keep', 'remove']).default('keep'),
  /** Percentage of the pipe's earlier records that a run may remove without consent; 100 disables this limit. */
  guardPercent: z.number().min(0).max(100).optional(),
  /**
   * Number of records that a run may remove without consent even if they are more than the percentage. Does not apply if
   * nothing was offered, or the selection has changed.
   */
  guardMinimum: z.int().min(0).optional(),
  /** Number of consecutive complete runs that must miss a record before it is removed, unless the source declares it deleted. */
  missingRuns: z.int().min(1).optional(),
})
export type ExportConfig = z.infer<typeof exportConfig>

/** Target of an exporter. */
export type ExportTarget = {
  readonly settings: ExportConfig
  readonly client: RepositoryClient
  /** Catalogue that a segment before the exporter names; if `undefined`, that of the run counts. */
  readonly catalogue: string | undefined
}

/** Target of an exporter, or the problems of its config. */
export function exportTarget(
  context: ExportContext,
  config: JsonObject,
  place: SegmentPlace,
): ExportTarget | { readonly problems: readonly ConfigProblem[] } {
  const parsed = exportConfig.safeParse(config)
  if (!parsed.success) return { problems: configProblems(parsed.error) }
  const client = clientFor(context, parsed.data.hub, place)
  if ('detail' in client) return { problems: [client] }
  return { settings: parsed.data, client, catalogue: place.catalogue }
}

/** Client of the endpoint in the pipe, of one configured by the operator, or of the repository of this process. */
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
  const isConfigured = Object.hasOwn(serviceDiscovery, serviceName)
  const address = isConfigured ? serviceDiscovery[serviceName]?.http?.address : undefined
  if (address !== undefined) {
    const reach = { kind: 'configured', address, trust: 'trusted', allow } as const
    return remoteRepository({ address, key: key.otherRepository(catalogue), reach, outbound })
  }
  if (repository) return repositoryByFetch(repository, key.ownRepository(catalogue))
  return { key: 'hub.serviceName', detail: 'names no repository, and this process has none' }
}
