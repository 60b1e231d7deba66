/** A pipe from a dump on a server into the repository: new, then unchanged, beside parsing the dump and nothing else. */

import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeInto } from '../journeys/harvesting/city.ts'
import { scheduler } from '../journeys/harvesting/scheduler.ts'
import { client, eventually, gateway, type Gateway } from '../support/gateway.ts'
import { perSecond, table, timed } from './figures.ts'
import { memory } from './memory.ts'
import { parseOnly } from './raw.ts'

/** `env` says which store. */
export async function harvestBench(
  directory: string,
  {
    dump,
    datasets,
    env = {},
  }: {
    readonly dump: string
    readonly datasets: number
    readonly env?: Readonly<Record<string, string>>
  },
): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'application/n-triples')
    createReadStream(dump).pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await mkdir(directory, { recursive: true })
  const pipes = await pipeInto(directory, `http://127.0.0.1:${port}/dump.nt`)
  const cluster = JSON.stringify({ resources: { paths: [pipes] } })
  const platform = await gateway(directory, { ...env, PLATFORM_CLUSTER_CONFIG: cluster })
  try {
    return await measured(platform, await timed(() => parseOnly(dump)), datasets)
  } finally {
    await platform.stop()
    server.closeAllConnections()
    server.close()
  }
}

async function measured(platform: Gateway, parsing: number, datasets: number): Promise<string> {
  const api = client(platform)
  await api.put(
    '/catalogues/city',
    '<urn:x> a <http://www.w3.org/ns/dcat#Catalog> ; <http://purl.org/dc/terms/title> "City"@en .',
  )
  const rows = [['parse only', ...figures(parsing, datasets, parsing), '']]
  for (const name of ['new', 'unchanged', 'unchanged again']) {
    let told = ''
    const ms = await timed(async () => {
      const { status, outcome, counts } = await harvested(platform)
      told = `${status} ${outcome ?? ''}: ${counts.created} created, ${counts.unchanged} unchanged, ${counts.failed} failed`
    })
    const { peak, now } = await memory(platform.process.pid)
    rows.push([
      name,
      ...figures(ms, datasets, parsing),
      `${told}; RSS ${now} MiB, peak ${peak} MiB`,
    ])
  }
  await eventually(
    async () => (await api.json<{ pending: number }>(`${platform.url}/health`)).pending === 0,
    600_000,
  )
  return table([['', 's', 'datasets/s', 'of parsing', ''], ...rows])
}

const figures = (ms: number, datasets: number, parsing: number) => [
  (ms / 1000).toFixed(1),
  perSecond(datasets, ms),
  (ms / parsing).toFixed(1),
]

async function harvested(platform: Gateway) {
  const { launch, run } = scheduler(platform)
  const id = await launch('city')
  await eventually(async () => !['waiting', 'running'].includes((await run(id)).status), 3_600_000)
  return run(id)
}
