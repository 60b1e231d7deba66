/** Opens harvesting: pipes and their sources, launcher, runs, triggers, segments and transport. */

import { hash, randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { type Outbound, outbound } from '../client/outbound.ts'
import { userAgent } from '../client/redirect.ts'
import { identifierOf } from '../harvest/importers/rdf-records.ts'
import { failingPipes, notifier } from '../harvest/notifier.ts'
import { type Harvest, type HarvestOptions, openHarvest } from '../harvest/harvest.ts'
import type { MetricsService } from '../metrics/metrics-service.ts'
import { plainQueuesFor, segmentResolver } from '../pipe/segment-resolver.ts'
import { pipeCheck, secretCheck } from '../pipe/pipe-check.ts'
import { type Launcher, type LauncherOptions, openLauncher } from '../pipe/running/launcher.ts'
import { showPipes } from '../pipe/runs/pipe-numbers.ts'
import { openRuns, type Runs } from '../pipe/runs/run-history.ts'
import type { Run } from '../pipe/runs/run.ts'
import { isGone, ownerOf } from '../pipe/runs/run-tables.ts'
import { openSources, type PipeSources } from '../pipe/sources/pipe-sources.ts'
import { Transport, type TransportOptions } from '../pipe/transport/transport.ts'
import { openTriggers, type Triggers } from '../scheduler/triggers.ts'
import { showNeighbour } from '../workers/numbers.ts'
import { clock } from './clock.ts'
import { pipeDirectory } from './engines.ts'
import { httpAt, servicePaths, version, type PlatformContext } from './platform-context.ts'

/** Parts of harvesting that other services use; `stop` ends what starts runs first, and what runs write to last. */
export type Harvesting = {
  readonly harvest: Harvest
  readonly measuring: MetricsService | undefined
  readonly launcher: Launcher
  readonly pipes: PipeSources
  readonly runs: Runs
  readonly triggers: Triggers
  readonly transport: Transport
  readonly outbound: Outbound
  /** Health of the scheduler, from memory. */
  readonly health: () => object
  /** Counts a run that has ended, and reads the last runs of all pipes again, for `/metrics`. */
  readonly recountPipes: (ended?: Run) => void
  readonly stop: () => Promise<void>
}

type OtherServices = {
  /** Opens the service `metrics`; absent where it does not run. */
  readonly measuring: ((outbound: Outbound) => Promise<MetricsService>) | undefined
  /** Repository of this process, called without a socket; absent where it does not run. */
  readonly repository: HarvestOptions['repository']
}

/** Milliseconds between two reads of a source of pipes. */
const pollMs = 60_000

/** Opens all parts. Rejects when one of the files cannot be opened; invalid pipes are logged and left out. */
export async function openHarvesting(
  context: PlatformContext,
  services: OtherServices,
): Promise<Harvesting> {
  const directory = resolve(context.config.dataDir)
  const runs = historyIn(directory, context)
  const client = outboundOf(context)
  const measuring = await services.measuring?.(client)
  const { repository } = services
  // Pipes are checked against the kinds of segments, which are known later.
  const dependencies = { outbound: client, repository, runs, sources: () => pipes, measuring }
  const harvest = await harvestIn(directory, context, dependencies)
  const kinds = [...harvest.kinds, ...(measuring?.kinds ?? [])]
  const { cluster, eventBus } = context.config
  const resolveSegment = segmentResolver(cluster.serviceDiscovery, kinds, plainQueuesFor(eventBus))
  const pipes: PipeSources = await pipesIn(directory, context, resolveSegment)
  const segments = { kinds, resolve: resolveSegment, afterImport: harvest.afterImport }
  const transport = transportIn(directory, context, { ...segments, outbound: client })
  showNeighbour('broker', () => transport.isConnected())
  await transport.listen()
  const notices = noticesOf(context, client, runs)
  const names = pipes.list().map(({ pipe }) => pipe.header.name)
  const failing = failingPipes(runs, names)
  let recountPipes: Harvesting['recountPipes'] = () => undefined
  const onEnd = (run: Run) => {
    // A run with a feed measures datasets of the repository instead of importing those of a source.
    if (runs.resumption(run.id).start.feed !== undefined) measuring?.runEnded(run)
    for (const listener of [failing, notices]) listener?.ended(run)
    context.activity.record(activityOf(run))
    recountPipes(run)
  }
  const feeds = measuring?.feeds && { feeds: measuring.feeds }
  const launcherParts = { ...segments, ...feeds, runs, sources: pipes, onEnd }
  const launcher = await launcherOf(context, transport, launcherParts)
  const triggers = triggersIn(directory, context, { launcher, runs, pipes })
  recountPipes = showPipes(context.numbers, { runs, launcher, pipes, triggers })
  const parts = { triggers, launcher, transport, pipes, harvest, measuring, runs }
  return {
    ...parts,
    outbound: client,
    recountPipes,
    health: () => schedulerHealth(triggers, launcher, failing.names()),
    stop: async () => {
      for (const part of [triggers, launcher, notices, transport, pipes, harvest, measuring])
        await part?.stop()
      await client.close()
      await runs.close()
    },
  }
}

const triggersIn = (
  directory: string,
  { log }: PlatformContext,
  { pipes, ...parts }: Pick<Harvesting, 'launcher' | 'runs' | 'pipes'>,
): Triggers =>
  openTriggers({
    ...parts,
    path: join(directory, 'triggers.sqlite'),
    isMissing: (pipe) => pipes.find(pipe) === undefined,
    log,
    ...clock,
  })

/** Row of a run in the activity: one for all that it wrote. */
const activityOf = ({ id, pipe, startedBy, catalogue = '', status, outcome }: Run) => ({
  who: pipe,
  name: '',
  role: '',
  via: 'run' as const,
  service: 'scheduler',
  action: startedBy,
  path: `/runs/${id}`,
  catalogue,
  status: outcome ?? status,
  request: id,
})

function pipesIn(
  directory: string,
  { config, log, secrets }: PlatformContext,
  resolution: ReturnType<typeof segmentResolver>,
): Promise<PipeSources> {
  const [configs, references] = [pipeCheck(resolution), secretCheck(resolution, secrets)]
  return openSources({
    directory: pipeDirectory(),
    cluster: config.cluster,
    scratch: join(directory, 'repositories'),
    pollMs,
    limits: config.limits,
    git: { environment: gitEnvironment() },
    log,
    pause: clock.pause,
    check: (pipe, place) => [...configs(pipe, place), ...references(pipe)],
  })
}

const launcherOf = (
  { config, log }: PlatformContext,
  transport: Transport,
  parts: Pick<LauncherOptions, 'runs' | 'sources' | 'resolve' | 'afterImport' | 'feeds' | 'onEnd'>,
): Promise<Launcher> =>
  openLauncher({
    ...parts,
    remote: (pipe, segment, placement, trust) => transport.remote(pipe, segment, placement, trust),
    atOnce: config.harvest.runs,
    deadlineMs: config.harvest.deadline,
    stallMs: config.harvest.stallMs,
    log,
    ...clock,
  })

/**
 * Health of the scheduler: `nextFiring` is ISO 8601 or null, `failing` has at most a hundred pipes whose latest run with a
 * verdict failed.
 */
function schedulerHealth(triggers: Triggers, launcher: Launcher, wrong: readonly string[]) {
  const next = triggers.next()
  const nextFiring = next === undefined ? null : new Date(next).toISOString()
  const failing = wrong.slice(0, 100)
  return { leads: triggers.isLeader(), ...launcher.load(), nextFiring, failing }
}

/** Sender of notices about pipes that begin to fail or succeed again; absent where no address is configured. */
function noticesOf({ config, log }: PlatformContext, client: Outbound, runs: Runs) {
  const { notify, allow } = config.harvest
  const scheduler = (config.publicUrl ?? config.baseUri) + servicePaths.scheduler.slice(1)
  return notify && notifier({ outbound: client, runs, log, allow, scheduler, url: notify.url })
}

/** Environment variables that git gets: its path, the agent for SSH keys, and proxies. */
const gitEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    ['PATH', 'SSH_AUTH_SOCK', 'https_proxy', 'http_proxy', 'no_proxy'].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

type HarvestParts = Pick<HarvestOptions, 'outbound' | 'repository' | 'runs' | 'sources'> & {
  readonly measuring: MetricsService | undefined
}

async function harvestIn(
  directory: string,
  context: PlatformContext,
  { measuring, ...parts }: HarvestParts,
): Promise<Harvest> {
  const { config, secrets, key, log, projection, identityWriter } = context
  // An older copy of the store may lack records that the ledger calls written. One more than the stored count makes the ledger
  // treat its own file as the older copy, so that nothing counts as unchanged.
  const storedCount = identityWriter.harvests + Number(projection.olderCopy === 'store')
  return openHarvest({
    ...parts,
    key,
    log,
    scratch: await emptyDirectory(join(directory, 'tmp')),
    directory,
    changes: { storedCount, store: identityWriter.noteHarvests },
    config: config.harvest,
    secret: (name) => secrets.named(name)?.reveal(),
    serviceDiscovery: config.cluster.serviceDiscovery,
    unfitValues: projection.unfitValues,
    git: { environment: gitEnvironment() },
    ownHost: new URL(config.baseUri).host,
    transforms: { scriptMs: config.limits.scriptMs, scriptBytes: config.limits.scriptBytes },
    ...(measuring && { metricsExport: measuring.metricsExport }),
    ...clock,
  })
}

function transportIn(
  directory: string,
  context: PlatformContext,
  segments: Pick<TransportOptions, 'kinds' | 'resolve' | 'afterImport' | 'outbound'>,
): Transport {
  const { config, log, keys, segmentUrl } = context
  // Stays the same after a restart, and differs between data directories.
  const place = hash('sha256', `${hostname()} ${directory}`).slice(0, 16)
  return new Transport({
    ...segments,
    keys,
    bodyBytes: config.limits.bodyBytes,
    serviceDiscovery: config.cluster.serviceDiscovery,
    returnAddress: `${segmentUrl}${servicePaths.harvest}`,
    scratch: join(directory, 'tmp', 'returned'),
    identify: identifierOf,
    limits: {
      inFlight: config.harvest.segmentInFlight,
      firstMs: config.harvest.segmentFirstMs,
      quietMs: config.harvest.segmentQuietMs,
      spoolBytes: config.harvest.segmentSpoolBytes,
    },
    ...httpAt(context, servicePaths.harvest),
    version,
    allow: config.harvest.allow,
    eventbusUrl: config.eventBus,
    returnQueue: `returns-${place}`,
    makeId: randomUUID,
    log,
    ...clock,
  })
}

async function emptyDirectory(directory: string): Promise<string> {
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true, mode: 0o700 })
  return directory
}

const historyIn = (directory: string, { config, secrets, log }: PlatformContext): Runs =>
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

/** Whether a process of this host is alive. Signal 0 only checks; EPERM means a process of another user. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Client for requests to foreign hosts. */
function outboundOf({ config: { harvest, baseUri }, log }: PlatformContext): Outbound {
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
