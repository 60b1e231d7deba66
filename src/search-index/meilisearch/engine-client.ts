/** The one door to Meilisearch: JSON over lasting connections, within limits. */

import { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { away, expected, refused } from './engine-failures.ts'
import {
  type Answered,
  type Bounds,
  Broken,
  exchange,
  type Exchange,
  type Outgoing,
} from './wire/exchange.ts'

/**
 * Every call answers the parsed JSON. It rejects with a `Failure`: `engine-unavailable` (no connection, a broken answer, too
 * much to do, key refused), `time-limit` (also when `signal` is aborted), `internal` (the request was wrong: a `Refusal` is
 * its cause). Paths begin with `/`.
 */
export type Wire = {
  get(path: string, signal?: AbortSignal): Promise<unknown>
  post(path: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  /** A `post` that must not arrive twice: never sent again over another connection. */
  once(path: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  patch(path: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  remove(path: string, signal?: AbortSignal): Promise<unknown>
  /** Lines of JSON, one document each. */
  lines(path: string, lines: readonly string[], signal?: AbortSignal): Promise<unknown>
  /** Ends what runs. */
  close(): void
}

type WireOptions = {
  readonly url: string
  readonly apiKey?: string
  readonly log: Log
  /** Milliseconds of any clock that only goes forward. */
  readonly now: () => number
  /** Milliseconds of one call. */
  readonly callMs: number
}

/** Connections at the same time. */
const sockets = 16
/** So long after a broken connection calls fail at once, instead of queueing up for their time limits. */
const awayMs = 500
const ndjson = 'application/x-ndjson'

/** Opens nothing yet: the first call makes the first connection. */
export function connect(options: WireOptions): Wire {
  const { url, apiKey, callMs } = options
  const sent = steady(exchange(new URL(url), apiKey, sockets), options)
  const call = async (outgoing: Outgoing, signal?: AbortSignal, isRepeatable = true) => {
    const { status, text } = await sent.send(outgoing, { ms: callMs, signal }, isRepeatable)
    if (status >= 400) throw refused(status, text)
    return text === '' ? undefined : parsed(text)
  }
  const json = (method: Outgoing['method'], path: string, body: unknown) => ({
    method,
    path,
    body: jsonText(body),
  })
  return {
    get: (path, signal) => call({ method: 'GET', path }, signal),
    post: (path, body, signal) => call(json('POST', path, body), signal),
    once: (path, body, signal) => call(json('POST', path, body), signal, false),
    patch: (path, body, signal) => call(json('PATCH', path, body), signal),
    remove: (path, signal) => call({ method: 'DELETE', path }, signal),
    lines: (path, lines, signal) =>
      call({ method: 'POST', path, body: lines.join('\n'), type: ndjson }, signal),
    close: () => sent.close(),
  }
}

/** One more try over a new connection where an old one was dead, and none while the server is away. */
function steady(wire: Exchange, { log, now }: WireOptions) {
  let awayUntil: number | undefined
  let last: unknown
  const attempt = async (outgoing: Outgoing, bounds: Bounds): Promise<Answered> => {
    const answered = await wire.send(outgoing, bounds)
    if (awayUntil !== undefined) log.info({}, 'engine.back')
    awayUntil = undefined
    return answered
  }
  const lost = (error: unknown): never => {
    if (!(error instanceof Broken)) throw error
    if (awayUntil === undefined) log.warn({ err: error }, 'engine.away')
    awayUntil = now() + awayMs
    last = error
    throw away('The search engine cannot be reached.', error)
  }
  const send = async (outgoing: Outgoing, bounds: Bounds, isRepeatable: boolean) => {
    if (awayUntil !== undefined && now() < awayUntil) throw away('The search engine is away.', last)
    return attempt(outgoing, bounds)
      .catch((error: unknown) => {
        if (!isRepeatable || !(error instanceof Broken) || !error.reused) throw error
        wire.dropIdle()
        return attempt(outgoing, bounds)
      })
      .catch(lost)
  }
  return { send, close: () => wire.close() }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw away('The search engine answered something else than JSON.', cause)
  }
}

// JSON that Meilisearch reads: its parser refuses halves of surrogate pairs (RFC 8259, 8.2).

const half = /\\ud[89a-f][0-9a-f]{2}/

/** As `JSON.stringify`; a half in a text becomes U+FFFD. Names of members are ours and have none. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value)
  // Looking for them in every text would take longer than writing it.
  return half.test(text) ? JSON.stringify(value, wellFormed) : text
}

const wellFormed = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed() : value

// The first look at a server: whether it is one that we can work with.

const versionAnswer = z.object({ pkgVersion: z.string() })

/** Sorting in `documents/fetch` came with this release. */
const oldest = [1, 16] as const
/** The newest that was tried. */
const newest = [1, 21] as const

/** The server's release. Rejects with `internal` when it is too old. */
export async function releaseOf(wire: Wire, log: Log): Promise<string> {
  const { pkgVersion: version } = expected(versionAnswer, await wire.get('/version'))
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (before([major, minor], oldest))
    throw new Failure('internal', `Meilisearch ${version} is too old: 1.16 is the oldest.`)
  const isUntried = before(newest, [major, minor])
  log[isUntried ? 'warn' : 'info']({ product: 'Meilisearch', version, isUntried }, 'engine.found')
  return version
}

const before = (a: readonly [number, number], b: readonly [number, number]): boolean =>
  a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])
