/** Opens the process that writes: engines, all services, portal and root. */

import { gateway, type App } from '../http/app.ts'
import { rootApp, type RootPart } from '../http/root.ts'
import type { Secrets } from '../secrets.ts'
import { pause } from '../workers/pause.ts'
import { openAccess } from './access.ts'
import { openEngines, type StartContext } from './engines.ts'
import { readiness, type Readiness, runningHealth } from './health.ts'
import { refusingLost } from './lost-writes.ts'
import { showEngines } from './numbers.ts'
import { type OpenPlatform, rootOptions } from './open-platform.ts'
import type { PlatformContext } from './platform-context.ts'
import { portalService, resourceRedirects, withPages } from './portal.ts'
import { openServices, type Services } from './services.ts'

/** Opens engines and services; `segmentUrl` is where foreign segments reach this process. Rejects as `openEngines`. */
export async function openWritingPlatform(
  first: StartContext,
  secrets: Secrets,
  segmentUrl: string,
): Promise<OpenPlatform> {
  const { config, log } = first
  const engines = await openEngines(first)
  const { close: closeAccess, ...access } = await openAccess(config, secrets, log)
  const context: PlatformContext = { ...first, ...engines, ...access, secrets, segmentUrl }
  const running = await openServices(context)
  const watch = readiness(engines.store, { elapsed: () => performance.now(), pause, log })
  await engines.identityWriter.noteFiles()
  engines.storage.watch()
  const looking = await showEngines(context, watch, running.recount)
  const mounted = running.mounted.map((one) => refusingLost(one, engines.storage))
  const pages = portalService(context, { ...running, mounted })
  return {
    readiness: watch,
    handlerOf: (part) => {
      const root = rootOf(context, running, watch, part)
      if (part === 'administration') return root
      return gateway([...mounted, { base: '', app: pages ? withPages(root, pages) : root }])
    },
    key: access.key.otherRepository(),
    addresses: running.addresses,
    beginStop: async () => {
      await Promise.all([watch.stop(), looking.stop()])
    },
    close: async () => {
      await running.stop()
      await engines.close()
      await closeAccess()
    },
  }
}

/** App of the paths that no other service has. */
function rootOf(
  context: PlatformContext,
  services: Pick<Services, 'reconciled' | 'scheduler'>,
  { isReady, isStopping }: Readiness,
  part: RootPart,
): App {
  return rootApp({
    ...rootOptions(context),
    part,
    health: () => runningHealth(context, services, isStopping()),
    isReady,
    hasKey: (c) => context.keys.find(c) !== undefined,
    ...(!context.pages && part !== 'administration' && { middleware: resourceRedirects(context) }),
  })
}
