/** `/metrics` of a platform with twenty pipes: every number has a name that stays, and nothing that a client sends adds series. */

import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Run } from '../../src/pipe/runs/run.ts'
import { loadProfile } from '../../src/profile/load-profile.ts'
import { reportedNumbers } from '../../src/workers/numbers.ts'
import { endpointTables } from '../support/endpoint-tables.ts'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { expressionsOf, namesIn } from '../deployment/watching.ts'
import { root } from '../deployment/reading.ts'
import { city, type City } from './harvesting/city.ts'
import { scheduler } from './harvesting/scheduler.ts'

const strange = ['cartulary_ready', 'a "quoted" name', 'back`tick} 1', 'process_cpu_seconds_total']
const names = [...strange, ...Array.from({ length: 16 }, (_, n) => `pipe-${n}`)]

async function twentyPipes(directory: string, address: string): Promise<string> {
  const pipes = join(directory, 'own-pipes')
  await mkdir(pipes)
  const header = { processed: false }
  for (const [at, name] of names.entries()) {
    const segments = [
      {
        header: { ...header, name: 'importing-rdf', segmentNumber: 1 },
        body: { config: { address, catalogue: 'city', hostDelayMs: 0 } },
      },
      {
        header: { ...header, name: 'exporting-hub', segmentNumber: 2 },
        body: { config: { hub: { serviceName: 'hub-repo' } } },
      },
    ]
    const pipe = {
      header: { id: name, name, transport: 'payload', version: '2.0.0' },
      body: { segments },
    }
    await writeFile(join(pipes, `${at}.json`), JSON.stringify(pipe))
  }
  return pipes
}

let directory: string
let source: City
let platform: Gateway

const scraped = async () => {
  const text = await (await fetch(`${platform.url}/metrics`)).text()
  const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const value = (start: string) =>
    Number(series.find((line) => line.startsWith(`${start} `))?.slice(start.length + 1))
  return { text, series, value, names: series.map((line) => line.slice(0, line.lastIndexOf(' '))) }
}

beforeAll(async () => {
  directory = await temporaryDirectory()
  source = await city(2)
  const pipes = await twentyPipes(directory, source.address)
  platform = await gateway(directory, {
    PLATFORM_CLUSTER_CONFIG: JSON.stringify({ resources: { paths: [pipes] } }),
  })
  const api = client(platform)
  await api.put(
    '/catalogues/city',
    '<urn:x> a <http://www.w3.org/ns/dcat#Catalog> ; <http://purl.org/dc/terms/title> "City"@en .',
  )
  for (const name of names) await scheduler(platform).harvested(encodeURIComponent(name))
}, 120_000)
afterAll(async () => {
  await platform.stop()
  await source.end()
  await remove(directory)
})

