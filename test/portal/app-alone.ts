/** The portal without a platform behind it: its services are functions. */

import { defaultPortal, portalConfig } from '../../src/config/portal.ts'
import { logger } from '../../src/log.ts'
import { openPageShell } from '../../src/portal/page-shell.ts'
import { portalApp } from '../../src/portal/portal-app.ts'
import type { Port, Ports } from '../../src/portal/ports.ts'
import type { AppOptions } from '../../src/http/app.ts'
import type { Previews } from '../../src/portal/preview/previews.ts'
import type { ExternalWriters } from '../../src/portal/render-queue.ts'

type Further = {
  readonly config?: object
  readonly writers?: ExternalWriters
  readonly previews?: Previews
  readonly http?: Partial<AppOptions>
}

/** `config` is what the operator says; nobody signs in, and nothing is fetched unless there are `previews`. */
export function appAlone(ports: Ports, { config, writers, previews, http }: Further = {}) {
  const log = logger('silent')
  const shell = openPageShell(config ? portalConfig.parse(config) : defaultPortal, log)
  const given = { shell, ports, http: { log, ...http }, previews, sessions: undefined }
  return portalApp({ ...given, ...(writers && { writers }) })
}

/** One function for all services that pages of readers ask. */
export const portsTo = (port: Port): Ports => ({
  search: port,
  repository: port,
  metrics: port,
  reports: port,
  sparql: port,
})
