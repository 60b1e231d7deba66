/** A pipe from a dump on a server into the repository: new, then unchanged in two ways, beside the parser alone and the store alone. */

import { execFileSync } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pipeInto } from '../journeys/harvesting/city.ts'
import { scheduler } from '../journeys/harvesting/scheduler.ts'
import { client, eventually, gateway, type Gateway } from '../support/gateway.ts'
import { perSecond, table, timed } from './figures.ts'
import { memory } from './memory.ts'
import { parseOnly } from './raw.ts'
import { threadsOf, usedBy } from './threads.ts'

type Wish = {
  readonly dump: string
  readonly datasets: number
  /** Says which store. */
  readonly env?: Readonly<Record<string, string>>
}

export async function harvestBench(
  directory: string,
  { dump, datasets, env = {} }: Wish,
): Promise<string> {
  const source = await serving(dump)
  await mkdir(directory, { recursive: true })
  const pipes = await pipeInto(directory, source.address)
  const cluster = JSON.stringify({ resources: { paths: [pipes] } })
  const parsing = await timed(() => parseOnly(dump))
  const platform = await gateway(directory, { ...env, PLATFORM_CLUSTER_CONFIG: cluster })
  let figures: string
  try {
    figures = await measured(platform, { source, parsing, datasets })
  } finally {
    await platform.stop()
    source.end()
  }
  return `${figures}\n${env['PLATFORM_TRIPLESTORE_CONFIG'] === undefined ? storeAlone(directory) : ''}`
}

type Served = { readonly address: string; tail: string; readonly end: () => void }

/** The dump on a server, with something behind it. */
async function serving(dump: string): Promise<Served> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'application/n-triples')
    const body = createReadStream(dump)
    body.on('end', () => response.end(served.tail)).pipe(response, { end: false })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const end = () => {
    server.closeAllConnections()
    server.close()
  }
  const served: Served = { address: `http://127.0.0.1:${port}/dump.nt`, tail: '', end }
  return served
}

type Measuring = {
  readonly source: Served
  /** ms. */
  readonly parsing: number
  readonly datasets: number
}

async function measured(
  platform: Gateway,
  { source, parsing, datasets }: Measuring,
): Promise<string> {
  const { pid } = platform.process
  await client(platform).put(
    '/catalogues/city',
    '<urn:x> a <http://www.w3.org/ns/dcat#Catalog> ; <http://purl.org/dc/terms/title> "City"@en .',
  )
  const rate = (ms: number) => [
    (ms / 1000).toFixed(1),
    perSecond(datasets, ms),
    (ms / parsing).toFixed(1),
  ]
  const rows: (readonly (string | number)[])[] = [['parse only', ...rate(parsing), '', '', '']]
  const row = async (name: string, harvest: () => Promise<string>) => {
    const before = await threadsOf(pid)
    let told = ''
    const ms = await timed(async () => (told = await harvest()))
    const { peak, now } = await memory(pid)
    const used = usedBy(before, await threadsOf(pid), datasets)
    rows.push([name, ...rate(ms), `${now}/${peak}`, told, used])
    return ms
  }
  const stored = await row('new, stored', () => harvested(platform))
  const rest = await timed(() => searchable(platform))
  rows.push(['new, searchable', ...rate(stored + rest), '', '', ''])
  await row('unchanged, the same bytes', () => harvested(platform))
  source.tail = '\n'
  await row('unchanged, a byte more', () => harvested(platform))
  const head = ['', 's', 'datasets/s', 'of parsing', 'RSS/peak MiB', '', 'processor ms per dataset']
  return table([head, ...rows])
}

async function searchable(platform: Gateway): Promise<void> {
  const { json } = client(platform)
  const pending = async () => (await json<{ pending: number }>(`${platform.url}/health`)).pending
  await eventually(async () => (await pending()) === 0, 600_000)
}

async function harvested(platform: Gateway): Promise<string> {
  const { launch, run } = scheduler(platform)
  const id = await launch('city')
  let told = await run(id)
  // Each look costs the platform a millisecond.
  for (; ['waiting', 'running'].includes(told.status); told = await run(id)) await setTimeout(200)
  const { status, outcome, counts } = told
  return `${status} ${outcome ?? ''}: ${counts.created} created, ${counts.unchanged} unchanged, ${counts.failed} failed`
}

/** What of the platform's memory is Oxigraph's index, which nobody can make smaller here. */
function storeAlone(directory: string): string {
  const script = new URL('./oxigraph-alone.ts', import.meta.url).pathname
  const text = execFileSync(process.execPath, [script, join(directory, 'store')], {
    encoding: 'utf8',
  })
  const { triples, before, after } = JSON.parse(text) as Record<string, number>
  return `Oxigraph alone with the same ${triples} triples: ${after} MiB, ${before} MiB of them before the first.`
}
