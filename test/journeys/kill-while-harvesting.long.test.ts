/** Harvesting, killed at random moments: no run stays running, nothing acknowledged is lost, the next run converges. */

import { expect, it } from 'vitest'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { city, pipeInto } from './harvesting/city.ts'
import { scheduler } from './harvesting/scheduler.ts'
import { between, seededRandom } from './kill/seeded-random.ts'

const rounds = Number(process.env['KILL_ROUNDS'] ?? 2)
const seed = Number(process.env['KILL_SEED'] ?? 20_261_121)
const size = 400

it(
  `a harvest that is killed ${rounds} times (seed ${seed}) ends whole`,
  { timeout: 60_000 + rounds * 60_000 },
  async () => {
    const random = seededRandom(seed)
    const directory = await temporaryDirectory()
    const source = await city(size)
    const pipes = await pipeInto(directory, source.address)
    const env = { PLATFORM_CLUSTER_CONFIG: JSON.stringify({ resources: { paths: [pipes] } }) }
    let platform: Gateway = await gateway(directory, env)
    const present = async () => {
      const api = client(platform)
      const address = `${api.repo}/catalogues/city/datasets?valueType=originalIds&limit=5000`
      return new Set(await api.json<string[]>(address))
    }
    const busy = async () => {
      const all = await scheduler(platform).runs()
      return all.filter(({ status }) => status === 'running' || status === 'waiting')
    }
    try {
      await client(platform).put(
        '/catalogues/city',
        '<urn:x> a <http://www.w3.org/ns/dcat#Catalog> ; <http://purl.org/dc/terms/title> "City"@en .',
      )
      for (let round = 0; round < rounds; round += 1) {
        for (let n = 0; n < 100; n += 1)
          source.datasets.set(between(random, 0, size - 1), round + 2)
        await scheduler(platform).launch('city')
        const wait = between(random, 0, 1500)
        await new Promise((resolve) => setTimeout(resolve, wait))
        const before = await present()
        await platform.kill()
        platform = await gateway(directory, env)
        expect(await eventually(async () => (await busy()).length === 0, 120_000)).toBe(true)
        const after = await present()
        expect([...before].filter((id) => !after.has(id))).toEqual([])
      }
      const run = await scheduler(platform).harvested('city')
      expect(run).toMatchObject({ status: 'finished', counts: { failed: 0 } })
      expect((await present()).size).toBe(size)
      const api = client(platform)
      const found = await api.query(
        'SELECT ?title WHERE { ?d a <http://www.w3.org/ns/dcat#Dataset> ; <http://purl.org/dc/terms/title> ?title }',
      )
      const { results } = (await found.json()) as {
        results: { bindings: { title: { value: string } }[] }
      }
      const titles = new Set(results.bindings.map(({ title }) => title.value))
      for (const [n, revision] of source.datasets)
        expect(titles).toContain(`Dataset ${n}, revision ${revision}`)
    } finally {
      await platform.kill()
      await source.end()
      await remove(directory)
    }
  },
)
