/** The settings of the process, made from the environment once; every problem in one message. */

import { hash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import type { z } from 'zod'
import { withDefaults, type Limits } from '../http/limits.ts'
import type { LogLevel } from '../log.ts'
import type { Segments } from '../rdf/names.ts'
import type { StoreConfig } from '../store/open.ts'
import type { ClusterConfig } from './cluster.ts'
import { readEnvironment, unknownVariables, type Environment } from './environment.ts'
import { defaultHarvest, type HarvestConfig } from './harvest.ts'
import { defaultMetrics, type MetricsConfig } from './metrics.ts'
import { configurationPage } from './page.ts'
import { defaultPortal, type PortalConfig } from './portal.ts'
import {
  facetProblems,
  searchConfig,
  wholeFacets,
  type SearchConfig,
  type SearchFacet,
} from './search.ts'
import type { EngineConfig, ShellConfig } from './services.ts'
import { serviceAliases, services, variables, type ApiKeyPermissions } from './variables.ts'

export type Config = {
  readonly host: string
  readonly port: number
  /** Names resources; where clients reach the platform is another matter. */
  readonly baseUri: string
  /** Absent where answers go by what each request came by. */
  readonly publicUrl: string | undefined
  /** Whether somebody chose the base; otherwise that of the data wins over it. */
  readonly isBaseChosen: boolean
  /** Where segments of others reach this process; absent for where it listens. */
  readonly segmentUrl: string | undefined
  /** What `PLATFORM_IRI_SEGMENTS` says; the usual ones stand for the others. */
  readonly segments: Partial<Segments>
  readonly dataDir: string
  readonly services: readonly Service[]
  /** Absent when none is configured: take the generated one. */
  readonly apiKeys: Readonly<ApiKeyPermissions> | undefined
  /** `directory` is absent for the built-in profile. */
  readonly profile: { readonly enabled: boolean; readonly directory?: string }
  /** Absent for the embedded one. */
  readonly triplestore: StoreConfig | undefined
  /** Absent for the embedded one. */
  readonly searchEngine: EngineConfig | undefined
  /** What `PLATFORM_SEARCH_CONFIG` says; absent facets are the default ones. */
  readonly search: Omit<SearchConfig, 'facets'> & { readonly facets?: readonly SearchFacet[] }
  readonly limits: Limits
  /** For how long what was deleted can be restored; 0 = not at all. */
  readonly restoreDays: number
  readonly harvest: HarvestConfig
  /** Where pipes and foreign segments are. */
  readonly cluster: ClusterConfig
  readonly metrics: MetricsConfig
  /** Whether what is written is measured by itself, and by which pipe. */
  readonly validator: { readonly enabled: boolean; readonly metricsPipeName: string }
  /** Absent when the console has no door. */
  readonly shell: ShellConfig | undefined
  /** NATS server; absent when pipes stay in the process. */
  readonly eventBus: string | undefined
  readonly portal: PortalConfig
  /** What pipes refer to by name. */
  readonly secrets: Readonly<Record<string, string>>
  readonly corsOrigins: readonly string[]
  readonly trustedProxies: readonly string[]
  readonly logLevel: LogLevel
  /** What was set and has no effect in this version, for one line of the start-up log. */
  readonly ignored: readonly string[]
  /** Sentences for the start-up log: unknown names, weak keys, a store that nobody can write to. */
  readonly warnings: readonly string[]
}

export type Service = (typeof services)[number]

/**
 * All settings, or one readable message with every problem: variable, what would be right, what was given. `defaultFacets` are
 * those of the search service, which the configuration may name.
 */
export function parseConfig(
  env: Environment,
  defaultFacets: readonly SearchFacet[] = [],
):
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly message: string } {
  const reading = readEnvironment(variables, env)
  const problems = [
    ...(reading.ok ? [] : reading.problems),
    ...missingProfile(env),
    ...facetProblems(env['PLATFORM_SEARCH_CONFIG'] ?? '', defaultFacets).map(
      (problem) => `PLATFORM_SEARCH_CONFIG: ${problem}`,
    ),
  ]
  if (!reading.ok || problems.length > 0) {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
    return { ok: false, message: `${count} in the configuration:\n  ${problems.join('\n  ')}` }
  }
  const { facets, ...search } = reading.values.PLATFORM_SEARCH_CONFIG ?? searchConfig.parse({})
  const whole = facets && wholeFacets(facets, defaultFacets)
  const config = configOf(reading.values, env)
  return { ok: true, config: { ...config, search: { ...search, ...(whole && { facets: whole }) } } }
}

