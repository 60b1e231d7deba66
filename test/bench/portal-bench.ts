/** Pages of the portal one by one, against the bare search call that each of them makes first. */

import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Gateway } from '../support/gateway.ts'
import { percentile, perSecond, table, timed } from './figures.ts'
import { importDump } from './import-bench.ts'
import { wire } from './wire.ts'

const rounds = 200
const words = ['water', 'budget', 'traffic', 'school', 'energy', 'forest', 'census', 'noise']

/** Until every record is searchable: a search engine beside the platform is behind the writes. */
async function indexed(url: string): Promise<void> {
  for (;;) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer of our own platform
    const { pending } = (await (await fetch(`${url}/health`)).json()) as { pending: number }
    if (pending === 0) return
    await sleep(500)
  }
}

export async function portalBench(platform: Gateway, dump: string): Promise<string> {
  await importDump(dump, platform)
  await indexed(platform.url)
  const { ask, close } = wire()
  const { url } = platform
  const search = `${url}/api/hub/search`
  const list = await ask(`${search}/search?filters=dataset&limit=200&includes=id`)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer of our own search
  const { result } = JSON.parse(list.text) as { result: { results: { id: string }[] } }
  const ids = result.results.map(({ id }) => encodeURIComponent(id))
  const word = (n: number) => words[n % words.length] ?? ''
  const pages: readonly (readonly [string, (n: number) => string])[] = [
    ['search call', (n) => `${search}/search?q=${word(n)}&filters=dataset&limit=20`],
    ['record call', (n) => `${search}/datasets/${ids[n % ids.length]}`],
    ['home page', () => `${url}/en/`],
    ['search page', (n) => `${url}/en/datasets?q=${word(n)}`],
    ['search page with a facet', (n) => `${url}/en/datasets?q=${word(n)}&categories=ENVI`],
    ['dataset page', (n) => `${url}/en/datasets/${ids[n % ids.length]}`],
    ['quality page', (n) => `${url}/en/datasets/${ids[n % ids.length]}/quality`],
    ['catalogues', () => `${url}/en/catalogues`],
  ]
  const rows: (string | number)[][] = [
    ['page', 'p50 ms', 'p95 ms', 'per second', '× bare call', 'kB', 'kB gzip', '304 p95 ms'],
  ]
  const bare: Record<string, number> = {}
  for (const [name, addressOf] of pages) {
    const times: number[] = []
    const again: number[] = []
    let size: readonly number[] = []
    const whole = await timed(async () => {
      for (let n = 0; n < rounds; n += 1) {
        const ms = await timed(async () => {
          const { status, text } = await ask(addressOf(n), { headers: { Accept: 'text/html' } })
          if (status !== 200) throw new Error(`${name}: ${status}`)
          if (n === 0) size = [text.length, gzipSync(text).length]
        })
        times.push(ms)
      }
    })
    const { headers } = await ask(addressOf(0), { headers: { Accept: 'text/html' } })
    for (let n = 0; n < rounds; n += 1) {
      const known = { Accept: 'text/html', 'If-None-Match': headers.etag ?? '' }
      again.push(await timed(async () => void (await ask(addressOf(0), { headers: known }))))
    }
    const p50 = Number(percentile(times, 0.5))
    bare[name] = p50
    const base =
      bare[
        name.startsWith('dataset') || name.startsWith('quality') ? 'record call' : 'search call'
      ] ?? p50
    rows.push([
      name,
      p50,
      percentile(times, 0.95),
      perSecond(rounds, whole),
      (p50 / base).toFixed(1),
      ...size.map((bytes) => (bytes / 1000).toFixed(1)),
      percentile(again, 0.95),
    ])
  }
  close()
  return table(rows)
}
