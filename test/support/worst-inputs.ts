/** Every anonymous endpoint with the worst that a stranger can send to it, and how long others wait meanwhile. */

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { client, gateway, type Gateway } from './gateway.ts'
import { operations } from './openapi.ts'

const services = ['hub/repo', 'hub/search', 'scheduler', 'mqa/cache', 'mqa/reports', 'mqa/shacl']
const further = ['segments']

const words = Array.from({ length: 200 }, (_, n) => `w${n}*`).join(' ')
const nested = `${'('.repeat(30)}a${')'.repeat(30)} OR `
const facets = JSON.stringify({ keywords: Array.from({ length: 100 }, (_, n) => `"[k${n}`) })
const wide = Array.from({ length: 900 }, (_, n) => `${(n % 360) - 180} ${(n % 180) - 90}`).join(',')
const deepJson = `{"q":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
const patterns = Array.from({ length: 700 }, (_, n) => `?a${n} ?b ?c`).join(' . ')
const query = (values: Record<string, string>) => `?${new URLSearchParams(values).toString()}`

const distributions = (count: number) =>
  Array.from({ length: count }, (_, n) => `<#x${n}>`).join(',')
const prefixes =
  '@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .\n'

/** Turtle of a dataset with many distributions. */
const crowdedDataset = (count: number) =>
  `${prefixes}<urn:crowded> a dcat:Dataset ; dct:title "Crowded"@en ; dcat:distribution ${distributions(count)} .`

type Input = { readonly query?: string; readonly body?: string; readonly type?: string }

const inputs = {
  /** Its record is what is heavy: 5,000 described distributions, and a description that is hard to render. */
  record: {},
  most: {
    query: query({
      limit: '1000',
      rows: '1000',
      valueType: 'metadata',
      catalogue: 'siege',
      startDate: '2000-01-01',
    }),
  },
  search: {
    query: query({
      q: nested + words,
      facets,
      limit: '100',
      catalogue: 'siege',
      resource: 'urn:x',
    }),
  },
  geometry: { query: query({ q: words, bboxWKT: `POLYGON((${wide}))`, filters: 'dataset' }) },
  searchBody: { body: deepJson, type: 'application/json' },
  solr: { query: query({ fq: nested + words, q: nested + words, rows: '1000', id: 'heavy' }) },
  solrBody: { body: deepJson, type: 'application/json' },
  turtle: { body: crowdedDataset(18_500), type: 'text/turtle' },
  form: {
    body: new URLSearchParams({ rdf: crowdedDataset(18_500), level: '1' }).toString(),
    type: 'application/x-www-form-urlencoded',
  },
  sparql: { query: query({ query: `SELECT * { ${patterns} }`.slice(0, 12_000) }) },
  message: { body: deepJson, type: 'application/json' },
} as const satisfies Readonly<Record<string, Input>>

