/** Writes of the repository that meet each other: what they leave in the store, in the tombstones and in the marks. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { datasetLock } from '../../src/repository/writing/dataset-ids.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { base, prefixes, repository } from '../support/repository.ts'
import { aService, declared } from './declared.ts'

/** Queries of one request, and work that runs after one of them; the queries of the maintenance do not count. */
const requests = new AsyncLocalStorage<{ count: number; readonly after?: () => Promise<void> }>()
/** The next calls of `writeEach` wait for it. */
let gate: Promise<void> | undefined
let isHeld = false
const around = (store: GraphStore): GraphStore => ({
  ...store,
  select: async (query, signal) => {
    const rows = await store.select(query, signal)
    const request = requests.getStore()
    if (!request) return rows
    request.count += 1
    if (request.after) await requests.exit(request.after)
    return rows
  },
  writeEach: async (groups, signal) => {
    isHeld = gate !== undefined
    await gate
    return store.writeEach(groups, signal)
  },
})

let repo: Awaited<ReturnType<typeof repository>>
beforeEach(async () => {
  gate = undefined
  repo = await repository({ around, resources: declared })
  await repo.putCatalogue('c')
})
afterEach(() => repo.close())

const body = (title: string) => `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en .`
const measured = (value: number) => `<> a <http://www.w3.org/ns/dqv#QualityMetadata> .
  <${base}set/data/one> <http://www.w3.org/ns/dqv#hasQualityMeasurement> [
  <http://www.w3.org/ns/dqv#isMeasurementOf> <https://piveau.eu/ns/voc#scoring> ;
  <http://www.w3.org/ns/dqv#value> ${value} ] .`
const put = (id: string, title = id) => repo.putDataset('c', id, body(title))
const remove = (path: string, headers: Record<string, string> = {}) =>
  repo.ask(path, { method: 'DELETE', headers: { Prefer: 'wait=30', ...headers } })
const restore = (path: string) => repo.ask(`${path}/restore`, { method: 'POST' })
const isStored = (id: string) =>
  repo.store.ask(`ASK { GRAPH <${base}set/data/${id}> { ?s ?p ?o } }`)
const system = async () => (await repo.store.read('urn:cartulary:system')) ?? ''
const holds = (graph: string) => repo.store.ask(`ASK { GRAPH <${graph}> { ?s ?p ?o } }`)

describe('a catalogue that is deleted', () => {
  /** Runs the write, and deletes the catalogue after so many of its queries; returns whether it made so many. */
  async function deletedAfter(count: number, write: () => Promise<Response>): Promise<boolean> {
    const statuses: number[] = []
    const request = {
      count: 0,
      after: async () => {
        if (request.count === count) statuses.push((await remove('/catalogues/c')).status)
      },
    }
    const { status } = await requests.run(request, write)
    if (statuses.length === 0) return false
    statuses.push(status === 409 ? 404 : status)
    expect(statuses).toEqual([204, 404])
    return true
  }

  it('gets no new dataset, however late in its PUT it goes', async () => {
    for (let count = 1; await deletedAfter(count, () => put('one')); count += 1) {
      expect([await isStored('one'), await holds(`${base}id/catalogue/c`)]).toEqual([false, false])
      await repo.putCatalogue('c')
    }
    expect(await isStored('one')).toBe(true)
  })

  it('gets no resource of a declared type, however late in its PUT it goes', async () => {
    const path = '/customresources/data-service/one'
    const write = () =>
      repo.ask(`${path}?catalogId=c`, { method: 'PUT', type: 'text/turtle', body: aService() })
    for (let count = 1; await deletedAfter(count, write); count += 1) {
      const { status } = await repo.ask(path)
      expect([status, await holds(`${base}id/catalogue/c`)]).toEqual([404, false])
      await repo.putCatalogue('c')
    }
    expect((await repo.ask(path)).status).toBe(200)
  })

  it('gets no restored dataset, however late in its restore it goes', async () => {
    await put('one')
    expect((await remove('/datasets/one')).status).toBe(204)
    for (let count = 2; await deletedAfter(count, () => restore('/datasets/one')); count += 1) {
      expect([await isStored('one'), await holds(`${base}id/catalogue/c`)]).toEqual([false, false])
      await repo.putCatalogue('c')
    }
    expect(await isStored('one')).toBe(true)
  })
})

describe('a DELETE of a dataset', () => {
  const tagOf = async (path: string) => (await repo.ask(path)).headers.get('ETag') ?? ''

  it('honours If-Match', async () => {
    await put('one')
    expect((await remove('/datasets/one', { 'If-Match': '"other"' })).status).toBe(412)
    expect(await isStored('one')).toBe(true)
    const tag = await tagOf('/datasets/one')
    expect((await remove('/datasets/one', { 'If-Match': tag })).status).toBe(204)
  })

  it('compares If-Match with what a write before it left', async () => {
    await put('one')
    const tag = await tagOf('/datasets/one')
    const held = Promise.withResolvers<void>()
    gate = held.promise
    isHeld = false
    const putting = put('one', 'changed')
    await expect.poll(() => isHeld).toBe(true)
    const request = { count: 0 }
    const removing = requests.run(request, () => remove('/datasets/one', { 'If-Match': tag }))
    await expect.poll(() => request.count).toBe(2)
    held.resolve()
    expect((await putting).status).toBe(204)
    expect((await removing).status).toBe(412)
    expect(await isStored('one')).toBe(true)
  })

  it('removes nothing that cannot be written down for restoring', async () => {
    await put('one')
    const file = new DatabaseSync(join(repo.directory, 'deleted', 'tombstones.db'))
    file.exec(`CREATE TRIGGER full BEFORE INSERT ON tombstone
      BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END`)
    file.close()
    expect((await remove('/datasets/one')).status).toBe(503)
    expect(await isStored('one')).toBe(true)
  })
})

