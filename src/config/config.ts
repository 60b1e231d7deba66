/** Settings of the process, read from the environment, with all problems in one message. */

import { hash } from 'node:crypto'
import type { z } from 'zod'
import { shown } from '../errors.ts'
import { defaultLimits } from '../http/limits.ts'
import { nearest } from '../text/nearest.ts'
import type { ClusterConfig } from './cluster.ts'
import { defaultHarvest, defaultVersions } from './harvest.ts'
import { defaultMetrics } from './metrics.ts'
import { piveauWarnings } from './piveau-variables.ts'
import { defaultPortal } from './portal.ts'
import { facetProblems, searchConfig, completeFacets, type SearchFacet } from './search.ts'
import { fileVariables, withSecretFiles } from './secret-files.ts'
import { readEnvironment, type Environment } from './settings.ts'
import { serviceAliases, services, variables, type ApiKeyPermissions } from './variables.ts'
import { withDefaults } from '../text/defaults.ts'

/** Name of a service. */
export type Service = (typeof services)[number]

/** Settings of the process, with defaults. */
export type Config = Readonly<ReturnType<typeof configOf>>

/**
 * Returns all settings, or one readable message with every problem: variable, what would be right, what was given.
 * `defaultFacets` are those of the search service, which the configuration may name.
 */
export function parseConfig(
  given: Environment,
  defaultFacets: readonly SearchFacet[] = [],
):
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly message: string } {
  const { env, problems: unreadable } = withSecretFiles(variables, given)
  const reading = readEnvironment(variables, env)
  const problems = [
    ...unreadable,
    ...(reading.ok ? readerProblems(reading.values) : reading.problems),
    ...missingProfile(env),
    ...facetProblems(env['PLATFORM_SEARCH_CONFIG'] ?? '', defaultFacets).map(
      (problem) => `PLATFORM_SEARCH_CONFIG: ${problem}`,
    ),
  ]
  if (reading.ok && problems.length === 0)
    return { ok: true, config: configOf(reading.values, env, defaultFacets) }
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
  return { ok: false, message: `${count} in the configuration:\n  ${problems.join('\n  ')}` }
}

type Values = z.output<typeof variables>

function configOf(values: Values, env: Environment, defaultFacets: readonly SearchFacet[]) {
  const port = values.PLATFORM_PORT
  const serviceNames = [...new Set(values.PLATFORM_SERVICES.map(serviceCalled))]
  const harvest = values.PLATFORM_HARVEST_CONFIG ?? defaultHarvest
  return {
    host: values.PLATFORM_HOST,
    port,
    /** Port of `/metrics` and `/health` alone; absent where the common port has them. */
    adminPort: values.PLATFORM_ADMIN_PORT,
    /** Base of the IRIs of resources, not the address of the platform. */
    baseUri: values.PLATFORM_BASE_URI ?? `http://localhost:${port}/`,
    /** Public address; absent when each request decides it. */
    publicUrl: values.PLATFORM_PUBLIC_URL,
    /** Whether the base is configured; otherwise that of existing data replaces it. */
    isBaseChosen: values.PLATFORM_BASE_URI !== undefined,
    /** Address at which foreign segments reach this process; absent for where it listens. */
    segmentUrl: values.PLATFORM_SEGMENT_URL,
    /** Path segments in IRIs; the usual ones are used for those that are absent. */
    segments: values.PLATFORM_IRI_SEGMENTS ?? {},
    dataDir: values.PLATFORM_DATA_DIR,
    services: serviceNames.filter(isService),
    /** Origins of the process that writes and of those that may take over; empty where this process is the writer. */
    writerUrls: (values.PLATFORM_WRITER_URL ?? []).map((url) => new URL(url).origin),
    /** API keys with their permissions; absent when the generated key is used. */
    apiKeys: nonEmptyKeys(values.PLATFORM_HUB_API_KEYS),
    profile: profileOf(values),
    /** Absent for the embedded one. */
    triplestore: values.PLATFORM_TRIPLESTORE_CONFIG,
    /** Absent for the embedded one. */
    searchEngine: values.PLATFORM_SEARCH_ENGINE_CONFIG,
    /** Absent for none. */
    embedder: values.PLATFORM_EMBEDDER_CONFIG,
    search: searchOf(values, defaultFacets),
    limits: withDefaults(defaultLimits, values.PLATFORM_LIMITS),
    /** Days for which deleted resources can be restored; 0 = not at all. */
    restoreDays: harvest.restoreDays,
    harvest,
    versions: values.PLATFORM_VERSIONS ?? defaultVersions,
    /** Absent where only the command backs up. */
    backup: values.PLATFORM_BACKUP_CONFIG,
    /** Sources of pipes and addresses of foreign segments. */
    cluster: values.PLATFORM_CLUSTER_CONFIG ?? noCluster,
    metrics: values.PLATFORM_METRICS_CONFIG ?? defaultMetrics,
    /** Whether written datasets are measured automatically, and by which pipe. */
    validator: values.PLATFORM_HUB_VALIDATOR ?? { enabled: false, metricsPipeName: 'metrics' },
    /** Ways to the console; absent when there is none. */
    shell: values.PLATFORM_HUB_SHELL_CONFIG,
    /** NATS server; absent when pipes stay in the process. */
    eventBus: values.PLATFORM_EVENTBUS_URL,
    portal: values.PLATFORM_PORTAL_CONFIG ?? defaultPortal,
    /** Secrets that pipes reference by name. */
    secrets: values.PLATFORM_SECRETS ?? {},
    corsOrigins: values.PLATFORM_CORS_ORIGINS ?? [],
    trustedProxies: values.PLATFORM_TRUSTED_PROXIES ?? [],
    logLevel: values.PLATFORM_LOG_LEVEL,
    logFormat: values.PLATFORM_LOG_FORMAT ?? 'auto',
    logRequests: values.PLATFORM_LOG_REQUESTS ?? 'all',
    /** Variables that have no effect because a feature flag is off, for one line of the start-up log. */
    ignored: values.PLATFORM_PROFILE && !isProfileOn(values) ? ['PLATFORM_PROFILE'] : [],
    /** Sentences for the start-up log: unknown names, variables of piveau, weak keys, a store that cannot be written. */
    warnings: [
      ...unknownVariables(env),
      ...piveauWarnings(env, new Set(Object.keys(variables.shape))),
      ...weakKeys(values.PLATFORM_HUB_API_KEYS),
      ...(serviceNames.includes('repo') || values.PLATFORM_WRITER_URL ? [] : [withoutRepo]),
    ],
  }
}

