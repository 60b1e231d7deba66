/** Opens the source of an import: the outbound client, with the answers classified and the pages kept apart. */

import { createHash } from 'node:crypto'
import type { Outbound, OutboundRequest } from '../../client/outbound.ts'
import { Failure } from '../../errors.ts'
import type { RunSink } from '../../pipe/runs/run.ts'
import type { SegmentPlace } from '../../pipe/segment.ts'
import { keyHash } from '../importing/cutting/key-hash.ts'
import {
  emptyFailure,
  htmlFailure,
  isBrokenOff,
  isWebPage,
  isHtmlType,
  parsedJson,
  answerRefusal,
  shownUrl,
} from './answers.ts'
import type { ImportConfig, ImportLimits } from './import-config.ts'
import { NumberSet } from './seen.ts'
import type { Source, SourceAnswer, SourcePage, SourceRequest, SourceStream } from './source.ts'

/** All requests end with the signal. */
export function openSource(options: SourceOptions, signal: AbortSignal): Source {
  const guard = pageGuard()
  let bytes = 0
  const count = (size: number) => {
    bytes += size
    options.sink.alive()
  }
  const opened: Opened = { options, guard, count, signal }
  return {
    address: options.config.address,
    bytes: () => bytes,
    page: (url, request = {}) => readPage(opened, url, request),
    json: (url, request = {}) => readJson(opened, url, request),
    read: (url, request, take) => readStream(opened, { url, request }, take),
  }
}

type Opened = {
  readonly options: SourceOptions
  readonly guard: PageGuard
  readonly count: (size: number) => void
  readonly signal: AbortSignal
}

async function readPage(
  { options, guard, count, signal }: Opened,
  url: string,
  request: SourceRequest,
): Promise<SourcePage> {
  const { paged = true, accepts = [] } = request
  if (paged) guard.visit(url, request.body)
  const exchange = options.deps.outbound.read(outboundRequest(options, url, request), signal)
  const answer = await reported(options.sink, url, exchange)
  count(answer.bytes.byteLength)
  const { text, status, headers } = answer
  const hash = createHash('sha256').update(answer.bytes).digest('hex')
  const head = { url: answer.url, status, headers }
  const found = { ...head, text, hash, findings: findingsIn(text) }
  if (accepts.includes(status)) return found
  const refusal = answerRefusal(head)
  if (refusal) throw told(refusal, text)
  if (text.trim() === '') throw emptyFailure(answer.url)
  if (isHtmlType(headers) || isWebPage(text.slice(0, 4096))) throw htmlFailure(answer.url)
  if (paged) guard.body(hash)
  return found
}

const readJson = (opened: Opened, url: string, request: SourceRequest) =>
  again(opened.options, opened.signal, async (attempt) => {
    const accept = request.accept ?? 'application/json'
    // The second look at a page that broke off is no second visit.
    const once = attempt > 1 && { paged: false }
    const found = await readPage(opened, url, { ...request, accept, ...once })
    const isAnswer = request.accepts?.includes(found.status) === true
    return { ...found, value: isAnswer ? softJson(found) : parsedJson(found.text, found.url) }
  })

type Wish = { readonly url: string; readonly request: SourceRequest }

async function readStream<T>(
  { options, guard, count, signal }: Opened,
  { url, request }: Wish,
  take: (answer: SourceStream) => Promise<T>,
): Promise<T> {
  if (request.paged === true) guard.visit(url, request.body)
  return again(options, signal, async () => {
    const exchange = options.deps.outbound.request(outboundRequest(options, url, request), signal)
    const answer = await reported(options.sink, url, exchange)
    const { status, headers } = answer
    const head = { url: answer.url, status, headers }
    try {
      const refusal = request.accepts?.includes(status) === true ? undefined : answerRefusal(head)
      if (refusal) throw refusal
      return await take({ ...head, body: counted(answer.body, count) })
    } finally {
      answer.discard()
    }
  })
}

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
    return parsedJson(text, url)
  } catch {
    return undefined
  }
}

const longestMessage = 500

/** A refusal with what the source said beside it; a web page says nothing. */
function told(refusal: Failure, text: string): Failure {
  const message = isWebPage(text.slice(0, 4096)) ? '' : text.trim().slice(0, longestMessage)
  if (message === '') return refusal
  const { retryAfter, members } = refusal
  return new Failure(refusal.kind, refusal.detail, {
    members,
    cause: message,
    ...(retryAfter !== undefined && { retryAfter }),
  })
}

// One exchange with a source: how a request is made of the config, and when it is made again.

type SourceOptions = {
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
async function reported<Answer extends SourceAnswer>(
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

// Pages that lead in a circle: no address twice, no body twice.

type PageGuard = {
  /** Throws `page-loop` for an address (with the same POST body) that was asked for before. */
  readonly visit: (url: string, body?: string) => void
  /** Throws `page-repeated` for the hash of a body that came before. */
  readonly body: (hash: string) => void
}

/** Remembers the pages of one pass over a source. */
export function pageGuard(): PageGuard {
  const visited = new NumberSet()
  const bodies = new NumberSet()
  return {
    visit: (url, body = '') => {
      if (!visited.add(keyHash(`${url}\n${body}`)))
        throw new Failure('page-loop', `The pages lead back to ${shownUrl(url)}.`)
    },
    body: (hash) => {
      if (!bodies.add(keyHash(hash)))
        throw new Failure('page-repeated', 'A page has the same body as an earlier one.')
    },
  }
}
