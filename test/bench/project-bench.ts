/** From triples to documents on one core, and a full reindex from the embedded store beside what the engine alone takes. */

import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Quad } from '@rdfjs/types'
import { embeddedIndex } from '../../src/search-index/sqlite/sqlite-index.ts'
import type { IndexChange } from '../../src/search-index/search-index.ts'
import { logger } from '../../src/log.ts'
import { loadProfile } from '../../src/profile/load-profile.ts'
import { ConceptCache } from '../../src/projector/concept-cache.ts'
import { loadVocabularyFiles } from '../../src/vocabularies/authorities.ts'
import { documentBuilder } from '../../src/projector/building/document.ts'
import { JobRunner } from '../../src/jobs/job-runner.ts'
import { pause as jobPause } from '../../src/workers/pause.ts'
import { projection } from '../../src/projector/projection.ts'
import { indexSettings } from '../../src/projector/building/index-settings.ts'
import { canonicalise } from '../../src/rdf/canonical.ts'
import { toLine, toLines } from '../../src/rdf/lines.ts'
import { dcat, dct, rdf } from '../../src/rdf/namespaces.ts'
import { names } from '../../src/rdf/names.ts'
import { parse } from '../../src/rdf/parse.ts'
import { graphOf } from '../../src/rdf/read.ts'
import { skolemise } from '../../src/rdf/skolem.ts'
import { literal, namedNode, quad } from '../../src/rdf/terms.ts'
import { recordQuads } from '../../src/repository/content/catalogue-record.ts'
import { embeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { perSecond, table, timed } from './figures.ts'
import { dataset, documents } from './repository/documents.ts'

const vocabularies = 'shapes/vocabularies'
const iris = names('http://localhost:8080/')
const catalogue = namedNode(iris.catalogue('bench'))
const about = [
  quad(catalogue, rdf('type'), dcat('Catalog')),
  quad(catalogue, dct('title'), literal('Bench', 'en')),
  quad(
    catalogue,
    dct('spatial'),
    namedNode('http://publications.europa.eu/resource/authority/country/CHE'),
  ),
]
const perBatch = 100
const pause = (ms: number, signal?: AbortSignal) =>
  wait(ms, undefined, signal ? { signal } : {}).then(
    () => undefined,
    () => undefined,
  )

type Stored = { readonly id: string; readonly iri: string; readonly quads: readonly Quad[] }

/** The n-th dataset as the repository stores it: named by the platform, ground, with its record. */
async function stored(pool: readonly string[], n: number): Promise<Stored> {
  const id = `bench-${n}`
  const iri = iris.dataset(id)
  const quads = await parse(dataset(pool, n), 'turtle', { baseIri: 'urn:bench:' })
  const root = quads.find(({ object }) => object.equals(dcat('Dataset')))?.subject.value ?? ''
  const text = toLines(quads).replaceAll(`<${root}>`, `<${iri}>`)
  const named = await parse(text, 'ntriples', { baseIri: 'urn:bench:' })
  const { hash, labels } = await canonicalise(named)
  const stamp = '2026-01-02T03:04:05Z'
  const record = { id, originalId: id, hash, issued: stamp, modified: stamp }
  const ground = skolemise(named, { genid: iris.genid(iri), labels })
  return { id, iri, quads: [...ground, ...recordQuads(record, iris)] }
}

const makeBuilder = async () => {
  const profile = await loadProfile()
  const concepts = new ConceptCache(await loadVocabularyFiles(vocabularies))
  return { profile, builder: documentBuilder({ profile, concepts, names: iris }) }
}

/** Builds all documents so many times; the milliseconds of CPU that the last round took, and its documents. */
async function building(all: readonly Stored[], rounds: number) {
  const { builder } = await makeBuilder()
  const around = { id: 'bench', graph: graphOf(about) }
  let changes: IndexChange[] = []
  let cpu = 0
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage()
    changes = all.map(({ id, iri, quads }, at) => {
      const input = { id, iri, version: at + 1, hash: 'h', graph: graphOf(quads) }
      return { put: builder.dataset({ ...input, catalogue: around }).document }
    })
    cpu = cpuSince(before)
  }
  return { cpu, changes }
}

