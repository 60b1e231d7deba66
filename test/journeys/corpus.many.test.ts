/** A corpus of real shapes through the whole platform: every address arrives as it was sent, every loss is told. */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunReport } from '../../src/pipe/runs/run.ts'
import type { RunItem } from '../../src/pipe/runs/run.ts'
import { fromLines } from '../../src/rdf/lines.ts'
import {
  client,
  eventually,
  gateway,
  remove,
  temporaryDirectory,
  type Gateway,
} from '../support/gateway.ts'
import { portal, type Portal } from '../support/portals/portal.ts'
import { answers } from './corpus/answers.ts'
import { hubAnswers } from './corpus/arcgis.ts'
import { documents } from './corpus/documents.ts'
import { odsAnswers } from './corpus/opendatasoft.ts'
import { missing, type Sample } from './corpus/sample.ts'
import { socrataAnswers } from './corpus/socrata.ts'
import { udataAnswers } from './corpus/udata.ts'
import { scheduler } from './harvesting/scheduler.ts'

const samples = [
  ...documents,
  ...answers,
  ...hubAnswers,
  ...odsAnswers,
  ...socrataAnswers,
  ...udataAnswers,
]

/** `url`: of the sample's source. */
const answerTo = (sample: Sample | undefined, path: string, url: string): Response => {
  const found = Object.entries(sample?.answers ?? {}).find(([part]) => path.includes(part))
  const { body, type, status } = found?.[1] ?? missing
  const own = (text: string) =>
    text.replaceAll('{portal}', url).replaceAll('{host}', new URL(url).host)
  return new Response(typeof body === 'string' ? own(body) : body, {
    status: status ?? 200,
    headers: { 'Content-Type': type },
  })
}

const pathOf = (request: Request): string => {
  const { pathname, search } = new URL(request.url)
  return pathname + search
}

