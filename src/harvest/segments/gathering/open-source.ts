/** Opens the source of an import: the outbound client, with the answers classified and the pages kept apart. */
import { createHash } from 'node:crypto'
import { Failure } from '../../../errors.ts'
import type { Source, SourcePage, SourceRequest, SourceStream } from '../source.ts'
import { again, outboundRequest, reported, type SourceOptions } from './exchange.ts'
import { pageGuard, type PageGuard } from './page-guard.ts'
import { emptyFailure, htmlFailure, isHtml, isHtmlType, jsonOf, refusalOf } from './reading.ts'

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
  const refusal = refusalOf(head)
  if (refusal) throw told(refusal, text)
  if (text.trim() === '') throw emptyFailure(answer.url)
  if (isHtmlType(headers) || isHtml(text.slice(0, 4096))) throw htmlFailure(answer.url)
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
    return { ...found, value: isAnswer ? softJson(found) : jsonOf(found.text, found.url) }
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
      const refusal = request.accepts?.includes(status) === true ? undefined : refusalOf(head)
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