/** One line for each endpoint: method, path, name of its input. */
const entries = `
GET /api/hub/repo/catalogues most
GET /api/hub/repo/catalogues/{catalogueId} record
GET /api/hub/repo/catalogues/{catalogueId}/datasets most
GET /api/hub/repo/catalogues/{catalogueId}/datasets/origin record
GET /api/hub/repo/catalogues/{catalogueId}/dump most
GET /api/hub/repo/catalogues/{catalogueId}/resources most
GET /api/hub/repo/catalogues/{catalogueId}/resources/origin record
GET /api/hub/repo/datasets most
GET /api/hub/repo/datasets/{datasetId} record
GET /api/hub/repo/datasets/{datasetId}/distributions most
GET /api/hub/repo/datasets/{datasetId}/metrics record
GET /api/hub/repo/datasets/{datasetId}/record record
GET /api/hub/repo/distributions/{distributionId} record
GET /api/hub/repo/datasets/{datasetId}/related record
GET /api/hub/repo/resources/{datasetId}/related record
GET /api/hub/repo/profile record
GET /api/hub/repo/profile/forms/{type} record
POST /api/hub/repo/invitations message
GET /api/hub/repo/drafts/{type}/{id}/shared/{token} record
GET /api/hub/repo/records/{datasetId} record
GET /api/hub/repo/resources most
GET /api/hub/repo/resources/{datasetId} record
GET /api/hub/repo/resources/{datasetId}/distributions most
GET /api/hub/repo/resources/{datasetId}/metrics record
GET /api/hub/repo/resources/{datasetId}/record record
GET /api/hub/repo/vocabularies most
GET /api/hub/repo/vocabularies/{vocabularyId} most
GET /api/hub/search/search geometry
POST /api/hub/search/search searchBody
GET /api/hub/search/scroll most
GET /api/hub/search/datasets search
GET /api/hub/search/datasets/{id} record
GET /api/hub/search/datasets/{id}/findings most
GET /api/hub/search/datasets/{id}/similar record
GET /api/hub/search/catalogues search
GET /api/hub/search/catalogues/{id} record
GET /api/hub/search/catalogues/{id}/findings most
GET /api/hub/search/vocabularies search
GET /api/hub/search/vocabularies/{id} most
GET /api/hub/search/vocabularies/{vocabulary}/vocable search
GET /api/hub/search/vocabularies/{vocabulary}/{id} record
GET /api/hub/search/{lang}/feeds/datasets.atom search
GET /api/hub/search/{lang}/feeds/datasets.rss search
GET /api/hub/search/sitemap most
GET /api/hub/search/sitemap/{n} most
GET /api/hub/search/ckan/package_list solr
POST /api/hub/search/ckan/package_list solrBody
GET /api/hub/search/ckan/package_show solr
POST /api/hub/search/ckan/package_show solrBody
GET /api/hub/search/ckan/package_search solr
POST /api/hub/search/ckan/package_search solrBody
GET /api/hub/search/ckan/organization_list solr
POST /api/hub/search/ckan/organization_list solrBody
GET /api/hub/search/ckan/organization_show solr
POST /api/hub/search/ckan/organization_show solrBody
GET /api/hub/search/ckan/group_list solr
POST /api/hub/search/ckan/group_list solrBody
GET /api/hub/search/ckan/group_show solr
POST /api/hub/search/ckan/group_show solrBody
GET /api/hub/search/ckan/tag_list solr
POST /api/hub/search/ckan/tag_list solrBody
GET /api/hub/search/ckan/license_list solr
POST /api/hub/search/ckan/license_list solrBody
GET /api/hub/search/ckan/resource_show solr
POST /api/hub/search/ckan/resource_show solrBody
GET /api/hub/search/ckan/status_show solr
POST /api/hub/search/ckan/status_show solrBody
GET /api/hub/search/ckan/site_read solr
POST /api/hub/search/ckan/site_read solrBody
GET /api/hub/search/ckan/help_show solr
POST /api/hub/search/ckan/help_show solrBody
GET /api/hub/search/ckan/current_package_list_with_resources solr
POST /api/hub/search/ckan/current_package_list_with_resources solrBody
GET /api/hub/search/ckan/package_autocomplete solr
POST /api/hub/search/ckan/package_autocomplete solrBody
GET /api/hub/search/ckan/api/3/action/package_list solr
POST /api/hub/search/ckan/api/3/action/package_list solrBody
GET /api/hub/search/ckan/api/3/action/package_show solr
POST /api/hub/search/ckan/api/3/action/package_show solrBody
GET /api/hub/search/ckan/api/3/action/package_search solr
POST /api/hub/search/ckan/api/3/action/package_search solrBody
GET /api/hub/search/ckan/api/3/action/organization_list solr
POST /api/hub/search/ckan/api/3/action/organization_list solrBody
GET /api/hub/search/ckan/api/3/action/organization_show solr
POST /api/hub/search/ckan/api/3/action/organization_show solrBody
GET /api/hub/search/ckan/api/3/action/group_list solr
POST /api/hub/search/ckan/api/3/action/group_list solrBody
GET /api/hub/search/ckan/api/3/action/group_show solr
POST /api/hub/search/ckan/api/3/action/group_show solrBody
GET /api/hub/search/ckan/api/3/action/tag_list solr
POST /api/hub/search/ckan/api/3/action/tag_list solrBody
GET /api/hub/search/ckan/api/3/action/license_list solr
POST /api/hub/search/ckan/api/3/action/license_list solrBody
GET /api/hub/search/ckan/api/3/action/resource_show solr
POST /api/hub/search/ckan/api/3/action/resource_show solrBody
GET /api/hub/search/ckan/api/3/action/status_show solr
POST /api/hub/search/ckan/api/3/action/status_show solrBody
GET /api/hub/search/ckan/api/3/action/site_read solr
POST /api/hub/search/ckan/api/3/action/site_read solrBody
GET /api/hub/search/ckan/api/3/action/help_show solr
POST /api/hub/search/ckan/api/3/action/help_show solrBody
GET /api/hub/search/ckan/api/3/action/current_package_list_with_resources solr
POST /api/hub/search/ckan/api/3/action/current_package_list_with_resources solrBody
GET /api/hub/search/ckan/api/3/action/package_autocomplete solr
POST /api/hub/search/ckan/api/3/action/package_autocomplete solrBody
GET /api/hub/search/profile.ttl record
GET /api/hub/search/profile record
GET /api/hub/search/health record
GET /api/scheduler/triggers most
GET /api/scheduler/triggers/{pipeId} most
GET /api/scheduler/pipes most
GET /api/scheduler/pipes/{pipeId} record
GET /api/scheduler/pipes/{pipeId}/triggers/{triggerId} record
GET /api/scheduler/health record
GET /api/scheduler/runs most
GET /api/scheduler/runs/{runId} record
GET /api/scheduler/runs/{runId}/events record
GET /api/mqa/cache/global most
GET /api/mqa/cache/global/history most
GET /api/mqa/cache/global/historical most
GET /api/mqa/cache/countries most
GET /api/mqa/cache/countries/history most
GET /api/mqa/cache/countries/historical most
GET /api/mqa/cache/countries/{id} most
GET /api/mqa/cache/countries/{id}/history most
GET /api/mqa/cache/countries/{id}/historical most
GET /api/mqa/cache/catalogues most
GET /api/mqa/cache/catalogues/history most
GET /api/mqa/cache/catalogues/historical most
GET /api/mqa/cache/catalogues/{id} most
GET /api/mqa/cache/catalogues/{id}/history most
GET /api/mqa/cache/catalogues/{id}/historical most
GET /api/mqa/cache/catalogues/{id}/violations most
GET /api/mqa/cache/catalogues/{id}/violations/count most
GET /api/mqa/cache/catalogues/{id}/distributions/reachability most
GET /api/mqa/cache/publishers most
GET /api/mqa/cache/publishers/history most
GET /api/mqa/cache/publishers/historical most
GET /api/mqa/cache/datasets/{id} record
GET /api/mqa/cache/datasets/{id}/distributions most
GET /api/mqa/cache/distributions/{id} record
GET /api/mqa/cache/health record
POST /api/mqa/shacl/validation/report turtle
POST /api/mqa/shacl/validation/score turtle
GET /api/mqa/reports/portal most
GET /api/mqa/reports/portal.html most
GET /api/mqa/reports/portal.csv most
GET /api/mqa/reports/portal.json most
GET /api/mqa/reports/catalogues/{id} most
POST /api/segments/r/{token}/pipe message
PUT /api/segments/r/{token}/pipe message
GET /api/segments/{name}/config/schema record
GET /api/segments/{name}/health record
GET /api/segments/health record
GET /sparql sparql
GET / record
GET /:language search
GET /:language/suggest search
GET /:language/datasets geometry
GET /:language/datasets.csv search
GET /:language/:file{sparql\\.[a-z]+} sparql
GET /:language/datasets/facets/:facet search
GET /:language/datasets/:id record
GET /:language/datasets/:id/quality record
GET /:language/datasets/:file{.+\\.schema\\.jsonld} record
GET /:language/datasets/:id/:file{cite\\.[a-z]+} record
GET /:language/quality most
GET /:language/quality/catalogues/:id most
GET /:language/catalogues search
GET /:language/catalogues/:id most
GET /:language/publishers search
GET /:language/publishers/:id most
GET /:language/vocabularies search
GET /:language/vocabularies/:id most
GET /:language/vocabularies/:vocabulary/:id record
GET /:language/resources/:type search
GET /:language/resources/:type/:id record
GET /:language/sparql sparql
GET /:language/check record
POST /:language/check form
GET /:language/pages/:name record
GET /:language{[a-z][a-z](?:_[A-Za-z]+)*}/dataset search
GET /:language{[a-z][a-z](?:_[A-Za-z]+)*}/dataset/:id record
GET /:language{[a-z][a-z](?:_[A-Za-z]+)*}/dataset/:view{about|activity|groups}/:id record
GET /:language{[a-z][a-z](?:_[A-Za-z]+)*}/dataset/:id/resource/* record
GET /:language{[a-z][a-z](?:_[A-Za-z]+)*}/organization search
GET /:language{[a-z][a-z](?:_[A-Za-z]+)*}/organization/:id record
GET /:language{[a-z][a-z](?:_[A-Za-z]+)*}/organization/:view{about|activity|groups}/:id record
GET /:language{[a-z][a-z](?:_[A-Za-z]+)*}/organization/:id/resource/* record
GET /:language{[a-z][a-z](?:_[A-Za-z]+)*}/group search
GET /:language{[a-z][a-z](?:_[A-Za-z]+)*}/group/:id record
GET /:language{[a-z][a-z](?:_[A-Za-z]+)*}/group/:view{about|activity|groups}/:id record
GET /:language{[a-z][a-z](?:_[A-Za-z]+)*}/group/:id/resource/* record
GET /datasets/:id record
GET /catalogues/:id record
`

