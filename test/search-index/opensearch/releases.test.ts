/** Servers that answer as OpenSearch and others do: which are used, and what is said of the others. */

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logger } from '../../../src/log.ts'
import { opensearchIndex } from '../../../src/search-index/opensearch/opensearch-index.ts'

describe('a server that says what it is', () => {
  let server: Server
  let url: string
  let answer: { readonly status?: number; readonly body: string }
  beforeAll(async () => {
    server = createServer((_, response) => {
      response.writeHead(answer.status ?? 200, { 'Content-Type': 'application/json' })
      response.end(answer.body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  /** Opens the engine and answers what went wrong, or the events of the log. */
  const opened = async (body: unknown): Promise<string> => {
    answer = { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const lines: string[] = []
    const log = logger('info', { write: (line) => void lines.push(line) })
    try {
      const index = await opensearchIndex({
        urls: [url],
        prefix: 'releases_',
        log,
        pause: () => Promise.resolve(),
        now: () => performance.now(),
        cursors: { perClient: 1, total: 1, ttlMs: 1000, bytes: 1000 },
      })
      const detail = await index.configure([]).then(
        () => '',
        (error: { readonly detail?: string }) => error.detail ?? String(error),
      )
      await index.close()
      return detail + lines.join('')
    } catch (error) {
      return (error as { readonly detail?: string }).detail ?? String(error)
    }
  }
  const version = (number: string, distribution?: string) => ({
    name: 'node',
    version: { number, ...(distribution !== undefined && { distribution }) },
  })

  it.each([
    ['OpenSearch 1', version('1.3.20', 'opensearch'), /1\.3\.20.*2\.4/],
    ['OpenSearch 2.3', version('2.3.0', 'opensearch'), /2\.3\.0.*2\.4/],
    ['Elasticsearch 7', version('7.17.28'), /Elasticsearch 7\.17\.28.*OpenSearch/],
    ['Elasticsearch 8', version('8.19.2'), /Elasticsearch 8\.19\.2.*OpenSearch/],
    ['Elasticsearch 9', { ...version('9.1.0'), tagline: 'You Know' }, /Elasticsearch 9\.1\.0/],
    ['another server', { hello: 'world' }, /is no OpenSearch/],
    ['a web page', '<html>It works</html>', /not JSON/],
    ['a number that is none', version('next', 'opensearch'), /next/],
  ])('%s is refused in words that name it', async (_, body, words) => {
    expect(await opened(body)).toMatch(words)
  })

  it.each(['2.4.0', '2.19.1', '3.3.2', '10.0.0'])('OpenSearch %s is used', async (number) => {
    expect(await opened(version(number, 'opensearch'))).toContain('engine.found')
  })
})