function configOf(values: z.output<typeof variables>, env: Environment): Omit<Config, 'search'> {
  const port = values.PLATFORM_PORT
  const chosen = [...new Set(values.PLATFORM_SERVICES.map(serviceCalled))]
  const enabled = values.PLATFORM_FEATURE_FLAGS?.['platform_profile'] ?? false
  const directory = values.PLATFORM_PROFILE?.path
  const harvest = values.PLATFORM_HARVEST_CONFIG ?? defaultHarvest
  return {
    host: values.PLATFORM_HOST,
    port,
    baseUri: values.PLATFORM_BASE_URI ?? `http://localhost:${port}/`,
    publicUrl: values.PLATFORM_PUBLIC_URL,
    isBaseChosen: values.PLATFORM_BASE_URI !== undefined,
    segmentUrl: values.PLATFORM_SEGMENT_URL,
    segments: values.PLATFORM_IRI_SEGMENTS ?? {},
    dataDir: values.PLATFORM_DATA_DIR,
    services: chosen.filter(isService),
    apiKeys: keysOf(values.PLATFORM_HUB_API_KEYS),
    profile: { enabled, ...(enabled && directory !== undefined && { directory }) },
    triplestore: values.PLATFORM_TRIPLESTORE_CONFIG,
    searchEngine: values.PLATFORM_SEARCH_ENGINE_CONFIG,
    limits: withDefaults(values.PLATFORM_LIMITS ?? {}),
    harvest,
    restoreDays: harvest.restoreDays,
    cluster: values.PLATFORM_CLUSTER_CONFIG ?? noCluster,
    metrics: values.PLATFORM_METRICS_CONFIG ?? defaultMetrics,
    validator: values.PLATFORM_HUB_VALIDATOR ?? { enabled: false, metricsPipeName: 'metrics' },
    shell: values.PLATFORM_HUB_SHELL_CONFIG,
    eventBus: values.PLATFORM_EVENTBUS_URL,
    portal: values.PLATFORM_PORTAL_CONFIG ?? defaultPortal,
    secrets: values.PLATFORM_SECRETS ?? {},
    corsOrigins: values.PLATFORM_CORS_ORIGINS ?? [],
    trustedProxies: values.PLATFORM_TRUSTED_PROXIES ?? [],
    logLevel: values.PLATFORM_LOG_LEVEL,
    ignored: directory !== undefined && !enabled ? ['PLATFORM_PROFILE'] : [],
    warnings: [
      ...unknownVariables(env, knownNames),
      ...weakKeys(values.PLATFORM_HUB_API_KEYS),
      ...(chosen.includes('repo') ? [] : [withoutRepo]),
    ],
  }
}

const withoutRepo =
  'PLATFORM_SERVICES has no repo: nothing can be written into the store of this process, and no other process can open that store meanwhile'

const noCluster: ClusterConfig = {
  pipeRepositories: {},
  resources: { paths: [] },
  serviceDiscovery: {},
}

const serviceCalled = (name: string): string =>
  Object.entries(serviceAliases).find(([alias]) => alias === name)?.[1] ?? name

const isService = (name: string): name is Service => services.some((service) => service === name)

const knownNames: readonly string[] = Object.keys(variables.shape)

/** An empty object is what a template leaves behind: it must not lock everybody out. */
const keysOf = (given: ApiKeyPermissions | undefined): ApiKeyPermissions | undefined =>
  given && Object.keys(given).length > 0 ? given : undefined

const weakKeys = (given: ApiKeyPermissions = {}): string[] =>
  Object.keys(given)
    .filter((key) => key.length < 16)
    .map((key) => `API key ${hash('sha256', key, 'hex').slice(0, 8)} has fewer than 16 characters`)

/** Looks at the two variables alone, so that the problem is told beside those of other variables. */
function missingProfile(env: Environment): string[] {
  const given = variables.shape.PLATFORM_FEATURE_FLAGS.safeParse(
    env['PLATFORM_FEATURE_FLAGS']?.trim() || undefined,
  )
  const wanted = given.success && given.data?.['platform_profile'] === true
  if (!wanted || env['PLATFORM_PROFILE']?.trim()) return []
  return [
    'PLATFORM_PROFILE: must be {"type":"directory","path":"<folder>"} because PLATFORM_FEATURE_FLAGS switches the profile on; it is missing',
  ]
}

const pageFile = new URL('../../docs/configuration.md', import.meta.url)

/** The text of `docs/configuration.md` with its tables as they should be. */
export const documentation = async (): Promise<string> =>
  configurationPage(await readFile(pageFile, 'utf8'), variables)

if (import.meta.main) await writeFile(pageFile, await documentation())