/** Problems of a reader: it cannot share files with the writer. */
const readerProblems = (values: Values): string[] =>
  values.PLATFORM_WRITER_URL
    ? (['PLATFORM_TRIPLESTORE_CONFIG', 'PLATFORM_SEARCH_ENGINE_CONFIG'] as const)
        .filter((name) => values[name] === undefined)
        .map(
          (name) =>
            `${name}: must be that of the writer, because PLATFORM_WRITER_URL makes this process a reader and an embedded engine has one process; it is missing`,
        )
    : []

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

/** Treats an empty object like none: templates leave one behind, and it would refuse every key. */
const nonEmptyKeys = (
  keys: ApiKeyPermissions | undefined,
): Readonly<ApiKeyPermissions> | undefined =>
  keys && Object.keys(keys).length > 0 ? keys : undefined

const weakKeys = (keys: ApiKeyPermissions = {}): string[] =>
  Object.keys(keys)
    .filter((key) => key.length < 16)
    .map((key) => `API key ${hash('sha256', key, 'hex').slice(0, 8)} has fewer than 16 characters`)

const isProfileOn = (values: Values): boolean =>
  values.PLATFORM_FEATURE_FLAGS?.['platform_profile'] ?? false

/** Settings of the profile; `directory` is absent for the built-in one. */
function profileOf(values: Values): { readonly enabled: boolean; readonly directory?: string } {
  const enabled = isProfileOn(values)
  const directory = values.PLATFORM_PROFILE?.path
  return { enabled, ...(enabled && directory !== undefined && { directory }) }
}

/** Settings of the search; without configured facets the member `facets` is absent, which means the default ones. */
function searchOf({ PLATFORM_SEARCH_CONFIG: config }: Values, defaults: readonly SearchFacet[]) {
  const { facets, ...search } = config ?? searchConfig.parse({})
  return { ...search, ...(facets && { facets: completeFacets(facets, defaults) }) }
}

/** Makes a sentence for each unknown `PLATFORM_…` variable, with the name that was probably meant. */
function unknownVariables(env: Environment): string[] {
  const knownNames = [...Object.keys(variables.shape), ...fileVariables(variables)]
  return Object.keys(env)
    .filter((name) => name.startsWith('PLATFORM_') && !knownNames.includes(name))
    .map((name) => {
      const similar = nearest(name, knownNames)
      return `${shown(name)} is not read${similar === undefined ? '' : `: did you mean ${similar}?`}`
    })
}

/**
 * Problem of a profile that is switched on but not configured; read from the texts, so that it is listed beside other problems.
 */
function missingProfile(env: Environment): string[] {
  const flags = variables.shape.PLATFORM_FEATURE_FLAGS.safeParse(
    env['PLATFORM_FEATURE_FLAGS']?.trim() || undefined,
  )
  const isEnabled = flags.success && flags.data?.['platform_profile'] === true
  if (!isEnabled || env['PLATFORM_PROFILE']?.trim()) return []
  return [
    'PLATFORM_PROFILE: must be {"type":"directory","path":"<folder>"} because PLATFORM_FEATURE_FLAGS switches the profile on; it is missing',
  ]
}
