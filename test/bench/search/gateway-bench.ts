/** The search service as clients meet it: suggestions, what broad queries leave of the event loop, a write until it is found. */

import { setTimeout as pause } from 'node:timers/promises'
import type { Document } from '../../../src/search-index/search-index.ts'
import { client, eventually, gateway, type Gateway } from '../../support/gateway.ts'
import { lanes, percentile, timed } from '../figures.ts'
import { memory } from '../memory.ts'
import { wire, type Wired } from '../wire.ts'
import { records } from './records.ts'

const perRequest = 500
const catalogue = 'bench'

type Platform = { readonly one: Gateway; readonly wired: Wired }

/** Lines of figures; what the directory holds already is not written again. */
export async function gatewayBench(directory: string, count: number): Promise<string> {
  const one = await gateway(directory)
  const wired = wire()
  const platform = { one, wired }
  try {
    await fill(platform, count)
    const lines = [
      await suggestions(platform),
      await beside(platform, 'idle', () => pause(3_000)),
      await beside(platform, 'broad queries at capacity', () => broad(platform, 2)),
      await beside(platform, 'eight broad queries at a time', () => broad(platform, 8)),
      await writes(platform, 100, 10),
    ]
    const { now, peak } = await memory(one.process.pid)
    return [`## gateway, ${count} records`, ...lines, `memory ${now} MB (most ${peak} MB)`].join(
      '\n',
    )
  } finally {
    wired.close()
    await one.stop()
  }
}

