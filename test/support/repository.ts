/** A repository over a real embedded store in a temporary directory, with an index that is always done. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiKeys } from '../../src/http/api-key.ts'
import { defaultLimits, type Limits } from '../../src/http/limits.ts'
import { logger } from '../../src/log.ts'
import { loadProfile } from '../../src/profile/load.ts'
import { names as namesOf } from '../../src/rdf/names.ts'
import { repositoryApp } from '../../src/repository/app.ts'
import { locks } from '../../src/repository/writing/locks.ts'
import { versions } from '../../src/store/versions.ts'
import type { IndexStatus } from '../../src/repository/answering/waiting.ts'
import { embeddedStore } from '../../src/store/embedded.ts'
import type { Mark } from '../../src/store/marks.ts'

const key = 'a-key-for-everything'
export const alpineKey = 'a-key-for-alpine-water'
export const base = 'http://localhost:8080/'

export type Asked = {
  method?: string
  type?: string
  body?: string
  headers?: Record<string, string>
}

export type RepositoryOptions = {
  limits?: Partial<Limits>
  index?: IndexStatus
  /** Key → permissions, beside the two that are always there. */
  keys?: Record<string, readonly string[]>
}

export async function repository(options: RepositoryOptions = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'cartulary-'))
  const log = logger('silent')
  const store = await embeddedStore({ directory, log })
  const names = namesOf(base)
  const limits = { ...defaultLimits, ...options.limits }
  const changed: Mark[] = []
  const cascaded: string[] = []
  const clock = { now: new Date('2026-11-21T10:00:00Z') }
  const app = repositoryApp({
    store,
    names,
    log,
    limits,
    triples: limits.triples,
    profile: await loadProfile(new URL('../../shapes/default', import.meta.url).pathname),
    version: 'test',
    address: `${base}api/hub/repo`,
    keys: apiKeys({ ...options.keys, [key]: ['*'], [alpineKey]: ['alpine-water'] }),
    locks: locks(),
    versions: versions(0, () => clock.now.getTime()),
    now: () => clock.now,
    uuid: () => crypto.randomUUID(),
    changed: (marks) => void changed.push(...marks),
    cascaded: () => void cascaded.push('cascade'),
    unsure: () => void cascaded.push('unsure'),
    awaits: () => options.index === 'pending',
    settled: () => Promise.resolve(options.index !== 'pending'),
    http: { log },
  })

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
    store,
    names,
    changed,
    cascaded,
    clock,
    ask,
    putCatalogue,
    putDataset,
    close: async () => {
      await store.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
`
