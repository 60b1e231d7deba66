/**
 * The demonstration: fills a fresh platform with the sample catalogues, harvests a small source that this process serves itself,
 * measures everything and says where to look. The source has changed when it is harvested for the second time, so that there is a
 * removal that waits for somebody to decide.
 */

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '../http/serve.ts'
import { openDocument } from '../rdf/open-document.ts'
import { importDump } from './importing/dump.ts'

type Demo = {
  /** Address of the platform, without a slash at its end. */
  readonly url: string
  readonly key: string
  /** Directory of RDF documents, each a catalogue with its datasets; below it the vocabulary of their subjects. */
  readonly folder: string
  /** Absent: nothing is harvested. */
  readonly source?: DemoSource
  readonly out: { write(text: string): unknown }
}

/** A catalogue on this machine's loopback address, which a pipe harvests. */
export type DemoSource = {
  /** Settings of a platform that knows the pipe and keeps its data in a temporary directory. */
  readonly env: Readonly<Record<string, string>>
  /** Settings where the environment has none. */
  readonly defaults: Readonly<Record<string, string>>
  /** Turtle of the catalogue that its datasets go into. */
  readonly catalogue: string
  /** From now on some of its datasets are gone. */
  readonly shrink: () => void
  /** Also removes the directory. */
  readonly close: () => Promise<void>
}

const pipe = 'county-archive'
const examples = ['water quality', 'budget', 'population', 'trees']

/** Serves the documents of a folder as the source, and writes the file of its pipe. */
export async function openDemoSource(folder: string): Promise<DemoSource> {
  const read = (name: string) => readFile(join(folder, name), 'utf8')
  const directory = await mkdtemp(join(tmpdir(), 'cartulary-demo-'))
  let present = 'first.ttl'
  const headers = { 'Content-Type': 'text/turtle' }
  const fetch = async () => new Response(await read(present), { headers })
  const served = await serve({ fetch }, { port: 0 })
  const pipes = join(directory, 'pipes')
  await mkdir(pipes)
  const text = (await read(`${pipe}.yaml`)).replace('"{source}"', `"${served.url}/catalog.ttl"`)
  await writeFile(join(pipes, `${pipe}.yaml`), text)
  return {
    env: {
      PLATFORM_CLUSTER_CONFIG: JSON.stringify({ resources: { paths: [pipes] } }),
      PLATFORM_DATA_DIR: join(directory, 'data'),
    },
    defaults: { PLATFORM_PORTAL_CONFIG: JSON.stringify({ examples }) },
    catalogue: await read('catalogue.ttl'),
    shrink: () => (present = 'second.ttl'),
    close: async () => {
      await served.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Does everything through the public API, as any client would; a signal ends it without a word. */
export async function runDemo(demo: Demo, signal: AbortSignal): Promise<void> {
  const { url, key, folder, out, source } = demo
  const ask = askingOf(demo, signal)
  try {
    const subjects = await readFile(join(folder, 'vocabularies/subject.ttl'), 'utf8')
    await ask('PUT', '/api/hub/repo/vocabularies/subject', subjects, 'text/turtle')
    const created = await importAll(demo, signal)
    if (source) await harvest(ask, source)
    if (!signal.aborted) out.write(farewell(url, key, created))
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

async function importAll({ url, key, folder, out }: Demo, signal: AbortSignal): Promise<number> {
  const service = `${url}/api/hub/repo`
  let created = 0
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []))
  for (const name of names.sort()) {
    const document = await openDocument({ location: join(folder, name) }, signal)
    const summary = await importDump(document, { service, key }, signal)
    created += summary.created
    for (const { dataset, reason } of summary.losses) out.write(`${name}: ${dataset}: ${reason}\n`)
  }
  return created
}

/** Requests with the rights of the demonstration. */
const askingOf =
  ({ url, key }: Demo, signal: AbortSignal) =>
  (method: string, path: string, body?: string, type = 'application/json') => {
    const headers = { 'X-API-Key': key, 'Content-Type': type }
    return fetch(new URL(path, url), { method, signal, headers, ...(body && { body }) })
  }

/** Twice, because the second run finds the source with fewer datasets; then measures everything. */
async function harvest(ask: ReturnType<typeof askingOf>, source: DemoSource): Promise<void> {
  const run = async (name: string) => {
    const launched = await ask('POST', `/api/scheduler/pipes/${name}/runs`, '{}')
    // Its events end with the run.
    const events = await ask('GET', `${launched.headers.get('Location')}/events`)
    await events.text()
  }
  await ask('PUT', `/api/hub/repo/catalogues/${pipe}`, source.catalogue, 'text/turtle')
  await run(pipe)
  source.shrink()
  await run(pipe)
  await run('metrics')
  await ask('POST', '/api/mqa/cache/admin/refresh', '{}')
}

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
