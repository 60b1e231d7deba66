/**
 * Demonstration: fills a fresh platform with sample catalogues, serves their files, harvests a small local source, lets two
 * people write drafts and versions, measures everything, and prints where to look. The source shrinks before its second harvest,
 * so that there is a held removal to decide about.
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
  const { folder, out, source } = demo
  const ask = demoClient(demo, signal)
  try {
    const subjects = await readFile(join(folder, 'vocabularies/subject.ttl'), 'utf8')
    await ask('PUT', '/api/hub/repo/vocabularies/subject', subjects, 'text/turtle')
    await importAll(demo, signal)
    const [people] = await Promise.all([
      writeAsPeople(demo, signal),
      source && harvest(ask, source),
    ])
    if (source) await measure(ask)
    const count = await datasetCount(ask)
    if (!signal.aborted) out.write(closingText(demo, people, count))
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

type Ask = ReturnType<typeof demoClient>

/** Makes a function that sends requests to the platform with a key; RDF is answered in the type of the body. */
const demoClient =
  ({ url, key }: Pick<Demo, 'url' | 'key'>, signal: AbortSignal) =>
  (method: string, path: string, body?: string, type = 'application/json') => {
    const accept = method === 'GET' && type !== 'application/json' ? { Accept: type } : {}
    const headers = { 'X-API-Key': key, 'Content-Type': type, ...accept }
    return fetch(new URL(path, url), { method, signal, headers, body })
  }

/** Harvests twice, the second time with fewer datasets. */
async function harvest(ask: Ask, source: DemoSource): Promise<void> {
  await ask('PUT', `/api/hub/repo/catalogues/${pipe}`, source.catalogue, 'text/turtle')
  await runPipe(ask, pipe)
  source.shrink()
  await runPipe(ask, pipe)
}

async function measure(ask: Ask): Promise<void> {
  await runPipe(ask, 'metrics')
  await ask('POST', '/api/mqa/cache/admin/refresh', '{}')
}

async function runPipe(ask: Ask, name: string): Promise<void> {
  const launched = await ask('POST', `/api/scheduler/pipes/${name}/runs`, '{}')
  // The event stream ends with the run.
  const events = await ask('GET', `${launched.headers.get('Location')}/events`)
  await events.text()
}

// People, and what they write.

/** Catalogue in which people of the demonstration write. */
const water = 'three-rivers-water'

/** People of the demonstration, and what they find when they sign in. */
const people = [
  {
    name: 'Anna Berger',
    permissions: [`publisher:${water}`],
    may: 'publisher of the water data: two drafts, and a dataset that waits for a review',
  },
  {
    name: 'Luca Moser',
    permissions: [`steward:${water}`, `steward:${pipe}`],
    may: 'steward of the water data and the archive: that review, a dataset with five versions, a removal that waits',
  },
]

type KeyOfPerson = { readonly key: string; readonly name: string; readonly may: string }

const [invitation, accepted] = [z.object({ token: z.string() }), z.object({ key: z.string() })]
const history = z.object({ versions: z.array(z.unknown()) })

/**
 * Invites a publisher and a steward, who write drafts and versions where there are none yet. Resolves with their keys, with none
 * where the key of the demonstration may not invite. Rejects where the platform refuses a step.
 */
async function writeAsPeople(demo: Demo, signal: AbortSignal): Promise<readonly KeyOfPerson[]> {
  const invited = await Promise.all(people.map((person) => invite(demo, person, signal)))
  const keys = invited.flatMap((person) => person ?? [])
  const [publisher, steward] = keys.map(({ key }) => stepsOf({ ...demo, key }, signal))
  if (!publisher || !steward) return []
  const stored = await steward('GET', '/datasets/nitrate/versions')
  if (history.parse(await stored.json()).versions.length < 5)
    await Promise.all([writeVersions(publisher, steward), writeDrafts(demo, publisher)])
  return keys
}

