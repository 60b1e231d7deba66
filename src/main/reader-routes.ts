/** Decides which requests of a reader are answered here, and which by the process that writes. */

import type { FetchHandler } from '../http/app.ts'
import { pathOf } from '../http/context.ts'
import { BoundedCache } from '../workers/bounded-cache.ts'

/** Most paths that are remembered as unknown to the writer, and milliseconds for which they are. */
const [mostUnknown, unknownMs] = [10_000, 30_000]
/** Most questions to the writer about what was not found here, in a second. */
const mostQuestions = 50

/** Pages of people who are signed in or were invited, drafts, and previews of files, which need the files of the writer. */
const writerPaths =
  /^(?:\/[^/]+)?\/(?:sign-in|sign-out|desk|harvest|invitation|preview)(?:\/|$)|^\/[^/]+\/datasets\/[^/]+\/distributions\/|^\/api\/hub\/repo\/drafts\/|^\/api\/hub\/search\/.*\/findings$/

const sessionCookie = /(?:^|;\s*)(?:__Host-)?session=/

type RouteOptions = {
  /** Sends requests on to the writer. */
  readonly writer: FetchHandler
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

/** Puts the choice in front of a service; `reads` are its methods beside GET and HEAD that change nothing. */
export type ReaderRoutes = (local: FetchHandler, reads?: readonly string[]) => FetchHandler

/**
 * Makes the choice. The writer answers requests with a key or a session, because it knows accounts and its own writes; those that may
 * change something; and those for what is not found here, because it knows what was deleted.
 */
export function readerRoutes({ writer, now }: RouteOptions): ReaderRoutes {
  const unknown = new BoundedCache<number>('unknown-paths', mostUnknown)
  const mayAsk = perSecond(mostQuestions, now)
  const askWriter = async (
    request: Request,
    env: Parameters<FetchHandler['fetch']>[1],
    answer: Response,
  ): Promise<Response> => {
    const key = request.url
    const isKnown = unknown.get(key, (since) => now() - since < unknownMs) !== undefined
    if (isKnown || !mayAsk()) return answer
    const other = await writer.fetch(request, env)
    if (other.status !== 404 && other.status < 500) {
      await answer.body?.cancel()
      return other
    }
    if (other.status === 404) unknown.set(key, now())
    await other.body?.cancel()
    return answer
  }
  return (local, reads = []) => ({
    fetch: async (request, env) => {
      if (isForWriter(request, reads)) return writer.fetch(request, env)
      const answer = await local.fetch(request, env)
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      return answer.status === 404 && isRead ? askWriter(request, env, answer) : answer
    },
  })
}

function isForWriter({ method, headers, url }: Request, reads: readonly string[]): boolean {
  if (method !== 'GET' && method !== 'HEAD' && !reads.includes(method)) return true
  if (headers.has('X-API-Key') || headers.has('Authorization')) return true
  return sessionCookie.test(headers.get('Cookie') ?? '') || writerPaths.test(pathOf(url))
}

/** Permits something so many times in each second. */
function perSecond(most: number, now: () => number): () => boolean {
  let [second, count] = [-1, 0]
  return () => {
    const current = Math.floor(now() / 1000)
    if (current !== second) [second, count] = [current, 0]
    count += 1
    return count <= most
  }
}
