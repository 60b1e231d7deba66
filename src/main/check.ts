/** Check of an installation from its files: configuration, profile, pipes and data directory; on request also its servers. */

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseConfig, type Config } from '../config/config.ts'
import { Failure } from '../errors.ts'
import { logger } from '../log.ts'
import { loadProfile } from '../profile/load-profile.ts'
import { mergePipeFiles, readPipeFolder } from '../pipe/sources/pipe-files.ts'
import { checkFacets, defaultFacets } from '../projector/building/facets.ts'
import { maskSecrets } from '../scheduler/masking.ts'
import { toJson, type JsonObject } from '../text/json.ts'
import { clock } from './clock.ts'
import { damagedFiles, filesWithProblems } from './data-files.ts'
import { pipeDirectory, shipped } from './engines.ts'
import { readIdentity } from './identity.ts'
import { connectCluster } from '../search-index/opensearch/cluster-client.ts'
import { clusterRelease } from '../search-index/opensearch/cluster-release.ts'

/** Finding about a part of an installation. */
type CheckedPart = {
  readonly part: 'configuration' | 'profile' | 'pipes' | 'data' | 'store' | 'engine'
  /** Sentence about its state. */
  readonly says: string
  /** Sentences about problems; empty when there are none. */
  readonly problems: readonly string[]
}

/** Result of a check; the settings in force are absent where they cannot be read, and secrets in them are masked. */
export type InstallationCheck = {
  readonly parts: readonly CheckedPart[]
  readonly settings?: JsonObject
}

/** Milliseconds until a server must have answered. */
const answerMs = 10_000

/** Checks the installation that an environment describes; nothing is changed. `connect`: the servers are asked, too. */
export async function checkInstallation(
  env: NodeJS.ProcessEnv,
  { connect }: { readonly connect: boolean },
  signal: AbortSignal,
): Promise<InstallationCheck> {
  const parsed = parseConfig(env, defaultFacets)
  if (!parsed.ok) {
    const problems = parsed.message.split('\n').slice(1)
    const says = 'cannot be used'
    return {
      parts: [{ part: 'configuration', says, problems: problems.map((line) => line.trim()) }],
    }
  }
  const { config } = parsed
  const { length } = config.warnings
  const configuration = length === 0 ? 'can be used' : `can be used; ${config.warnings.join('; ')}`
  const parts: CheckedPart[] = [
    { part: 'configuration', says: configuration, problems: [] },
    await partOf('profile', () => checkProfile(config)),
    await checkPipes(config),
    await partOf('data', () => checkData(config)),
  ]
  if (connect)
    parts.push(
      await partOf('store', () => askStore(config, signal)),
      await partOf('engine', () => askEngine(config, signal)),
    )
  return { parts, settings: shownSettings(config) }
}

/** Part whose check resolves with a sentence, or rejects with its problems, a line each. */
async function partOf(
  part: CheckedPart['part'],
  check: () => Promise<string>,
): Promise<CheckedPart> {
  try {
    return { part, says: await check(), problems: [] }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const problems = (error instanceof Failure ? error.detail : message).split('\n')
    return { part, says: 'cannot be used', problems }
  }
}

async function checkProfile({ profile: { directory, enabled }, search }: Config) {
  const profile = await loadProfile(directory ?? shipped('shapes/default'), { enabled })
  checkFacets(profile, search.facets)
  return [`${profile.id} ${profile.versionInfo}`.trim(), ...profile.warnings].join('; ')
}

