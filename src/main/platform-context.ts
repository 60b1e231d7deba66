/** What the services of this process stand on, and where they are reached. */

import { hostname } from 'node:os'
import type { Config, Service } from '../config/config.ts'
import type { ApiKeys } from '../http/api-key.ts'
import type { OwnKeys } from '../http/known-keys.ts'
import { problemPages } from '../portal/portal-app.ts'
import type { OpenRepository } from '../repository/repository.ts'
import type { Secrets } from '../secrets.ts'
import type { Engines, StartContext } from './engines.ts'

/** Of this program, as `/health`, `User-Agent` and every OpenAPI document give it. */
export const version = '0.1.0'

/** Where each service is on the common port, without a slash at its end: the `base` that its app is made with. */
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

/** Paths that a service has beside its own. */
export const furtherPaths = { shapes: '/api/mqa/shacl', reports: '/api/mqa/reports' } as const

/** What every service may use; the base of the IRIs in `config` is that of the data. */
export type PlatformContext = Omit<StartContext, 'waiting' | 'startOptions'> &
  Omit<Engines, 'close'> & {
    /** Where segments of others reach this process: with its port, without a slash at its end. */
    readonly segmentUrl: string
    readonly keys: ApiKeys
    /** Of the keys: what the process does through its own public API. */
    readonly key: OwnKeys
    readonly secrets: Secrets
  }

/** The services that are reached on the common port. */
export const servicesOnPort = ({ services, shell }: Config): readonly Service[] =>
  services.filter((name) => name !== 'console' || (shell?.http && shell.http.port === undefined))

const everyInterface: ReadonlySet<string> = new Set(['0.0.0.0', '::', '0:0:0:0:0:0:0:0'])

/** What is configured, else where this process listens. The port is always written: some segments send nowhere without. */
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

/** Where nobody but this process is asked: no public address, which may have a path of its own. */
export const inside = 'http://localhost'

/** Our own repository as its clients see it, asked without a socket. */
export const ownRepository = ({ app, previewDataset }: OpenRepository) => ({
  address: `${inside}${servicePaths.repo}`,
  fetch: async (request: Request) => app.fetch(request),
  previewDataset,
})

/** The configured name of the portal in its default language, else in the first one that it has. */
export const siteNameOf = ({ name, defaultLanguage }: Config['portal']): string =>
  typeof name === 'string' ? name : (name[defaultLanguage] ?? Object.values(name)[0] ?? 'Cartulary')

/** What the app of every service is made with, beside its path and who may write from web pages. */
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
  metrics: numbers,
  requestMs: config.limits.requestMs,
  trustedProxies: config.trustedProxies,
  publicAddress: { configured: config.publicUrl, base: config.baseUri },
})

/** The options of a service at a path; what is sent there by a method of `reads` changes nothing: pages of other origins may send it. */
export const httpAt = (context: PlatformContext, base: string, reads: readonly string[] = []) => ({
  http: {
    ...httpOptions(context),
    base,
    cors: { origins: context.config.corsOrigins, reads },
  },
})
