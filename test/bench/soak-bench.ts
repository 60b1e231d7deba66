/**
 * What a platform weighs after half an hour of work: a corpus that stays as large as it is, writers that change it without
 * pause and twelve readers. Every minute: resident memory, what was done, and the slowest answers.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { client, type Gateway } from '../support/gateway.ts'
import { documents } from './repository/documents.ts'
import { percentile, table } from './figures.ts'
import { memory } from './memory.ts'
import { wire } from './wire.ts'

type Options = { readonly folder: string; readonly minutes: number }

const [writers, readers] = [4, 12]

type Minute = { rss: number[]; puts: number[]; reads: number[] }
const fresh = (): Minute => ({ rss: [], puts: [], reads: [] })

const mean = (values: readonly number[]) =>
  Math.round(values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length))

async function timedSend(
  times: number[],
  work: () => Promise<number>,
  right: (status: number) => boolean,
) {
  const started = performance.now()
  const status = await work()
  times.push(performance.now() - started)
  if (!right(status)) throw new Error(`the platform answered ${status}`)
}

/** Statements that writes have replaced until now: those in memory, and those that copies have left behind. */
function tally() {
  let [gone, last] = [0, 0]
  return (dead: number) => {
    if (dead < last) gone += last
    last = dead
    return gone + dead
  }
}

export async function soakBench(platform: Gateway, { folder, minutes }: Options): Promise<string> {
  const api = client(platform)
  const { send, close } = wire()
  const bodies = await documents(folder)
  const headers = { 'X-API-Key': platform.key, 'Content-Type': 'text/turtle' }
  const put = (n: number, version: number) =>
    send(`${api.repo}/catalogues/soak/datasets/origin?originalId=s-${n}`, {
      method: 'PUT',
      headers,
      body: (bodies[n] ?? '').replace(/dct:title "/, `dct:title "${version} `),
    })
  await api.put('/catalogues/soak', '<> a <http://www.w3.org/ns/dcat#Catalog> .')
  for (const n of bodies.keys()) await put(n, 0)
  const addresses = (n: number) => [
    `${api.search}/search?q=data+${n % 50}&filters=dataset`,
    `${api.repo}/datasets/s-${n}.ttl`,
    `${api.search}/datasets/s-${n}`,
  ]
  const all: Minute[] = []
  let now = fresh()
  const begin = Date.now()
  const end = begin + minutes * 60_000
  const isOver = () => Date.now() >= end
  const write = async (lane: number) => {
    for (let n = lane, version = 1; !isOver(); n += writers) {
      if (n >= bodies.length) [n, version] = [lane, version + 1]
      await timedSend(
        now.puts,
        () => put(n, version),
        (status) => status === 204,
      )
    }
  }
  const read = async (lane: number) => {
    for (let n = lane; !isOver(); n += 1) {
      const address = addresses(n % bodies.length)[n % 3] ?? ''
      await timedSend(
        now.reads,
        () => send(address),
        (status) => status === 200,
      )
    }
  }
  const rows: (string | number)[][] = [
    [
      'minute',
      'RSS mean MB',
      'RSS most',
      'PUT/s',
      'PUT p99 ms',
      'slowest',
      'reads/s',
      'slowest',
      'statements',
      'dead',
      'replaced',
    ],
  ]
  const replaced = tally()
  const watch = async () => {
    for (; all.length < minutes;) {
      await sleep(1000)
      now.rss.push((await memory(platform.process.pid)).now)
      const { store } = await api.json<{ store: { quads: number; dead: number } }>(
        `${platform.url}/health`,
      )
      const sum = replaced(store.dead)
      if (Date.now() < begin + (all.length + 1) * 60_000) continue
      const { rss, puts, reads } = now
      all.push(now)
      now = fresh()
      const [p99, slowPut, slowRead] = [
        percentile(puts, 0.99),
        percentile(puts, 1),
        percentile(reads, 1),
      ]
      rows.push([
        all.length,
        mean(rss),
        Math.max(...rss),
        Math.round(puts.length / 60),
        p99,
        slowPut,
        Math.round(reads.length / 60),
        slowRead,
        store.quads,
        store.dead,
        sum,
      ])
      process.stdout.write(`${rows.at(-1)?.join('  ')}\n`)
    }
  }
  await Promise.all([
    ...Array.from({ length: writers }, (_, lane) => write(lane)),
    ...Array.from({ length: readers }, (_, lane) => read(lane)),
    watch(),
  ])
  close()
  const [fifth, last] = [all[Math.min(4, all.length - 1)], all.at(-1)]
  const ratio = mean(last?.rss ?? []) / mean(fifth?.rss ?? [])
  return `${table(rows)}\n\nmemory of the last minute / of the fifth: ${ratio.toFixed(3)}`
}
