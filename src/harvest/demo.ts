/**
 * The demonstration: fills a fresh platform with the sample catalogues, harvests a small source that this process serves itself,
 * measures everything and says where to look. The source has changed when it is harvested for the second time, so that there is a
 * removal that waits for somebody to decide.
 */

import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDocument } from '../rdf/open-document.ts'
import { importDump } from './importing/dump.ts'

type Demo = {
  /** Address of the platform, without a slash at its end. */
  readonly url: string
  readonly key: string
  /** Directory of RDF documents, each a catalogue with its datasets. */
  readonly folder: string
  /** Absent: nothing is harvested. */
  readonly source?: DemoSource
  readonly out: { write(text: string): unknown }
}

/** A catalogue on this machine's loopback address, which a pipe harvests. */
type DemoSource = {
  /** Settings of a platform that knows the pipe and keeps its data in a temporary directory. */
  readonly env: Readonly<Record<string, string>>
  /** From now on most of its datasets are gone. */
  readonly shrink: () => void
  /** Also removes the directory. */
  readonly close: () => Promise<void>
}

const pipe = 'county-archive'
const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
`
const topics = ['Maps', 'Registers', 'Council minutes', 'Photographs', 'Letters', 'Surveys']

/** The fourth record has text where an address and a date belong, as real sources do. */
const datasetOf = (topic: string, at: number): string =>
  `<https://archive.county.example/sets/${at}> a dcat:Dataset ; dct:identifier "archive-${at}" ;
  dct:title "${topic} of the county archive"@en ; dct:description "What the archive has scanned of its ${topic.toLowerCase()}, with the place and the year of each item."@en ;
  dcat:theme <http://publications.europa.eu/resource/authority/data-theme/EDUC> ; dcat:keyword "archive"@en ;
  dct:publisher <https://archive.county.example/> ; dct:issued "${at === 3 ? 'some time in spring' : '2025-03-01'}" ;
  dcat:distribution [ a dcat:Distribution ; dct:title "List"@en ; dct:license <http://publications.europa.eu/resource/authority/licence/CC0> ;
    dct:format <http://publications.europa.eu/resource/authority/file-type/CSV> ; dcat:accessURL ${at === 3 ? '"ask at the desk"' : `<https://archive.county.example/sets/${at}.csv>`} ] .
`
const documentOf = (some: readonly string[]): string =>
  `${prefixes}<https://archive.county.example/> a foaf:Organization ; foaf:name "County archive"@en .\n${some.map(datasetOf).join('\n')}`

/** One removal is carried out without asking; the second one waits. */
const pipeFile = (address: string): string => `
header: { id: ${pipe}, name: ${pipe}, title: Harvest the county archive, version: 2.0.0, transport: payload }
body:
  segments:
    - header: { name: importing-rdf, segmentNumber: 1 }
      body: { config: { address: "${address}", catalogue: ${pipe}, inputFormat: text/turtle } }
    - header: { name: exporting-hub, segmentNumber: 2 }
      body: { config: { guardMinimum: 1 } }
`

/** Serves the source, and writes the file of its pipe. */
export async function openDemoSource(): Promise<DemoSource> {
  const directory = await mkdtemp(join(tmpdir(), 'cartulary-demo-'))
  let present: readonly string[] = topics
  const server: Server = createServer((_, answer) => {
    answer.setHeader('Content-Type', 'text/turtle').end(documentOf(present))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port
  const { port } = server.address() as AddressInfo
  const pipes = join(directory, 'pipes')
  await mkdir(pipes, { recursive: true })
  const address = `http://127.0.0.1:${port}/catalog.ttl`
  await writeFile(join(pipes, `${pipe}.yaml`), pipeFile(address))
  return {
    env: {
      PLATFORM_CLUSTER_CONFIG: JSON.stringify({ resources: { paths: [pipes] } }),
      PLATFORM_DATA_DIR: join(directory, 'data'),
    },
    shrink: () => (present = topics.slice(0, 4)),
    close: async () => {
      server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Does everything through the public API, as any client would; a signal ends it without a word. */
export async function runDemo(demo: Demo, signal: AbortSignal): Promise<void> {
  const { url, key, out, source } = demo
  try {
    const created = await importAll(demo, signal)
    if (source) {
      await harvest(demo, source, signal)
      await runOf(demo, 'metrics', signal)
      await post(demo, '/api/mqa/cache/admin/refresh', signal)
    }
    if (!signal.aborted) out.write(farewell(url, key, created))
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

async function importAll({ url, key, folder, out }: Demo, signal: AbortSignal): Promise<number> {
  const service = `${url}/api/hub/repo`
  let created = 0
  for (const name of (await readdir(folder)).sort()) {
    const document = await openDocument({ location: join(folder, name) }, signal)
    const summary = await importDump(document, { service, key }, signal)
    created += summary.created
    for (const { dataset, reason } of summary.losses) out.write(`${name}: ${dataset}: ${reason}\n`)
  }
  return created
}

/** Twice: the second run finds the source with fewer datasets. */
async function harvest(demo: Demo, source: DemoSource, signal: AbortSignal): Promise<void> {
  const { url, key } = demo
  await fetch(`${url}/api/hub/repo/catalogues/${pipe}`, {
    method: 'PUT',
    signal,
    headers: { 'X-API-Key': key, 'Content-Type': 'text/turtle' },
    body: `${prefixes}<> a dcat:Catalog ; dct:type "dcat-ap" ; dct:title "County archive"@en ; dct:description "Harvested from a source that this demonstration serves itself."@en .`,
  })
  await runOf(demo, pipe, signal)
  source.shrink()
  await runOf(demo, pipe, signal)
}

/** Milliseconds that a run may take before the demonstration goes on without it. */
const runMs = 60_000

async function runOf(demo: Demo, name: string, signal: AbortSignal): Promise<void> {
  const launched = await post(demo, `/api/scheduler/pipes/${name}/runs`, signal)
  const run = launched.headers.get('Location')
  if (run === null) return
  const until = Date.now() + runMs
  while (Date.now() < until) {
    const answer = await fetch(run, { signal, headers: { 'X-API-Key': demo.key } })
    const text = await answer.text()
    if (!/"status":"(?:queued|running|waiting)"/.test(text)) return
    await sleep(200, undefined, { signal })
  }
}

const post = (demo: Demo, path: string, signal: AbortSignal): Promise<Response> =>
  fetch(demo.url + path, {
    method: 'POST',
    signal,
    headers: { 'X-API-Key': demo.key, 'Content-Type': 'application/json' },
    body: '{}',
  })

const farewell = (url: string, key: string, datasets: number): string => `
${datasets} sample datasets are in. Look at
  ${url}/
and sign in there with this key, to see the runs of harvesting and a removal that waits:
  ${key}
Ctrl-C ends the demonstration and removes its data.

For programs:
  ${url}/api/hub/search/search?q=water&filters=dataset
  ${url}/api/hub/repo/
  ${url}/sparql?query=SELECT%20*%20WHERE%20%7B%3Fs%20a%20%3Chttp%3A%2F%2Fwww.w3.org%2Fns%2Fdcat%23Dataset%3E%7D%20LIMIT%2010
`
