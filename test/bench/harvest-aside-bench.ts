/**
 * What the harvest itself needs: a pipe of small datasets into a repository elsewhere that only remembers ids, so that no store
 * grows beside it. New, then all unchanged, with the memory of the platform on the way.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { pipeInto } from '../journeys/harvesting/city.ts'
import { scheduler } from '../journeys/harvesting/scheduler.ts'
import { client, gateway, type Gateway } from '../support/gateway.ts'
import { perSecond, table } from './figures.ts'
import { memory } from './memory.ts'

const [dcat, dct, rdfType] = [
  'http://www.w3.org/ns/dcat#',
  'http://purl.org/dc/terms/',
  '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>',
]

function dataset(n: number): string {
  const node = `<https://city.example/dataset/${n}>`
  const file = `<https://city.example/dataset/${n}/csv>`
  return `${node} ${rdfType} <${dcat}Dataset> .
${node} <${dct}identifier> "city-${n}" .
${node} <${dct}title> "Dataset ${n}"@en .
${node} <${dct}description> "What the city knows of thing ${n}."@en .
${node} <${dcat}distribution> ${file} .
${file} ${rdfType} <${dcat}Distribution> .
${file} <${dcat}accessURL> <https://city.example/files/${n}.csv> .
`
}

function* dump(count: number, tail: string): Generator<string> {
  const many = 1000
  for (let n = 0; n < count; n += many) {
    const numbers = Array.from({ length: Math.min(many, count - n) }, (_, at) => n + at)
    yield numbers.map(dataset).join('')
  }
  yield tail
}

type Elsewhere = { readonly address: string; tail: string; readonly end: () => void }

/** The source under `/dump.nt`, the repository under `/repo`. */
async function elsewhere(count: number): Promise<Elsewhere> {
  const ids = new Set<string>()
  const told = (response: ServerResponse, body: unknown) =>
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body))
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = request.url ?? ''
    if (url === '/dump.nt') {
      response.setHeader('Content-Type', 'application/n-triples')
      Readable.from(dump(count, served.tail)).pipe(response)
    } else if (request.method === 'HEAD') response.end()
    else if (request.method === 'PUT') told(response, verdicts(await text(request), ids))
    else told(response, url.includes('originalIds') ? [...ids] : [`${base}id/catalogue/city`])
  }
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const end = () => {
    server.closeAllConnections()
    server.close()
  }
  const served: Elsewhere = { address: `http://127.0.0.1:${port}`, tail: '', end }
  return served
}

const base = 'https://hub.example/'

/** All that comes is taken; the records of a body say the ids. */
function verdicts(body: string, ids: Set<string>): object[] {
  const record = /^<https:\/\/hub\.example\/set\/record\/\d+> <\S+identifier> "([^"]*)"/gm
  return [...body.matchAll(record)].map(([, originalId = '']) => {
    ids.add(originalId)
    return { originalId, id: originalId, status: 201 }
  })
}

export async function harvestAsideBench(directory: string, datasets: number): Promise<string> {
  const other = await elsewhere(datasets)
  await mkdir(directory, { recursive: true })
  const pipes = await pipeInto(directory, `${other.address}/dump.nt`)
  const file = join(pipes, 'city.json')
  const hub = JSON.stringify({ endpoint: { address: `${other.address}/repo`, apiKey: 'a key' } })
  await writeFile(
    file,
    (await readFile(file, 'utf8')).replace('{"serviceName":"hub-repo"}', () => hub),
  )
  const platform = await gateway(directory, {
    PLATFORM_CLUSTER_CONFIG: JSON.stringify({ resources: { paths: [pipes] } }),
    PLATFORM_HARVEST_CONFIG: JSON.stringify({ hostDelayMs: 0 }),
  })
  try {
    await client(platform).put(
      '/catalogues/city',
      '<urn:x> a <http://www.w3.org/ns/dcat#Catalog> ; <http://purl.org/dc/terms/title> "City"@en .',
    )
    const rows = [['', 'datasets', 'datasets/s', 'RSS MiB', 'peak MiB']]
    rows.push(...(await watched(platform, 'new', datasets)))
    other.tail = '\n'
    rows.push(...(await watched(platform, 'unchanged', datasets)))
    return table(rows)
  } finally {
    await platform.stop()
    other.end()
  }
}

/** A row whenever another tenth is done. */
async function watched(platform: Gateway, name: string, datasets: number): Promise<string[][]> {
  const { launch, run } = scheduler(platform)
  const [started, id] = [performance.now(), await launch('city')]
  const rows: string[][] = []
  for (let next = 0; ;) {
    const { status, outcome, counts } = await run(id)
    const done = counts.created + counts.unchanged
    const ended = !['waiting', 'running'].includes(status)
    if (done >= next || ended) {
      const { now, peak } = await memory(platform.process.pid)
      const rate = perSecond(done, performance.now() - started)
      const label = ended ? `${name}: ${status} ${outcome ?? ''}` : name
      rows.push([label, String(done), String(rate), String(now), String(peak)])
      next = done + datasets / 10
    }
    if (ended) return rows
    await setTimeout(200)
  }
}