/** Makes the key of a person; `undefined` where the key of the demonstration is not that of an administrator. */
async function invite(demo: Demo, person: (typeof people)[number], signal: AbortSignal) {
  const ask = demoClient(demo, signal)
  const { name, permissions, may } = person
  const account = JSON.stringify({ kind: 'person', name, permissions })
  const answer = await ask('POST', '/api/hub/repo/accounts', account)
  if (answer.status === 403) return undefined
  const { token } = invitation.parse(await answer.json())
  const opened = await ask('POST', '/api/hub/repo/invitations', JSON.stringify({ token }))
  return { ...accepted.parse(await opened.json()), name, may }
}

/** Makes a function for requests to the repository that reject with what it refused. */
const stepsOf = (person: Pick<Demo, 'url' | 'key'>, signal: AbortSignal): Ask => {
  const ask = demoClient(person, signal)
  return async (method, path, ...body) => {
    const answer = await ask(method, `/api/hub/repo${path}`, ...body)
    if (answer.status < 400) return answer
    throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  }
}

/** Two drafts of a publisher, of a new dataset and of a published one, and a new dataset that waits for a review. */
async function writeDrafts({ folder, source }: Demo, publisher: Ask): Promise<void> {
  for (const id of ['snow-depth', 'ferries']) {
    const text = await readFile(join(folder, 'drafts', `${id}.ttl`), 'utf8')
    const path = `/drafts/datasets/${id}?catalogue=${water}`
    await publisher('PUT', path, source?.relocate(text) ?? text, 'text/turtle')
  }
  const note = JSON.stringify({ note: 'The first month is in. Is the title clear enough?' })
  await publisher('POST', '/drafts/datasets/ferries/submit', note)
  const title = /^(\S+ <http:\/\/purl\.org\/dc\/terms\/title> )"Niveaux.*\n/m
  await changeDraft(publisher, 'groundwater-levels', title, '$&$1"Groundwater levels"@en .\n')
}

/** Four versions after that of the import: a keyword, a slip, which the steward takes back, and a new date. */
async function writeVersions(publisher: Ask, steward: Ask): Promise<void> {
  const keyword = /^(\S+ <http:\/\/www\.w3\.org\/ns\/dcat#keyword> )"nitrate"@en.*\n/m
  await changeDraft(publisher, 'nitrate', keyword, '$&$1"drinking water"@en .\n')
  await publisher('PUT', '/drafts/datasets/publish/nitrate')
  await changeDraft(publisher, 'nitrate', 'values above 50 mg/l', 'values above 5 mg/l')
  await publisher('PUT', '/drafts/datasets/publish/nitrate')
  await steward('POST', '/datasets/nitrate/versions/3/undo')
  await changeDraft(publisher, 'nitrate', '"2026-02-14"', '"2026-11-14"')
  await publisher('PUT', '/drafts/datasets/publish/nitrate')
}

/** Changes the draft of a published dataset: replaces a part of its statements in N-Triples. */
async function changeDraft(ask: Ask, id: string, part: string | RegExp, by: string): Promise<void> {
  await ask('POST', `/drafts/datasets?of=${id}`)
  const draft = await ask('GET', `/drafts/datasets/${id}`, undefined, 'application/n-triples')
  const text = (await draft.text()).replace(part, by)
  await ask('PUT', `/drafts/datasets/${id}`, text, 'application/n-triples')
}

/** Text that the demonstration prints when everything is there. */
function closingText({ url, key, source }: Demo, keys: readonly KeyOfPerson[], datasets: number) {
  const files =
    source && ` Their files are served here; ${demoFailures.size} links fail on purpose.`
  const lines = keys.map((person) => `  ${person.key}  ${person.name}, ${person.may}\n`)
  return `
${datasets} sample datasets are in.${files ?? ''} Look at
  ${url}/
and sign in at ${url}/en/sign-in with one of these keys:
${lines.join('')}  ${key}  administrator: everything, also people and keys
Ctrl-C ends the demonstration and removes its data.

For programs:
  ${url}/api/hub/search/search?q=water&filters=dataset
  ${url}/api/hub/repo/
  ${url}/sparql?query=SELECT%20*%20WHERE%20%7B%3Fs%20a%20%3Chttp%3A%2F%2Fwww.w3.org%2Fns%2Fdcat%23Dataset%3E%7D%20LIMIT%2010
`
}
