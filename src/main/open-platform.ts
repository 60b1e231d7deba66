/** Open platform of either role, and the options of its root app. */

import type { FetchHandler } from '../http/app.ts'
import type { RootPart } from '../http/root.ts'
import type { StartContext } from './engines.ts'
import type { Readiness } from './health.ts'
import { httpOptions, servicePaths, servicesOnPort, version } from './platform-context.ts'

/** Options of the root app, also while the services start. */
export const rootOptions = (
  shell: Pick<StartContext, 'config' | 'log' | 'numbers' | 'longAnswers' | 'pages'>,
) => ({
  http: httpOptions(shell),
  metrics: shell.numbers,
  version,
  services: Object.fromEntries(
    servicesOnPort(shell.config).map((name) => [name, `${servicePaths[name]}/`]),
  ),
})

/** Services of a process that serves requests. */
export type OpenPlatform = {
  readonly readiness: Readiness
  /** Handler of a port: of all requests, or of those for administration. */
  readonly handlerOf: (part: RootPart) => FetchHandler
  /** Key for writing; empty in a reader, which has none. */
  readonly key: string
  /** Addresses of services with a port of their own. */
  readonly addresses: readonly string[]
  /** Ends readiness and the watches, while requests that run are finished. */
  readonly beginStop: () => Promise<void>
  /** Ends everything else; to be called when no request runs. */
  readonly close: () => Promise<void>
}
