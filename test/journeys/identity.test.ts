/** Whose data it is, in real processes: `test/main/identity.test.ts` has every case of it. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../support/engines/engine.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

let directory: string
let running: Gateway | undefined
beforeAll(async () => {
  directory = await temporaryDirectory()
})
afterAll(async () => {
  await running?.stop()
  await remove(directory)
})

/** Starts on a port of its own, when the process that ran has ended. */
async function start(base = '', words: readonly string[] = []) {
  await running?.stop()
  running = undefined
  const port = String(await freePort())
  const env = { PLATFORM_PORT: port, PLATFORM_BASE_URI: base, PLATFORM_LOG_LEVEL: 'info' }
  running = await gateway(directory, env, undefined, words)
  return { ...client(running), log: running.log }
}

const refused = (base?: string) =>
  start(base).then(
    () => 'started',
    (error: unknown) => String(error),
  )

const identity = async () =>
  JSON.parse(await readFile(join(directory, 'cartulary.json'), 'utf8')) as Record<string, string>

const datasets = async ({ json, search }: ReturnType<typeof client>): Promise<unknown[]> => {
  const { result } = await json<{ result: { results: { resource: string }[] } }>(
    `${search}/search?filters=dataset&includes=resource`,
  )
  return result.results.map(({ resource }) => resource)
}

const one = `${prefixes}<> a dcat:Dataset ; dct:title "One"@en .`
let iris: unknown[]

it('a platform keeps the base of its data when it is served from another port', async () => {
  const first = await start()
  await first.put('/catalogues/c', `${prefixes}<> a dcat:Catalog ; dct:title "C"@en .`)
  expect((await first.putDataset('c', 'one', one)).status).toBe(201)
  iris = await datasets(first)
  const { baseUri } = await identity()
  expect(iris).toEqual([`${baseUri}set/data/one`])
  const again = await start()
  expect(await datasets(again)).toEqual(iris)
  expect((await fetch(`${again.repo}/datasets/one`)).status).toBe(200)
  expect(again.log()).toContain('base.taken-from-data')
  expect((await again.putDataset('c', 'one', one)).status).toBe(304)
  expect((await identity())['baseUri']).toBe(baseUri)
})

it('a start with another base ends with 1 and names both', async () => {
  const told = await refused('https://data.example/')
  const { baseUri } = await identity()
  for (const part of ['ended with 1', baseUri, 'https://data.example/', 'PLATFORM_BASE_URI'])
    expect(told).toContain(part)
})

it('a store of another platform is refused, until --adopt takes it over with its records', async () => {
  const { storeId = '' } = await identity()
  const theirs = 'the-store-of-another-platform'
  const file = new DatabaseSync(join(directory, 'store', 'store.db'))
  file.prepare('UPDATE link SET line = replace(line, ?, ?)').run(storeId, theirs)
  file.close()
  const told = await refused()
  for (const part of ['ended with 1', storeId, theirs]) expect(told).toContain(part)
  const adopted = await start('', ['--adopt'])
  expect((await identity())['storeId']).toBe(theirs)
  await expect.poll(() => datasets(adopted)).toEqual(iris)
})