const isInput = (name: string): name is keyof typeof inputs => Object.hasOwn(inputs, name)

/** Endpoint, such as `GET /sparql` → its worst input. */
export const worstInputs: ReadonlyMap<string, Input> = new Map(
  entries
    .trim()
    .split('\n')
    .map((line) => {
      const [method = '', path = '', name = ''] = line.split(' ')
      if (!isInput(name)) throw new Error(`there is no input ${name}`)
      return [`${method} ${path}`, inputs[name]]
    }),
)

/** Endpoints of the contracts of all services that take no key. */
export async function anonymousOperations({ url }: Gateway): Promise<string[]> {
  const found = await Promise.all(
    [...services, ...further].map(async (service) => {
      const document: unknown = await (await fetch(`${url}/api/${service}/openapi.json`)).json()
      return operations(document)
        .filter(({ secured }) => !secured)
        .map(({ method, path }) => `${method} /api/${service}${path}`)
    }),
  )
  return found.flat()
}

const described = 5000

/** What is said of each distribution of the heavy dataset. */
const files = () =>
  Array.from(
    { length: described },
    (_, n) =>
      `<#x${n}> a dcat:Distribution ; dct:title "File ${n}"@en ; dcat:accessURL <https://files.example/${n}.csv> .\n`,
  ).join('')

