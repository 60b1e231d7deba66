/** `npm run bench -- repository --store …`: the repository against the very store below it, in one run. */

import { join } from 'node:path'
import { openEmbedded } from '../../store/opening.ts'
import type { Engine } from '../../support/engines/engine.ts'
import { ownFuseki } from '../../support/engines/fuseki.ts'
import { ownVirtuoso } from '../../support/engines/virtuoso.ts'
import { client, gateway, type Gateway } from '../../support/gateway.ts'
import { lanes, percentile, table, timed } from '../figures.ts'
import { wire } from '../wire.ts'
import { bulkBody, dataset, documents, ground } from './documents.ts'
import { indexed, loading } from './loading.ts'
import { rawEmbedded, rawServer, type RawStore } from './raw-store.ts'

export const storeNames = ['embedded', 'fuseki', 'virtuoso'] as const
type StoreName = (typeof storeNames)[number]

export type Wanted = {
  readonly store: StoreName
  /** An empty folder. */
  readonly directory: string
  /** Where the generator put single datasets. */
  readonly folder: string
  /** Datasets of a bulk load, 0 = none. */
  readonly load: number
  readonly say: (text: string) => void
}

const perBulk = 200

export async function repositoryBench(wanted: Wanted): Promise<void> {
  const { store, directory, folder, load, say } = wanted
  const engine = await engineOf(store)
  const raw = engine ? rawServer(engine.config) : rawEmbedded(await openEmbedded())
  const env: Record<string, string> = engine
    ? { PLATFORM_TRIPLESTORE_CONFIG: JSON.stringify(engine.config) }
    : {}
  const pool = await documents(folder)
  const onPlatform = async (name: string, work: (platform: Gateway) => Promise<string>) => {
    const platform = await gateway(join(directory, name), env)
    try {
      await client(platform).put('/catalogues/bench', '<> a <http://www.w3.org/ns/dcat#Catalog> .')
      say(`## ${name} on ${store}\n${await work(platform)}`)
    } finally {
      await platform.stop()
    }
  }
  try {
    await onPlatform('requests', (platform) => requests(platform, raw, pool))
    // A process of its own, so that its memory is that of the load.
    if (load > 0) await onPlatform('load', (platform) => loading(platform, pool, load))
  } finally {
    await raw.close()
    await engine?.stop()
  }
}

async function engineOf(store: StoreName): Promise<Engine | undefined> {
  if (store === 'embedded') return undefined
  return store === 'fuseki' ? ownFuseki() : ownVirtuoso()
}

/** What one kind of request did. */
type Figure = {
  readonly name: string
  readonly lanes: number
  readonly rate: number
  readonly times: number[]
}

async function requests(
  platform: Gateway,
  raw: RawStore,
  pool: readonly string[],
): Promise<string> {
  const figures: Figure[] = []
  // The first requests of a process are slow on either side.
  await atWidth(platform, raw, pool.slice(0, 100), 4)
  for (const width of [1, 8]) figures.push(...(await atWidth(platform, raw, pool, width)))
  const rate = (name: string, width: number) =>
    figures.find((figure) => figure.name === name && figure.lanes === width)?.rate ?? Number.NaN
  const rows = figures.map(({ name, lanes: width, rate: mine, times }) => {
    const fastestRead = Math.max(rate('raw GSP GET', width), rate('raw CONSTRUCT', width))
    const ratios = [rate('raw GSP PUT, new', width), rate('raw INSERT DATA', width), fastestRead]
    return [
      name,
      width,
      percentile(times, 0.5),
      percentile(times, 0.95),
      Math.round(mine),
      ...ratios.map((other) => (mine / other).toFixed(2)),
    ]
  })
  const head = [
    '',
    'lanes',
    'p50 ms',
    'p95 ms',
    'graphs/s',
    '/ raw PUT',
    '/ raw INSERT',
    '/ raw read',
  ]
  return table([head, ...rows])
}

async function atWidth(
  platform: Gateway,
  raw: RawStore,
  pool: readonly string[],
  width: number,
): Promise<Figure[]> {
  const figures: Figure[] = []
  const { send, ask, close } = wire()
  const { repo } = client(platform)
  const measure = async (name: string, work: (n: number) => Promise<void>, graphs = 1) => {
    let times: number[] = []
    const count = Math.ceil(pool.length / graphs)
    const ms = await timed(async () => (times = await lanes(count, width, work)))
    figures.push({ name, lanes: width, rate: (count * graphs * 1000) / ms, times })
  }
  const headers = { 'X-API-Key': platform.key, 'Content-Type': 'text/turtle' }
  const wait = { Prefer: 'respond-async' }
  const put = async (
    n: number,
    body: string,
    status: number,
    more: Record<string, string> = {},
  ) => {
    const address = `${repo}/catalogues/bench/datasets/origin?originalId=bench-${width}-${n}`
    const got = await send(address, { method: 'PUT', body, headers: { ...headers, ...more } })
    if (got !== status) throw new Error(`PUT: ${got} instead of ${status}`)
  }
  const sent = (n: number) => dataset(pool, width * 1_000_000 + n)
  const changed = (n: number) => sent(n).replace(/dct:title "/, 'dct:title "Changed ')
  const stored = async (n: number) => (await ask(`${repo}/datasets/bench-${width}-${n}.nt`)).text

  await measure('PUT, new', (n) => put(n, sent(n), 201, wait))
  const texts = await Promise.all(pool.map(async (_, n) => ground(await stored(n))))
  const graph = (n: number, kind: string) => `urn:bench:${kind}:${width}:${n}`
  const text = (n: number) => texts[n] ?? ''
  await measure('raw GSP PUT, new', (n) => raw.put(graph(n, 'put'), text(n)))
  await measure('raw INSERT DATA', (n) => raw.insert(graph(n, 'insert'), text(n)))
  await measure('PUT, new, searchable', async (n) =>
    put(n + pool.length, sent(n + pool.length), 201),
  )
  await measure('PUT, changed', (n) => put(n, changed(n), 204, wait))
  await measure('PUT, unchanged', (n) => put(n, changed(n), 304))
  const bulk = async (n: number) => {
    const from = width * 1_000_000 + 500_000 + n * perBulk
    const body = bulkBody(pool, from, perBulk)
    const answer = await ask(`${repo}/catalogues/bench/datasets/bulk`, {
      method: 'PUT',
      body,
      headers,
    })
    const created = answer.text.match(/"status":201\b/g)?.length ?? 0
    if (created !== perBulk) throw new Error(`bulk: ${answer.status} ${answer.text.slice(0, 300)}`)
  }
  await measure(`PUT of ${perBulk} in bulk`, bulk, perBulk)
  // What is still being indexed would be read beside it.
  await indexed(platform)
  await measure('GET', async (n) => {
    if ((await stored(n)).length < 1000) throw new Error('GET: too little')
  })
  const whole = (found: string, n: number) => {
    if (found.length < text(n).length / 2) throw new Error('a raw read brought too little')
  }
  await measure('raw GSP GET', async (n) => whole(await raw.readGraph(graph(n, 'put')), n))
  await measure('raw CONSTRUCT', async (n) => whole(await raw.construct(graph(n, 'put')), n))
  close()
  return figures
}
