/** OpenSearch with nodes that die: no answer with too few hits, no removal undone, and other addresses are used. */

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { logger } from '../../../src/log.ts'
import { opensearchIndex } from '../../../src/search-index/opensearch/opensearch-index.ts'
import type { SearchIndex } from '../../../src/search-index/search-index.ts'
import { configured, documents, languages, request } from '../../contracts/search-index-corpus.ts'
import { freePort } from '../../support/engines/engine.ts'
import { ownOpensearch, type SearchCluster } from '../../support/engines/opensearch.ts'

const server = inject('opensearch')
const isKillable = 'own' in server && server.own

const pause = (ms: number, signal: AbortSignal) =>
  sleep(ms, undefined, { signal }).catch(() => undefined)

const open = (urls: readonly string[], more: { shards?: number; replicas?: number } = {}) =>
  opensearchIndex({
    urls,
    prefix: `fail${randomBytes(4).toString('hex')}_`,
    log: logger('silent'),
    languages,
    pause,
    now: () => performance.now(),
    cursors: { perClient: 16, total: 256, ttlMs: 60_000, bytes: 2 ** 28 },
    ...more,
  })

const countOf = async (index: SearchIndex) => (await index.search(request())).count
const datasets = documents.filter(({ index }) => index === 'dataset')

describe.skipIf(!isKillable)('one node', () => {
  let cluster: SearchCluster
  beforeAll(async () => {
    cluster = await ownOpensearch()
  })
  afterAll(() => cluster.stop())

  it('a second address is used where the first one does not answer', async () => {
    const away = `http://127.0.0.1:${await freePort()}`
    const index = await open([away, ...cluster.urls])
    await configured(index)
    await index.write(datasets.map((put) => ({ put })))
    for (let i = 0; i < 4; i++) expect(await countOf(index)).toBe(datasets.length)
    await index.close()
  })

  it('a removal outlives a restart of the engine', async () => {
    const index = await open(cluster.urls)
    await configured(index)
    const [first] = datasets
    await index.write([{ put: first! }])
    await index.write([{ remove: { index: 'dataset', id: first!.id, version: 5 } }])
    await cluster.nodes[0]!.kill()
    await expect(countOf(index)).rejects.toMatchObject({ kind: 'engine-unavailable' })
    await cluster.nodes[0]!.restart()
    await expect.poll(() => countOf(index).catch(String)).toBe(0)
    await index.write([{ put: { ...first!, version: 3 } }])
    expect(await countOf(index)).toBe(0)
    expect(await index.newestVersion()).toBe(5)
    await index.write([{ put: { ...first!, version: 6 } }])
    expect(await countOf(index)).toBe(1)
    await index.close()
  })
})

describe.skipIf(!isKillable)('three nodes', () => {
  let cluster: SearchCluster
  beforeAll(async () => {
    cluster = await ownOpensearch(3)
  })
  afterAll(() => cluster.stop())

  it('a search over shards that are away rejects, and a cursor is lost', async () => {
    const index = await open(cluster.urls.slice(0, 2), { shards: 3, replicas: 0 })
    await configured(index)
    await index.write(datasets.map((put) => ({ put })))
    const { offset: _, ...asked } = request({ limit: 2 })
    const cursor = await index.openCursor({ ...asked, client: 'me', note: '' })
    await cluster.nodes[2]!.kill()
    await expect
      .poll(() => countOf(index).catch(({ kind }: { kind: string }) => kind))
      .toBe('engine-unavailable')
    await expect(index.health()).rejects.toMatchObject({ kind: 'engine-unavailable' })
    await expect(index.readPage(cursor.cursor)).rejects.toMatchObject({ kind: 'unknown-cursor' })
    await cluster.nodes[2]!.restart()
    await expect.poll(() => countOf(index).catch(String)).toBe(datasets.length)
    await index.close()
  })

  it('with a copy of each shard the loss of a node changes no answer and loses no write', async () => {
    const index = await open(cluster.urls, { shards: 3, replicas: 1 })
    await configured(index)
    await index.write(datasets.map((put) => ({ put })))
    await cluster.nodes[1]!.kill()
    const acknowledged: string[] = []
    for (let i = 1; i <= 20; i++) {
      // A search may fail meanwhile, but has never too few hits.
      const least = datasets.length + acknowledged.length
      const count = await countOf(index).catch(({ kind }: { kind: string }) =>
        kind === 'engine-unavailable' ? least : Number.NaN,
      )
      expect(count).toBeGreaterThanOrEqual(least)
      expect(count).toBeLessThan(datasets.length + i)
      const put = { ...datasets[0]!, id: `more-${i}`, version: 10 + i }
      // A write that failed may have been carried out.
      await index.write([{ put }]).then(
        () => acknowledged.push(put.id),
        () => undefined,
      )
    }
    expect(acknowledged.length).toBeGreaterThan(0)
    await cluster.nodes[1]!.restart()
    await expect
      .poll(() => countOf(index).catch(() => 0))
      .toBeGreaterThanOrEqual(datasets.length + acknowledged.length)
    for (const id of acknowledged) expect(await index.get('dataset', id)).toBeDefined()
    await index.close()
  })
})
