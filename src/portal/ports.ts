/** How the portal reaches the services: by their public doors alone, in this process or over HTTP. */

import { Failure } from '../errors.ts'
import type { FetchHandler } from '../http/app.ts'
import { failureOfProblem } from '../http/problem.ts'
import { inOwnTurn } from '../workers/event-loop.ts'

/** A service: the path begins behind its address. Answers what the service answers. */
export type Port = (path: string, init?: PortInit) => Promise<Response>

/** `visitor` is the address of the reader for whom a page asks: services bound what one client may ask. */
type PortInit = RequestInit & { readonly visitor?: string }

export type Ports = {
  readonly search: Port
  readonly repository: Port
  readonly metrics: Port
  /** Quality reports of the metrics. */
  readonly reports: Port
  readonly sparql: Port
  /** Absent where nothing is validated. */
  readonly validation?: Port
  /** The same with the rights of the process, which may send more: for somebody who is signed in. */
  readonly stewardValidation?: Port
  /** The scheduler and the repository with the rights of the process, for what a session may; absent where they do not run. */
  readonly scheduler?: Port
  readonly repositoryAdmin?: Port
}

/** The services as a page asks them for a reader; their log lines carry the id of the request for the page. */
export function portsFor<Some extends Ports>(
  ports: Some,
  visitor: string,
  requestId: string,
): Some {
  const own = Object.entries(ports).map(([name, port]): [string, Port] => [
    name,
    (path, init) => {
      const headers = new Headers(init?.headers)
      headers.set('X-Request-Id', requestId)
      return port(path, { ...init, headers, visitor })
    },
  ])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries forgets the names
  return Object.fromEntries(own) as Some
}

type Door = Pick<FetchHandler, 'fetch'>

/** A service of this process, asked without a socket; `base` is its path. */
export const portInProcess =
  (app: Door, base: string): Port =>
  async (path, init) => {
    const request = new Request(`http://localhost${base}${path}`, init)
    const answer = await app.fetch(request, { visitor: init?.visitor })
    if (init?.signal?.aborted !== true) return answer
    // As over HTTP: whoever asks no longer gets the reason, not what the service says of it.
    await answer.body?.cancel()
    throw init.signal.reason
  }

/** The same service, asked with a key. */
export const portWithKey =
  (port: Port, key: () => string): Port =>
  (path, init) => {
    const headers = new Headers(init?.headers)
    headers.set('X-API-Key', key())
    return port(path, { ...init, headers })
  }

/** Says that a service does not answer: what breaks off is no answer either. Throws `store-unavailable`. */
const throwUnavailable = (cause: unknown): never => {
  throw new Failure('store-unavailable', 'A service does not answer.', { cause, retryAfter: 5 })
}

/** The answer of a service, whatever it is. Throws `store-unavailable` where there is none. */
export const askPort = (port: Port, path: string, init: RequestInit): Promise<Response> =>
  port(path, init).catch(throwUnavailable)

/**
 * What a service answers where it does not refuse: JSON read, all else as text. Throws the failure that it tells, and
 * `store-unavailable` where it does not answer in time. What a key would be needed for is not there for readers.
 */
export async function readAnswer(port: Port, path: string, init: RequestInit): Promise<unknown> {
  const headers = new Headers(init.headers)
  if (!headers.has('Accept')) headers.set('Accept', 'application/json')
  const answer = await askPort(port, path, { ...init, headers })
  if (answer.ok) {
    const isJson = answer.headers.get('Content-Type')?.includes('json') === true
    // A long answer comes in a turn of its own: the page that is made of it takes its time.
    const text = await inOwnTurn(await answer.text().catch(throwUnavailable))
    return isJson ? parseAnswer(text) : text
  }
  const failure = failureOfProblem(await answer.json().catch(() => undefined))
  if (!failure || answer.status >= 500) return throwUnavailable(failure)
  const isHidden = failure.kind === 'unauthorized' || failure.kind === 'forbidden'
  throw isHidden ? new Failure('not-found', failure.detail) : failure
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return throwUnavailable(error)
  }
}

type RecordedCall = {
  readonly port: Port
  readonly path: string
  readonly headers: Headers
  /** Of the answer, as soon as there is one. */
  status?: number
  tag?: string
}

/** The request for a page: when it ends, and its id. */
type PageRequest = { readonly signal: AbortSignal; readonly requestId: string }

export type PageSources = ReturnType<typeof pageSources>

/** Services as a page asks them: while all would answer the same, the page is the same and need not be made again. */
export function pageSources(ports: Ports) {
  const calls: RecordedCall[] = []
  let isComplete = true
  const recorded =
    (port: Port): Port =>
    async (path, init) => {
      const source: RecordedCall = { port, path, headers: new Headers(init?.headers) }
      calls.push(source)
      const answer = await port(path, init)
      source.status = answer.status
      source.tag = answer.headers.get('ETag') ?? undefined
      return answer
    }
  const isSame = async (source: RecordedCall, { signal, requestId }: PageRequest) => {
    const { port, path, headers, status, tag } = source
    // What is not there has no tag: a dataset that nobody has measured.
    if (tag === undefined && status !== 404) return false
    const conditions = new Headers(headers)
    conditions.set('If-None-Match', tag ?? '""')
    conditions.set('X-Request-Id', requestId)
    const answer = await port(path, { headers: conditions, signal })
    await answer.body?.cancel()
    return answer.status === (tag === undefined ? 404 : 304)
  }
  return {
    /** The services, as the page asks them. */
    ports: {
      ...ports,
      search: recorded(ports.search),
      repository: recorded(ports.repository),
      metrics: recorded(ports.metrics),
      reports: recorded(ports.reports),
      sparql: recorded(ports.sparql),
    },
    /** Says that a part of the page is missing. */
    onMissingPart: (): undefined => {
      isComplete = false
      return undefined
    },
    /** Whether the page is whole, and the services say that nothing it shows has changed (`If-None-Match`). */
    isUnchanged: async (reader: PageRequest): Promise<boolean> => {
      if (!isComplete || calls.length === 0) return false
      // One after another: where the first has changed, nobody else is asked for nothing.
      for (const source of calls)
        if (!(await isSame(source, reader).catch(() => false))) return false
      return true
    },
  }
}

/** Stands at the start of tables for people: without it spreadsheets take a file for one of an older encoding. */
export const byteOrderMark = '\ufeff'

/** The answer of a service as a table for people; a refusal stays as it is. */
export function withByteOrderMark(answer: Response): Response {
  const { body, ok, status } = answer
  if (!ok || !body) return answer
  const headers = new Headers(answer.headers)
  headers.delete('Content-Length')
  async function* withMark() {
    yield Buffer.from(byteOrderMark)
    yield* body ?? []
  }
  return new Response(ReadableStream.from(withMark()), { status, headers })
}