/** Reads the directories of pipes, not the repositories, and checks the pipes as the scheduler does. */
async function checkPipes(config: Config): Promise<CheckedPart> {
  const { cluster, limits } = config
  const { checkOfPipes } = await import('./pipe-check.ts')
  const directories = new Set(
    [pipeDirectory(), ...cluster.resources.paths].map((path) => resolve(path)),
  )
  const check = checkOfPipes(config)
  const folder = { trust: 'trusted', isRecursive: false, check, limits } as const
  const read = await Promise.all(
    [...directories].map((directory) =>
      readPipeFolder({ ...folder, source: directory, directory }),
    ),
  )
  const { pipes, invalid } = mergePipeFiles(read)
  const faulty = pipes.filter(({ problems }) => problems.length > 0)
  const problems = [...invalid, ...faulty].map(({ source, file, problems }) =>
    [`${source}/${file}`, ...problems.map(({ detail }) => detail)].join(': '),
  )
  return { part: 'pipes', says: `${pipes.length - faulty.length} can be used`, problems }
}

async function checkData({ dataDir, baseUri, isBaseChosen }: Config) {
  const identity = await readIdentity(dataDir)
  if (!identity) return `${resolve(dataDir)} is not begun; the first start does`
  if (isBaseChosen && identity.baseUri !== baseUri)
    throw new Error(`${dataDir} belongs to ${identity.baseUri}, PLATFORM_BASE_URI is ${baseUri}`)
  const problems = filesWithProblems(dataDir)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const aside = damagedFiles(dataDir)
  const kept = aside.length > 0 ? `; set aside before: ${aside.join(', ')}` : ''
  return `${resolve(dataDir)} of ${identity.baseUri}, last opened by ${identity.openedBy}${kept}`
}

async function askStore({ triplestore }: Config, signal: AbortSignal) {
  if (!triplestore) return 'embedded'
  const { queryEndpoint, username, password, dialect } = triplestore
  const credentials = Buffer.from(`${username}:${password}`).toString('base64')
  const answer = await ask(`${queryEndpoint}?query=${encodeURIComponent('ASK {}')}`, signal, {
    Accept: 'application/sparql-results+json',
    // Virtuoso takes digests only, and answers queries without a password.
    ...(username !== undefined &&
      dialect !== 'virtuoso' && { Authorization: `Basic ${credentials}` }),
  })
  return `${dialect} ${answer}`
}

type ClusterConfig = Extract<NonNullable<Config['searchEngine']>, { readonly engine: 'opensearch' }>

async function askEngine({ searchEngine }: Config, signal: AbortSignal) {
  if (!searchEngine) return 'embedded'
  const { engine, apiKey } = searchEngine
  if (engine === 'opensearch') return askCluster(searchEngine, signal)
  const authorization: Record<string, string> =
    apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }
  return `${engine} ${await ask(`${searchEngine.url}/version`, signal, authorization)}`
}

/** Asks the nodes of a cluster, as the engine does, until one answers. */
async function askCluster(
  { engine, ca, ...access }: ClusterConfig,
  signal: AbortSignal,
): Promise<string> {
  const log = logger('silent')
  const authority = ca === undefined ? undefined : await readFile(ca, 'utf8')
  const { pause } = clock
  const now = () => performance.now()
  const options = { ...access, ca: authority, log, pause, now, callMs: answerMs }
  const client = connectCluster(options)
  try {
    return `${engine} ${await clusterRelease(client, log, signal)} answers`
  } finally {
    client.close()
  }
}

/** Resolves with a sentence when a server answers with success. */
async function ask(address: string, signal: AbortSignal, headers: Record<string, string>) {
  const { origin } = new URL(address)
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
  const answer = await fetch(address, { headers, signal: inTime }).catch((cause: unknown) => {
    signal.throwIfAborted()
    throw new Error(`${origin} does not answer`, { cause })
  })
  await answer.body?.cancel()
  if (!answer.ok) throw new Error(`${origin} answered ${answer.status}`)
  return `answers at ${origin}`
}

/** Settings in force; keys and secrets are counted and named, not shown. */
function shownSettings({ apiKeys, secrets, ...config }: Config): JsonObject {
  const keys = apiKeys ? `${Object.keys(apiKeys).length} configured` : 'generated'
  return maskSecrets(toJson({ ...config, keys, secretNames: Object.keys(secrets) }))
}
