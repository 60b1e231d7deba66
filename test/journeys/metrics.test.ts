/** Quality is measured: the whole pipeline, the search record, the figures and the reports, in a real process. */

import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Run } from '../../src/pipe/runs/run.ts'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { scheduler } from './harvesting/scheduler.ts'
import { isThere, measurementsQuery, told, verdictsIn, worked } from './measuring/worked.ts'

type Found = {
  readonly result: {
    readonly count: number
    readonly facets: readonly {
      readonly id: string
      readonly items: readonly { readonly id: string; readonly count: number }[]
    }[]
    readonly results: readonly {
      readonly id: string
      readonly quality_meas?: { scoring?: number }
    }[]
  }
}

const plain = (id: string) =>
  `<urn:x:${id}> a <http://www.w3.org/ns/dcat#Dataset> ; <http://purl.org/dc/terms/title> "${id}"@en ; <http://www.w3.org/ns/dcat#keyword> "water" .`

describe.skipIf(!isThere)('measuring the quality of metadata', () => {
  let directory: string
  let platform: Gateway
  const { catalogue, dataset, expected } = isThere
    ? worked()
    : {
        catalogue: '',
        dataset: '',
        expected: { urls: {}, dataset: {}, distributions: {}, scores: {} },
      }

  beforeAll(async () => {
    directory = await temporaryDirectory()
    await verdictsIn(directory, expected.urls)
    const env = {
      PLATFORM_HUB_VALIDATOR: '{"enabled":true,"metricsPipeName":"metrics"}',
      PLATFORM_HUB_SHELL_CONFIG: '{"http":{}}',
    }
    // The directory has verdicts and no store, which is right here.
    platform = await gateway(directory, env, undefined, ['--empty'])
    const api = client(platform)
    await api.put('/catalogues/alpine-water', catalogue)
    await api.putDataset('alpine-water', 'Pegel 2024/1', dataset)
  }, 60_000)
  afterAll(async () => {
    await platform.stop()
    await remove(directory)
  })

  const exec = async (line: string) => {
    const answer = await fetch(`${platform.url}/shell/exec`, {
      method: 'POST',
      headers: { 'X-API-Key': platform.key, 'Content-Type': 'text/plain' },
      body: line,
    })
    return answer.text()
  }
  const measured = async (id = 'pegel-2024-1') => {
    const answer = await client(platform).query(measurementsQuery(id))
    const { results } = (await answer.json()) as {
      results: { bindings: Parameters<typeof told>[0] }
    }
    return results.bindings
  }
  /** Begins a run by its configs; resolves when it has ended. */
  const launched = async (config: object, pipe = 'metrics'): Promise<Run> => {
    const { base, headers, settled } = scheduler(platform)
    const answer = await fetch(`${base}/pipes/${pipe}/runs`, {
      method: 'POST',
      headers,
      body: JSON.stringify({
        startMode: 'append',
        configs: { 'metrics-validating-shacl': config },
      }),
    })
    expect(answer.status).toBe(202)
    return settled(((await answer.json()) as Run).id)
  }
  const found = (query: string) =>
    client(platform).json<Found>(`${platform.url}/api/hub/search/search?filters=dataset&${query}`)
  const scored = (score: number) =>
    eventually(async () => {
      const [first] = (await found('q=pegel&limit=1')).result.results
      return first?.quality_meas?.scoring === score
    })

  it('the console sends a catalogue through the shipped pipe; every indicator comes out as worked by hand', async () => {
    const { runs } = scheduler(platform)
    const answer = await exec('launch alpine-water metrics')
    expect(answer).toMatch(/Command finished\s*$/)
    const done = async () =>
      (await runs()).some(
        ({ startedBy, status }) => startedBy === 'console' && status === 'finished',
      )
    expect(await eventually(done, 60_000)).toBe(true)
    // So that it comes in between nothing later.
    const isAutomatic = async () =>
      (await runs()).some(
        ({ startedBy, status }) => startedBy === 'validator' && status === 'finished',
      )
    expect(await eventually(isAutomatic, 60_000)).toBe(true)
    const run = (await runs()).find(({ startedBy }) => startedBy === 'console')
    expect(run).toMatchObject({
      outcome: 'complete',
      catalogue: 'alpine-water',
      counts: { offered: 1, failed: 0 },
      progress: { total: 1 },
    })
    const { distributions, ...others } = told(await measured())
    expect(others).toEqual({ dataset: expected.dataset, scores: expected.scores })
    const sorted = Object.entries(expected.distributions).map(([iri, facts]) => [
      iri,
      {
        ...facts,
        downloadUrlStatusCode: (facts['downloadUrlStatusCode'] as number[]).toSorted(
          (a, b) => a - b,
        ),
      },
    ])
    expect(distributions).toEqual(Object.fromEntries(sorted))
  })

  it('the scores are in the search record, its facet and its range', async () => {
    expect(await scored(380)).toBe(true)
    const { result } = await found('q=pegel')
    const bands = result.facets.find(({ id }) => id === 'scoring')?.items
    expect(bands?.find(({ id }) => id === 'excellentScoring')?.count).toBe(1)
    const counts = await Promise.all(
      ['minScoring=380&maxScoring=380', 'minScoring=381', 'maxScoring=379'].map(
        async (range) => (await found(range)).result.count,
      ),
    )
    expect(counts).toEqual([1, 0, 0])
  })

  it('a second run leaves the same behind, and the graph does not grow', async () => {
    const before = await measured()
    const run = await launched({ catalogue: 'alpine-water' })
    expect(run).toMatchObject({
      outcome: 'complete',
      counts: { unchanged: 1, updated: 0, created: 0 },
    })
    const after = await measured()
    expect(after).toHaveLength(before.length)
    expect(told(after)).toEqual(told(before))
  })

  it('another shape model changes what hangs on it, and nothing else', async () => {
    await launched({ catalogue: 'alpine-water', shapeModel: 'dcatap211level1' })
    expect(told(await measured()).scores).toMatchObject({
      interoperabilityScoring: 80,
      scoring: 350,
    })
    expect(await scored(350)).toBe(true)
    const { result } = await found('q=pegel')
    const bands = result.facets.find(({ id }) => id === 'scoring')?.items
    expect(bands?.find(({ id }) => id === 'goodScoring')?.count).toBe(1)
    await launched({ catalogue: 'alpine-water' })
  })

  it('the metrics are readable beside the dataset, and the figures and reports follow them', async () => {
    const { json, repo } = client(platform)
    const graph = await fetch(`${repo}/datasets/pegel-2024-1/metrics`, {
      headers: { Accept: 'text/turtle' },
    })
    expect(await graph.text()).toContain(
      '<http://localhost:8080/id/metrics/pegel-2024-1> a dqv:QualityMetadata',
    )
    expect(await exec('refresh')).toMatch(/Command finished\s*$/)
    const figures = await json<{ result: { results: readonly { score: number }[] } }>(
      `${platform.url}/api/mqa/cache/catalogues/alpine-water`,
    )
    expect(figures.result.results[0]?.score).toBe(380)
    const page = await fetch(`${platform.url}/api/mqa/reports/catalogues/alpine-water.html`)
    expect([page.status, page.url]).toEqual([
      200,
      `${platform.url}/en/quality/catalogues/alpine-water`,
    ])
    expect(await page.text()).toContain('380')
    const validated = await fetch(`${platform.url}/api/mqa/shacl/validation/report`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/turtle', Accept: 'text/turtle' },
      body: dataset,
    })
    expect(await validated.text()).toContain('sh:conforms true')
  })

  it('what is written later is measured by itself', async () => {
    const api = client(platform)
    await api.put('/catalogues/land', catalogue.replace('"dcat-ap"', '"other"'))
    await api.putDataset('land', 'a', plain('a'))
    expect(await eventually(async () => (await measured('a')).length > 0, 60_000)).toBe(true)
    // The catalogue is not DCAT-AP: nothing is said about compliance.
    expect(told(await measured('a'))).toMatchObject({
      dataset: { keywordAvailability: true },
      scores: { scoring: 30 },
    })
    const automatic = (await scheduler(platform).runs()).filter(
      ({ startedBy }) => startedBy === 'validator',
    )
    expect(automatic.every(({ pipe }) => pipe === 'metrics')).toBe(true)
  })

  it('a dataset that goes while its catalogue is measured is skipped without an error', async () => {
    const api = client(platform)
    for (const id of ['b', 'c', 'd', 'z']) await api.putDataset('land', id, plain(id))
    await exec('launch land metrics -p 500')
    const gone = await fetch(`${api.repo}/datasets/z`, {
      method: 'DELETE',
      headers: { 'X-API-Key': platform.key },
    })
    expect(gone.status).toBe(204)
    const { runs, settled } = scheduler(platform)
    const run = (await runs()).find(
      ({ startedBy, catalogue: of }) => startedBy === 'console' && of === 'land',
    )
    expect(await settled(run?.id ?? '')).toMatchObject({
      status: 'finished',
      outcome: 'complete',
      counts: { skipped: 1, failed: 0 },
    })
    await expect.poll(() => measured('d')).not.toEqual([])
    expect(await measured('z')).toEqual([])
  })

  it('a dataset with 1,500 distributions is measured like any other', async () => {
    const api = client(platform)
    const all = Array.from({ length: 1500 }, (_, n) => `<urn:x:many:${n}>`)
    const formats = all.map((one) => `${one} <http://purl.org/dc/terms/format> "CSV" .`)
    const body = `${plain('many')} <urn:x:many> <http://www.w3.org/ns/dcat#distribution> ${all.join(', ')} . ${formats.join('\n')}`
    await api.put('/catalogues/many', catalogue)
    expect((await api.putDataset('many', 'many', body)).status).toBe(201)
    const { counts } = await launched({ catalogue: 'many' })
    expect([counts.failed, counts.created + counts.updated + counts.unchanged]).toEqual([0, 1])
    const query = `SELECT (COUNT(*) AS ?count) { GRAPH <http://localhost:8080/id/metrics/many> {
      ?node <http://www.w3.org/ns/dqv#isMeasurementOf> <https://piveau.eu/ns/voc#formatAvailability> } }`
    const { results } = (await (await api.query(query)).json()) as {
      results: { bindings: readonly { count: { value: string } }[] }
    }
    expect(results.bindings[0]?.count.value).toBe('1500')
    // The run ends when its metrics are stored; the index follows.
    const score = async () => (await found('q=many')).result.results[0]?.quality_meas?.scoring
    await expect.poll(score).toBeGreaterThan(30)
  }, 60_000)

  it('nothing was logged as an error', () => {
    expect(platform.log().match(/"level":"error".*/g) ?? []).toEqual([])
    expect(directory).toBe(join(platform.directory))
  })
})