async function fill({ one, wired }: Platform, count: number): Promise<void> {
  const { repo, search, put, json } = client(one)
  const found = async () =>
    (await json<{ result: { count: number } }>(`${search}/search?filters=dataset&limit=0`)).result
      .count
  if ((await found()) >= count) return
  await put(`/catalogues/${catalogue}`, '<> a <http://www.w3.org/ns/dcat#Catalog> .')
  const headers = { 'X-API-Key': one.key, 'Content-Type': 'text/turtle' }
  let bodies: string[] = []
  const flush = async () => {
    const body = prefixes + bodies.join('\n')
    const address = `${repo}/catalogues/${catalogue}/datasets/bulk`
    const { status, text } = await wired.ask(address, { method: 'PUT', body, headers })
    if (status !== 200 || /"status":[45]/.test(text))
      throw new Error(`bulk: ${status} ${text.slice(0, 300)}`)
    bodies = []
  }
  for (const record of records(count)) {
    bodies.push(turtle(record))
    if (bodies.length === perRequest) await flush()
  }
  if (bodies.length > 0) await flush()
  const all = async () => (await found()) >= count
  if (!(await eventually(all, 3_600_000))) throw new Error('the index did not follow')
}

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
`
const authority = 'http://publications.europa.eu/resource/authority'
const countries = ['DEU', 'FRA', 'ITA', 'ESP', 'POL', 'AUT', 'GRC']
const themes = ['ENVI', 'TRAN', 'HEAL', 'ECON', 'AGRI']

/** A dataset as small as one can be that meets the facets. */
function turtle({ id, text, dates, version }: Document): string {
  const words = (field: string) => text[field]?.['en']?.join(' ') ?? ''
  const keywords = words('keywords').split(' ')
  const modified = new Date(dates['modified']?.[0]?.[0] ?? 0).toISOString()
  return `<urn:bench:${id}> a dcat:Dataset ; dct:identifier "${id}" ; dct:title "${words('title')}"@en ;
  dct:description "${words('description')}"@en ; dcat:keyword ${keywords.map((word) => `"${word}"@en`).join(', ')} ;
  dct:modified "${modified}"^^<http://www.w3.org/2001/XMLSchema#dateTime> ;
  dct:spatial <${authority}/country/${countries[version % countries.length]}> ;
  dcat:theme <${authority}/data-theme/${themes[version % themes.length]}> .`
}

const figures = (times: readonly number[]) =>
  `p50 ${percentile(times, 0.5)}, p95 ${percentile(times, 0.95)}, p99 ${percentile(times, 0.99)} ms`

/** What somebody types, letter by letter. */
async function suggestions({ one, wired }: Platform): Promise<string> {
  const { search } = client(one)
  const typed = ['zba', 'zcd', 'zgab', 'quality', 'zeli', 'zmba', 'zo', 'zpa', 'zrou', 'qua']
  const words = typed.flatMap((word) =>
    Array.from({ length: word.length - 1 }, (_, n) => word.slice(0, n + 2)),
  )
  const address = (n: number) =>
    `${search}/search?filters=dataset&autocomplete=true&aggregation=false&includes=id,title&boost.title=${1 + n / 1e4}&q=${words[n % words.length]}`
  const ask = async (n: number) => {
    const status = await wired.send(address(n))
    if (status !== 200) throw new Error(`suggestions: ${status}`)
  }
  await lanes(words.length, 1, ask)
  const times = await lanes(10 * words.length, 1, (n) => ask(n + words.length))
  return `suggestions ${figures(times)}`
}

/** Another boost each time, so that no answer is one that is kept. */
async function broad({ one, wired }: Platform, concurrency: number): Promise<void> {
  const { search } = client(one)
  const address = (n: number) =>
    `${search}/search?filters=dataset&q=broad&boost.title=${2 + (n + concurrency) / 1e4}`
  await lanes(150, concurrency, async (n) => {
    const status = await wired.send(address(n))
    if (status !== 200) throw new Error(`broad: ${status}`)
  })
}

/** The event loop of the gateway, and `/health` asked every 20 ms, while `work` runs. */
async function beside({ one }: Platform, name: string, work: () => Promise<void>): Promise<string> {
  const wired = wire()
  const lag = async () => {
    const { text } = await wired.ask(`${one.url}/metrics`)
    const of = (what: string) =>
      1000 * Number(new RegExp(`^nodejs_eventloop_lag_${what}_seconds (\\S+)`, 'm').exec(text)?.[1])
    return { p50: of('p50'), p99: of('p99') }
  }
  try {
    // Each look begins the measure anew.
    await lag()
    const state = { done: false }
    const health: number[] = []
    const asking = async () => {
      while (!state.done) {
        health.push(await timed(() => wired.send(`${one.url}/health`)))
        await pause(20)
      }
    }
    const asked = asking()
    const ms = await timed(work)
    const { p50, p99 } = await lag()
    state.done = true
    await asked
    // The clock of the measure ticks every 10 ms, and counts from tick to tick.
    const delay = (value: number) => Math.max(0, value - 10).toFixed(1)
    return `${name} (${(ms / 1000).toFixed(1)} s): event loop delay p50 ${delay(p50)}, p99 ${delay(p99)} ms; /health ${figures(health)}, most ${percentile(health, 1)} ms`
  } finally {
    wired.close()
  }
}

/** So many writes a second for some seconds, each until its answer says that it is searchable. */
async function writes(
  { one, wired }: Platform,
  perSecond: number,
  seconds: number,
): Promise<string> {
  const { repo, search, json } = client(one)
  const run = Date.now()
  const times: number[] = []
  const pending: Promise<void>[] = []
  const write = async (n: number) => {
    const body = `${prefixes}<> a dcat:Dataset ; dct:title "Written w${run}x"@en ; dct:description "Number ${n}"@en .`
    const address = `${repo}/catalogues/${catalogue}/datasets/origin?originalId=w-${n}`
    const headers = { 'X-API-Key': one.key, 'Content-Type': 'text/turtle' }
    let answer: Awaited<ReturnType<typeof wired.ask>> | undefined
    times.push(
      await timed(
        async () => (answer = await wired.ask(address, { method: 'PUT', body, headers })),
      ),
    )
    const status = answer?.headers['index-status']
    if (!answer || answer.status >= 300 || status === 'pending')
      throw new Error(`PUT: ${answer?.status}, index ${status?.toString()}`)
  }
  const started = performance.now()
  for (let n = 0; n < perSecond * seconds; n++) {
    await pause(Math.max(0, started + (n * 1000) / perSecond - performance.now()))
    pending.push(write(n))
  }
  await Promise.all(pending)
  const rate = Math.round((1000 * times.length) / (performance.now() - started))
  const { result } = await json<{ result: { count: number } }>(
    `${search}/search?filters=dataset&q=w${run}x&limit=0`,
  )
  return `${rate} writes a second, each searchable after ${figures(times)}; ${result.count} of ${times.length} found`
}
