/** Where pipes are found, launched and told about: the rooms of harvesting, put together. */

import { hash, randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { type Outbound, outbound } from '../client/outbound.ts'
import { userAgent } from '../client/redirect.ts'
import type { Config } from '../config/config.ts'
import { failing, notifier } from '../harvest/notifying.ts'
import { identifierOf } from '../harvest/importers/rdf-records.ts'
import { type Harvest, type HarvestOptions, openHarvest } from '../harvest/station.ts'
import type { ApiKeys } from '../http/api-key.ts'
import type { AppOptions } from '../http/app.ts'
import type { OwnKeys } from '../http/known-keys.ts'
import type { Log } from '../log.ts'
import type { MetricsStation } from '../metrics/station.ts'
import { queuesWith, resolver } from '../pipe/discovery.ts'
import { pipeCheck, secretCheck } from '../pipe/pipe-check.ts'
import { type Launcher, openLauncher } from '../pipe/running/launcher.ts'
import { openRuns, type Runs } from '../pipe/runs/run-history.ts'
import { isGone, ownerOf } from '../pipe/runs/run-tables.ts'

import { openSources, type PipeSources } from '../pipe/sources/pipe-sources.ts'
import { Transport, type TransportOptions } from '../pipe/transport/transport.ts'
import { openTriggers, type Triggers } from '../scheduler/triggers.ts'
import type { Secrets } from '../secrets.ts'
import { clock } from './clock.ts'
import { servicePaths, serviceAddress } from './platform-context.ts'
import type { Remembering } from './identity.ts'

export type Harvesting = {
  readonly harvest: Harvest
  readonly measuring: MetricsStation | undefined
  readonly launcher: Launcher
  readonly pipes: PipeSources
  readonly runs: Runs
  readonly triggers: Triggers
  readonly transport: Transport
  readonly outbound: Outbound
  /** Of the scheduler, from memory. */
  readonly health: () => object
  readonly stop: () => Promise<void>
}

const pollMs = 60_000

type Options = {
  readonly config: Config
  readonly secrets: Secrets
  readonly log: Log
  readonly version: string
  readonly remembering: Remembering
  readonly key: OwnKeys
  readonly keys: ApiKeys
  /** Where segments of others reach this process, without a slash at its end. */
  readonly segmentUrl: string
  /** The shell of the door to the segments of this process. */
  readonly http: Omit<AppOptions, 'name'>
  /** Opens the room of metrics; absent where it is not run. */
  readonly measuring: ((outbound: Outbound) => Promise<MetricsStation>) | undefined
  /** Our own, called without a socket. */
  readonly repository: HarvestOptions['repository']
  /** What of a record a document of our own search cannot show. */
  readonly unfitValues: NonNullable<HarvestOptions['unfitValues']>
}

export async function openHarvesting(options: Options): Promise<Harvesting> {
  const { config, log } = options
  const { harvest, measuring, runs, client } = await openRoom(options, () => pipes)
  const kinds = [...harvest.kinds, ...(measuring?.kinds ?? [])]
  const resolution = resolver(config.cluster.serviceDiscovery, kinds, queuesWith(config.eventBus))
  const pipes: PipeSources = await sourcesOf(options, resolution)
  const { afterImport } = harvest
  const segments = { kinds, resolve: resolution, afterImport }
  const transport = transportOf(options, { ...segments, outbound: client })
  await transport.listen()
  const notices = noticesOf(options, { outbound: client, runs })
  const names = pipes.list().map(({ pipe }) => pipe.header.name)
  const wrong = failing(runs, names)
  const launcher = await openLauncher({
    ...segments,
    runs,
    sources: pipes,
    ...(measuring?.feeds && { feeds: measuring.feeds }),
    onEnd: (run) => {
      const isFed = runs.resumption(run.id).start.feed !== undefined
      if (isFed) measuring?.measured(run)
      wrong.ended(run)
      notices?.ended(run)
    },
    remote: (pipe, segment, found, trust) => transport.remote(pipe, segment, found, trust),
    atOnce: config.harvest.runs,
    deadlineMs: config.harvest.deadline,
    stallMs: config.harvest.stallMs,
    log,
    ...clock,
  })
  const path = join(directoryOf(options), 'triggers.sqlite')
  const isMissing = (pipe: string) => pipes.find(pipe) === undefined
  const triggers = openTriggers({ path, launcher, runs, isMissing, log, ...clock })
  const stop = async () => {
    await triggers.stop()
    await launcher.stop()
    await notices?.stop()
    await transport.stop()
    await pipes.stop()
    await harvest.stop()
    await measuring?.stop()
    await client.close()
    await runs.close()
  }
  const health = () => schedulerHealth(triggers, launcher, wrong.names())
  const room = { harvest, measuring, launcher, pipes, runs, triggers, transport }
  return { ...room, outbound: client, health, stop }
}

/** `nextFiring` is ISO 8601, null where nothing fires; `failing` the first hundred pipes whose last run went wrong. */
function schedulerHealth(triggers: Triggers, launcher: Launcher, wrong: readonly string[]) {
  const next = triggers.next()
  const nextFiring = next === undefined ? null : new Date(next).toISOString()
  const failing = wrong.slice(0, 100)
  return { leads: triggers.leads(), ...launcher.load(), nextFiring, failing }
}

function sourcesOf(
  options: Options,
  resolution: ReturnType<typeof resolver>,
): Promise<PipeSources> {
  const { config, log } = options
  const [configs, references] = [pipeCheck(resolution), secretCheck(resolution, options.secrets)]
  return openSources({
    directory: 'pipes',
    cluster: config.cluster,
    scratch: join(directoryOf(options), 'repositories'),
    pollMs,
    limits: config.limits,
    git: { environment: gitEnvironment() },
    log,
    pause: clock.pause,
    check: (pipe, place) => [...configs(pipe, place), ...references(pipe)],
  })
}

/** Absent where nobody wants to be told. */
function noticesOf(
  { config, log }: Options,
  context: { readonly outbound: Outbound; readonly runs: Runs },
) {
  const { notify, allow } = config.harvest
  const scheduler = serviceAddress(config, servicePaths.scheduler)
  return notify && notifier({ ...context, log, allow, scheduler, url: notify.url })
}

/** What git sees of our environment: where it is, whose keys it may use, and the way out. */
const gitEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    ['PATH', 'SSH_AUTH_SOCK', 'https_proxy', 'http_proxy', 'no_proxy'].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

const directoryOf = ({ config }: Options): string => resolve(config.dataDir)

/** Pipes are checked with the kinds of segments that the room has: `sources` is asked when they are there. */
async function openRoom(options: Options, sources: () => PipeSources) {
  const { config, secrets } = options
  const directory = directoryOf(options)
  const scratch = await emptied(join(directory, 'tmp'))
  const runs = historyOf(options, directory)
  const client = outboundOf(options)
  const measuring = await options.measuring?.(client)
  const harvest = await openHarvest({
    ...options,
    outbound: client,
    directory,
    changes: { known: options.remembering.harvests, note: options.remembering.noteHarvests },
    scratch,
    config: config.harvest,
    secret: (name) => secrets.named(name)?.reveal(),
    serviceDiscovery: config.cluster.serviceDiscovery,
    runs,
    sources,
    git: { environment: gitEnvironment() },
    ownHost: new URL(config.baseUri).host,
    transforms: { scriptMs: config.limits.scriptMs, scriptBytes: config.limits.scriptBytes },
    ...(measuring && { metricsExport: measuring.metricsExport }),
    ...clock,
  })
  return { harvest, measuring, runs, client }
}

const transportOf = (
  options: Options,
  segments: Pick<TransportOptions, 'kinds' | 'resolve' | 'afterImport' | 'outbound'>,
): Transport => {
  const { config, log, keys, http, version } = options
  // The same after a restart, and no other process's.
  const place = hash('sha256', `${hostname()} ${directoryOf(options)}`).slice(0, 16)
  return new Transport({
    ...segments,
    keys,
    bodyBytes: config.limits.bodyBytes,
    serviceDiscovery: config.cluster.serviceDiscovery,
    returnAddress: `${options.segmentUrl}${servicePaths.harvest}`,
    scratch: join(directoryOf(options), 'tmp', 'returned'),
    identify: identifierOf,
    limits: {
      inFlight: config.harvest.segmentInFlight,
      firstMs: config.harvest.segmentFirstMs,
      quietMs: config.harvest.segmentQuietMs,
      spoolBytes: config.harvest.segmentSpoolBytes,
    },
    http,
    version,
    allow: config.harvest.allow,
    ...(config.eventBus !== undefined && { eventbusUrl: config.eventBus }),
    returnQueue: `returns-${place}`,
    makeId: randomUUID,
    log,
    ...clock,
  })
}

async function emptied(directory: string): Promise<string> {
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true, mode: 0o700 })
  return directory
}

