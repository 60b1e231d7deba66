/** The hostile strings in what stewards read: titles of pipes, what a source says, items of runs, deleted records. */

import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { harmIn, hostileStrings } from './hostile-strings.ts'
import { signedIn } from './signed-in.ts'

let directory: string
let platform: Gateway
let source: Server
let steward: Awaited<ReturnType<typeof signedIn>>
/** Whether the source leaves out most of its records. */
let isShort = false

const literal = (text: string) => JSON.stringify(text)

/** A record for each string, named and titled by it, and one that cannot be taken because it has no name. */
const document = () =>
  hostileStrings
    .slice(0, isShort ? 2 : hostileStrings.length)
    .map((text, at) => {
      const all = `a dcat:Dataset ; dct:title ${literal(text)}@en ; dct:issued ${literal(text)} ; dcat:keyword ${literal(text)}`
      return `<https://evil.example/${at}> dct:identifier ${literal(text)} ; ${all} .\n[] ${all} .\n`
    })
    .join('')

const pipe = (name: string, title: string, path: string) => ({
  header: { id: name, name, title, version: '2.0.0', transport: 'payload' },
  body: {
    segments: [
      {
        header: { name: 'importing-rdf', segmentNumber: 1, title },
        body: {
          config: {
            address: `http://127.0.0.1:${(source.address() as AddressInfo).port}/${path}`,
            catalogue: 'evil',
            inputFormat: 'text/turtle',
          },
        },
      },
      {
        header: { name: 'exporting-hub', segmentNumber: 2, title },
        body: { config: { guardMinimum: 1 } },
      },
    ],
  },
})

beforeAll(async () => {
  const prefixes =
    '@prefix dcat: <http://www.w3.org/ns/dcat#> .\n@prefix dct: <http://purl.org/dc/terms/> .\n'
  source = createServer((request, answer) => {
    const [, kind, at] = (request.url ?? '').split('/')
    const text = hostileStrings[Number(at)] ?? ''
    if (kind === 'all') answer.setHeader('Content-Type', 'text/turtle').end(prefixes + document())
    // What a source that fails says, and what it calls RDF.
    else if (kind === 'failing')
      answer.writeHead(404, { 'Content-Type': 'application/json' }).end(literal(text))
    else answer.setHeader('Content-Type', 'text/turtle').end(`<a> <b> ${text} .`)
  })
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve))
  directory = await temporaryDirectory()
  const pipes = join(directory, 'pipes')
  await mkdir(pipes)
  const put = (name: string, content: string) => writeFile(join(pipes, `${name}.json`), content)
  await put('all', JSON.stringify(pipe('all', hostileStrings.join(' '), 'all')))
  for (const [at, text] of hostileStrings.entries()) {
    await put(`title-${at}`, JSON.stringify(pipe(`title-${at}`, text, 'all')))
    await put(`broken-${at}`, `{ "header": ${text}`)
  }
  for (const kind of ['failing', 'malformed'])
    for (const at of [0, 1, 2, 8])
      await put(`${kind}-${at}`, JSON.stringify(pipe(`${kind}-${at}`, kind, `${kind}/${at}`)))
  platform = await gateway(directory, {
    PLATFORM_CLUSTER_CONFIG: JSON.stringify({ resources: { paths: [pipes] } }),
    PLATFORM_HARVEST_CONFIG: '{"allow":["127.0.0.1"]}',
  })
  await client(platform).put('/catalogues/evil', `${prefixes}<> a dcat:Catalog .`)
  steward = await signedIn(platform, platform.key)
}, 60_000)
afterAll(async () => {
  await platform.stop()
  source.close()
  await remove(directory)
})

/** What is wrong with pages that should be there. */
async function harmOn(...paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const path of paths) {
    const answer = await steward.get(`/en/harvest${path}`)
    if (answer.status !== 200) found.push(`${path}: ${answer.status}`)
    found.push(...harmIn(await answer.text()).map((harm) => `${path}: ${harm}`))
  }
  return found
}

/** Runs a pipe to its end, by the button of its page; answers the id of the run. */
async function run(name: string, action = 'run'): Promise<string> {
  const started = await steward.post(`/en/harvest/pipes/${name}`, { do: action })
  expect(started.status).toBe(303)
  const id = (started.headers.get('Location') ?? '').split('/').at(-1) ?? ''
  const state = async () => {
    const answer = await fetch(`${platform.url}/api/scheduler/runs/${id}`)
    return ((await answer.json()) as { status: string }).status
  }
  await expect.poll(state, { timeout: 30_000 }).toMatch(/finished|failed|cancelled/)
  return id
}

it('titles of pipes, and files that are none, stay text', async () => {
  const sources = await (await steward.get('/en/harvest')).text()
  expect(sources).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(harmIn(sources)).toEqual([])
  const own = hostileStrings.keys().map((at) => `/pipes/title-${at}`)
  expect(await harmOn(...own, '/pipes/all', '/runs', '/waiting', '/deleted')).toEqual([])
})

it('names, titles and values of the records of a source stay text in a run and in a dry run', async () => {
  const id = await run('all')
  const page = await (await steward.get(`/en/harvest/runs/${id}`)).text()
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(harmIn(page)).toEqual([])
  const dry = await run('title-1', 'dry')
  expect(await harmOn(`/runs/${dry}`, '/runs', '', '/pipes/all')).toEqual([])
}, 60_000)

it('what a source says when it fails, and what it calls RDF, stays text', async () => {
  for (const at of [0, 1, 2, 8])
    for (const kind of ['failing', 'malformed'])
      expect(await harmOn(`/runs/${await run(`${kind}-${at}`)}`)).toEqual([])
}, 60_000)

it('records that wait for their removal, and deleted ones, stay text', async () => {
  isShort = true
  const id = await run('all')
  expect(await harmOn('/waiting', `/runs/${id}`, `/runs/${id}/held`)).toEqual([])
  expect(await (await steward.get(`/en/harvest/runs/${id}/held`)).text()).toContain('wait for you')
  const confirmed = await steward.post(`/en/harvest/runs/${id}`, { do: 'confirm', sure: 'yes' })
  expect(confirmed.status).toBe(303)
  const deleted = async () => (await steward.get('/en/harvest/deleted')).text()
  await expect.poll(async () => (await deleted()).match(/value="restore"/g)?.length).toBe(38)
  expect(harmIn(await deleted())).toEqual([])
}, 60_000)
