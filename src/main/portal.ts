/** Opens the portal: an app at the root that calls the services through their public APIs. */

import { join } from 'node:path'
import type { MiddlewareHandler } from 'hono'
import { webAllowances } from '../client/address-guard.ts'
import { type FetchHandler, gateway } from '../http/app.ts'
import { pathOf, type App, type AppContext, type AppEnv } from '../http/context.ts'
import { prefersPage, preferredLanguage } from '../portal/negotiation.ts'
import { portalApp } from '../portal/portal-app.ts'
import { openPreviews } from '../portal/preview/previews.ts'
import { openOidc, type Oidc } from '../http/oidc.ts'
import { openSessions } from '../portal/sessions.ts'
import { portActing, portInProcess, portWithKey, type Port, type Ports } from '../portal/ports.ts'
import { redirectToDescriptions } from '../repository/resource-iris.ts'
import { furtherPaths, httpAt, servicePaths, type PlatformContext } from './platform-context.ts'
import { recordPagesOf } from './reading-services.ts'
import type { Services } from './services.ts'

/** Opens the portal; absent where it does not run. */
export function portalService(
  context: PlatformContext,
  { mounted, outbound, writers }: Pick<Services, 'mounted' | 'outbound' | 'writers'>,
): App | undefined {
  const { config, pages, keys, accounts } = context
  if (!pages) return undefined
  const { portal, dataDir, services } = config
  const oidc = providerOf(context, outbound)
  const door = gateway(mounted)
  const port = (path: string) => portInProcess(door, path)
  const asProcess = (path: string) => portWithKey(port(path), () => context.key.ownRepository())
  const acting = (path: string) => portActing(port(path), () => context.key.acting())
  const fileOf = (name: string) => ({ path: join(dataDir, name), now: Date.now })
  const { preview } = portal
  const allow = typeof preview === 'object' ? preview.allow.flatMap(webAllowances) : []
  const canSignIn = portal.signIn.key || oidc !== undefined
  return portalApp({
    redirectFromIris: resourceRedirects(context),
    shell: pages,
    ports: {
      ...publicPorts(port),
      ...(services.includes('metrics') && {
        validation: port(furtherPaths.shapes),
        stewardValidation: asProcess(furtherPaths.shapes),
      }),
      repositoryAdmin: asProcess(servicePaths.repo),
      searchAdmin: asProcess(servicePaths.search),
      deskRepository: acting(servicePaths.repo),
      deskSearch: acting(servicePaths.search),
      ...(services.includes('scheduler') && {
        scheduler: asProcess(servicePaths.scheduler),
        deskScheduler: acting(servicePaths.scheduler),
      }),
    },
    previews:
      preview && outbound
        ? openPreviews({ outbound, allow, ...fileOf('previews.sqlite') })
        : undefined,
    oidc,
    writers,
    sessions: canSignIn
      ? openSessions({ keys, accounts, userPrefix: oidc?.prefix, ...fileOf('sessions.sqlite') })
      : undefined,
    ...httpAt(context, ''),
  })
}

/** Ports that every portal has, also that of a reader; `port` makes one for the path of a service. */
export const publicPorts = (port: (path: string) => Port): Ports => ({
  search: port(servicePaths.search),
  repository: port(servicePaths.repo),
  metrics: port(servicePaths.metrics),
  reports: port(furtherPaths.reports),
  sparql: port(servicePaths.sparql),
})

/**
 * Opens the identity provider of the sign-in; absent where none is configured. Throws when a part of its configuration is
 * missing, which ends the start.
 */
function providerOf(
  { config, secrets }: PlatformContext,
  outbound: Services['outbound'],
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

/** Makes the middleware that leads from IRIs of resources to their pages or their RDF. */
export const resourceRedirects = (
  context: Pick<PlatformContext, 'config' | 'names'>,
): MiddlewareHandler<AppEnv> =>
  redirectToDescriptions(context.names, servicePaths.repo, pagesAbout(context))

/** Makes addresses of pages about records, in a language of the client where the portal is ours; absent without a portal. */
function pagesAbout({ config, names }: Pick<PlatformContext, 'config' | 'names'>) {
  const { address, isPortal, isRooted } = recordPagesOf(config, names)
  const page = (kind: string, id: string, c: AppContext): string => {
    const language = preferredLanguage(c, config.portal)
    return address(new URL(c.get('root')).pathname, { kind, id }, isRooted ? language : undefined)
  }
  return isPortal ? page : undefined
}

/** Sends `/health`, `/metrics` and, unless a page is preferred, `/` to the root app, everything else to the portal. */
export const withPages = (front: FetchHandler, pages: FetchHandler): FetchHandler => ({
  fetch: (request, env) => {
    const path = pathOf(request.url)
    const isFront = path === '/metrics' || path === '/health' || path.startsWith('/health/')
    const isList = path === '/' && !prefersPage(request.headers.get('Accept') ?? undefined)
    return (isFront || isList ? front : pages).fetch(request, env)
  },
})
