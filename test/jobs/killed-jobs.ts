/** A platform that is killed while jobs wait, run or have just ended: the next start does what is left, and nothing twice. */

import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  client,
  eventually,
  type Gateway,
  gateway,
  remove,
  temporaryDirectory,
} from '../support/gateway.ts'
import type { StoreUnderTest } from '../journeys/store-under-test.ts'

/** Cases of jobs at each state, each with a store of its own. */
export function killedJobs(openStore: () => Promise<StoreUnderTest>): void {
  let directory: string
  let platform: Gateway
  let place: StoreUnderTest
  const start = async () => {
    platform = await gateway(directory, place.env)
  }
  beforeEach(async () => {
    place = await openStore()
    directory = await temporaryDirectory()
    await start()
  })
  afterEach(async () => {
    await platform.kill()
    await remove(directory)
    await place.end()
  })

  const catalogue = (id: string) =>
    `<> a <http://www.w3.org/ns/dcat#Catalog> ; <http://purl.org/dc/terms/title> "${id}" .`
  const dataset = `<> a <http://www.w3.org/ns/dcat#Dataset> ; <http://purl.org/dc/terms/title> "One" .`
  const hurried = { Prefer: 'respond-async' }

  /** A catalogue with so many datasets, which are not waited for in the index. */
  async function fill(id: string, count: number): Promise<void> {
    const { put, putDataset } = client(platform)
    expect((await put(`/catalogues/${id}`, catalogue(id), hurried)).status).toBe(201)
    const names = Array.from({ length: count }, (_, n) => `${id} ${n}`)
    // Few enough at once for the limit of a key.
    while (names.length > 0) {
      const some = names.splice(0, 8).map((name) => putDataset(id, name, dataset, hurried))
      for (const { status } of await Promise.all(some)) expect(status).toBe(201)
    }
  }

  const deleteCatalogue = async (id: string) => {
    const headers = { 'X-API-Key': platform.key, ...hurried }
    const address = `${client(platform).repo}/catalogues/${id}`
    return (await fetch(address, { method: 'DELETE', headers })).status
  }

  /** Key and state of each job, in the order in which they were submitted. */
  function allJobs(): readonly (readonly [unknown, unknown])[] {
    const file = new DatabaseSync(join(directory, 'jobs.sqlite'), { readOnly: true })
    const rows = file.prepare('SELECT key, state FROM job ORDER BY serial').all()
    file.close()
    return rows.map(({ key, state }) => [key, state])
  }
  /** Those of clients: figures are counted some time after each start. */
  const jobs = () => allJobs().filter(([key]) => key !== 'figures')

  const execute = (sql: string) => {
    const file = new DatabaseSync(join(directory, 'jobs.sqlite'))
    file.exec(sql)
    file.close()
  }

  /** Keeps jobs from being recorded as done, however fast they are, until `recordEnds`. */
  const keepRunning = () =>
    execute(`CREATE TRIGGER full BEFORE UPDATE ON job WHEN NEW.state = 'done'
    BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END`)
  const recordEnds = () => execute('DROP TRIGGER full')

  /** Whether nothing of the catalogues is left: no graph, and no note that one is being deleted (202 in place of 410). */
  const areDeleted = (...ids: readonly string[]) =>
    eventually(async () => {
      const query = `ASK { GRAPH ?g { ?s ?p ?o } FILTER(!STRSTARTS(STR(?g), "urn:cartulary:")) }`
      const answer = await client(platform).query(query)
      const { boolean: isLeft } = (await answer.json()) as { readonly boolean?: boolean }
      if (isLeft !== false) return false
      const statuses = await Promise.all(ids.map(deleteCatalogue))
      return statuses.every((status) => status === 410)
    }, 60_000)

  it('goes on with a deletion that ran', async () => {
    await fill('c', 120)
    keepRunning()
    expect(await deleteCatalogue('c')).toBe(202)
    await expect.poll(jobs, { interval: 1 }).toEqual([['catalogue c', 'running']])
    await platform.kill()
    recordEnds()
    expect(jobs()).toEqual([['catalogue c', 'running']])
    await start()
    expect(await areDeleted('c')).toBe(true)
    await expect.poll(jobs).toEqual([['catalogue c', 'done']])
  })

  it('begins a deletion that waited, and does one no harm whose end was not recorded', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e']
    for (const id of ids) await fill(id, 3)
    keepRunning()
    for (const id of ids) expect(await deleteCatalogue(id)).toBe(202)
    const unrecorded = () => platform.log().split('job.record-failed').length > 4
    await expect.poll(unrecorded, { timeout: 30_000 }).toBe(true)
    const states = ['running', 'running', 'running', 'running', 'waiting']
    expect(jobs().map(([, state]) => state)).toEqual(states)
    await platform.kill()
    recordEnds()
    expect(jobs().map(([, state]) => state)).toEqual(states)
    await start()
    expect(await areDeleted(...ids)).toBe(true)
    await expect.poll(() => jobs().every(([, state]) => state === 'done')).toBe(true)
    const headers = { 'X-API-Key': platform.key, Prefer: 'wait=30' }
    const restored = await fetch(`${client(platform).repo}/catalogues/a/restore`, {
      method: 'POST',
      headers,
    })
    expect(restored.status).toBe(201)
    const { repo, json } = client(platform)
    await expect.poll(() => json(`${repo}/catalogues/a/datasets`)).toHaveLength(3)
  })

  it('goes on with a restore that ran, and does one no harm whose end was not recorded', async () => {
    await fill('c', 120)
    expect(await deleteCatalogue('c')).toBe(202)
    expect(await areDeleted('c')).toBe(true)
    await expect.poll(jobs).toEqual([['catalogue c', 'done']])
    const headers = { 'X-API-Key': platform.key, ...hurried }
    const { repo, json } = client(platform)
    const address = `${repo}/catalogues/c/restore`
    keepRunning()
    const answered = fetch(address, { method: 'POST', headers }).catch(() => undefined)
    const last = () => jobs().at(-1)
    await expect.poll(last, { interval: 1 }).toEqual(['catalogue c', 'running'])
    await platform.kill()
    recordEnds()
    await answered
    await start()
    await expect.poll(last, { timeout: 60_000 }).toEqual(['catalogue c', 'done'])
    const present = () => json(`${client(platform).repo}/catalogues/c/datasets?limit=500`)
    expect(await present()).toHaveLength(120)
    await platform.kill()
    execute(`UPDATE job SET state = 'running', ended = NULL WHERE kind = 'restore-catalogue'`)
    await start()
    await expect.poll(last, { timeout: 60_000 }).toEqual(['catalogue c', 'done'])
    expect(await present()).toHaveLength(120)
    const answer = await fetch(`${client(platform).repo}/tombstones?catalogue=c`, { headers })
    expect(await answer.json()).toEqual([])
  })

  it.each([
    ['reindex', ['dataset', 'catalogue']],
    ['reconcile', null],
    ['compare', null],
    ['project-catalogues', ['c']],
  ])('ends a job of the kind %s that waited, ran, or had just ended', async (kind, payload) => {
    await fill('c', 120)
    const count = async () => {
      const { search, json } = client(platform)
      const found = await json<{ result: { count: number } }>(
        `${search}/search?filter=dataset&limit=0`,
      )
      return found.result.count
    }
    await expect.poll(count, { timeout: 60_000 }).toBe(120)
    await platform.kill()
    execute(`INSERT INTO job (id, kind, key, payload, run_at, created_by, created)
      VALUES ('job-1', '${kind}', 'index', '${JSON.stringify(payload)}', 0, 'test', ${Date.now()})`)
    await start()
    const state = () => jobs().find(([key]) => key === 'index')?.[1]
    await expect.poll(state, { interval: 1 }).not.toBe('waiting')
    await platform.kill()
    await start()
    await expect.poll(state, { timeout: 60_000 }).toBe('done')
    await platform.kill()
    execute(`UPDATE job SET state = 'running', ended = NULL WHERE id = 'job-1'`)
    await start()
    await expect.poll(state, { timeout: 60_000 }).toBe('done')
    await expect.poll(count, { timeout: 60_000 }).toBe(120)
  })

  it('purges expired tombstones, and no others, in a job that waited, ran, or had just ended', async () => {
    await fill('c', 1)
    const { repo, json } = client(platform)
    const [iri = ''] = await json<string[]>(`${repo}/catalogues/c/datasets`)
    const id = iri.split('/').at(-1) ?? ''
    const headers = { 'X-API-Key': platform.key, ...hurried }
    expect((await fetch(`${repo}/datasets/${id}`, { method: 'DELETE', headers })).status).toBe(204)
    const files = await readdir(directory, { recursive: true })
    const path = join(directory, files.find((name) => name.endsWith('tombstones.db')) ?? '')
    const run = (sql: string) => {
      const file = new DatabaseSync(path)
      const rows = file.prepare(sql).all()
      file.close()
      return rows.map((row) => row['id'])
    }
    const expire = (count: number) =>
      run(`INSERT INTO tombstone (kind, id, catalogue, deleted, settled, metrics, content)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
        SELECT 'dataset', 'old-' || i, 'c', 0, 1, x'', x'' FROM n`)
    const state = () => jobs().find(([key]) => key === 'tombstones')?.[1]
    await platform.kill()
    expire(20_000)
    execute(`INSERT INTO job (id, kind, key, payload, run_at, created_by, created)
      VALUES ('job-1', 'purge-tombstones', 'tombstones', 'null', 0, 'test', ${Date.now()})`)
    await start()
    await expect.poll(state, { interval: 1 }).not.toBe('waiting')
    await platform.kill()
    await start()
    await expect.poll(state, { timeout: 60_000 }).toBe('done')
    expect(run('SELECT id FROM tombstone')).toEqual([id])
    await platform.kill()
    expire(300)
    execute(`UPDATE job SET state = 'running', ended = NULL WHERE id = 'job-1'`)
    await start()
    await expect.poll(state, { timeout: 60_000 }).toBe('done')
    expect(run('SELECT id FROM tombstone')).toEqual([id])
    expect(jobs().filter(([key]) => key === 'tombstones')).toHaveLength(1)
    const address = `${client(platform).repo}/datasets/${id}/restore`
    expect((await fetch(address, { method: 'POST', headers })).status).toBe(201)
  })

  it('goes on with a deletion of a data directory that has no table of jobs', async () => {
    await fill('c', 120)
    expect(await deleteCatalogue('c')).toBe(202)
    await platform.kill()
    for (const end of ['', '-wal', '-shm'])
      await rm(join(directory, `jobs.sqlite${end}`), { force: true })
    await start()
    expect(await areDeleted('c')).toBe(true)
    await expect.poll(jobs).toEqual([['catalogue c', 'done']])
  })

  const measured = `<> a <http://www.w3.org/ns/dqv#QualityMetadata> .
  <http://localhost:8080/set/data/ID> <http://www.w3.org/ns/dqv#hasQualityMeasurement> [
    <http://www.w3.org/ns/dqv#isMeasurementOf> <https://piveau.eu/ns/voc#scoring> ;
    <http://www.w3.org/ns/dqv#value> 120 ] .`

  it('counts figures again whose refresh ran', async () => {
    await fill('c', 120)
    const { repo, put, json } = client(platform)
    const ids = await json<string[]>(`${repo}/catalogues/c/datasets`)
    for (const id of ids.slice(0, 10).map((name) => name.split('/').at(-1) ?? ''))
      expect((await put(`/datasets/${id}/metrics`, measured.replace('ID', id))).status).toBe(201)
    const headers = { 'X-API-Key': platform.key }
    const cache = () => `${platform.url}/api/mqa/cache`
    const score = () => json<object>(`${cache()}/catalogues/c?filter=score`)
    keepRunning()
    const { status } = await fetch(`${cache()}/admin/refresh`, { method: 'POST', headers })
    expect(status).toBe(202)
    const last = () => allJobs().at(-1)
    await expect.poll(last, { interval: 1 }).toEqual(['figures', 'running'])
    await platform.kill()
    recordEnds()
    expect(last()).toEqual(['figures', 'running'])
    await start()
    await expect.poll(last, { timeout: 30_000 }).toEqual(['figures', 'done'])
    expect(await score()).toMatchObject({ result: { results: [{ score: 120 }] } })
  })
}
