/** What the client of OpenSearch makes of other products, and of nodes that refuse. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../../src/errors.ts'
import { logger } from '../../../src/log.ts'
import {
  type ClusterClient,
  connectCluster,
} from '../../../src/search-index/opensearch/cluster-client.ts'
import { clusterRelease } from '../../../src/search-index/opensearch/cluster-release.ts'
import { json, server, type Told } from '../meilisearch/wire/server.ts'

let node: Told
let client: ClusterClient
const log = logger('silent')
beforeEach(async () => {
  node = await server()
  const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal })
  const now = () => performance.now()
  client = connectCluster({ urls: [node.url], log, now, pause, callMs: 5000 })
})
afterEach(async () => {
  client.close()
  await node.close()
})

const failure = async (call: Promise<unknown>): Promise<Failure> => {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof Failure) return error
  throw new Error(`no failure: ${String(error)}`)
}

describe('the start', () => {
  it.each([
    [
      { number: '8.19.2' },
      'Elasticsearch 8.19.2, which is not supported: use OpenSearch from 2.4 on',
    ],
    [{ number: '7.17.28' }, 'Elasticsearch 7.17.28, which is not supported'],
    [{ number: '1.3.20', distribution: 'opensearch' }, 'OpenSearch 1.3.20 is too old'],
    [{ number: 'next', distribution: 'opensearch' }, 'OpenSearch next is too old'],
    [{ number: '1.0.0', distribution: 'other' }, 'other 1.0.0, which is not supported'],
    [
      { number: '2.3.0', distribution: 'opensearch' },
      'OpenSearch 2.3.0 is too old: 2.4 is the oldest',
    ],
  ])('with %o is refused, and says why', async (version, sentence) => {
    node.answer = json({ tagline: 'You Know, for Search', version })
    const { kind, detail } = await failure(clusterRelease(client, log))
    expect([kind, detail]).toEqual(['internal', expect.stringContaining(sentence)])
  })

  it.each([
    ['application/json', '{}', 'The search engine is no OpenSearch.'],
    ['application/json', '<html>', 'The search engine sent an answer that is not JSON.'],
    ['text/html', '<html>It works</html>', 'The search engine is no OpenSearch.'],
  ])('with an answer of %s that is %s waits for another', async (type, body, sentence) => {
    node.answer = (_, response) => void response.writeHead(200, { 'content-type': type }).end(body)
    const { kind, detail } = await failure(clusterRelease(client, log))
    expect([kind, detail]).toEqual(['engine-unavailable', sentence])
  })

  it('with a newer release is tried', async () => {
    node.answer = json({ version: { number: '3.3.2', distribution: 'opensearch' } })
    expect(await clusterRelease(client, log)).toBe('3.3.2')
  })
})

describe('a node that refuses', () => {
  const blocked = (status: number, reason: string) =>
    json({ error: { type: 'cluster_block_exception', reason, root_cause: [] }, status }, status)
  const typed = (status: number, type: string) => {
    const error = { type, reason: 'Data too large' }
    const outer = { type: 'search_phase_execution_exception', reason: 'all shards failed' }
    return json({ error: { ...outer, root_cause: [error] }, status }, status)
  }
  const asked = () => failure(client.call({ method: 'POST', path: '/_search', body: {} }))

  it.each([
    ['overloaded', typed(429, 'rejected_execution_exception')],
    ['overloaded', typed(429, 'circuit_breaking_exception')],
    ['overloaded', typed(503, 'circuit_breaking_exception')],
    [
      'disk of the search engine is full',
      blocked(
        429,
        'index [a] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block];',
      ),
    ],
    [
      'disk of the search engine is full',
      blocked(403, 'blocked by: [FORBIDDEN/12/index read-only-allow-delete block];'),
    ],
    ['set to read-only', blocked(403, 'index [a] blocked by: [FORBIDDEN/8/index write (api)];')],
    ['does not allow the call', json({ error: { type: 'security_exception' } }, 403)],
  ])('is %s', async (sentence, answer) => {
    node.answer = answer
    const { kind, detail, retryAfter, pauseMs } = await asked()
    expect([kind, retryAfter, pauseMs]).toEqual(['engine-unavailable', 2, 0])
    expect(detail).toContain(sentence)
    expect(detail).not.toContain('[a]')
  })

  it.each([
    [60_000_000, 'internal', 'A record is too large for the search engine.'],
    [20_000_000, 'engine-unavailable', 'The search engine is overloaded.'],
  ])('for %i bytes where it takes 53,687,091 is %s', async (bytes, kind, sentence) => {
    const sizes = `replica_bytes=0, all_bytes=40000000, coordinating_operation_bytes=${bytes}, max_coordinating_and_primary_bytes=53687091`
    const reason = `rejected execution of coordinating operation [coordinating_and_primary_bytes=40000000, ${sizes}]`
    node.answer = json({ error: { type: 'rejected_execution_exception', reason } }, 429)
    const failed = await asked()
    expect([failed.kind, failed.detail]).toEqual([kind, sentence])
  })

  it.each([
    [404, 'search_context_missing_exception'],
    [404, 'illegal_index_shard_state_exception'],
    [500, 'already_closed_exception'],
    [500, 'receive_timeout_transport_exception'],
    [500, 'node_closed_exception'],
  ])('as it comes or goes (%d %s) is away', async (status, type) => {
    node.answer = typed(status, type)
    expect(await asked()).toMatchObject({ kind: 'engine-unavailable', retryAfter: 2 })
  })

  it('for another reason is away, which needs no longer pauses', async () => {
    node.answer = blocked(503, 'blocked by: [SERVICE_UNAVAILABLE/1/state not recovered];')
    const { kind, retryAfter, pauseMs } = await asked()
    expect([kind, retryAfter, pauseMs]).toEqual(['engine-unavailable', 2, undefined])
  })
})
