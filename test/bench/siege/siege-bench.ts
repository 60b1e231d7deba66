/**
 * What strangers can do to others: queries that want all memory, one address that asks what never ends, two hundred dumps,
 * more connections than there are places, wrong keys, the worst input of every endpoint. Printed, never asserted; the addresses are named by a trusted proxy.
 */

import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { client, gateway, type Gateway } from '../../support/gateway.ts'
import { dumpsBench } from './dumps.ts'
import { worstInputsBench } from './worst-inputs.ts'
import { bulk, indexed } from '../repository/loading.ts'
import { documents } from '../repository/documents.ts'
import { percentile, table } from '../figures.ts'
import { forgetPeak, memory } from '../memory.ts'

type Options = {
  readonly folder: string
  /** Of each siege with queries; of one with dumps 20 at most. */
  readonly seconds: number
  readonly say: (text: string) => void
}

const [attacker, other] = ['203.0.113.7', '198.51.100.9']
const forwarded = (address: string) => ({ 'X-Forwarded-For': address })
const triplesNow = 'SELECT (COUNT(*) AS ?n) { ?s ?p ?o }'
const product = 'SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }'
const doubling = `SELECT (STRLEN(?x21) AS ?n) { BIND("${'x'.repeat(2048)}" AS ?x0) ${Array.from(
  { length: 21 },
  (_, n) => `BIND(CONCAT(?x${n}, ?x${n}) AS ?x${n + 1})`,
).join(' ')} }`
const groups = 'SELECT (GROUP_CONCAT(?c) AS ?all) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }'

/** The status of an answer, read to its end; 0 when there was none. */
const statusOf = (address: string, init: RequestInit = {}): Promise<number> =>
  fetch(address, init).then(
    async (answer) => {
      await answer.arrayBuffer()
      return answer.status
    },
    () => 0,
  )

const query = ({ url }: Gateway, text: string, from: string) =>
  statusOf(`${url}/sparql`, {
    method: 'POST',
    body: new URLSearchParams({ query: text }),
    headers: forwarded(from),
  })

type Probe = { readonly times: number[]; readonly statuses: Map<number, number> }

/** Asks again and again, a tenth of a second after the last answer, until `ended`. */
async function probing(ask: () => Promise<number>, ended: AbortSignal): Promise<Probe> {
  const probe: Probe = { times: [], statuses: new Map() }
  while (!ended.aborted) {
    const started = performance.now()
    const status = await ask()
    probe.times.push(performance.now() - started)
    probe.statuses.set(status, (probe.statuses.get(status) ?? 0) + 1)
    await sleep(100)
  }
  return probe
}

