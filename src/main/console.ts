/** What the console of this process can do. */

import type { Parts } from '../console/parts.ts'
import { openConsole, type Console } from '../console/station.ts'
import type { JsonObject } from '../pipe/document.ts'
import { masked } from '../scheduler/masking.ts'
import { clock } from './clock.ts'
import { httpOptions, places, type Ground } from './ground.ts'
import type { Harvesting } from './harvesting.ts'
import { currentSettings, engineHealth } from './search-engine.ts'

/** Opens the doors that the configuration names; rejects when a port is taken. */
export async function consoleStation(
  ground: Ground,
  harvesting: Harvesting | undefined,
): Promise<Console | undefined> {
  const { shell, keys, secrets } = ground
  const { config, log } = shell
  if (!config.shell || !config.services.includes('console')) return undefined
  return openConsole({
    config: config.shell,
    parts: partsOf(ground, harvesting),
    keys,
    log,
    now: clock.now,
    pause: clock.pause,
    clean: (text) => secrets.clean(text),
    http: { ...httpOptions(shell), base: places.console },
    host: config.host,
    limits: config.limits,
  })
}

function partsOf(ground: Ground, harvesting: Harvesting | undefined): Parts {
  const { config } = ground.shell
  const { index, projection } = ground.engines
  const scheduler = harvesting && config.services.includes('scheduler') && schedulerOf(harvesting)
  return {
    ...(scheduler && { scheduler }),
    ...(config.services.includes('repo') && {
      repository: {
        ...(harvesting && { restore: (what, signal) => restored(harvesting, what, signal) }),
        pending: async () => ({ count: projection.pending() }),
      },
    }),
    ...(config.services.includes('search') && {
      search: {
        boosts: () => config.search.boosts,
        facets: () =>
          currentSettings(index).flatMap((settings) =>
            settings.facets.map(({ id }) => ({ index: settings.index, id })),
          ),
      },
    }),
    status: () => statusOf(ground, harvesting),
  }
}

const schedulerOf = ({ harvest, pipes, launcher, runs, triggers }: Harvesting) => ({
  pipes,
  launcher,
  runs,
  triggers,
  confirm: (runId: string, signal: AbortSignal) => harvest.confirm(runId, signal),
  adopt: async ({ pipe, from }: { readonly pipe: string; readonly from: string }) =>
    harvest.adopt(pipe, from),
  masked: (pipe: JsonObject) => masked(pipe),
})

async function* restored(
  { harvest }: Harvesting,
  what: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { restored: count, failed } = await harvest.restore(what, signal)
  yield `${count} restored`
  for (const { id, reason } of failed) yield `${id}: ${reason}`
}

async function statusOf(
  { engines, shell }: Ground,
  harvesting: Harvesting | undefined,
): Promise<JsonObject> {
  const [store, index] = await Promise.all([engines.store.health(), engineHealth(engines.index)])
  return {
    services: [...shell.config.services],
    store: store.ready ? 'ready' : 'away',
    index: index.ready ? 'ready' : 'away',
    pending: engines.projection.pending(),
    ...(harvesting && {
      pipes: harvesting.pipes.list().length,
      active: harvesting.launcher.active().length,
      leads: harvesting.triggers.leads(),
    }),
  }
}
