/** The pages of this process: an app at the root, beside health and numbers, that asks the services by their public APIs. */

import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { type FetchHandler, gateway } from '../http/app.ts'
import { pathOf, type App, type AppContext } from '../http/context.ts'
import { recordPath } from '../portal/addresses.ts'
import { prefersPage, wantedLanguage } from '../portal/negotiation.ts'
import { portalApp } from '../portal/portal-app.ts'
import { openPreviews } from '../portal/preview/previews.ts'
import { openOidc, type Oidc } from '../http/oidc.ts'
import { openSessions } from '../portal/sessions.ts'
import { portInProcess } from '../portal/ports.ts'
import {
  furtherPaths,
  httpAt,
  servicePaths,
  version,
  type PlatformContext,
} from './platform-context.ts'
import type { Stations } from './stations.ts'

/** Absent where it is not run. */
export function portalStation(
  context: PlatformContext,
  { mounted, outbound, isWriting }: Pick<Stations, 'mounted' | 'outbound' | 'isWriting'>,
): App | undefined {
  const { config, pages } = context
  if (!pages) return undefined
  const oidc = providerOf(context, outbound)
  const services = gateway(mounted)
  const port = (name: keyof typeof servicePaths) => portInProcess(services, servicePaths[name])
  return portalApp({
    shell: pages,
    ports: {
      search: port('search'),
      repository: port('repo'),
      metrics: port('metrics'),
      sparql: port('sparql'),
      ...(config.services.includes('metrics') && {
        validation: portInProcess(services, furtherPaths.shapes),
      }),
      ...(config.services.includes('scheduler') && {
        scheduler: port('scheduler'),
        authority: () => ({ 'X-API-Key': context.key.here() }),
      }),
    },
    previews:
      config.portal.preview && outbound
        ? openPreviews({
            outbound,
            allow: config.harvest.allow,
            path: join(config.dataDir, 'previews.sqlite'),
            now: Date.now,
          })
        : undefined,
    oidc,
    isWriting,
    sessions:
      config.portal.signIn.key || oidc
        ? openSessions({
            path: join(config.dataDir, 'sessions.sqlite'),
            keys: context.keys,
            people: oidc?.prefix,
            now: Date.now,
          })
        : undefined,
    version,
    ...httpAt(context, ''),
  })
}

/** Who vouches for people; throws, so that nothing starts, when a part of it is missing. */
function providerOf(
  { config, secrets }: PlatformContext,
  outbound: Stations['outbound'],
): Oidc | undefined {
  const settings = config.portal.signIn.oidc
  if (!settings) return undefined
  const secret = secrets.named(settings.secret.secret)?.reveal()
  if (secret === undefined)
    throw new Error('PLATFORM_PORTAL_CONFIG: signIn.oidc.secret names none of PLATFORM_SECRETS')
  if (!outbound)
    throw new Error('PLATFORM_PORTAL_CONFIG: signIn.oidc needs harvest among PLATFORM_SERVICES')
  return openOidc({ settings, secret, outbound, allow: config.harvest.allow, now: Date.now })
}

/** Pages of the portal about records, in a language that the client reads. */
export const ownPages =
  ({ portal }: Config) =>
  (kind: string, id: string, c: AppContext): string =>
    new URL(c.get('root')).pathname +
    recordPath(kind, id, wantedLanguage(portal, c.req.header('Accept-Language')))

/** Health and numbers go to the front; the root too, unless somebody wants to read a page. */
export const withPages = (front: FetchHandler, pages: FetchHandler): FetchHandler => ({
  fetch: (request, env) => {
    const path = pathOf(request.url)
    const isFront = path === '/metrics' || path === '/health' || path.startsWith('/health/')
    const isList = path === '/' && !prefersPage(request.headers.get('Accept') ?? undefined)
    return (isFront || isList ? front : pages).fetch(request, env)
  },
})
