/** Opens the source of an import: the outbound client, with the answers classified and the pages kept apart. */
import { createHash } from 'node:crypto'
import { Failure } from '../../../errors.ts'
import type { Outbound, OutboundRequest } from '../../../http/outbound/outbound.ts'
import type { RunSink } from '../../../pipe/runs/sink.ts'
import type { SegmentPlace } from '../../../pipe/segment.ts'
import type { ImportConfig } from '../import-config.ts'
import type { Source, SourceAnswer, SourcePage, SourceRequest, SourceStream } from '../source.ts'
import type { ImportLimits } from './gather.ts'
import { pageGuard } from './page-guard.ts'
import {
  emptyFailure,
  htmlFailure,
  isBrokenOff,
  isHtml,
  isHtmlType,
  jsonOf,
  refusalOf,
} from './reading.ts'

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

/** All requests end with the signal. */
export function openSource(options: SourceOptions, signal: AbortSignal): Source {
  const { deps, config, sink } = options
  const guard = pageGuard()
  let bytes = 0
  const count = (size: number) => {
    bytes += size
    sink.alive()
  }
  const ask = async <Answer extends SourceAnswer>(
    url: string,
    exchange: () => Promise<Answer>,
  ): Promise<Answer> => {
    const host = hostOf(url)
    const answer = await exchange().catch((error: unknown) => {
      sink.request({ host, status: 'error' })
      throw error
    })
    sink.request({ host, status: answer.status })
    sink.alive()
    return answer
  }
  const page = async (url: string, request: SourceRequest = {}): Promise<SourcePage> => {
    const { paged = true, accepts = [] } = request
    if (paged) guard.visit(url, request.body)
    const whole = outboundRequest(options, url, request)
    const answer = await ask(url, () => deps.outbound.read(whole, signal))
    count(answer.bytes.byteLength)
    const { text, status, headers } = answer
    const hash = createHash('sha256').update(answer.bytes).digest('hex')
    const head = { url: answer.url, status, headers }
    const found = { ...head, text, hash, findings: findingsIn(text) }
    if (accepts.includes(status)) return found
    const refusal = refusalOf(head)
    if (refusal) throw told(refusal, text)
    if (text.trim() === '') throw emptyFailure(answer.url)
    if (isHtmlType(headers) || isHtml(text.slice(0, 4096))) throw htmlFailure(answer.url)
    if (paged) guard.body(hash)
    return found
  }
  return {
    address: config.address,
    bytes: () => bytes,
    page,
    json: (url, request) =>
      again(options, signal, async (attempt) => {
        const accept = request?.accept ?? 'application/json'
        const isFirst = attempt === 1
        const found = await page(url, { ...request, accept, ...(!isFirst && { paged: false }) })
        if (request?.accepts?.includes(found.status)) return { ...found, value: softJson(found) }
        return { ...found, value: jsonOf(found.text, found.url) }
      }),
    read: (url, request, take) => {
      if (request.paged === true) guard.visit(url, request.body)
      return again(options, signal, async () => {
        const whole = outboundRequest(options, url, request)
        const answer = await ask(url, () => deps.outbound.request(whole, signal))
        const { status, headers } = answer
        const head = { url: answer.url, status, headers }
        const refusal = request.accepts?.includes(status) ? undefined : refusalOf(head)
        if (refusal) {
          answer.discard()
          throw refusal
        }
        const stream: SourceStream = { ...head, body: counted(answer.body, count) }
        return take(stream).finally(() => answer.discard())
      })
    },
  }
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : '')

/** A body that broke off is asked for again, after a pause that doubles (full jitter). */
async function again<T>(
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

function outboundRequest(
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
    retryAfterMaxMs: deps.limits.retryAfterMaxMs,
    deadlines,
    ...(method !== undefined && { method }),
    ...(method === 'POST' && { repeatable: true }),
    ...(body !== undefined && { body }),
    ...(sameOrigin && { credentials }),
    ...(config.hostDelayMs !== undefined && { delayMs: config.hostDelayMs }),
  }
}

/** Credentials are for the configured origin alone. */
const isSameOrigin = (url: string, address: string) =>
  URL.canParse(url) && new URL(url).origin === new URL(address).origin

async function* counted(
  body: AsyncIterable<Uint8Array>,
  count: (size: number) => void,
): AsyncIterable<Uint8Array> {
  for await (const piece of body) {
    count(piece.byteLength)
    yield piece
  }
}

const findingsIn = (text: string) =>
  text.includes('\uFFFD')
    ? [{ slug: 'invalid-text', detail: 'the page held bytes that are no text' } as const]
    : []

/** An error answer is only looked at when somebody asked for it: it need not be JSON. */
function softJson({ text, url }: SourcePage): unknown {
  try {
    return jsonOf(text, url)
  } catch {
    return undefined
  }
}

const longestMessage = 500

/** A refusal with what the source said beside it; a web page says nothing. */
function told(refusal: Failure, text: string): Failure {
  const message = isHtml(text.slice(0, 4096)) ? '' : text.trim().slice(0, longestMessage)
  if (message === '') return refusal
  const { retryAfter, members } = refusal
  return new Failure(refusal.kind, refusal.detail, {
    members,
    cause: message,
    ...(retryAfter !== undefined && { retryAfter }),
  })
}
