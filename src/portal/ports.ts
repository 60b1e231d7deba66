/** How the portal reaches the services: by their public doors alone, in this process or over HTTP. */

import { Failure } from '../errors.ts'
import { failureIn } from '../http/problem.ts'

/** A service: the path begins behind its address. Answers what the service answers. */
export type Port = (path: string, init?: RequestInit) => Promise<Response>

export type Ports = {
  readonly search: Port
  readonly repository: Port
  readonly metrics: Port
  readonly sparql: Port
  /** Absent where nothing is validated. */
  readonly validation?: Port
  /** The scheduler and the repository with the rights of the process, for what a session may; absent where they do not run. */
  readonly scheduler?: Port
  readonly keeper?: Port
}

type Door = { fetch(request: Request): Response | Promise<Response> }

/** A service of this process, asked without a socket; `base` is its path. */
export const portInProcess =
  (app: Door, base: string): Port =>
  async (path, init) => {
    const answer = await app.fetch(new Request(`http://localhost${base}${path}`, init))
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
const away = (cause: unknown): never => {
  throw new Failure('store-unavailable', 'A service does not answer.', { cause, retryAfter: 5 })
}

/** The answer of a service, whatever it is. Throws `store-unavailable` where there is none. */
export const askPort = (port: Port, path: string, init: RequestInit): Promise<Response> =>
  port(path, init).catch(away)

/**
 * What a service answers where it does not refuse: JSON read, all else as text. Throws the failure that it tells, and
 * `store-unavailable` where it does not answer in time. What a key would be needed for is not there for readers.
 */
export async function answerOf(port: Port, path: string, init: RequestInit): Promise<unknown> {
  const headers = new Headers(init.headers)
  if (!headers.has('Accept')) headers.set('Accept', 'application/json')
  const answer = await askPort(port, path, { ...init, headers })
  if (answer.ok) {
    const isJson = answer.headers.get('Content-Type')?.includes('json') === true
    return (isJson ? answer.json() : answer.text()).catch(away)
  }
  const failure = failureIn(await answer.json().catch(() => undefined))
  if (!failure || answer.status >= 500) return away(failure)
  const isHidden = failure.kind === 'unauthorized' || failure.kind === 'forbidden'
  throw isHidden ? new Failure('not-found', failure.detail) : failure
}
