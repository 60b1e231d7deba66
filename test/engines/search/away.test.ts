/** A search engine that is away: searches say so, writes go on, and what was written meanwhile is found when it is back. */

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ownMeilisearch, type SearchServer } from '../../support/engines/meilisearch.ts'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../../support/gateway.ts'
import { prefixes } from '../../support/repository.ts'

const server = inject('meilisearch')
const isKillable = 'own' in server && server.own
const dataset = (n: number) => `${prefixes}<> a dcat:Dataset ; dct:title "Gauge ${n}"@en .`

describe.skipIf(!isKillable)('Meilisearch away and back', () => {
  let engine: SearchServer
  let directory: string
  let platform: Gateway
  let api: ReturnType<typeof client>
  const start = async () => {
    platform = await gateway(directory, {
      PLATFORM_SEARCH_ENGINE_CONFIG: JSON.stringify({
        engine: 'meilisearch',
        url: engine.url,
        apiKey: engine.key,
      }),
      // Longer than a test may take: a write does not wait for an engine that is not there.
      PLATFORM_LIMITS: '{"waitMs":60000,"requestMs":200000}',
    })
    api = client(platform)
  }
  beforeAll(async () => {
    engine = await ownMeilisearch()
    directory = await temporaryDirectory()
    await start()
    await api.put('/catalogues/c', `${prefixes}<> a dcat:Catalog ; dct:title "C"@en .`)
    await api.putDataset('c', 'first', dataset(1))
    await eventually(() => isFound('first'))
  })
  afterAll(async () => {
    await platform.stop()
    await engine.stop()
    await remove(directory)
  })
  const byId = (id: string) => fetch(`${api.search}/datasets/${id}`)
  const isFound = async (id: string) => (await byId(id)).status === 200
  const searches = () =>
    Promise.all([fetch(`${api.search}/search?q=gauge`), byId('first'), byId('second')])
  const count = async () =>
    (await api.json<{ result: { count: number } }>(`${api.search}/search?q=gauge&filters=dataset`))
      .result.count

  it('answers searches with 503 and when to try again, and takes writes', async () => {
    await engine.kill()
    const answers = await searches()
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503])
    expect(answers.filter((answer) => !Number(answer.headers.get('Retry-After')))).toEqual([])
    for (const n of [2, 4, 5, 6]) {
      const written = await api.putDataset('c', n === 2 ? 'second' : `more-${n}`, dataset(n))
      expect([written.status, written.headers.get('Index-Status')]).toEqual([201, 'pending'])
    }
    expect((await fetch(`${api.repo}/datasets/second.nt`)).status).toBe(200)
    const health = await fetch(`${platform.url}/health`)
    expect([health.status, await health.json()]).toMatchObject([200, { status: 'degraded' }])
    expect((await fetch(`${platform.url}/health/ready`)).status).toBe(200)
  })

  it('finds what was written meanwhile when it is back', async () => {
    await engine.restart()
    expect(await eventually(() => isFound('second'))).toBe(true)
    expect(await eventually(async () => (await count()) === 5)).toBe(true)
    expect(
      await eventually(
        async () =>
          ((await (await fetch(`${platform.url}/health`)).json()) as { status: string }).status ===
          'up',
      ),
    ).toBe(true)
    // And writes wait for it again.
    let n = 100
    const written = await eventually(async () => {
      const answer = await api.putDataset('c', 'second', dataset(n++))
      return answer.headers.get('Index-Status') === 'done'
    })
    expect(written).toBe(true)
  })

  it('lets the platform start without it, and take writes, and searches as soon as it comes', async () => {
    await platform.stop()
    await engine.kill()
    await start()
    expect((await searches()).map(({ status }) => status)).toEqual([503, 503, 503])
    expect((await api.putDataset('c', 'third', dataset(3))).status).toBe(201)
    await engine.restart()
    expect(await eventually(() => isFound('third'))).toBe(true)
    expect(await eventually(async () => (await count()) === 6)).toBe(true)
  })
})