const historyOf = ({ config, secrets, log }: Options, directory: string): Runs =>
  openRuns({
    path: join(directory, 'runs.sqlite'),
    owner: ownerOf(hostname(), process.pid),
    isGone: (owner) => isGone(owner, { host: hostname(), isAlive }),
    log,
    redact: (text) => secrets.clean(text),
    keepSource: config.harvest.keepSource,
    historyDays: config.harvest.historyDays,
    ...clock,
  })

// Other processes of this host.

/** Signal 0 asks only; a process of another user is alive too. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

// How this process asks foreign hosts, as the configuration says.

/** The one client for everything that leaves the house on behalf of others. */
function outboundOf({
  config,
  log,
  version,
}: {
  readonly config: Config
  readonly log: Log
  readonly version: string
}): Outbound {
  const { harvest, baseUri } = config
  return outbound({
    ...clock,
    log,
    userAgent: userAgent(version, baseUri, harvest.contact),
    limits: {
      attempts: harvest.attempts,
      retryAfterMaxMs: harvest.retryAfterMaxMs,
      hostConcurrency: harvest.hostConcurrency,
      hostDelayMs: harvest.hostDelayMs,
      deadlines: {
        connectMs: harvest.connectTimeoutMs,
        firstByteMs: harvest.firstByteTimeoutMs,
        idleMs: harvest.idleTimeoutMs,
        pageMs: harvest.pageTimeoutMs,
      },
    },
  })
}