it('a restore leaves a tombstone alone that is newer than the content that it read', async () => {
  await put('one')
  expect((await remove('/datasets/one')).status).toBe(204)
  const { locks, tombstones, now } = repo.deletion
  const older = tombstones.contentOf('dataset', 'one')
  const newer = `<${base}set/data/one> <http://purl.org/dc/terms/title> "Newer" .\n`
  const held = Promise.withResolvers<void>()
  const holding = locks.run([datasetLock('one')], () => held.promise, new AbortController().signal)
  const request = { count: 0 }
  const restoring = requests.run(request, () => restore('/datasets/one'))
  await expect.poll(() => request.count).toBe(1)
  if (!older) throw new Error('no tombstone')
  tombstones.write([{ ...older, content: newer }], now()).end(['one'])
  held.resolve()
  await holding
  expect((await restoring).status).toBe(409)
  expect(await isStored('one')).toBe(false)
  expect(tombstones.contentOf('dataset', 'one')?.content).toBe(newer)
})

it('a PUT removes the duplicates of a dataset that other programs left, and marks them', async () => {
  await put('one')
  const [dataset, record, catalogue] = ['set/data/', 'set/record/', 'id/catalogue/'].map(
    (path) => base + path,
  )
  const text = (await repo.store.read(`${dataset}one`)) ?? ''
  const copy = text
    .replaceAll(`${dataset}one`, `${dataset}two`)
    .replaceAll(`${record}one`, `${record}two`)
  const links = ['dataset', 'record'].map(
    (name, at) =>
      `<${catalogue}c> <http://www.w3.org/ns/dcat#${name}> <${[dataset, record][at]}two> .`,
  )
  await repo.store.write([
    { graph: `${dataset}two`, content: `${copy.split('\n').sort().join('\n').trim()}\n` },
    { graph: `${catalogue}c`, add: links },
  ])
  repo.changed.length = 0
  expect((await put('one', 'changed')).status).toBe(204)
  expect([await isStored('one'), await isStored('two')]).toEqual([true, false])
  expect((await repo.store.read(`${catalogue}c`)) ?? '').not.toContain('two>')
  const marked = repo.changed.map(({ resource }) => resource)
  expect(marked).toEqual([`${dataset}one`, `${dataset}two`])
  for (const iri of marked)
    expect(await system()).toContain(`<${iri}> <urn:cartulary:control#pending>`)
})

it('PUTs of one catalogue at once leave one hash in the system graph', async () => {
  const put = (n: number) =>
    repo.putCatalogue('c', `${prefixes}<> a dcat:Catalog ; dct:title "${n}" .`)
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => put(n)))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 204))
  const line = `<${base}id/catalogue/c> <urn:cartulary:control#hash> `
  expect((await system()).split('\n').filter((one) => one.startsWith(line))).toHaveLength(1)
})

it('a PUT of a catalogue marks its datasets when they embed what changed', async () => {
  const mark = `<${base}id/catalogue/c> <urn:cartulary:control#cascade> `
  expect(await system()).not.toContain(mark)
  await repo.putCatalogue('c', `${prefixes}<> a dcat:Catalog ; dct:title "Other" .`)
  expect(await system()).toContain(mark)
})

it('a POST of a distribution honours If-Match, which no new one satisfies', async () => {
  await put('one')
  const asked = { method: 'POST', type: 'text/turtle', headers: { 'If-Match': '*' } }
  const body = `${prefixes}<> a dcat:Distribution ; dct:title "a" .`
  expect((await repo.ask('/datasets/one/distributions', { ...asked, body })).status).toBe(412)
})

it('a PUT of metrics compares If-Match with what a write before it left', async () => {
  await put('one')
  const measure = (value: number, headers: Record<string, string> = {}) =>
    repo.ask('/datasets/one/metrics', {
      method: 'PUT',
      type: 'text/turtle',
      body: measured(value),
      headers,
    })
  const headers = { 'If-Match': (await measure(1)).headers.get('ETag') ?? '' }
  const held = Promise.withResolvers<void>()
  gate = held.promise
  isHeld = false
  const first = measure(2, headers)
  await expect.poll(() => isHeld).toBe(true)
  const request = { count: 0 }
  const second = requests.run(request, () => measure(3, headers))
  await expect.poll(() => request.count).toBe(2)
  held.resolve()
  expect([(await first).status, (await second).status]).toEqual([204, 412])
})

it('every write of a dataset and of its parts has a higher version than the one before', async () => {
  await put('one')
  const post = (path: string, sent: string, method = 'POST') =>
    repo.ask(path, { method, type: 'text/turtle', body: prefixes + sent })
  for (const title of ['a', 'b'])
    await post('/datasets/one/distributions', `<> a dcat:Distribution ; dct:title "${title}" .`)
  await post('/datasets/one/metrics', measured(120), 'PUT')
  await remove('/datasets/one/metrics')
  await put('one', 'changed')
  await remove('/datasets/one')
  await restore('/datasets/one')
  const versions = repo.changed.slice(1).map(({ version }) => version)
  expect(versions).toHaveLength(8)
  expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b))
})
