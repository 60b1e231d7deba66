/** The data directory, or a file in it, goes away under a running process: nothing is acknowledged, and no start takes the place for an empty platform. `test/main/storage.test.ts` has every file. */

import { cp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signedIn } from '../portal/signed-in.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

const dataset = (title: string) => `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en .`

const place = await temporaryDirectory()
const directory = join(place, 'data')
const away = `${directory}.away`
let platform: Gateway
let steward: Awaited<ReturnType<typeof signedIn>>
beforeAll(async () => {
  platform = await gateway(directory)
  steward = await signedIn(platform, platform.key)
  await client(platform).put('/catalogues/c', `${prefixes}<> a dcat:Catalog ; dct:title "C"@en .`)
  await put('one')
}, 60_000)
afterAll(async () => {
  await platform.kill()
  await remove(place)
})

const put = async (id: string) => (await client(platform).putDataset('c', id, dataset(id))).status
const health = async () => (await (await fetch(`${platform.url}/health`)).json()) as object
/** A look may be a second old, and a file that is made anew may be missing for a moment. */
async function turnsTo(state: object) {
  await expect.poll(health, { timeout: 20_000 }).toMatchObject(state)
}
const lost = { status: 'degraded', store: { writes: false, reason: 'storage-lost' } }
const whole = { status: 'up', store: { writes: true } }

/** Nothing is written, not through the portal either, the store answers reads, and the log says what to do. */
async function refusesWrites() {
  await turnsTo(lost)
  expect(await put('two')).toBe(503)
  const headers = { 'X-API-Key': platform.key, 'Content-Type': 'application/json' }
  const triggers = `${platform.url}/api/scheduler/pipes/p/triggers/t`
  const set = await fetch(triggers, { method: 'PUT', headers, body: '{}' })
  expect([set.status, set.headers.get('Retry-After')]).toEqual([503, '30'])
  const schedule = { do: 'schedule', unit: 'day', next: '' }
  expect((await steward.post('/en/harvest/pipes/p', schedule)).status).toBe(503)
  expect((await fetch(`${client(platform).repo}/datasets/one`)).status).toBe(200)
  expect(platform.log()).toContain('storage.lost')
  expect(platform.log()).toContain('Mount the data directory again')
}

const start = (at = directory, words: readonly string[] = []) =>
  gateway(at, {}, undefined, words).then(
    async (one) => {
      await one.kill()
      return 'started'
    },
    (error: unknown) => String(error),
  )

it('without a file that was there writes are 503, until it is back', async () => {
  const name = 'harvest.sqlite'
  await rename(join(directory, name), away)
  await refusesWrites()
  await rename(away, join(directory, name))
  await turnsTo(whole)
  expect(await put('after')).toBe(201)
}, 60_000)

it('a directory that is moved away takes no writes until it is back', async () => {
  await rename(directory, away)
  await refusesWrites()
  await remove(directory)
  await rename(away, directory)
  await turnsTo(whole)
  expect(await put('back')).toBe(201)
}, 60_000)

it('a start without store and identity refuses beside files of an earlier platform', async () => {
  const copy = join(place, 'copy')
  await cp(directory, copy, { recursive: true })
  for (const name of ['store', 'search', 'cartulary.json', 'process.lease'])
    await rm(join(copy, name), { recursive: true })
  expect(await start(copy)).toContain('says that there was a store')
}, 60_000)

it('a directory that is deleted takes no writes, and the next start refuses its place', async () => {
  await rm(directory, { recursive: true })
  await refusesWrites()
  await platform.kill()
  expect(await start()).toContain('--empty')
  expect(await start(directory, ['--empty'])).toBe('started')
}, 90_000)
