/** The first steps of the README, word for word, on any store. */

import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { cartulary } from '../support/program.ts'
import { scheduler } from './harvesting/scheduler.ts'
import type { StoreUnderTest } from './store-under-test.ts'

const root = new URL('../../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')
const blocks = [...readme.matchAll(/```\n([^`]*)```/g)].map((match) => match[1] ?? '')

const hasCurl = (() => {
  try {
    execFileSync('curl', ['--version'])
    return true
  } catch {
    return false
  }
})()

/** `ground` is asked once. */
export function firstSteps(name: string, openStore: () => Promise<StoreUnderTest>): void {
  describe.skipIf(!hasCurl)(`the first steps on ${name}`, () => {
    let directory: string
    let platform: Gateway
    let place: StoreUnderTest
    beforeAll(async () => {
      place = await openStore()
      directory = await temporaryDirectory()
      await mkdir(`${directory}/pipes`)
      const cluster = { resources: { paths: [`${directory}/pipes`] } }
      const env = {
        ...place.env,
        PLATFORM_CLUSTER_CONFIG: JSON.stringify(cluster),
        // The samples name hosts that are not there.
        PLATFORM_METRICS_CONFIG: '{"urlChecks":false}',
      }
      platform = await gateway(directory, env)
    })
    afterAll(async () => {
      await platform.stop()
      await remove(directory)
      await place.end()
    })

    const here = (script: string) =>
      script
        .replaceAll('http://localhost:8080', platform.url)
        .replaceAll(/^curl /gm, 'curl -sS --fail ')

    it('publish a dataset and find it', async () => {
      const steps = blocks.find((block) => block.includes('curl -i -X PUT')) ?? ''
      const script = here(steps).replace('data/api-key', `${directory}/api-key`)
      const { stdout } = await promisify(execFile)('bash', ['-euc', script])
      expect(stdout).toContain('"count":1')
      expect(stdout).toContain('"title":"Environment"')
      expect(stdout).toContain('dct:title "Water levels of the Inn"@en')
      expect(stdout).toContain('"bindings":[{')
    })

    it('import a sample catalogue and take it back as a dump', async () => {
      const [importing = '', dumping = ''] =
        blocks.find((block) => block.includes('cartulary import'))?.split('\n') ?? []
      const file = new URL(importing.split('import ')[1] ?? '', root).pathname
      const env = { CARTULARY_SERVER: platform.url, CARTULARY_KEY: platform.key }
      const { out } = await cartulary(['import', file], { env })
      expect(out).toMatch(/[1-9]\d* created, 0 updated, 0 unchanged, 0 failed/)
      const script = dumping
        .replace('$REPO', `${platform.url}/api/hub/repo`)
        .replace('rivers.ttl', `${directory}/rivers.ttl`)
        .replace(/^curl /, 'curl -sS --fail ')
      await promisify(execFile)('bash', ['-euc', script])
      const dump = readFileSync(`${directory}/rivers.ttl`, 'utf8')
      expect(dump).toContain('a dcat:Catalog')
      expect(dump.match(/a dcat:Dataset\b/g)?.length).toBeGreaterThan(5)
    })

    it('harvest a catalogue, now and every night', async () => {
      const steps = here(blocks.find((block) => block.includes('importing-rdf')) ?? '')
      const { base, settled } = scheduler(platform)
      const api = client(platform)
      // In one go, as it is pasted: the run comes before anybody could have noticed the new file.
      const setup = `cd ${directory}; KEY=${platform.key}; REPO=${platform.url}/api/hub/repo`
      await promisify(execFile)('bash', ['-euc', `${setup}; ${steps}`])
      const [run] = await api.json<{ id: string }[]>(`${base}/runs?pipe=rivers`)
      const { status, counts } = await settled(run?.id ?? '')
      expect({ status, failed: counts.failed }).toEqual({ status: 'finished', failed: 0 })
      const mirrored = await api.json<string[]>(
        `${api.repo}/catalogues/mirror/datasets?valueType=identifiers`,
      )
      expect(mirrored).toHaveLength(counts.created)
      expect(counts.created).toBeGreaterThan(5)
    })

    it('measure every dataset', async () => {
      const { base, settled } = scheduler(platform)
      const script = here(blocks.find((block) => block.includes('pipes/metrics')) ?? '')
      await promisify(execFile)('bash', [
        '-euc',
        `KEY=${platform.key}; SCHEDULER=${base}; ${script}`,
      ])
      const api = client(platform)
      const [run] = await api.json<{ id: string }[]>(`${base}/runs?pipe=metrics`)
      const { status, counts } = await settled(run?.id ?? '')
      expect({ status, failed: counts.failed }).toEqual({ status: 'finished', failed: 0 })
      const count = async (filter: string) =>
        (
          await api.json<{ result: { count: number } }>(
            `${api.search}/search?filters=dataset&limit=0${filter}`,
          )
        ).result.count
      expect(counts.created).toBe(await count(''))
      expect(await eventually(async () => (await count('&minScoring=1')) === counts.created)).toBe(
        true,
      )
    })
  })
}
