/** How this process asks foreign hosts, as the configuration says. */

import type { Config } from '../config/config.ts'
import { userAgent } from '../client/redirect.ts'
import { outbound, type Outbound } from '../client/outbound.ts'
import type { Log } from '../log.ts'
import { clock } from './clock.ts'

/** The one client for everything that leaves the house on behalf of others. */
export function outboundOf({
  config,
  log,
  version,
}: {
  readonly config: Config
  readonly log: Log
  readonly version: string
}): Outbound {
  const { harvest, baseUri } = config
  return outbound({
    ...clock,
    log,
    userAgent: userAgent(version, baseUri, harvest.contact),
    limits: {
      attempts: harvest.attempts,
      retryAfterMaxMs: harvest.retryAfterMaxMs,
      hostConcurrency: harvest.hostConcurrency,
      hostDelayMs: harvest.hostDelayMs,
      deadlines: {
        connectMs: harvest.connectTimeoutMs,
        firstByteMs: harvest.firstByteTimeoutMs,
        idleMs: harvest.idleTimeoutMs,
        pageMs: harvest.pageTimeoutMs,
      },
    },
  })
}
