/** Platform: reads the configuration once, opens engines and services behind one port, and stops them at a signal. */

import { join } from 'node:path'
import { parseConfig } from './config/config.ts'
import { WrongUsage } from './errors.ts'
import { type DemoSource, openDemoSource, runDemo } from './harvest/demo.ts'
import type { App, FetchHandler } from './http/app.ts'
import { metrics } from './http/metrics.ts'
import { mount } from './http/endpoint.ts'
import { rootApp, type RootPart } from './http/root.ts'
import { serve } from './http/serve.ts'
import { longAnswers } from './http/long-answers.ts'
import { logger } from './log.ts'
import { keepPrivate, resettable } from './main/data-files.ts'
import { type StartContext, shipped } from './main/engines.ts'
import type { StartOptions } from './main/identity.ts'
import { servicesOnPort, servicePaths, segmentAddress, version } from './main/platform-context.ts'
import { startingHealth } from './main/health.ts'
import { endOnUnhandled } from './main/last-resort.ts'
import { logStart, showProcess } from './main/numbers.ts'
import { type OpenPlatform, rootOptions } from './main/open-platform.ts'
import { waiting, waitingSentence } from './main/waiting.ts'
import { defaultFacets } from './projector/building/facets.ts'
import { assetEndpoints, openPageShell } from './portal/page-shell.ts'
import { secretRegistry, type Secrets } from './secrets.ts'

/**
 * Open platform: `key` is valid as `X-API-Key`, `addresses` belong to services with a port of their own, `stop` finishes requests
 * and closes everything.
 */
type Running = {
  readonly url: string
  readonly key: string
  readonly addresses: readonly string[]
  readonly stop: () => Promise<void>
}

/**
 * Opens a writer, or a reader where the configuration names the writer. The port is open from the start and `/health` says what is
 * waited for until everything is ready. Rejects when the port is taken, a file cannot be opened, the profile has problems, or store
 * and directory do not belong together.
 */
async function startPlatform(first: StartContext, secrets: Secrets): Promise<Running> {
  const { config, log } = first
  endOnUnhandled(log)
  let open: OpenPlatform | undefined
  showProcess(first, () => open?.readiness)
  let handlers = rootParts(config).map((part): FetchHandler => startupApp(first, part))
  const served = await listen(config, (at) => handlers[at])
  try {
    const platform = await openPlatform(first, secrets, served.port)
    open = platform
    handlers = rootParts(config).map(platform.handlerOf)
    return {
      url: served.url,
      key: platform.key,
      addresses: [...platform.addresses, ...served.further],
      stop: async () => {
        await Promise.all([platform.beginStop(), served.close()])
        await platform.close()
      },
    }
  } catch (error) {
    await served.close()
    throw error
  }
}

/** Opens what the role of the process needs, and loads no code of the other role. */
async function openPlatform(
  first: StartContext,
  secrets: Secrets,
  port: number,
): Promise<OpenPlatform> {
  if (first.config.writerUrls.length > 0) {
    const { openReadingPlatform } = await import('./main/reader.ts')
    return openReadingPlatform(first)
  }
  const { openWritingPlatform } = await import('./main/writer.ts')
  return openWritingPlatform(first, secrets, segmentAddress(first.config, port))
}

/** Endpoints of the root on each port: the common one, and that for administration where there is one. */
const rootParts = ({ adminPort }: StartContext['config']): readonly RootPart[] =>
  adminPort === undefined ? ['all'] : ['services', 'administration']

/** Starts to serve the current handlers on the common port and on that for administration; `further` is the address of the latter. */
async function listen(
  { adminPort, host, limits, port, trustedProxies }: StartContext['config'],
  handler: (at: number) => FetchHandler | undefined,
) {
  const fetchAt =
    (at: number): FetchHandler['fetch'] =>
    (request, env) =>
      handler(at)?.fetch(request, env) ?? new Response(null, { status: 503 })
  const shared = { host, limits, trustedProxies }
  const common = await serve({ fetch: fetchAt(0) }, { ...shared, port })
  if (adminPort === undefined) return { ...common, further: [] }
  const setting = 'PLATFORM_ADMIN_PORT'
  const administration = await serve(
    { fetch: fetchAt(1) },
    { ...shared, port: adminPort, setting },
  ).catch(async (error: unknown) => {
    await common.close()
    throw error
  })
  // Monitors see how the process stops.
  const close = () => common.close().then(() => administration.close())
  return { ...common, close, further: [`${administration.url}/metrics`] }
}

