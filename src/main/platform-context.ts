/** Dependencies that all services share, and the paths of the services. */

import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Config, Service } from '../config/config.ts'
import type { Accounts } from '../http/accounts.ts'
import type { Activity } from '../http/activity.ts'
import type { ApiKeys } from '../http/api-key.ts'
import type { ProcessKeys } from '../http/known-keys.ts'
import { problemPages } from '../portal/portal-app.ts'
import type { OpenRepository } from '../repository/repository.ts'
import type { Secrets } from '../secrets.ts'
import { textAt } from '../text/json.ts'
import type { Engines, StartContext } from './engines.ts'

const packageFile = new URL('../../package.json', import.meta.url)

/** Version of this program in `/health`, `User-Agent` and OpenAPI documents. */
export const version = textAt(JSON.parse(readFileSync(packageFile, 'utf8')), 'version') ?? ''

/** Path of each service on the common port, without a slash at its end. */
export const servicePaths = {
  repo: '/api/hub/repo',
  search: '/api/hub/search',
  sparql: '/sparql',
  harvest: '/api/segments',
  scheduler: '/api/scheduler',
  metrics: '/api/mqa/cache',
  console: '/shell',
  portal: '',
} as const satisfies Record<Service, string>

/** Further paths of the service `metrics`. */
export const furtherPaths = { shapes: '/api/mqa/shacl', reports: '/api/mqa/reports' } as const

/** Dependencies of the services; the base IRI in `config` is that of the data. */
export type PlatformContext = Omit<StartContext, 'waiting' | 'startOptions'> &
  Omit<Engines, 'close'> & {
    /** Address at which foreign segments reach this process, with port and without a slash at its end. */
    readonly segmentUrl: string
    readonly keys: ApiKeys
    readonly accounts: Accounts
    readonly activity: Activity
    /** Keys with which the process calls its own public API and other repositories. */
    readonly key: ProcessKeys
    readonly secrets: Secrets
  }

/** Services of the configuration that are on the common port. */
export const servicesOnPort = ({ services, shell }: Config): readonly Service[] =>
  services.filter((name) => name !== 'console' || (shell?.http && shell.http.port === undefined))

const everyInterface: ReadonlySet<string> = new Set(['0.0.0.0', '::', '0:0:0:0:0:0:0:0'])

/**
 * Configured address for foreign segments, which is plain HTTP, else that of this process. It always has a port because some
 * segments need one.
 */
export function segmentAddress(
  { segmentUrl, host }: Pick<Config, 'segmentUrl' | 'host'>,
  port: number,
): string {
  if (segmentUrl === undefined) {
    const name = everyInterface.has(host) ? hostname() : host
    return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
  }
  const url = new URL(segmentUrl)
  return `http://${url.hostname}:${url.port || '80'}${url.pathname.replace(/\/+$/, '')}`
}

/** Origin of requests that stay in this process; a public address could have a path. */
export const inside = 'http://localhost'

/** Repository of this process as its clients see it, called without a socket. */
export const ownRepository = ({ app, previewDataset }: OpenRepository) => ({
  address: `${inside}${servicePaths.repo}`,
  fetch: async (request: Request) => app.fetch(request),
  previewDataset,
})

/** Configured name of the portal in its default language, else in its first one. */
export const siteNameOf = ({ name, defaultLanguage }: Config['portal']): string =>
  typeof name === 'string' ? name : (name[defaultLanguage] ?? Object.values(name)[0] ?? 'Cartulary')

/** Options that the apps of all services share. */
export const httpOptions = ({
  config,
  log,
  numbers,
  longAnswers,
  pages,
}: Pick<StartContext, 'config' | 'log' | 'numbers' | 'longAnswers' | 'pages'>) => ({
  ...(pages && { problemPage: problemPages(pages) }),
  siteName: siteNameOf(config.portal),
  longAnswers,
  log,
  logRequests: config.logRequests,
  metrics: numbers,
  requestMs: config.limits.requestMs,
  trustedProxies: config.trustedProxies,
  publicAddress: { configured: config.publicUrl, base: config.baseUri },
})

/** Context that the apps of all services share; `activity` is absent where nothing is written. */
export type HttpContext = Pick<
  StartContext,
  'config' | 'log' | 'numbers' | 'longAnswers' | 'pages'
> & { readonly activity?: Activity }

/**
 * Options of a service at a path; pages of other origins may send requests with a method of `reads`, because these change
 * nothing.
 */
export const httpAt = (context: HttpContext, base: string, reads: readonly string[] = []) => ({
  http: {
    ...httpOptions(context),
    ...(context.activity && { activity: context.activity }),
    base,
    cors: { origins: context.config.corsOrigins, reads },
  },
})
