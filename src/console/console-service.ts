/** Opens the console of a process over HTTP and telnet, as configured. */

import type { ApiKeys } from '../http/api-key.ts'
import type { App, SharedAppOptions } from '../http/app.ts'
import type { ShellConfig } from '../config/services.ts'
import type { Limits } from '../http/limits.ts'
import { serve } from '../http/serve.ts'
import type { Log } from '../log.ts'
import { consoleApp } from './console-app.ts'
import { commandsOf } from './command-table.ts'
import { execution } from './execution.ts'
import type { Parts } from './console-parts.ts'
import { openTelnet } from './telnet.ts'

/** Dependencies of the console; `parts` decides which commands exist. */
export type ConsoleDeps = {
  readonly config: ShellConfig
  readonly parts: Parts
  readonly keys: ApiKeys
  readonly log: Log
  /** Current time in milliseconds. */
  readonly now: () => number
  /** Masks known secrets in a text. */
  readonly clean: (text: string) => string
  /** Options of the app; `base` is its path on the common port, `/shell`. */
  readonly http: SharedAppOptions & { readonly base: string }
  /** Default host, and limits, of a console with a port of its own. */
  readonly host: string
  readonly limits?: Limits
}

/** Open console. */
export type Console = {
  /** App for the common port; absent when HTTP is off or has a port of its own. */
  readonly mounted: { readonly base: string; readonly app: App } | undefined
  /** Addresses of its own: `http://…/shell.html`, `telnet://…`. */
  readonly addresses: readonly string[]
  /** Closes connections, ends commands and waits for them. */
  readonly stop: () => Promise<void>
}

/** Opens the console. Rejects when a port is taken. */
export async function openConsole(deps: ConsoleDeps): Promise<Console> {
  const { config, parts, keys, log, now, clean, http } = deps
  const stopping = new AbortController()
  const table = commandsOf(parts)
  const running = execution({ log, now, clean, stopping: stopping.signal })
  const shared = { table, execution: running, keys }
  const closing: (() => Promise<void>)[] = []
  const addresses: string[] = []
  const stop = async () => {
    stopping.abort()
    await Promise.all(closing.map((close) => close()))
    await running.idle()
  }
  const hasOwnPort = config.http?.port !== undefined
  try {
    if (config.http?.port !== undefined) {
      const { host = deps.host, port } = config.http
      const app = consoleApp({ ...shared, http: { ...http, base: '' } })
      const limits = deps.limits && { limits: deps.limits }
      const server = await serve(app, {
        host,
        port,
        setting: 'PLATFORM_HUB_SHELL_CONFIG',
        ...limits,
      })
      closing.push(() => server.close())
      addresses.push(`${server.url}/shell.html`)
    }
    if (config.telnet) {
      const telnet = await openTelnet({ ...shared, ...config.telnet, log })
      closing.push(() => telnet.close())
      addresses.push(
        `telnet://${telnet.host.includes(':') ? `[${telnet.host}]` : telnet.host}:${telnet.port}`,
      )
    }
  } catch (error) {
    await stop()
    throw error
  }
  const isMounted = config.http !== undefined && !hasOwnPort
  const mounted = isMounted ? { base: http.base, app: consoleApp({ ...shared, http }) } : undefined
  return { mounted, addresses, stop }
}
