/** What a page was made from: while every service would answer the same, the page is the same and need not be made again. */

import type { Port, Ports } from './ports.ts'

type Source = {
  readonly port: Port
  readonly path: string
  readonly headers: Headers
  /** Of the answer, as soon as there is one. */
  status?: number
  tag?: string | undefined
}

export type PageSources = ReturnType<typeof pageSources>

export function pageSources(ports: Ports) {
  const sources: Source[] = []
  let isWhole = true
  const watched =
    (port: Port): Port =>
    async (path, init) => {
      const source: Source = { port, path, headers: new Headers(init?.headers) }
      sources.push(source)
      const answer = await port(path, init)
      source.status = answer.status
      source.tag = answer.headers.get('ETag') ?? undefined
      return answer
    }
  const isSame = async (source: Source, signal: AbortSignal) => {
    const { port, path, headers, status, tag } = source
    // What is not there has no tag: a dataset that nobody has measured.
    if (tag === undefined && status !== 404) return false
    const conditions = { ...Object.fromEntries(headers), 'If-None-Match': tag ?? '""' }
    const answer = await port(path, { headers: conditions, signal })
    await answer.body?.cancel()
    return answer.status === (tag === undefined ? 404 : 304)
  }
  return {
    /** The services, as the page asks them. */
    ports: {
      ...ports,
      search: watched(ports.search),
      repository: watched(ports.repository),
      metrics: watched(ports.metrics),
      sparql: watched(ports.sparql),
    },
    /** Says that a part of the page is missing. */
    miss: (): undefined => {
      isWhole = false
      return undefined
    },
    /** Whether the page is whole, and the services say that nothing it shows has changed (`If-None-Match`). */
    isUnchanged: async (signal: AbortSignal): Promise<boolean> => {
      if (!isWhole || sources.length === 0) return false
      // One after another: where the first has changed, nobody else is asked for nothing.
      for (const source of sources)
        if (!(await isSame(source, signal).catch(() => false))) return false
      return true
    },
  }
}
