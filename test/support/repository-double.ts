/** A repository that only remembers, and misbehaves on demand. For tests of those who write to one. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { bulkParts, type BulkPart } from './bulk-parts.ts'

type Put = {
  readonly catalogue: string
  /** Absent for the catalogue itself, and for many datasets at once. */
  readonly originalId: string | undefined
  /** The datasets of a bulk request, in the order of the body. */
  readonly many?: readonly BulkPart[]
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
  /** Whether it takes many datasets at once; `misread` = it does and answers something that does not fit. */
  readonly bulk?: boolean | 'misread'
  /** What is said about single datasets of many, instead of taking them. */
  readonly refuse?: (originalId: string) => { status: number; problem?: object } | undefined
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

/** What the IRIs of the double's resources begin with. */
const platform = 'http://platform.example/'

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

  const acceptMany = (put: Put, many: readonly BulkPart[]): object[] => {
    const verdicts = many.map(({ originalId, body }) => {
      const refusal = options.refuse?.(originalId)
      return { originalId, ...(refusal ?? { status: accept({ ...put, originalId, body }) }) }
    })
    return options.bulk === 'misread' ? verdicts.slice(1) : verdicts
  }

  const list = () => {
    if (options.bulk === undefined) return { status: 404 }
    return {
      status: 200,
      json: [...catalogues.keys()].map((id) => `${platform}id/catalogue/${id}`),
    }
  }

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', 'http://double')
    const catalogue = /^\/repo\/catalogues\/([^/]+)/.exec(url.pathname)?.[1] ?? ''
    const originalId = url.searchParams.get('originalId') ?? undefined
    if (request.method === 'HEAD')
      return answer(response, { status: catalogues.has(catalogue) ? 200 : 404 })
    if (request.method === 'GET') return answer(response, list())
    if (request.headers['x-api-key'] !== doubleKey) return answer(response, { status: 401 })
    let body = ''
    request.setEncoding('utf8')
    for await (const part of request) body += String(part)
    const many = url.pathname.endsWith('/datasets/bulk') ? bulkParts(body, platform) : undefined
    if (many && options.bulk === undefined) return answer(response, { status: 404 })
    const put = { catalogue, originalId, body, headers: request.headers, ...(many && { many }) }
    puts.push(put)
    const name = `${catalogue}/${originalId ?? (many ? many[0]?.originalId : '')}`
    const attempt = (attempts.get(name) ?? 0) + 1
    attempts.set(name, attempt)
    const mischief = await options.mischief?.(put, attempt)
    if (mischief === 'reset') return request.socket.destroy()
    if (mischief === 'silence') return undefined
    if (mischief) return answer(response, mischief)
    const status = many ? 200 : accept(put)
    return answer(response, many ? { status, json: acceptMany(put, many) } : { status })
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

type Answer = Exclude<Mischief, string> & { readonly json?: unknown }

function answer(response: ServerResponse, { status, problem, json, retryAfter }: Answer): void {
  const told = json ?? problem
  if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter)
  if (problem) response.setHeader('Content-Type', 'application/problem+json')
  response.writeHead(status).end(told === undefined ? undefined : JSON.stringify(told))
}
