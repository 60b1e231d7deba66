/** What other clients notice while strangers ask for dumps. Every half second: the start page, health, a search, a write. */

import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { client, type Gateway } from '../../support/gateway.ts'
import { bulkBody, dataset, documents } from '../repository/documents.ts'
import { percentile, table, timed } from '../figures.ts'
import { wire } from '../wire.ts'

type Options = { readonly folder: string; readonly seconds: number }

const [datasets, besiegers, perBulk] = [3000, 200, 250]

/** A stranger who asks for a dump again and again, from one address or from one of a hundred. */
async function besieger(
  address: string,
  local: string,
  signal: AbortSignal,
  told: Map<number, number>,
) {
  const agent = new Agent({ keepAlive: true, localAddress: local })
  while (!signal.aborted) {
    const status = await new Promise<number>((resolve) => {
      const call = request(address, { agent, signal }, (answer) => {
        answer.resume()
        answer.once('close', () => resolve(answer.statusCode ?? 0))
      })
      call.once('error', () => resolve(0))
      call.end()
    })
    told.set(status, (told.get(status) ?? 0) + 1)
    if (status !== 200) await sleep(1000, undefined, { signal }).catch(() => undefined)
  }
  agent.destroy()
}

let written = 0

/** Milliseconds of what others ask meanwhile. */
async function noticed(platform: Gateway, pool: readonly string[], seconds: number) {
  const { repo, search } = client(platform)
  const { send, close } = wire()
  const headers = { 'X-API-Key': platform.key, 'Content-Type': 'text/turtle' }
  const rows = new Map<string, number[]>()
  const until = performance.now() + seconds * 1000
  for (let n = 0; performance.now() < until; n += 1) {
    const put = `${repo}/catalogues/siege/datasets/origin?originalId=new-${written}`
    const asked: Readonly<Record<string, () => Promise<number>>> = {
      'GET /': () => send(`${platform.url}/`),
      'GET /health': () => send(`${platform.url}/health`),
      'GET /search': () => send(`${search}/search?q=data+${n % 50}&filters=dataset`),
      PUT: () => send(put, { method: 'PUT', headers, body: dataset(pool, written++) }),
    }
    for (const [name, ask] of Object.entries(asked)) {
      const times = rows.get(name) ?? []
      times.push(
        await timed(async () => {
          const status = await ask()
          if (status >= 300) throw new Error(`${name} was answered with ${status}`)
        }),
      )
      rows.set(name, times)
    }
    await sleep(500)
  }
  close()
  return rows
}

/** 200 strangers ask for dumps of a catalogue of 3,000 datasets in each format: from one address, and from a hundred. */
export async function dumpsBench(platform: Gateway, { folder, seconds }: Options): Promise<string> {
  const pool = await documents(folder)
  const api = client(platform)
  await api.put('/catalogues/siege', '<> a <http://www.w3.org/ns/dcat#Catalog> .')
  const headers = { 'X-API-Key': platform.key, 'Content-Type': 'text/turtle' }
  for (let n = 0; n < datasets; n += perBulk) {
    const body = bulkBody(pool, n, perBulk)
    const { status } = await fetch(`${api.repo}/catalogues/siege/datasets/bulk`, {
      method: 'PUT',
      headers,
      body,
    })
    if (status >= 300) throw new Error(`the platform answered ${status}`)
  }
  const figures: (string | number)[][] = [
    ['dumps', 'from', 'answered', 'refused', 'asked', 'p50 ms', 'p95 ms', 'most ms'],
  ]
  for (const format of ['nq', 'ttl', 'jsonld', 'rdf'])
    for (const addresses of [1, 100]) {
      const end = new AbortController()
      const told = new Map<number, number>()
      const dump = `${api.repo}/catalogues/siege/dump.${format}`
      const all = Array.from({ length: besiegers }, (_, n) =>
        besieger(dump, `127.0.0.${2 + (n % addresses)}`, end.signal, told),
      )
      await sleep(2000)
      const rows = await noticed(platform, pool, seconds)
      end.abort()
      await Promise.all(all)
      for (const [name, times] of rows) {
        const most = Math.round(Math.max(...times))
        const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)]
        figures.push([
          format,
          addresses,
          told.get(200) ?? 0,
          told.get(429) ?? 0,
          name,
          p50,
          p95,
          most,
        ])
      }
    }
  return table(figures)
}
