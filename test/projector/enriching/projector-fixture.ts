/** Repository and projector together over real embedded engines: what is PUT is found in the index. */

import { Accounts } from '../../../src/http/accounts.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiKeys } from '../../../src/http/api-key.ts'
import { defaultLimits } from '../../../src/http/limits.ts'
import { embeddedIndex } from '../../../src/search-index/sqlite/sqlite-index.ts'
import type { IndexChange, SearchIndex } from '../../../src/search-index/search-index.ts'
import { JobRunner } from '../../../src/jobs/job-runner.ts'
import { logger } from '../../../src/log.ts'
import { loadProfile } from '../../../src/profile/load-profile.ts'
import type { EnrichmentRule } from '../../../src/projector/building/enrichment.ts'
import type { LeftOutValue } from '../../../src/projector/mappings/mapping.ts'
import { projection } from '../../../src/projector/projection.ts'
import { names as namesOf } from '../../../src/rdf/names.ts'
import { openRepository } from '../../../src/repository/repository.ts'
import { embeddedStore } from '../../../src/store/embedded/embedded-store.ts'

const key = 'a-key'
const base = 'http://localhost:8080/'
/** Read once for all stations of the process. */
const defaultProfile = loadProfile()

const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dc11: <http://purl.org/dc/elements/1.1/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix eu: <http://publications.europa.eu/resource/authority/> . @prefix v: <https://example.org/voc/publisher/> .
`

/** An index that notes which documents are put into it. */
function noting(index: SearchIndex) {
  const put: string[] = []
  const noted = ({ put: document }: Extract<IndexChange, { put: unknown }>) =>
    put.push(`${document.index}/${document.id}`)
  return {
    put,
    index: {
      ...index,
      write: (changes: readonly IndexChange[], signal?: AbortSignal) => {
        for (const change of changes) if ('put' in change) noted(change)
        return index.write(changes, signal)
      },
    },
  }
}

export type ProjectorFixtureOptions = {
  readonly enrichment?: readonly EnrichmentRule[]
  readonly directory?: string
  readonly reports?: LeftOutValue[]
  /** Writes are answered before they can be searched. */
  readonly hurried?: boolean
  /** Epoch milliseconds; by default the time. */
  readonly now?: () => number
}

export async function projectorFixture(options: ProjectorFixtureOptions = {}) {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'cartulary-')))
  const log = logger('silent')
  const names = namesOf(base)
  const profile = await defaultProfile
  const store = await embeddedStore({ directory, log })
  const { put, index } = noting(await embeddedIndex({ directory, log }))
  const now = options.now ?? (() => Date.now())
  const pause = (ms: number, signal: AbortSignal) =>
    sleep(Math.min(ms, 20), undefined, { signal }).catch(() => undefined)
  const jobs = new JobRunner({ path: join(directory, 'jobs.sqlite'), log, pause, now })
  const projector = await projection({
    jobs,
    store,
    index,
    names,
    profile,
    log,
    now,
    pause,
    vocabularies: 'shapes/vocabularies',
    ...(options.enrichment && { enrichment: options.enrichment }),
    onLeftOut: (reports) => void options.reports?.push(...reports),
  })
  const accounts = new Accounts({
    path: join(directory, 'accounts.sqlite'),
    now,
    hasAdministrator: true,
  })
  const repository = await openRepository({
    jobs,
    accounts,
    store,
    names,
    log,
    triples: defaultLimits.triples,
    versions: projector.versions,
    now: () => new Date(),
    uuid: () => crypto.randomUUID(),
    onCommitted: projector.onCommitted,
    waitForIndexer: projector.waitForIndexer,
    onCascadeMark: projector.onCascadeMark,
    onOutcomeUnknown: projector.onOutcomeUnknown,
    indexedCatalogueOf: async () => undefined,
    directory: join(directory, 'x'),
    recordsPath: join(directory, 'records.sqlite'),
    versionLimits: { days: 1, most: 1, harvestDays: 1, harvestMost: 1 },
    days: 1,
    pause,
    limits: defaultLimits,
    profile,
    version: 'test',
    keys: apiKeys({ [key]: ['*'] }),
    isPending: projector.isPending,
    isHidden: projector.isHidden,
    waitUntilIndexed: options.hurried ? () => Promise.resolve(false) : projector.waitUntilIndexed,
    http: { log, publicAddress: { base } },
  })
  const ask = (method: string, path: string, body?: string, type = 'text/turtle') =>
    repository.app.request(path, {
      method,
      headers: { 'X-API-Key': key, 'Content-Type': type },
      ...(body !== undefined && { body: type === 'text/turtle' ? prefixes + body : body }),
    })
  const get = async (name: Parameters<typeof index.get>[0], id: string) => {
    const text = await index.get(name, id)
    return text === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>)
  }
  /** Resolves when no cascade mark is left and nothing waits. */
  const quiet = async () => {
    const signal = AbortSignal.timeout(30_000)
    const marked = `ASK { GRAPH <urn:cartulary:system> { ?r ?p ?v
      FILTER(?p IN (<urn:cartulary:control#cascade>, <urn:cartulary:control#pending>)) } }`
    while (await store.ask(marked)) await sleep(10, undefined, { signal })
    await projector.idle(signal)
  }
  return {
    store,
    index,
    put,
    names,
    ask,
    get,
    quiet,
    manyMetrics: repository.manyMetrics,
    olderCopy: projector.olderCopy,
    nextVersion: () => projector.versions.next(),
    directory,
    putCatalogue: (id: string, body = '') =>
      ask('PUT', `/catalogues/${id}`, `<> a dcat:Catalog ; dct:title "${id}"@en . ${body}`),
    putDataset: (catalogue: string, id: string, body = '') =>
      ask(
        'PUT',
        `/catalogues/${catalogue}/datasets/origin?originalId=${id}`,
        `<> a dcat:Dataset ; dct:title "${id}"@en . ${body}`,
      ),
    end: async () => {
      await projector.stop()
      await repository.stop()
      await jobs.stop()
      await index.close()
      await store.close()
      accounts.close()
    },
    close: async () => {
      await projector.stop()
      await repository.stop()
      await jobs.stop()
      await index.close()
      await store.close()
      accounts.close()
      await rm(directory, {
        recursive: true,
        force: true,
      })
    },
  }
}