/** A catalogue with a dataset that is as heavy as it may be. */
export async function publishHeavy(platform: Gateway): Promise<void> {
  const api = client(platform)
  await api.put('/catalogues/siege', `${prefixes}<> a dcat:Catalog ; dct:title "Siege"@en .`)
  const text = '***a_'.repeat(2000)
  const body = `${crowdedDataset(described)}\n<urn:crowded> dct:description "${text}"@en .\n${files()}`
  const { status } = await api.putDataset('siege', 'heavy', body)
  if (status >= 300) throw new Error(`the heavy dataset was answered with ${status}`)
}

const given: Readonly<Record<string, string>> = {
  catalogueId: 'siege',
  vocabularyId: 'colours',
  vocabulary: 'colours',
  language: 'en',
  lang: 'en',
  n: '1',
  facet: 'keywords',
  name: 'about',
}

function addressOf(endpoint: string): string {
  const path = endpoint
    .slice(endpoint.indexOf(' ') + 1)
    .replace(/(?<=:language)\{[^/]*\}/, '')
    .replace(/:view\{(\w+)[^}]*\}/, '$1')
    .replace('*', 'x')
  if (path.includes('sparql\\')) return '/en/sparql.csv'
  if (path.includes('schema')) return '/en/datasets/heavy.schema.jsonld'
  if (path.includes('cite\\')) return '/en/datasets/heavy/cite.bib'
  const value = (name: string) =>
    given[name] ?? (/\/catalogues\/[:{]id/.test(path) ? 'siege' : 'heavy')
  return path.replaceAll(/[:{](\w+)\}?/g, (_, name: string) => value(name))
}

