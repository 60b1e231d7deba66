/** What an answer of a source is: a page, or one of the ways in which sources say no. */
import { Failure, type Kind } from '../../errors.ts'
import { loggedUrl } from '../../http/shell/request.ts'

/** Where something came from, fit for a report: no user info, no credentials. */
export function shownUrl(url: string): string {
  const origin = URL.canParse(url) ? new URL(url).origin : ''
  return `${origin}${loggedUrl(url)}`
}

const kinds: Readonly<Record<number, Kind>> = {
  401: 'source-refused',
  403: 'source-refused',
  404: 'source-not-found',
  408: 'source-timeout',
  410: 'source-not-found',
  429: 'source-throttled',
  503: 'source-throttled',
  504: 'source-timeout',
}
/** How public endpoints say that their answer is a part of the whole. */
const partial = ['x-sql-state', 'x-sparql-maxrows']

type Head = { readonly url: string; readonly status: number; readonly headers: Headers }

/** Why an answer is no page, told by its head; `undefined` when it may be one. */
export function answerRefusal({ url, status, headers }: Head): Failure | undefined {
  const place = shownUrl(url)
  if (status === 204) return new Failure('source-empty', `${place} answered without a body.`)
  const mark = partial.find((name) => headers.has(name))
  if (status === 206 || mark !== undefined) {
    const sign = mark === undefined ? 'status 206' : `the header ${mark}`
    return new Failure('source-truncated', `${place} answered with a part (${sign}).`, final)
  }
  if (status >= 200 && status < 300) return undefined
  const retryAfter = status === 429 || status === 503 ? secondsIn(headers) : undefined
  return new Failure(kinds[status] ?? 'source-error', `${place} answered ${status}.`, {
    ...(retryAfter !== undefined && { retryAfter }),
  })
}

/** Only seconds: a date would need a clock, and whoever waits for it has done so already. */
function secondsIn(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? ''
  return /^\d{1,9}$/.test(value) ? Number(value) : undefined
}

/** Marks a `source-truncated` that another try would only repeat. */
const final = { members: { partial: 'true' } }

/** Whether asking again makes sense: the body broke off, nobody cut it on purpose. */
export const isBrokenOff = (error: unknown): boolean =>
  error instanceof Failure &&
  (error.kind === 'source-truncated' || error.kind === 'source-timeout') &&
  error.members['partial'] === undefined

const htmlStart = /^\s*(?:<\?xml[^>]*>\s*|<!--[^]*?-->\s*)*<(?:!doctype\s+html|html)[\s>]/i

/** Whether a text begins as a web page does, whatever it is called. */
export const isWebPage = (start: string): boolean =>
  htmlStart.test(start.charCodeAt(0) === 0xfeff ? start.slice(1) : start)

export const htmlFailure = (url: string): Failure =>
  new Failure('source-html', `${shownUrl(url)} answered with a web page: a login, or an error?`)

/** Whether the type of an answer says that it is a web page. */
export const isHtmlType = (headers: Headers): boolean =>
  /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(headers.get('content-type') ?? '')

export const emptyFailure = (url: string): Failure =>
  new Failure('source-empty', `${shownUrl(url)} answered with an empty body.`)

/**
 * A JSON body: a byte order mark is dropped, the last of doubled keys wins, integers beyond 2^53 stay as they were
 * written, as strings. Throws `source-truncated` when it ends too early and `source-malformed` otherwise.
 */
export function parsedJson(text: string, url: string): unknown {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  try {
    return /\d{16}/.test(body) ? JSON.parse(body, keepDigits) : JSON.parse(body)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const place = shownUrl(url)
    if (/unexpected end|unterminated/i.test(reason))
      throw new Failure('source-truncated', `The JSON of ${place} ends too early.`, { cause })
    const position = /at position (\d+)/.exec(reason)?.[1]
    const where = position === undefined ? '' : ` (at character ${position})`
    throw new Failure('source-malformed', `${place} did not answer with JSON${where}.`, { cause })
  }
}

// The third argument is part of ES2025 (JSON.parse source text access); the library types do not know it yet.
function keepDigits(this: unknown, _: string, value: unknown, context?: { source?: string }) {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const source = context?.source ?? ''
  return /^-?\d+$/.test(source) ? source : value
}
