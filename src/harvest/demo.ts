/**
 * Demonstration: fills a fresh platform with sample catalogues, serves their files, harvests a small local source, measures
 * everything, and prints where to look. The source shrinks before its second harvest, so that there is a held removal to
 * decide about.
 */

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { z } from 'zod'
import { serve } from '../http/serve.ts'
import { openDocument } from '../rdf/open-document.ts'
import { demoFailures, openDemoFiles } from './demo-files.ts'
import { importDump } from './importing/dump.ts'

/** Running platform of the demonstration, and its data. */
type Demo = {
  /** Address of the platform, without trailing slash. */
  readonly url: string
  /** API key that may write. */
  readonly key: string
  /** Directory of RDF documents, each a catalogue with its datasets; below it the vocabulary of their subjects. */
  readonly folder: string
  /** Source to harvest; absent for none. */
  readonly source?: DemoSource
  readonly out: { write(text: string): unknown }
}

/** A catalogue on this machine's loopback address, which a pipe harvests, and the files of all sample catalogues. */
export type DemoSource = {
  /**
   * Environment for a platform that knows the pipe, stores its data in a temporary directory and may reach the local files.
   * Settings of `userEnvironment` for pages, harvests and measurements take precedence.
   */
  readonly environment: (userEnvironment: Environment) => Environment
  /** Replaces addresses in the text of a sample catalogue by those of the local files. */
  readonly relocate: (text: string) => string
  /** Turtle of the target catalogue. */
  readonly catalogue: string
  /** Removes some datasets from the source. */
  readonly shrink: () => void
  /** Stops the servers and deletes the temporary directory. */
  readonly close: () => Promise<void>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Name of the pipe, and id of its target catalogue. */
const pipe = 'county-archive'
/** Searches that the portal suggests. */
const examples = ['water quality', 'budget', 'population', 'trees']

/** Serves the documents of a folder as the source and the files beside it, and writes the file of the pipe. */
export async function openDemoSource(folder: string): Promise<DemoSource> {
  const readArchive = (name: string) => readFile(join(folder, 'archive', name), 'utf8')
  const [template, catalogue] = await Promise.all([
    readArchive(`${pipe}.yaml`),
    readArchive('catalogue.ttl'),
  ])
  const files = await openDemoFiles(join(folder, 'files'))
  let currentFile = 'first.ttl'
  const answer = async (request: Request) => {
    const { origin, pathname } = new URL(request.url)
    if (pathname !== '/catalog.ttl') return files.answer(request)
    const text = files.relocate(await readArchive(currentFile), origin)
    return new Response(text, { headers: { 'Content-Type': 'text/turtle' } })
  }
  const server = await serve({ fetch: answer }, { port: 0 })
  const { url, port } = server
  const directory = await mkdtemp(join(tmpdir(), 'cartulary-demo-'))
  const pipes = join(directory, 'pipes')
  await mkdir(pipes)
  const text = template.replace('"{source}"', `"${url}/catalog.ttl"`)
  await writeFile(join(pipes, `${pipe}.yaml`), text)
  const allow = [`127.0.0.1:${port}`]
  const defaults = {
    PLATFORM_PORTAL_CONFIG: { examples, preview: { allow } },
    PLATFORM_HARVEST_CONFIG: { hostDelayMs: 0 },
    PLATFORM_METRICS_CONFIG: { allow, hostDelayMs: 0 },
  }
  return {
    environment: (userEnvironment) => ({
      ...userEnvironment,
      ...settingsOver(defaults, userEnvironment),
      PLATFORM_CLUSTER_CONFIG: JSON.stringify({ resources: { paths: [pipes] } }),
      PLATFORM_DATA_DIR: join(directory, 'data'),
    }),
    relocate: (document) => files.relocate(document, url),
    catalogue,
    shrink: () => (currentFile = 'second.ttl'),
    close: async () => {
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

const settings = z.record(z.string(), z.unknown())

/** Merges the keys of JSON settings over the defaults; invalid JSON is left for the configuration to report. */
function settingsOver(
  defaults: Readonly<Record<string, object>>,
  environment: Environment,
): Environment {
  const merged = Object.entries(defaults).map(([name, defaultSettings]) => {
    const text = environment[name] ?? ''
    if (text.trim() === '') return [name, JSON.stringify(defaultSettings)] as const
    try {
      const ownSettings = settings.parse(JSON.parse(text))
      return [name, JSON.stringify({ ...defaultSettings, ...ownSettings })] as const
    } catch {
      return [name, text] as const
    }
  })
  return Object.fromEntries(merged)
}

/** Runs the demonstration through the public API; an aborted signal ends it silently. */
export async function runDemo(demo: Demo, signal: AbortSignal): Promise<void> {
  const { url, key, folder, out, source } = demo
  const ask = demoClient(demo, signal)
  try {
    const subjects = await readFile(join(folder, 'vocabularies/subject.ttl'), 'utf8')
    await ask('PUT', '/api/hub/repo/vocabularies/subject', subjects, 'text/turtle')
    await importAll(demo, signal)
    if (source) await harvest(ask, source)
    const count = await datasetCount(ask)
    if (!signal.aborted) out.write(closingText(url, key, count, source !== undefined))
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

async function importAll(demo: Demo, signal: AbortSignal): Promise<void> {
  const { url, key, folder, out, source } = demo
  const service = `${url}/api/hub/repo`
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []))
  for (const name of names.sort()) {
    const text = await readFile(join(folder, name), 'utf8')
    const stdin = (async function* () {
      yield Buffer.from(source?.relocate(text) ?? text)
    })()
    const [format, baseIri] = [extname(name).slice(1), `file:///${name}`]
    const document = await openDocument({ location: '-', format, baseIri, stdin }, signal)
    const summary = await importDump(document, { service, key }, signal)
    for (const { dataset, reason } of summary.failures)
      out.write(`${name}: ${dataset}: ${reason}\n`)
  }
}

const countAnswer = z.object({ result: z.object({ count: z.number() }) })

/** Number of all datasets, by the same search as on the portal's home page. */
async function datasetCount(ask: ReturnType<typeof demoClient>): Promise<number> {
  const answer = await ask('GET', '/api/hub/search/search?filters=dataset&limit=0')
  return countAnswer.parse(await answer.json()).result.count
}

/** Makes a function that sends requests to the platform with the key of the demonstration. */
const demoClient =
  ({ url, key }: Demo, signal: AbortSignal) =>
  (method: string, path: string, body?: string, type = 'application/json') => {
    const headers = { 'X-API-Key': key, 'Content-Type': type }
    return fetch(new URL(path, url), { method, signal, headers, body })
  }

/** Harvests twice, the second time with fewer datasets, then measures everything. */
async function harvest(ask: ReturnType<typeof demoClient>, source: DemoSource): Promise<void> {
  const run = async (name: string) => {
    const launched = await ask('POST', `/api/scheduler/pipes/${name}/runs`, '{}')
    // The event stream ends with the run.
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

const closingText = (url: string, key: string, datasets: number, hasFiles: boolean): string => `
${datasets} sample datasets are in.${hasFiles ? ` Their files are served here; ${demoFailures.size} links fail on purpose.` : ''} Look at
  ${url}/
and sign in there with this key, to see the runs of harvesting and a removal that waits:
  ${key}
Ctrl-C ends the demonstration and removes its data.

For programs:
  ${url}/api/hub/search/search?q=water&filters=dataset
  ${url}/api/hub/repo/
  ${url}/sparql?query=SELECT%20*%20WHERE%20%7B%3Fs%20a%20%3Chttp%3A%2F%2Fwww.w3.org%2Fns%2Fdcat%23Dataset%3E%7D%20LIMIT%2010
`
