/** OpenSearch with nodes that die: no answer with too few hits, no removal undone, and other addresses are used. */

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { logger } from '../../../src/log.ts'
import { opensearchIndex } from '../../../src/search-index/opensearch/opensearch-index.ts'
import type { Page, SearchIndex } from '../../../src/search-index/search-index.ts'
import { configured, languages, request } from '../../contracts/search-index-corpus.ts'
import { outageContract } from '../../contracts/search-index-outages.ts'
import { seededRandom } from '../../journeys/kill/seeded-random.ts'
import { freePort } from '../../support/engines/engine.ts'
import { ownOpensearch, type SearchCluster } from '../../support/engines/opensearch.ts'
import { SteadyLoad } from './steady-load.ts'

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

/** By hand: `KILL_ROUNDS=30`; `KILL_SEED` runs a failure again. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 2)
const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 100_000)

/** What happens to which node in a round: each node dies, is stopped and ends in turn. Every other time it is stopped until the others miss it. */
function strikeOf(round: number) {
  const how = (['SIGKILL', 'SIGSTOP', 'SIGTERM'] as const)[round % 3] ?? 'SIGKILL'
  const node = (round + Math.floor(round / 3)) % 3
  return { round, how, node, awayMs: how === 'SIGSTOP' && round % 2 === 0 ? 50_000 : 6_000 }
}

const countOf = async (index: SearchIndex) => (await index.search(request())).count

describe.skipIf(!isKillable)('three nodes', () => {
  let cluster: SearchCluster
  beforeAll(async () => {
    cluster = await ownOpensearch(3)
  })
  afterAll(() => cluster.stop())

  const made = async (urls = cluster.urls, sharding = {}) => {
    const index = await open(urls, sharding)
    return { index, release: () => index.close() }
  }
  outageContract('OpenSearch', {
    restart: async () => {
      const engine = await made()
      const restart = async () => {
        await Promise.all(cluster.nodes.map((node) => node.kill()))
        await expect(countOf(engine.index)).rejects.toMatchObject({ kind: 'engine-unavailable' })
        await Promise.all(cluster.nodes.map((node) => node.restart()))
        return engine.index
      }
      return { ...engine, restart }
    },
    away: async () => ({
      ...(await made(cluster.urls.slice(0, 2), { shards: 3, replicas: 0 })),
      lose: () => cluster.nodes[2]!.kill(),
      restore: () => cluster.nodes[2]!.restart(),
    }),
    addresses: async () => made([`http://127.0.0.1:${await freePort()}`, ...cluster.urls]),
  })

  describe(`with a copy of each shard, under load (seed ${seed})`, () => {
    const random = seededRandom(seed)
    let index: SearchIndex
    let load: SteadyLoad
    beforeAll(async () => {
      index = await open(cluster.urls, { shards: 3, replicas: 1 })
      await configured(index)
      load = new SteadyLoad(index, random)
      await load.begin()
    })
    afterAll(async () => {
      process.stderr.write(`OpenSearch, ${rounds} rounds: ${JSON.stringify(load.counts)}\n`)
      await index.close()
    })

    afterEach(() => load.rest())

    it.each(Array.from({ length: rounds }, (_, round) => strikeOf(round)))(
      'round $round, $how of node $node: no acknowledged write is lost, and no answer has too few hits',
      async ({ how, node, awayMs }) => {
        load.run()
        await sleep(1000)
        const cursors = await Promise.all(Array.from({ length: 6 }, () => openCursor(index)))
        const struck = cluster.nodes[node]!
        await (how === 'SIGSTOP' ? struck.send(how) : struck.kill(how))
        const walks = cursors.slice(0, 3).map((page) => walk(index, page))
        await sleep(awayMs)
        await (how === 'SIGSTOP' ? struck.send('SIGCONT') : struck.restart())
        await green(cluster.urls)
        walks.push(...cursors.slice(3).map((page) => walk(index, page)))
        for (const outcome of await Promise.all(walks))
          expect(outcome).toMatch(/^(?:whole|unknown-cursor)$/)
        await load.rest()
        await load.check()
        expect(load.wrong.splice(0).join('\n')).toBe('')
      },
      600_000,
    )
  })
})

/** Opens a cursor, also after some attempts: the load may be too much for the machine at times. */
async function openCursor(index: SearchIndex): Promise<Page> {
  const { offset: _, ...asked } = request({ limit: 50 })
  for (let tries = 0; ; tries++) {
    try {
      return await index.openCursor({ ...asked, client: 'me', note: '' })
    } catch (error) {
      if (tries > 20) throw error
      await sleep(200)
    }
  }
}

/** Reads a cursor to its end, also through a time in which the engine is away. */
async function walk(index: SearchIndex, first: Page): Promise<string> {
  const seen = new Set(first.hits.map(({ id }) => id))
  for (let page = first, tries = 0; page.last;) {
    try {
      page = await index.readPage(page.cursor)
      for (const { id } of page.hits) seen.add(id)
    } catch (error) {
      const kind = error instanceof Failure ? error.kind : String(error)
      const isAway = kind === 'engine-unavailable' || kind === 'time-limit'
      if (!isAway || tries++ > 200) return kind
      await sleep(200)
    }
  }
  return seen.size === first.count ? 'whole' : `${seen.size} of ${first.count} hits`
}

async function green(urls: readonly string[]): Promise<void> {
  const all = `wait_for_status=green&wait_for_nodes=${urls.length}&timeout=5s`
  const statusOf = (url: string) =>
    fetch(`${url}/_cluster/health?${all}`).then(
      ({ status }) => status,
      () => 0,
    )
  await expect
    .poll(() => Promise.all(urls.map(statusOf)), { timeout: 180_000 })
    .toEqual(urls.map(() => 200))
}