describe('numbers of a platform with twenty pipes', () => {
  it('has at most 500 series', async () => {
    const { series } = await scraped()
    expect(series.length, 'series').toBeLessThanOrEqual(500)
  })

  it('shows the last run of each pipe, whatever its name; records of another pipe are failures', async () => {
    const { series, value } = await scraped()
    expect(series.filter((line) => line.startsWith('cartulary_pipe_last_run_failed'))).toHaveLength(
      20,
    )
    expect(value('cartulary_pipe_last_run_failed{pipe="a \\"quoted\\" name"}')).toBe(1)
    expect(value('cartulary_pipe_last_run_failed{pipe="cartulary_ready"}')).toBe(0)
    const created = 'cartulary_pipe_last_run_records{pipe="cartulary_ready",what="created"}'
    expect(value(created)).toBe(2)
    expect(value('cartulary_ready')).toBe(1)
    expect(value('cartulary_runs_total{outcome="complete"}')).toBeGreaterThan(0)
    expect(value('cartulary_writes_total{kind="dataset",outcome="created"}')).toBe(2)
    expect(value('cartulary_runs{state="running"}')).toBe(0)
    expect(value('cartulary_leader{role="scheduler"}')).toBe(1)
  })

  it('counts statements, documents and bytes in the background', async () => {
    const isCounted = async () => {
      const { value } = await scraped()
      return (
        value('cartulary_store_quads') > 0 &&
        value('cartulary_index_documents{index="catalogue"}') > 0
      )
    }
    expect(await eventually(isCounted, 60_000)).toBe(true)
    const { value } = await scraped()
    expect(value('cartulary_data_bytes{part="store"}')).toBeGreaterThan(0)
    expect(value('cartulary_neighbour_up{neighbour="store"}')).toBe(1)
  }, 60_000)

  it('asks the store nothing in a scrape', async () => {
    const calls = async () => {
      const { series } = await scraped()
      const counts = series.filter((line) =>
        line.startsWith('cartulary_store_call_duration_seconds_count'),
      )
      return counts.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    }
    const before = await calls()
    for (let n = 0; n < 40; n++) await scraped()
    // The platform itself asks every two seconds whether the store answers.
    expect((await calls()) - before).toBeLessThan(40)
  })

  it('has no more series after a flood of paths, methods, hosts and keys', async () => {
    const send = (method: string, path: string, headers: Record<string, string>) =>
      new Promise<void>((resolve, reject) => {
        const sent = request(platform.url + path, { method, headers }, (answer) => {
          answer.resume().once('end', resolve)
        })
        sent.once('error', reject).end()
      })
    const flood = async (round: number) => {
      for (let n = 0; n < 30; n++) {
        const word = `x${round}-${n}`
        await send('GET', `/${word}`, { Host: `${word}.example` })
        await send('GET', `/api/hub/repo/datasets/${word}`, { 'X-Request-Id': word })
        await send('GET', `/api/hub/search/search?q=${word}`, {})
        await send(['LOCK', 'PROPFIND', 'MKCOL', 'REPORT'][n % 4] ?? '', `/${word}`, {})
        await send('PUT', `/api/hub/repo/datasets/${word}`, { 'X-API-Key': word })
      }
    }
    await flood(0)
    const before = await scraped()
    await flood(1)
    const after = await scraped()
    expect(after.names.filter((name) => !before.names.includes(name))).toEqual([])
    expect(after.text).toContain('method="other"')
    expect(after.value('cartulary_key_failures_total{reason="unknown"}')).toBeGreaterThan(0)
    expect(after.value('cartulary_key_failures_total{reason="locked"}')).toBeGreaterThan(0)
    expect(after.value('cartulary_refusals_total{limit="keyFailures"}')).toBeGreaterThan(0)
    expect(after.text).toContain('http_responses_total{service="root",status="200"}')
  })

  it('has fewer than 1,000 series when every address is asked for by every method', async () => {
    for (const { base, endpoints } of endpointTables(await loadProfile())) {
      for (const { route, example } of endpoints) {
        const method = route.method.toUpperCase()
        const asked = fetch(platform.url + base + example, { method, redirect: 'manual' })
        await (await asked).body?.cancel()
      }
    }
    const { series } = await scraped()
    expect(series.length).toBeLessThan(1000)
    const routes = series.filter((line) => line.startsWith('http_request_duration_seconds_count'))
    expect(routes.filter((line) => !line.includes('route="other"'))).toHaveLength(32)
    expect(
      routes.some((line) => line.includes('service="repository",method="other",route="other"')),
    ).toBe(true)
  }, 60_000)

  it('keeps the trace of the request that launched a run', async () => {
    const { base, headers, settled } = scheduler(platform)
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`
    const answer = await fetch(`${base}/pipes/pipe-1/runs`, {
      method: 'POST',
      headers: { ...headers, traceparent },
      body: '{}',
    })
    const { id } = (await answer.json()) as Run
    expect((await settled(id)).trace).toContain(`00-${traceId}-`)
  })

  it('gives each firing of a trigger a trace of its own, which its run keeps', async () => {
    const { base, headers, runs } = scheduler(platform)
    const specific = [1000, 2000].map((ms) => new Date(Date.now() + ms).toISOString())
    const body = JSON.stringify({ id: 'twice', status: 'enabled', specific, startMode: 'append' })
    const address = `${base}/pipes/pipe-2/triggers/twice`
    expect((await fetch(address, { method: 'PUT', headers, body })).status).toBe(201)
    const traces = async () =>
      (await runs()).filter(({ trigger }) => trigger === 'twice').map(({ trace = '' }) => trace)
    await expect.poll(traces, { timeout: 30_000 }).toHaveLength(2)
    const ids = (await traces()).map(
      (trace) => /^00-([0-9a-f]{32})-[0-9a-f]{16}-01$/.exec(trace)?.[1],
    )
    expect(new Set(ids).size).toBe(2)
    expect(ids).not.toContain(undefined)
  }, 60_000)

  it('has every number that rules, panels and the page on operations name, and the page names all', async () => {
    const { text } = await scraped()
    const exported = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)
    const used = [...expressionsOf('rules'), ...expressionsOf('dashboard')].flatMap(namesIn)
    expect(used.length).toBeGreaterThan(40)
    expect(used.filter((name) => !exported.includes(name))).toEqual([])
    const page = readFileSync(join(root, 'docs/operations.md'), 'utf8')
    const table = [...page.matchAll(/`((?:cartulary|http)_\w+)`/g)].map(([, name = '']) => name)
    const own = exported.filter((name) => /^(?:cartulary|http)_/.test(name))
    expect(own.filter((name) => !table.includes(name))).toEqual([])
    // The comparison has not run yet, and there is no embedder.
    const later = /^cartulary_(?:embedder_|index_(?:repaired|compared))/
    expect(table.filter((name) => !own.includes(name) && !later.test(name))).toEqual([])
  })

  it('declares every reported number', async () => {
    const { text } = await scraped()
    for (const name of Object.keys(reportedNumbers)) expect(text).toContain(`# TYPE ${name} `)
  })
})