/** The status of an answer, read to its end; 0 when there was none within half a minute. */
function ask(platform: Gateway, endpoint: string, input: Input): Promise<number> {
  const [method] = endpoint.split(' ')
  return new Promise((resolve) => {
    const call = request(
      `${platform.url}${addressOf(endpoint)}${input.query ?? ''}`,
      {
        method,
        agent: false,
        timeout: 30_000,
        headers: {
          Accept: endpoint.includes('/api/') ? '*/*' : 'text/html',
          ...(input.type !== undefined && { 'Content-Type': input.type }),
        },
      },
      (answer) => {
        answer.resume()
        answer.once('close', () => resolve(answer.statusCode ?? 0))
      },
    )
    call.once('timeout', () => call.destroy())
    call.once('error', () => resolve(0))
    call.end(input.body)
  })
}

/** A gateway whose main thread is measured, with the heap that Node takes by itself in a container of 1 GB. */
export async function measuredGateway(directory: string): Promise<Gateway> {
  await mkdir(directory, { recursive: true })
  return gateway(directory, {
    NODE_OPTIONS: `--max-old-space-size=512 --import ${new URL('loop-clock.ts', import.meta.url).href}`,
    LOOP_CLOCK_FILE: clockFile(directory),
  })
}

const clockFile = (directory: string) => join(directory, 'loop-clock')

/** The longest that the main thread has worked between two turns of its event loop since somebody asked last, in ms of its processor. */
async function longestStretch({ directory }: Gateway): Promise<number> {
  const text = await readFile(clockFile(directory), 'utf8').catch(() => '')
  await writeFile(clockFile(directory), '')
  return Math.max(0, ...text.split('\n').map(Number))
}

/** What the platform did while something went on; `isAlive` is whether `/health/live` was 200 each time that it was asked beside it. */
export type Siege = {
  /** Of the event loop, in ms. */
  readonly delay: number
  readonly seconds: number
  readonly answers: readonly number[]
  readonly isAlive: boolean
}

/**
 * Runs `work` and measures how long others wait for the event loop. The time until an answer of `/health/live` would also count
 * the work of the tests and of other processes, which share the cores; whether there is one is asked all the same.
 */
async function measured(platform: Gateway, work: () => Promise<readonly number[]>): Promise<Siege> {
  const state = { isOver: false, isAlive: true }
  await longestStretch(platform)
  const started = performance.now()
  const running = work().finally(() => (state.isOver = true))
  while (!state.isOver) {
    if ((await ask(platform, 'GET /health/live', {})) !== 200) state.isAlive = false
    await sleep(50)
  }
  const answers = await running
  const seconds = (performance.now() - started) / 1000
  return { delay: await longestStretch(platform), seconds, answers, isAlive: state.isAlive }
}

/** The worst input of an endpoint, over so many connections at once. */
export const besiege = (platform: Gateway, endpoint: string, connections: number): Promise<Siege> =>
  measured(platform, () =>
    Promise.all(
      Array.from({ length: connections }, () =>
        ask(platform, endpoint, worstInputs.get(endpoint) ?? {}),
      ),
    ),
  )

/** The median of the longest stretches of five moments without work, in ms. */
export async function idleDelay(platform: Gateway): Promise<number> {
  const delays: number[] = []
  for (let moment = 0; moment < 5; moment += 1) {
    const { delay } = await measured(platform, () => sleep(600, []))
    delays.push(delay)
  }
  return delays.toSorted((one, two) => one - two)[2] ?? 0
}
