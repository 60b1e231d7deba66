/** A platform beside OpenSearch that lacks copies or shards, has a full disk, or refuses calls: what it answers, says and loses. */

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { logger } from '../../../src/log.ts'
import { opensearchIndex } from '../../../src/search-index/opensearch/opensearch-index.ts'
import { configured, documents, languages, request } from '../../contracts/search-index-corpus.ts'
import { ownOpensearch, type SearchCluster } from '../../support/engines/opensearch.ts'
import {
  type OwnAnswer,
  refusingProxy,
  type RefusingProxy,
} from '../../support/engines/refusing-proxy.ts'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'

const server = inject('opensearch')
const isKillable = 'own' in server && server.own
const dataset = (title: string) => `${prefixes}<> a dcat:Dataset ; dct:title "Gauge ${title}"@en .`
const indices = 'cartulary_*'

type Health = {
  readonly status: string
  readonly pending: number
  readonly index: Readonly<Record<string, unknown>>
}

describe.skipIf(!isKillable)('a platform beside OpenSearch', () => {
  let cluster: SearchCluster
  let proxy: RefusingProxy
  let directory: string
  let platform: Gateway
  let api: ReturnType<typeof client>
  beforeAll(async () => {
    cluster = await ownOpensearch()
    proxy = await refusingProxy(cluster.urls[0]!)
    directory = await temporaryDirectory()
    platform = await gateway(directory, {
      // One node has no place for the copies.
      PLATFORM_SEARCH_ENGINE_CONFIG: JSON.stringify({
        engine: 'opensearch',
        urls: [proxy.url],
        replicas: 1,
      }),
      PLATFORM_HUB_SHELL_CONFIG: '{"http":{}}',
      PLATFORM_LIMITS: '{"waitMs":60000,"requestMs":200000}',
      PLATFORM_LOG_LEVEL: 'info',
      PLATFORM_LOG_FORMAT: 'json',
    })
    api = client(platform)
    await api.put('/catalogues/c', `${prefixes}<> a dcat:Catalog ; dct:title "C"@en .`)
    await api.putDataset('c', 'first', dataset('first'))
    await eventually(async () => (await hits()) === 1)
  })
  beforeEach(() => {
    proxy.refuse = () => undefined
  })
  afterAll(async () => {
    await platform?.stop()
    await proxy?.stop()
    await cluster?.stop()
    await remove(directory)
  })
  let questions = 0
  // Each is another one, because the platform keeps answers.
  const asked = () => fetch(`${api.search}/search?q=gauge+OR+x${questions++}&filters=dataset`)
  const hits = async () => {
    const answer = await asked()
    const body = (await answer.json()) as { result?: { count: number } }
    return body.result?.count ?? answer.status
  }
  const health = async () => (await (await fetch(`${platform.url}/health`)).json()) as Health
  const node = async (method: string, path: string, body?: object) => {
    const headers = { 'Content-Type': 'application/json' }
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const answer = await fetch(`${cluster.urls[0]}${path}`, sent)
    if (!answer.ok) throw new Error(await answer.text())
  }
  const said = async (line: string) => {
    const headers = { 'X-API-Key': platform.key, 'Content-Type': 'text/plain' }
    return (
      await fetch(`${platform.url}/shell/exec`, { method: 'POST', headers, body: line })
    ).text()
  }
  const lines = (event: string) =>
    platform
      .log()
      .split('\n')
      .filter((line) => line.includes(`"event":"${event}"`))
  const scraped = async (start: string) =>
    (await (await fetch(`${platform.url}/metrics`)).text())
      .split('\n')
      .find((line) => line.startsWith(`${start} `))
      ?.slice(start.length + 1)
  const caughtUp = async () => {
    await expect.poll(async () => (await health()).pending).toBe(0)
    expect(await said('reconcile --dry-run')).toContain('drift 0')
  }
  const problem = async (answer: Response) => [
    answer.status,
    Number(answer.headers.get('Retry-After')),
    await answer.json(),
  ]
  const unavailable = (detail: string) =>
    expect.objectContaining({
      type: 'urn:cartulary:problem:engine-unavailable',
      detail: expect.stringContaining(detail),
    })

  it('without the copies it is up, and says how many are missing', async () => {
    expect(await hits()).toBe(1)
    const { status, index } = await health()
    expect([status, index]).toMatchObject(['up', { ready: true, cluster: { status: 'yellow' } }])
    const { unassigned } = index['cluster'] as { unassigned: number }
    expect(unassigned).toBeGreaterThan(0)
    expect(index['details']).toEqual([
      `The search engine has all records, but not all copies of them: no node has ${unassigned} copies of shards, and 0 are being made.`,
    ])
    expect(await said('status')).toContain('not all copies')
    expect(await scraped('cartulary_engine_unassigned_shards')).toBe(String(unassigned))
    expect(await scraped('cartulary_engine_cluster_status{status="yellow"}')).toBe('1')
    expect(await scraped('cartulary_engine_cluster_status{status="red"}')).toBe('0')
  })

  it('without a shard it answers searches with 503 and when to try again, and is ready when it is back', async () => {
    const nowhere = { 'index.routing.allocation.require._name': 'nowhere' }
    await node('PUT', `/${indices}/_settings`, nowhere)
    await node('POST', `/${indices}/_close`)
    await node('POST', `/${indices}/_open?wait_for_active_shards=0`)
    const [status, retryAfter] = await problem(await asked())
    expect([status, retryAfter]).toEqual([503, 2])
    expect(await health()).toMatchObject({
      status: 'degraded',
      index: {
        ready: false,
        cluster: { status: 'red' },
        details: [expect.stringMatching(/^\d+ of the \d+ shards of the search engine are away/)],
      },
    })
    expect((await fetch(`${platform.url}/health/ready`)).status).toBe(200)
    expect(await scraped('cartulary_engine_cluster_status{status="red"}')).toBe('1')
    expect((await api.putDataset('c', 'red', dataset('red'))).status).toBe(201)
    await node('PUT', `/${indices}/_settings`, { 'index.routing.allocation.require._name': null })
    await expect.poll(hits).toBe(2)
    await expect.poll(async () => (await health()).status).toBe('up')
    await caughtUp()
  })

  it('says that the disk is full, once, and writes what it missed when there is room', async () => {
    const block = (isSet: true | null) =>
      node('PUT', `/${indices}/_settings`, { 'index.blocks.read_only_allow_delete': isSet })
    await block(true)
    const written = await api.putDataset('c', 'full', dataset('full'))
    expect([written.status, written.headers.get('Index-Status')]).toEqual([201, 'pending'])
    await expect
      .poll(health)
      .toMatchObject({ status: 'degraded', index: { ready: true, writes: false } })
    const { index } = await health()
    expect(index['reason']).toBe('disk-full')
    expect(index['details']).toContain(
      'The disk of the search engine is full. It takes no writes until there is room on it; waiting does not help.',
    )
    expect(await scraped('cartulary_engine_writable')).toBe('0')
    expect(await hits()).toBe(2)
    const refused = async () =>
      Number(await scraped('cartulary_engine_refusals_total{reason="disk-full"}'))
    await expect.poll(refused).toBeGreaterThan(2)
    expect(lines('engine.blocked')).toEqual([expect.stringContaining('"detail":"The disk of the')])
    await block(null)
    await expect.poll(hits).toBe(3)
    await expect.poll(async () => (await health()).status).toBe('up')
    expect(await scraped('cartulary_engine_writable')).toBe('1')
    expect(lines('engine.writable')).toHaveLength(1)
    await caughtUp()
  })

  const error = (type: string, reason: string) => ({ type, reason })
  const breaker = error('circuit_breaking_exception', '[parent] Data too large')
  const rejected = error(
    'rejected_execution_exception',
    'rejected execution of coordinating operation',
  )
  const overloads: readonly (readonly [string, OwnAnswer, OwnAnswer])[] = [
    [
      'a node whose memory is used up',
      { status: 429, body: { error: { ...breaker, root_cause: [breaker] }, status: 429 } },
      { status: 429, body: { error: { ...rejected, root_cause: [rejected] }, status: 429 } },
    ],
    [
      'items that are refused',
      {
        status: 200,
        body: { responses: [{ status: 429, error: { ...rejected, root_cause: [] } }] },
      },
      { status: 200, body: { errors: true, items: [{ index: { status: 429, error: rejected } }] } },
    ],
    [
      'a proxy that says when to come back',
      { status: 429, headers: { 'Retry-After': '3' }, body: 'too many requests' },
      { status: 429, headers: { 'Retry-After': '3' }, body: 'too many requests' },
    ],
  ]

  it.each(overloads)('loses nothing to %s, and does not press', async (name, search, bulk) => {
    const before = await hits()
    const calls: number[] = []
    proxy.refuse = ({ path }) => {
      if (path.startsWith('/_bulk')) calls.push(performance.now())
      return path.startsWith('/_bulk') ? bulk : /_m?search/.test(path) ? search : undefined
    }
    const asking = search.headers ? 3 : 2
    expect(await problem(await asked())).toEqual([503, asking, unavailable('overloaded')])
    for (const n of [1, 2, 3]) {
      const written = await api.putDataset('c', `${name} ${n}`, dataset(`${name} ${n}`))
      expect([written.status, written.headers.get('Index-Status')]).toEqual([201, 'pending'])
    }
    await expect.poll(() => calls.length).toBeGreaterThan(bulk.headers ? 1 : 4)
    const pauses = calls.slice(1).map((at, n) => at - calls[n]!)
    // From 100 ms on each pause is twice as long as the one before.
    const least = bulk.headers ? 2_900 : 100 * 2 ** (pauses.length - 1) * 0.9
    expect(pauses.at(-1)).toBeGreaterThan(least)
    proxy.refuse = () => undefined
    await expect.poll(hits).toBe(before + 3)
    await caughtUp()
  })
})

