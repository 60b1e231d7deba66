/** A repository that only remembers, and misbehaves on demand. For tests of those who write to one. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

type Put = {
  readonly catalogue: string
  /** Absent for the catalogue itself. */
  readonly originalId: string | undefined
  readonly body: string
  readonly headers: IncomingMessage['headers']
}

/** What happens to one request instead of an answer. */
type Mischief =
  | { readonly status: number; readonly problem?: object; readonly retryAfter?: string }
  | 'reset'
  | 'silence'

export type DoubleOptions = {
  /** Asked before every PUT with how often this very resource was asked for (1 = first); `undefined` = behave. */
  readonly mischief?: (
    put: Put,
    attempt: number,
  ) => Mischief | undefined | Promise<Mischief | undefined>
  readonly catalogues?: readonly string[]
}

export type RepositoryDouble = {
  readonly service: string
  /** Every PUT that arrived whole, also those that were then mistreated. */
  readonly puts: readonly Put[]
  /** `catalogue/originalId` → body, of those that were accepted. */
  readonly datasets: ReadonlyMap<string, string>
  readonly catalogues: ReadonlyMap<string, string>
  /** Requests that were in the house at the same time, at most. */
  readonly most: () => number
  readonly close: () => Promise<void>
}

/** The key that the double knows. */
export const doubleKey = 'a-key-for-tests'

/** Starts on a free port of the loopback. */
export async function repositoryDouble(options: DoubleOptions = {}): Promise<RepositoryDouble> {
  const catalogues = new Map((options.catalogues ?? []).map((id) => [id, '']))
  const datasets = new Map<string, string>()
  const puts: Put[] = []
  const attempts = new Map<string, number>()
  let inside = 0
  let most = 0

  const accept = (put: Put): number => {
    const { catalogue, originalId, body } = put
    if (originalId === undefined) {
      const isKnown = catalogues.has(catalogue)
      if (isKnown && put.headers['if-none-match'] === '*') return 412
      catalogues.set(catalogue, body)
      return isKnown ? 204 : 201
    }
    if (!catalogues.has(catalogue)) return 404
    const key = `${catalogue}/${originalId}`
    const known = datasets.get(key)
    datasets.set(key, body)
    return known === undefined ? 201 : known === body ? 304 : 204
  }

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', 'http://double')
    const catalogue = /^\/repo\/catalogues\/([^/]+)/.exec(url.pathname)?.[1] ?? ''
    const originalId = url.searchParams.get('originalId') ?? undefined
    if (request.headers['x-api-key'] !== doubleKey) return answer(response, { status: 401 })
    if (request.method === 'HEAD')
      return answer(response, { status: catalogues.has(catalogue) ? 200 : 404 })
    let body = ''
    request.setEncoding('utf8')
    for await (const part of request) body += String(part)
    const put = { catalogue, originalId, body, headers: request.headers }
    puts.push(put)
    const name = `${catalogue}/${originalId ?? ''}`
    const attempt = (attempts.get(name) ?? 0) + 1
    attempts.set(name, attempt)
    const mischief = await options.mischief?.(put, attempt)
    if (mischief === 'reset') return request.socket.destroy()
    if (mischief === 'silence') return undefined
    return answer(response, mischief ?? { status: accept(put) })
  }

  const server = createServer((request, response) => {
    inside += 1
    most = Math.max(most, inside)
    response.on('close', () => (inside -= 1))
    void serve(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    service: `http://127.0.0.1:${port}/repo`,
    puts,
    datasets,
    catalogues,
    most: () => most,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function answer(response: ServerResponse, what: Exclude<Mischief, string>): void {
  const { status, problem, retryAfter } = what
  if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter)
  if (problem) response.setHeader('Content-Type', 'application/problem+json')
  response.writeHead(status).end(problem ? JSON.stringify(problem) : undefined)
}
