/** A repository over a real embedded store in a temporary directory, with an index that is always done. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Accounts } from '../../src/http/accounts.ts'
import { apiKeys } from '../../src/http/api-key.ts'
import { defaultLimits, type Limits } from '../../src/http/limits.ts'
import { JobRunner } from '../../src/jobs/job-runner.ts'
import { logger } from '../../src/log.ts'
import type { Profile, ResourceType } from '../../src/profile/profile.ts'
import { loadProfile } from '../../src/profile/load-profile.ts'
import { names as namesOf } from '../../src/rdf/names.ts'
import type { RecordCheck } from '../../src/repository/repository-context.ts'
import { openRepository } from '../../src/repository/repository.ts'
import type { IndexStatus, WaitUntilIndexed } from '../../src/repository/endpoints/responses.ts'
import { versionClock } from '../../src/store/versions.ts'
import { embeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'
import type { Mark } from '../../src/store/marks.ts'

const key = 'a-key-for-everything'
export const alpineKey = 'a-key-for-alpine-water'
/** Key with which the portal acts for people. */
export const actingKey = 'a-key-of-the-process'
export const base = 'http://localhost:8080/'

/** Read once for all repositories of the process. */
const defaultProfile = loadProfile(new URL('../../shapes/default', import.meta.url).pathname)

export type Asked = {
  method?: string
  type?: string
  body?: string
  headers?: Record<string, string>
}

export type RepositoryOptions = {
  limits?: Partial<Limits>
  index?: IndexStatus
  /** How the index is waited for; by default it answers at once. */
  settled?: WaitUntilIndexed
  /** Milliseconds for one request; a minute when absent. */
  requestMs?: number
  /** Key → permissions, beside the two that are always there. */
  keys?: Record<string, readonly string[]>
  /** Whether there is an administrator beside the accounts; true when absent. */
  hasAdministrator?: boolean
  /** Profile in place of the one that ships with the platform. */
  profile?: Profile
  /** Types of resources that the profile declares; none when absent. */
  resources?: readonly ResourceType[]
  /** Days for which what was deleted can be restored; 30 when absent. */
  days?: number
  /** A directory that an earlier repository left; its owner removes it. */
  directory?: string
  /** What a bulk write waits for before each part. */
  keptUp?: (signal: AbortSignal) => Promise<void>
  /** Checks drafts; by default only the rules of catalogues do. */
  checkRecord?: RecordCheck
  /** Puts something between repository and store. */
  around?: (store: GraphStore) => GraphStore
}

export async function repository(options: RepositoryOptions = {}) {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'cartulary-')))
  const logged: string[] = []
  const log = logger('warn', { write: (line) => void logged.push(line) })
  const opened = await embeddedStore({ directory, log })
  const store = options.around?.(opened) ?? opened
  const names = namesOf(base)
  const limits = { ...defaultLimits, ...options.limits }
  const changed: Mark[] = []
  const cascaded: string[] = []
  const clock = { now: new Date('2026-11-21T10:00:00Z') }
  const pause = (ms: number, signal: AbortSignal) => sleep(Math.min(ms, 50), undefined, { signal })
  const path = join(directory, 'jobs.sqlite')
  const jobs = new JobRunner({ path, log, pause, now: () => clock.now.getTime() })
  const accounts = new Accounts({
    path: join(directory, 'accounts.sqlite'),
    now: () => clock.now.getTime(),
    hasAdministrator: options.hasAdministrator ?? true,
  })
  let packageFolders: Readonly<Record<string, string>> = {}
  const service = await openRepository({
    store,
    names,
    log,
    triples: limits.triples,
    canonical: { work: limits.canonicalWork, blankNodes: limits.blankNodes },
    versions: versionClock(0, () => clock.now.getTime()),
    now: () => clock.now,
    uuid: () => crypto.randomUUID(),
    onCommitted: (marks: readonly Mark[]) => void changed.push(...marks),
    onCascadeMark: () => void cascaded.push('cascade'),
    waitForIndexer: options.keptUp ?? (() => Promise.resolve()),
    onOutcomeUnknown: () => void cascaded.push('unsure'),
    indexedCatalogueOf: async (dataset) => packageFolders[dataset],
    directory: join(directory, 'deleted'),
    days: options.days ?? 30,
    recordsPath: join(directory, 'records.sqlite'),
    versionLimits: { days: 730, most: 200, harvestDays: 90, harvestMost: 100 },
    ...(options.checkRecord && { checkRecord: options.checkRecord }),
    pause,
    jobs,
    limits,
    profile: {
      ...(options.profile ?? (await defaultProfile)),
      resources: options.resources ?? [],
    },
    version: 'test',
    keys: apiKeys(
      { ...options.keys, [key]: ['*'], [alpineKey]: ['alpine-water'] },
      { accounts, ownKey: actingKey },
    ),
    accounts,
    isPending: () => options.index === 'pending',
    isHidden: () => Promise.resolve(options.index === 'none'),
    waitUntilIndexed: options.settled ?? (() => Promise.resolve(options.index !== 'pending')),
    http: {
      log,
      base: '/api/hub/repo',
      publicAddress: { base },
      ...(options.requestMs !== undefined && { requestMs: options.requestMs }),
    },
  })

  const { app } = service
  const ask = async (path: string, asked: Asked = {}): Promise<Response> =>
    app.request(path, {
      method: asked.method ?? 'GET',
      headers: {
        ...(asked.method !== undefined && asked.method !== 'GET' ? { 'X-API-Key': key } : {}),
        ...(asked.type === undefined ? {} : { 'Content-Type': asked.type }),
        ...asked.headers,
      },
      ...(asked.body === undefined ? {} : { body: asked.body }),
    })

  const putCatalogue = (id: string, body = `<> a <http://www.w3.org/ns/dcat#Catalog> .`) =>
    ask(`/catalogues/${id}`, { method: 'PUT', type: 'text/turtle', body })
  const putDataset = (catalogue: string, originalId: string, body: string, asked: Asked = {}) =>
    ask(`/catalogues/${catalogue}/datasets/origin?originalId=${encodeURIComponent(originalId)}`, {
      method: 'PUT',
      type: 'text/turtle',
      body,
      ...asked,
    })

  return {
    app,
    accounts,
    /** Lines of the log, warnings and worse. */
    logged,
    manyMetrics: service.manyMetrics,
    previewDataset: service.previewDataset,
    store,
    jobs,
    names,
    changed,
    cascaded,
    clock,
    ask,
    putCatalogue,
    putDataset,
    /** What writers share: tombstones, deletions at work. */
    deletion: service.context,
    /** Searches go on finding what `given` names: dataset → catalogue. */
    maintenance: (given: Readonly<Record<string, string>> = {}) => {
      packageFolders = given
      return service.maintenance
    },
    directory,
    close: async () => {
      await service.stop()
      await jobs.stop()
      await store.close()
      accounts.close()
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true })
    },
  }
}

export const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
`