const told = (statuses: ReadonlyMap<number, number>) =>
  [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')

const head = ['', 'p50 ms', 'p95 ms', 'most ms', 'answers']
const rowOf = (name: string, { times, statuses }: Probe) => [
  name,
  percentile(times, 0.5),
  percentile(times, 0.95),
  percentile(times, 1),
  told(statuses),
]

/** What `probes` need while `attack` goes on, and what the attack got. */
async function besieged(
  seconds: number,
  probes: Readonly<Record<string, () => Promise<number>>>,
  attack: (ended: AbortSignal) => Promise<Probe[]>,
): Promise<string> {
  const end = AbortSignal.timeout(seconds * 1000)
  const attacking = attack(end)
  const rows = await Promise.all(
    Object.entries(probes).map(async ([name, ask]) => rowOf(name, await probing(ask, end))),
  )
  const got = new Map<number, number>()
  for (const { statuses } of await attacking) {
    for (const [status, count] of statuses) got.set(status, (got.get(status) ?? 0) + count)
  }
  return `${table([head, ...rows])}\nthe attack got: ${told(got)}`
}

async function bombs(platform: Gateway): Promise<string> {
  const { pid } = platform.process
  const rows: (string | number)[][] = [['', 'status', 'ms', 'MB before', 'MB peak', 'health after']]
  for (const [name, text] of [
    ['21 doublings', doubling],
    ['GROUP_CONCAT of a product', groups],
  ] as const) {
    await forgetPeak(pid)
    const before = (await memory(pid)).now
    const started = performance.now()
    const status = await query(platform, text, attacker)
    const ms = Math.round(performance.now() - started)
    const { peak } = await memory(pid)
    rows.push([name, status, ms, before, peak, await statusOf(`${platform.url}/health`)])
  }
  return table(rows)
}

const starving = (platform: Gateway, seconds: number) =>
  besieged(
    seconds,
    {
      'ASK {} of another address': () => query(platform, 'ASK {}', other),
      'GET /health': () => statusOf(`${platform.url}/health`),
    },
    (ended) =>
      Promise.all([1, 2].map(() => probing(() => query(platform, product, attacker), ended))),
  )

/** Connections that say nothing, from an address that is not the loopback's; those that were ended do not count. */
async function connections(platform: Gateway, seconds: number): Promise<string> {
  const port = Number(new URL(platform.url).port)
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  const host = all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address
  if (host === undefined) return 'this machine has no address but the loopback'
  const sockets: Socket[] = []
  for (let n = 0; n < 1500; n += 1) {
    const socket = connect({ port, host })
    socket.on('error', () => undefined)
    // Reads, to see when it is refused.
    socket.resume()
    sockets.push(socket)
  }
  await sleep(1000)
  const open = () => sockets.filter(({ readyState }) => readyState === 'open').length
  const held = open()
  const probes = { 'GET /health': () => statusOf(`${platform.url}/health`) }
  const figures = await besieged(Math.min(seconds, 10), probes, () => Promise.resolve([]))
  for (const socket of sockets) socket.destroy()
  return `${held} of 1500 idle connections of one address stand\n${figures.split('\n').slice(0, -1).join('\n')}`
}

async function keys(platform: Gateway): Promise<string> {
  const address = `${client(platform).repo}/catalogues/siege-key`
  const put = (key: string) =>
    statusOf(address, {
      method: 'PUT',
      body: '<> a <http://www.w3.org/ns/dcat#Catalog> .',
      headers: { ...forwarded(attacker), 'X-API-Key': key, 'Content-Type': 'text/turtle' },
    })
  const wrong = new Map<number, number>()
  for (let n = 0; n < 60; n += 1) {
    const status = await put(`wrong-${n}`)
    wrong.set(status, (wrong.get(status) ?? 0) + 1)
  }
  return `60 wrong keys: ${told(wrong)}; then the right one from there: ${await put(platform.key)}`
}

async function grown(
  platform: Gateway,
  pool: readonly string[],
  datasets: readonly [number, number],
) {
  const [from, to] = datasets
  await bulk(platform, { pool, from, to })
  await indexed(platform)
  const answer = await client(platform).query(triplesNow)
  const text = await answer.text()
  return `${to} datasets by bulk, ${/"value":"(\d+)"/.exec(text)?.[1]} triples, ${(await memory(platform.process.pid)).now} MB`
}

export async function siegeBench(
  directory: string,
  { folder, seconds, say }: Options,
): Promise<void> {
  const platform = await gateway(directory, {
    PLATFORM_TRUSTED_PROXIES: '127.0.0.1',
    PLATFORM_HOST: '0.0.0.0',
  })
  const pool = await documents(folder)
  try {
    await client(platform).put('/catalogues/load', '<> a <http://www.w3.org/ns/dcat#Catalog> .')
    say(`## ${await grown(platform, pool, [0, 400])}`)
    say(`### memory bombs\n${await bombs(platform)}`)
    say(`### one address with products\n${await starving(platform, seconds)}`)
    say(`### 200 dumps\n${await dumpsBench(platform, { folder, seconds: Math.min(seconds, 20) })}`)
    say(`### connections\n${await connections(platform, seconds)}`)
    say(`### keys\n${await keys(platform)}`)
    say(`## ${await grown(platform, pool, [400, 13_500])}`)
    say(`### memory bombs\n${await bombs(platform)}`)
    say(`### one address with products\n${await starving(platform, seconds)}`)
  } finally {
    await platform.stop()
  }
  say(`## worst inputs of strangers\n${await worstInputsBench(join(directory, 'worst'))}`)
}