describe.skipIf(!isKillable)('a node that has lost the two others', () => {
  let cluster: SearchCluster
  beforeAll(async () => {
    cluster = await ownOpensearch(3)
  })
  afterAll(() => cluster?.stop())

  it('is not ready, although it has a copy of each shard, until one is back', async () => {
    const [, second, third] = cluster.nodes
    const index = await opensearchIndex({
      urls: cluster.urls.slice(0, 1),
      prefix: 'alone_',
      replicas: 2,
      log: logger('silent'),
      languages,
      pause: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
      now: () => performance.now(),
      cursors: { perClient: 16, total: 256, ttlMs: 60_000, bytes: 2 ** 28 },
    })
    await configured(index)
    await index.write(documents.map((put) => ({ put })))
    await expect
      .poll(async () => (await index.health(), index.facts?.().cluster?.status))
      .toBe('green')
    await second?.kill()
    const status = () =>
      index.health().then(
        () => index.facts?.().cluster,
        ({ detail }: { detail: string }) => detail,
      )
    // With two nodes of three there are still a cluster manager and all documents.
    await expect.poll(status).toEqual({ status: 'yellow', unassigned: expect.any(Number) })
    await third?.kill()
    await expect
      .poll(status)
      .toBe('The nodes of the search engine that answer have no cluster manager.')
    expect(index.facts?.().cluster?.status).toBe('red')
    await expect(index.write([{ put: { ...documents[0]!, version: 9 } }])).rejects.toMatchObject({
      kind: 'engine-unavailable',
    })
    await second?.restart()
    await expect.poll(status).toMatchObject({ status: 'yellow' })
    expect((await index.search(request())).count).toBeGreaterThan(0)
    await index.close()
    // A node needs most of a minute to come back on a busy machine.
  }, 300_000)
})
