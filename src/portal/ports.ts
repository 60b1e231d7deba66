/** Ports: functions by which the portal calls the public API of a service, in this process or over HTTP. */

import { Failure } from '../errors.ts'
import type { FetchHandler } from '../http/app.ts'
import { failureOfProblem } from '../http/problem.ts'
import { inOwnTurn } from '../workers/event-loop.ts'

/** Calls a service; `path` is below the address of the service. */
export type Port = (path: string, init?: PortInit) => Promise<Response>

/** `visitor` is the IP address of the reader for whom a page asks: services limit the requests of one client. */
type PortInit = RequestInit & { readonly visitor?: string }

/** Ports of all services that the portal uses. */
export type Ports = {
  readonly search: Port
  readonly repository: Port
  readonly metrics: Port
  /** The quality reports of the metrics. */
  readonly reports: Port
  readonly sparql: Port
  /** Absent where the platform does not validate. */
  readonly validation?: Port
  /** Validation with the key of the process, for which larger texts are permitted: for stewards who are signed in. */
  readonly stewardValidation?: Port
  /** Scheduler and repository with the key of the process, for actions that a session permits; absent where they do not run. */
  readonly scheduler?: Port
  readonly repositoryAdmin?: Port
  /** Search with the key of the process, for previews that a link permits. */
  readonly searchAdmin?: Port
  /**
   * Services with the key of the process and `Acting-For`: the service decides by the permissions of the person who is signed in,
   * and its log names the person.
   */
  readonly deskRepository?: Port
  readonly deskSearch?: Port
  readonly deskScheduler?: Port
}

/** Reader of a page: the IP address, and the id of the person who is signed in. */
type Reader = { readonly visitor: string; readonly person: string | undefined }

/** Ports that send the address of the reader, the person and the id of the request for the page with each call. */
export function portsFor<Some extends Ports>(
  ports: Some,
  { visitor, person }: Reader,
  requestId: string,
): Some {
  const entries = Object.entries(ports).map(([name, port]): [string, Port] => [
    name,
    (path, init) => {
      const headers = new Headers(init?.headers)
      headers.set('X-Request-Id', requestId)
      if (person !== undefined && name.startsWith('desk')) headers.set('Acting-For', person)
      return port(path, { ...init, headers, visitor })
    },
  ])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries forgets the names
  return Object.fromEntries(entries) as Some
}

/**
 * Port of a service in this process, which is called without a socket; `base` is the path of the service. Rejects with the
 * signal's reason.
 */
export const portInProcess =
  (app: FetchHandler, base: string): Port =>
  async (path, init) => {
    const request = new Request(`http://localhost${base}${path}`, init)
    const answer = await app.fetch(request, { visitor: init?.visitor })
    if (init?.signal?.aborted !== true) return answer
    // As over HTTP, an aborted call fails with the reason of its signal instead of the answer of the service.
    await answer.body?.cancel()
    throw init.signal.reason
  }

/** Port that sends an API key with each call. */
export const portWithKey =
  (port: Port, key: () => string): Port =>
  (path, init) => {
    const headers = new Headers(init?.headers)
    headers.set('X-API-Key', key())
    return port(path, { ...init, headers })
  }

/** Port that acts for the person of `Acting-For` with the key of the process. Rejects with `unauthorized` without a person. */
export const portActing = (port: Port, key: () => string): Port => {
  const withKey = portWithKey(port, key)
  return async (path, init) => {
    if (new Headers(init?.headers).has('Acting-For')) return withKey(path, init)
    throw new Failure('unauthorized', 'there is no session: sign in again')
  }
}

/** Throws `store-unavailable` for a service that gives no usable answer: none, a broken or invalid one, or a 5xx. */
const throwUnavailable = (cause: unknown): never => {
  throw new Failure('store-unavailable', 'A service does not answer.', { cause, retryAfter: 5 })
}

/** Calls a service and resolves with its answer of any status. Rejects with `store-unavailable` where there is none. */
export const askPort = (port: Port, path: string, init: RequestInit): Promise<Response> =>
  port(path, init).catch(throwUnavailable)

/**
 * Calls a service and reads its answer: parsed JSON, or any other content as text. Rejects with the failure of its problem
 * document, with `store-unavailable` for a 5xx other than `store-full`, an invalid answer or none in time, and with `not-found`
 * where a key would be needed.
 */
export async function readAnswer(port: Port, path: string, init: RequestInit): Promise<unknown> {
  const headers = new Headers(init.headers)
  if (!headers.has('Accept')) headers.set('Accept', 'application/json')
  const answer = await askPort(port, path, { ...init, headers })
  // A write that changes nothing is 304.
  if (answer.ok || answer.status === 304) {
    const isJson = answer.headers.get('Content-Type')?.includes('json') === true
    // A page that is made of a long answer takes long, so it starts in a turn of the event loop of its own.
    const text = await inOwnTurn(await answer.text().catch(throwUnavailable))
    return isJson ? parseAnswer(text) : text
  }
  const failure = failureOfProblem(await answer.json().catch(() => undefined))
  if (!failure || (answer.status >= 500 && failure.kind !== 'store-full'))
    return throwUnavailable(failure)
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
  /** Status of the answer; absent before there is one. */
  status?: number
  /** Entity tag of the answer; absent where it has none. */
  tag?: string
}

/** Signal and id of the request for a page. */
type PageRequest = { readonly signal: AbortSignal; readonly requestId: string }

/** Ports that record the calls of a page, as `pageSources` makes them. */
export type PageSources = ReturnType<typeof pageSources>

/**
 * Records which answers a page was made of. While the services confirm that these have not changed, the page need not be made
 * again.
 */
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
    // A 404 has no entity tag; a dataset without measurements is such a case.
    if (tag === undefined && status !== 404) return false
    const conditions = new Headers(headers)
    conditions.set('If-None-Match', tag ?? '""')
    conditions.set('X-Request-Id', requestId)
    const answer = await port(path, { headers: conditions, signal })
    await answer.body?.cancel()
    return answer.status === (tag === undefined ? 404 : 304)
  }
  return {
    /** Ports for the page; those of public services record each call. */
    ports: {
      ...ports,
      search: recorded(ports.search),
      repository: recorded(ports.repository),
      metrics: recorded(ports.metrics),
      reports: recorded(ports.reports),
      sparql: recorded(ports.sparql),
    },
    /** Notes that a part of the page is missing: such a page is always made again. */
    onMissingPart: (): undefined => {
      isComplete = false
      return undefined
    },
    /**
     * Whether the page has all its parts and no answer that it was made of has changed; asks the services with `If-None-Match`.
     */
    isUnchanged: async (reader: PageRequest): Promise<boolean> => {
      if (!isComplete || calls.length === 0) return false
      // In sequence: after the first changed answer no further service has to be asked.
      for (const source of calls)
        if (!(await isSame(source, reader).catch(() => false))) return false
      return true
    },
  }
}

/** First character of CSV files for people: without it spreadsheets read a file in an older encoding. */
export const byteOrderMark = '\ufeff'

/** Puts a byte order mark before the body of an answer; one with an error status stays as it is. */
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