/** A source for all samples, told apart by the path, and one for each that wants a host of its own. */
async function sources() {
  const urls = new Map<string, string>()
  const shared = await portal((request) => {
    const [, name = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(pathOf(request)) ?? []
    const sample = samples.find((one) => one.name === name)
    return answerTo(sample, rest, `${shared.url}/${name}`)
  })
  const all: Portal[] = [shared]
  for (const sample of samples) {
    if (sample.ownHost !== true) {
      urls.set(sample.name, `${shared.url}/${sample.name}`)
      continue
    }
    const own: Portal = await portal((request) => answerTo(sample, pathOf(request), own.url))
    urls.set(sample.name, own.url)
    all.push(own)
  }
  return {
    urlOf: ({ name }: Sample) => urls.get(name) ?? '',
    close: () => Promise.all(all.map((one) => one.close())),
  }
}

const segment = (name: string, segmentNumber: number, config: object) => ({
  header: { name, segmentNumber, processed: false },
  body: { config },
})
const pipeOf = ({ name, importer, address = '', config }: Sample, url: string) => ({
  header: { id: name, name, transport: 'payload', version: '2.0.0' },
  body: {
    segments: [
      segment(`importing-${importer}`, 1, {
        ...config,
        address: url + address,
        catalogue: name,
      }),
      segment('exporting-hub', 2, {}),
    ],
  },
})

describe(`${samples.length} documents and answers in the shapes of real sources`, () => {
  let directory: string
  let platform: Gateway
  let site: Awaited<ReturnType<typeof sources>>
  beforeAll(async () => {
    directory = await temporaryDirectory()
    site = await sources()
    const pipes = join(directory, 'own-pipes')
    await mkdir(pipes)
    for (const sample of samples)
      await writeFile(
        join(pipes, `${sample.name}.json`),
        JSON.stringify(pipeOf(sample, site.urlOf(sample))),
      )
    platform = await gateway(directory, {
      PLATFORM_CLUSTER_CONFIG: JSON.stringify({ resources: { paths: [pipes] } }),
      PLATFORM_HARVEST_CONFIG: '{"hostDelayMs":0}',
    })
  })
  afterAll(async () => {
    await platform.stop()
    await site.close()
    await remove(directory)
  })

  it('are at least forty', () => {
    expect(samples.flatMap((sample) => Object.keys(sample.answers)).length).toBeGreaterThanOrEqual(
      40,
    )
    expect(samples.length).toBeGreaterThanOrEqual(40)
  })

  it.each(samples)('$name', { timeout: 60_000 }, async (sample) => {
    const { name, problem = null } = sample
    const api = client(platform)
    await api.put(
      `/catalogues/${name}`,
      '<urn:x> a <http://www.w3.org/ns/dcat#Catalog> ; <http://purl.org/dc/terms/title> "C"@en .',
    )
    const { base, headers, harvested } = scheduler(platform)
    const run = await harvested(name)
    expect({ status: run.status, problem: run.problem?.type.split(':').at(-1) ?? null }).toEqual({
      status: 'finished',
      problem,
    })
    const expected = sample.addresses.map((one) => one.replace('{portal}', site.urlOf(sample)))
    const all = [...expected, ...(sample.samples ?? [])]
    expect(await stored(api.repo, name)).toEqual(all.toSorted())
    const searched = () => shown(api.search, name)
    await eventually(async () => (await searched()).length >= expected.length)
    expect(await searched()).toEqual(expected.toSorted())
    const told = async <T>(what: string) =>
      (await (await fetch(`${base}/runs/${run.id}/${what}`, { headers })).json()) as T
    const items = await told<RunItem[]>('items?limit=100')
    expect(items.flatMap(lossOf).toSorted()).toEqual((sample.lost ?? []).toSorted())
    const { findings } = await told<RunReport>('report')
    expect(findingsOf(findings).toSorted()).toEqual(sample.findings.toSorted())
  })
})

/** Addresses of all datasets of a catalogue, by the last part of their property. */
async function stored(repo: string, catalogue: string): Promise<string[]> {
  const answer = await fetch(`${repo}/catalogues/${catalogue}/dump.nt`)
  return fromLines(await answer.text())
    .flatMap(({ predicate, object }) => {
      const property = predicate.value.replace('http://www.w3.org/ns/dcat#', '')
      return /^(?:accessURL|downloadURL|landingPage)$/.test(property)
        ? [`${property} ${object.value}`]
        : []
    })
    .toSorted()
}

type Shown = {
  readonly landing_page?: readonly { readonly resource?: string }[]
  readonly distributions?: readonly {
    readonly access_url?: readonly string[]
    readonly download_url?: readonly string[]
  }[]
}

/** The same, as the records of search show them; samples are not among them. */
async function shown(search: string, catalogue: string): Promise<string[]> {
  const facets = encodeURIComponent(JSON.stringify({ catalog: [catalogue] }))
  const answer = await fetch(`${search}/search?filters=dataset&limit=100&facets=${facets}`)
  const { result } = (await answer.json()) as { result: { results: readonly Shown[] } }
  return result.results
    .flatMap(({ landing_page = [], distributions = [] }) => [
      ...landing_page.map(({ resource }) => `landingPage ${resource}`),
      ...distributions.flatMap(({ access_url = [], download_url = [] }) => [
        ...access_url.map((url) => `accessURL ${url}`),
        ...download_url.map((url) => `downloadURL ${url}`),
      ]),
    ])
    .toSorted()
}

const lossOf = ({ state, sourceId, note, problem }: RunItem): string[] => {
  if (state === 'skipped') return [`skipped ${sourceId} ${note}`]
  return problem ? [`${state} ${problem.detail}`] : []
}

/** Samples share their made-up ids: that others have them too is no loss. Addresses have another port in each run. */
const findingsOf = (groups: RunReport['findings']): string[] =>
  Object.entries(groups).flatMap(([slug, { examples }]) =>
    slug === 'possible-duplicate'
      ? []
      : examples.map(({ detail }) => `${slug} ${detail?.replace(/^http:\/\/\S+: /, '')}`),
  )