/** Milliseconds on the clock, and of CPU in all threads. */
type Taken = { readonly ms: number; readonly cpu: number }

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Writes finished documents into an engine that has nothing else to do. */
async function engineOnly(directory: string, changes: readonly IndexChange[]): Promise<Taken> {
  const { profile } = await makeBuilder()
  const index = await embeddedIndex({ directory, log: logger('silent') })
  await index.configure(indexSettings(profile))
  const before = process.cpuUsage()
  const ms = await timed(async () => {
    for (let at = 0; at < changes.length; at += perBatch)
      await index.write(changes.slice(at, at + perBatch))
  })
  const cpu = cpuSince(before)
  await index.close()
  return { ms, cpu }
}

/** Fills a store, then lets the projector find an empty index; the milliseconds until all is searchable. */
async function fullReindex(
  directory: string,
  pool: readonly string[],
  count: number,
): Promise<Taken> {
  const log = logger('silent')
  const store = await embeddedStore({ directory: join(directory, 'store'), log })
  await store.write([{ graph: catalogue.value, content: toLines(about) }])
  for (let from = 0; from < count; from += perBatch) {
    const size = Math.min(perBatch, count - from)
    const some = await Promise.all(Array.from({ length: size }, (_, n) => stored(pool, from + n)))
    const link = ({ iri }: Stored) => toLine(quad(catalogue, dcat('dataset'), namedNode(iri)))
    await store.write([
      ...some.map(({ iri, quads }) => ({ graph: iri, content: sorted(quads) })),
      { graph: catalogue.value, add: some.map((one) => link(one).trimEnd()) },
    ])
  }
  const index = await embeddedIndex({ directory: join(directory, 'index'), log })
  const profile = await loadProfile()
  const path = join(directory, 'jobs.sqlite')
  const jobs = new JobRunner({ path, log, now: Date.now, pause: jobPause })
  const deps = { store, index, names: iris, profile, jobs, log, vocabularies, now: Date.now, pause }
  const before = process.cpuUsage()
  let found = 0
  const ms = await timed(async () => {
    const projecting = await projection(deps)
    await projecting.idle(AbortSignal.timeout(3_600_000))
    found = (await index.health()).documents.dataset ?? 0
    await projecting.stop()
  })
  const cpu = cpuSince(before)
  await jobs.stop()
  await index.close()
  await store.close()
  if (found !== count) throw new Error(`${found} documents instead of ${count}`)
  return { ms, cpu }
}

const sorted = (quads: readonly Quad[]): string =>
  `${[...new Set(toLines(quads).trimEnd().split('\n'))].toSorted().join('\n')}\n`

/** The figures as text; `count` = how many datasets are reindexed, `pool` = folder of generated ones. */
export async function projectBench(directory: string, folder: string, count: number) {
  const pool = await documents(folder)
  const sample = await Promise.all(Array.from({ length: 2000 }, (_, n) => stored(pool, n)))
  const triples = sample.reduce((sum, { quads }) => sum + quads.length, 0) / sample.length
  const { cpu, changes } = await building(sample, 5)
  const engine = await engineOnly(join(directory, 'engine'), changes)
  const whole = await fullReindex(directory, pool, count)
  const engineRate = perSecond(changes.length, engine.ms)
  const wholeRate = perSecond(count, whole.ms)
  const rows = [
    ['', 'datasets', 'seconds', 'datasets/s'],
    ['documents from parsed triples, CPU', sample.length, seconds(cpu), perSecond(2000, cpu)],
    ['engine alone', changes.length, seconds(engine.ms), engineRate],
    ['  the same, CPU', changes.length, seconds(engine.cpu), perSecond(2000, engine.cpu)],
    ['full reindex from the embedded store', count, seconds(whole.ms), wholeRate],
    ['  the same, CPU of all threads', count, seconds(whole.cpu), perSecond(count, whole.cpu)],
  ]
  return `${table(rows)}
${triples.toFixed(1)} triples per dataset; a full reindex has ${(wholeRate / engineRate).toFixed(2)} of the pace of the engine alone`
}

const seconds = (ms: number) => (ms / 1000).toFixed(1)