/** App of the port until the services are open. */
const startupApp = (shell: StartContext, part: RootPart): App => {
  const { pages, waiting: waits } = shell
  return rootApp({
    ...rootOptions(shell),
    part,
    health: async (isTrusted) => startingHealth(shell, isTrusted),
    isReady: () => false,
    startupMessage: () => waitingSentence(waits.current()),
    mountFiles: pages && ((app) => mount(app, assetEndpoints, pages)),
  })
}

/** Options of `start` and `demo`. */
type RunOptions = StartOptions & {
  /** Whether sample catalogues are brought in, and the data is temporary. */
  readonly isDemo: boolean
}

/**
 * Runs a platform, or the demonstration, until the signal aborts. Rejects with `WrongUsage` for problems in the configuration,
 * and with other errors when it cannot start; things may be open then, so the process must be ended.
 */
export async function runPlatform(
  { isDemo, ...startOptions }: RunOptions,
  signal: AbortSignal,
): Promise<void> {
  const unknown = startOptions.reset.filter((name) => !resettable.some((file) => file === name))
  if (unknown.length > 0)
    throw new WrongUsage(`--reset ${unknown.join(' ')}: can be ${resettable.join(' or ')}`)
  const source = isDemo ? await openDemoSource(shipped('pipes/demo')) : undefined
  try {
    const env = source?.environment(process.env) ?? process.env
    const { shell, secrets } = openShell(env, startOptions, isDemo)
    await runUntil(shell, secrets, source, signal)
  } finally {
    await source?.close()
  }
}

/** Reads the configuration and opens what the start needs. Throws `WrongUsage`. */
function openShell(env: NodeJS.ProcessEnv, startOptions: StartOptions, isDemo: boolean) {
  const parsed = parseConfig(env, defaultFacets)
  if (!parsed.ok) throw new WrongUsage(parsed.message)
  const { config } = parsed
  const secrets = secretRegistry(config.secrets)
  const { apiKey } = config.embedder ?? {}
  if (apiKey !== undefined) secrets.add(apiKey)
  const { secretAccessKey } = config.backup ?? {}
  if (secretAccessKey !== undefined) secrets.add(secretAccessKey)
  const log = logger(isDemo ? 'warn' : config.logLevel, undefined, {
    clean: (line) => secrets.clean(line),
    ...(config.logFormat !== 'auto' && { isReadable: config.logFormat === 'pretty' }),
    repeatMs: 60_000,
  })
  logStart(log, config)
  for (const warning of config.warnings) log.warn({ warning }, 'configuration.warning')
  if (config.ignored.length > 0) log.warn({ ignored: config.ignored }, 'configuration.ignored')
  const numbers = metrics({ runtime: true })
  const shell: StartContext = {
    config,
    log,
    numbers,
    waiting: waiting(Date.now, log),
    longAnswers: longAnswers(config.limits),
    startOptions,
    version,
    pages: config.services.includes('portal')
      ? openPageShell(config.portal, log, config.embedder !== undefined)
      : undefined,
  }
  keepPrivate(config.dataDir, log)
  return { shell, secrets }
}

/** Starts the platform, prints its addresses, runs the demonstration where `source` is given, and stops all at the signal. */
async function runUntil(
  shell: StartContext,
  secrets: Secrets,
  source: DemoSource | undefined,
  signal: AbortSignal,
): Promise<void> {
  const ended = aborted(signal)
  // A signal ends the process also while it waits for a store.
  const platform = await Promise.race([startPlatform(shell, secrets), ended])
  if (!platform) return
  const addresses = servicesOnPort(shell.config)
    .toSorted((a, b) => Number(b === 'portal') - Number(a === 'portal'))
    .map((name) => `${platform.url}${servicePaths[name]}/`)
  process.stdout.write(
    `Cartulary ${version} is ready: ${[...addresses, ...platform.addresses].join(' ')}\n`,
  )
  if (!source) process.stdout.write(nextSteps(shell.config))
  if (source) {
    const folder = shipped('pipes/demo')
    await runDemo({ ...platform, folder, source, out: process.stdout }, signal)
  }
  await ended
  await platform.stop()
  process.stdout.write('Cartulary has stopped.\n')
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })

/** Text about the key for writing, printed after the start. */
const nextSteps = ({ apiKeys, dataDir, writerUrls }: StartContext['config']): string =>
  writerUrls.length > 0
    ? `This process only reads; the one that writes is at ${writerUrls.join(' or ')}.\n`
    : apiKeys
      ? 'Keys for writing are those of PLATFORM_HUB_API_KEYS.\n'
      : `The key for writing is in ${join(dataDir, 'api-key')}. Try: npx cartulary import pipes/demo/three-rivers-water.ttl\n`
