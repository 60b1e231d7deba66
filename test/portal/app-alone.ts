/** The portal without a platform behind it: its services are functions. */

import { defaultPortal, portalConfig } from '../../src/config/portal.ts'
import { logger } from '../../src/log.ts'
import { openPageShell } from '../../src/portal/page-shell.ts'
import { portalApp } from '../../src/portal/portal-app.ts'
import type { Port, Ports } from '../../src/portal/ports.ts'
import type { Writers } from '../../src/portal/render-queue.ts'

/** `config` is what the operator says; nobody signs in, and nothing is fetched for previews. */
export function appAlone(
  ports: Ports,
  { config, writers }: { readonly config?: object; readonly writers?: Writers | undefined } = {},
) {
  const log = logger('silent')
  const shell = openPageShell(config ? portalConfig.parse(config) : defaultPortal, log)
  const given = { shell, ports, http: { log }, previews: undefined, sessions: undefined }
  return portalApp({ ...given, ...(writers && { writers }) })
}

/** One function for all services that pages of readers ask. */
export const portsTo = (port: Port): Ports => ({
  search: port,
  repository: port,
  metrics: port,
  sparql: port,
})
