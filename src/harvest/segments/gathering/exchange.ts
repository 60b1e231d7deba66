/** One exchange with a source: how a request is made of the config, and when it is made again. */
import type { Outbound, OutboundRequest } from '../../../client/outbound.ts'
import type { RunSink } from '../../../pipe/runs/sink.ts'
import type { SegmentPlace } from '../../../pipe/segment.ts'
import type { ImportConfig } from '../import-config.ts'
import type { ImportLimits } from '../limits.ts'
import type { SourceAnswer, SourceRequest } from '../source.ts'
import { isBrokenOff } from './reading.ts'

export type SourceOptions = {
  readonly deps: {
    readonly outbound: Pick<Outbound, 'request' | 'read'>
    readonly allow: readonly string[]
    readonly limits: ImportLimits
    readonly random: () => number
    readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  }
  readonly config: ImportConfig
  readonly place: Pick<SegmentPlace, 'trust'>
  readonly credentials: Readonly<Record<string, string>>
  readonly sink: Pick<RunSink, 'request' | 'alive'>
}

/** Reports what came of a request. */
export async function reported<Answer extends SourceAnswer>(
  sink: SourceOptions['sink'],
  url: string,
  exchange: Promise<Answer>,
): Promise<Answer> {
  const host = hostOf(url)
  const answer = await exchange.catch((error: unknown) => {
    sink.request({ host, status: 'error' })
    throw error
  })
  sink.request({ host, status: answer.status })
  sink.alive()
  return answer
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : '')

/** A body that broke off is asked for again, after a pause that doubles (full jitter). */
export async function again<T>(
  { deps, config }: SourceOptions,
  signal: AbortSignal,
  attempt: (number: number) => Promise<T>,
): Promise<T> {
  const attempts = config.attempts ?? deps.limits.attempts
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number)
    } catch (error) {
      signal.throwIfAborted()
      if (number >= attempts || !isBrokenOff(error)) throw error
      await deps.pause(deps.random() * 1000 * 2 ** (number - 1), signal)
    }
  }
}

export function outboundRequest(
  { deps, config, place, credentials }: SourceOptions,
  url: string,
  { accept, method, body, headers, maxBytes }: SourceRequest,
): OutboundRequest {
  const deadlines = {
    ...(config.connectTimeoutMs !== undefined && { connectMs: config.connectTimeoutMs }),
    ...(config.firstByteTimeoutMs !== undefined && { firstByteMs: config.firstByteTimeoutMs }),
    ...(config.idleTimeoutMs !== undefined && { idleMs: config.idleTimeoutMs }),
    ...(config.pageTimeoutMs !== undefined && { pageMs: config.pageTimeoutMs }),
  }
  const sameOrigin = isSameOrigin(url, config.address)
  return {
    url,
    reach: {
      kind: 'configured',
      address: config.address,
      trust: place.trust,
      allow: deps.allow,
    },
    headers: { ...(accept !== undefined && { Accept: accept }), ...headers },
    maxBytes: maxBytes ?? deps.limits.maxPageBytes,
    attempts: config.attempts ?? deps.limits.attempts,
    retryAfterMaxMs: config.retryAfterMaxMs ?? deps.limits.retryAfterMaxMs,
    deadlines,
    ...(method !== undefined && { method }),
    ...(method === 'POST' && { repeatable: true }),
    ...(body !== undefined && { body }),
    ...(sameOrigin && { credentials }),
    ...(config.hostConcurrency !== undefined && { atOnce: config.hostConcurrency }),
    ...(config.hostDelayMs !== undefined && { delayMs: config.hostDelayMs }),
  }
}

/** Credentials are for the configured origin alone. */
const isSameOrigin = (url: string, address: string) =>
  URL.canParse(url) && new URL(url).origin === new URL(address).origin
