/** A platform that is killed while it deletes catalogues or counts figures: the next start does what is left, in whichever state each job was. */

import { rm } from 'node:fs/promises'
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

let directory: string
let platform: Gateway
const start = async () => {
  platform = await gateway(directory)
}
beforeEach(async () => {
  directory = await temporaryDirectory()
  await start()
})
afterEach(async () => {
  await platform.kill()
  await remove(directory)
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
function jobs(): readonly (readonly [unknown, unknown])[] {
  const file = new DatabaseSync(join(directory, 'jobs.sqlite'), { readOnly: true })
  const rows = file.prepare('SELECT key, state FROM job ORDER BY serial').all()
  file.close()
  return rows.map(({ key, state }) => [key, state])
}

const execute = (sql: string) => {
  const file = new DatabaseSync(join(directory, 'jobs.sqlite'))
  file.exec(sql)
  file.close()
}

/** Whether nothing of the catalogues is left: neither graphs nor the note that they are being deleted. */
const isEmpty = () =>
  eventually(async () => {
    const query = `ASK { GRAPH ?g { ?s ?p ?o }
      FILTER(!STRSTARTS(STR(?g), "urn:cartulary:") || ?p = <urn:cartulary:control#deleting>) }`
    const answer = await client(platform).query(query)
    if (!answer.ok) return false
    const { boolean: isLeft } = (await answer.json()) as { readonly boolean: boolean }
    return !isLeft
  }, 60_000)

it('goes on with a deletion that ran', async () => {
  await fill('c', 120)
  expect(await deleteCatalogue('c')).toBe(202)
  await expect.poll(jobs, { interval: 1 }).toEqual([['catalogue c', 'running']])
  await platform.kill()
  expect(jobs()).toEqual([['catalogue c', 'running']])
  await start()
  expect(await isEmpty()).toBe(true)
  await expect.poll(jobs).toEqual([['catalogue c', 'done']])
}, 120_000)

it('begins a deletion that waited, and does one no harm whose end was not recorded', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e']
  for (const id of ids) await fill(id, 3)
  execute(`CREATE TRIGGER full BEFORE UPDATE ON job WHEN NEW.state = 'done'
    BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END`)
  for (const id of ids) expect(await deleteCatalogue(id)).toBe(202)
  const unrecorded = () => platform.log().split('job.record-failed').length > 4
  await expect.poll(unrecorded, { timeout: 30_000 }).toBe(true)
  const states = ['running', 'running', 'running', 'running', 'waiting']
  expect(jobs().map(([, state]) => state)).toEqual(states)
  await platform.kill()
  execute('DROP TRIGGER full')
  expect(jobs().map(([, state]) => state)).toEqual(states)
  await start()
  expect(await isEmpty()).toBe(true)
  await expect.poll(() => jobs().every(([, state]) => state === 'done')).toBe(true)
  const headers = { 'X-API-Key': platform.key, Prefer: 'wait=30' }
  const restored = await fetch(`${client(platform).repo}/catalogues/a/restore`, {
    method: 'POST',
    headers,
  })
  expect(restored.status).toBe(201)
  const { repo, json } = client(platform)
  await expect.poll(() => json(`${repo}/catalogues/a/datasets`)).toHaveLength(3)
}, 120_000)

it('goes on with a deletion of a data directory that has no table of jobs', async () => {
  await fill('c', 120)
  expect(await deleteCatalogue('c')).toBe(202)
  await platform.kill()
  for (const end of ['', '-wal', '-shm'])
    await rm(join(directory, `jobs.sqlite${end}`), { force: true })
  await start()
  expect(await isEmpty()).toBe(true)
  await expect.poll(jobs).toEqual([['catalogue c', 'done']])
}, 120_000)

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
  const { status } = await fetch(`${cache()}/admin/refresh`, { method: 'POST', headers })
  expect(status).toBe(202)
  const last = () => jobs().at(-1)
  await expect.poll(last, { interval: 1 }).toEqual(['figures', 'running'])
  await platform.kill()
  expect(last()).toEqual(['figures', 'running'])
  await start()
  await expect.poll(last, { timeout: 30_000 }).toEqual(['figures', 'done'])
  expect(await score()).toMatchObject({ result: { results: [{ score: 120 }] } })
}, 120_000)
