/** What `/health` tells of a platform that runs. */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { city, pipeInto, type City } from './harvesting/city.ts'
import { scheduler } from './harvesting/scheduler.ts'

let directory: string
let source: City
let env: Record<string, string>
let platform: Gateway
beforeAll(async () => {
  directory = await temporaryDirectory()
  source = await city(1)
  const paths = [await pipeInto(directory, source.address)]
  env = { PLATFORM_CLUSTER_CONFIG: JSON.stringify({ resources: { paths } }) }
  platform = await gateway(directory, env)
}, 30_000)
afterAll(async () => {
  await platform.stop()
  await source.end()
  await remove(directory)
})

type Health = { readonly role: string; readonly scheduler: Readonly<Record<string, unknown>> }
const health = async () => (await (await fetch(`${platform.url}/health`)).json()) as Health
const quiet = { leads: true, runs: 0, waiting: 0 }

it('what runs, what fires next and which pipes fail, after a restart too', async () => {
  const { base, headers, launch, settled, harvested } = scheduler(platform)
  expect(await health()).toMatchObject({ role: 'writer' })
  await expect
    .poll(async () => (await health()).scheduler)
    .toEqual({ ...quiet, nextFiring: null, failing: [] })

  const nextFiring = '2099-01-01T00:00:00.000Z'
  const trigger = { id: 'late', status: 'enabled', specific: [nextFiring] }
  const body = JSON.stringify(trigger)
  const set = await fetch(`${base}/pipes/city/triggers/late`, { method: 'PUT', headers, body })
  expect(set.status).toBe(201)
  const catalogue =
    '<urn:x> a <http://www.w3.org/ns/dcat#Catalog> ; <http://purl.org/dc/terms/title> "City"@en .'
  await client(platform).put('/catalogues/city', catalogue)
  await harvested('city')
  // A source that has nothing any more keeps what it had, with a problem.
  source.datasets.clear()
  const gate = Promise.withResolvers<void>()
  source.wait = gate.promise
  const id = await launch('city')
  await expect
    .poll(async () => (await health()).scheduler)
    .toEqual({ ...quiet, runs: 1, nextFiring, failing: [] })
  gate.resolve()
  expect((await settled(id)).problem).not.toBeNull()
  const failing = { ...quiet, nextFiring, failing: ['city'] }
  expect((await health()).scheduler).toEqual(failing)

  await platform.stop()
  platform = await gateway(directory, env)
  await expect.poll(async () => (await health()).scheduler).toEqual(failing)
  source.datasets.set(0, 1)
  await scheduler(platform).harvested('city')
  expect((await health()).scheduler).toEqual({ ...failing, failing: [] })
}, 60_000)
