/** Whose data it is: a platform that is started otherwise goes on with its own data, or says why it cannot. */

import { copyFile, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../support/engines/engine.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { protocolServer, type ProtocolServer } from '../support/protocol-server.ts'
import { prefixes } from '../support/repository.ts'

let directory: string
let running: Gateway | undefined
beforeEach(async () => {
  directory = await temporaryDirectory()
})
afterEach(async () => {
  await running?.stop()
  running = undefined
  await remove(directory)
})

type Start = {
  /** `''` = nobody chose one. */
  readonly base?: string
  readonly words?: readonly string[]
  readonly env?: Record<string, string>
  readonly at?: string
}

/** On a port of its own; stops the one that ran. */
async function start({ base = '', words = [], env = {}, at = directory }: Start = {}) {
  await running?.stop()
  running = undefined
  const port = String(await freePort())
  const all = { PLATFORM_PORT: port, PLATFORM_BASE_URI: base, PLATFORM_LOG_LEVEL: 'info', ...env }
  running = await gateway(at, all, undefined, words)
  return { ...client(running), log: running.log }
}

const refused = (start_: Start) =>
  start(start_).then(
    () => 'started',
    (error: unknown) => String(error),
  )

const fill = async ({ put, putDataset }: ReturnType<typeof client>) => {
  await put('/catalogues/c', `${prefixes}<> a dcat:Catalog ; dct:title "C"@en .`)
  const answer = await putDataset('c', 'one', `${prefixes}<> a dcat:Dataset ; dct:title "One"@en .`)
  expect(answer.status).toBe(201)
}

const identity = async (at = directory) =>
  JSON.parse(await readFile(join(at, 'cartulary.json'), 'utf8')) as Record<string, string>

const datasets = async ({ json, search }: ReturnType<typeof client>): Promise<unknown[]> => {
  const { result } = await json<{ result: { results: { resource: string }[] } }>(
    `${search}/search?filters=dataset&includes=resource`,
  )
  return result.results.map(({ resource }) => resource)
}

const inStore = (at: string, sql: string) => {
  const file = new DatabaseSync(join(at, 'store', 'store.db'))
  file.exec(sql)
  file.close()
}

/** The one dataset, as soon as the index is filled. */
const found = async (api: ReturnType<typeof client>) => {
  await expect.poll(async () => (await datasets(api)).length, { timeout: 20_000 }).toBe(1)
}

/** As versions before identities left it. */
const forgetIdentity = async () => {
  await running?.stop()
  running = undefined
  await rm(join(directory, 'cartulary.json'))
  inStore(directory, `DELETE FROM link WHERE line LIKE '<urn:cartulary:system> %'`)
}

describe('a data directory', () => {
  it('keeps the base of its data when it is served from another port', async () => {
    await fill(await start())
    const iris = await datasets(client(running as Gateway))
    const { baseUri } = await identity()
    expect(iris).toEqual([`${baseUri}set/data/one`])
    expect((await stat(join(directory, 'cartulary.json'))).mode & 0o777).toBe(0o600)
    const again = await start()
    expect(await datasets(again)).toEqual(iris)
    expect((await fetch(`${again.repo}/datasets/one`)).status).toBe(200)
    expect(again.log()).toContain('base.taken-from-data')
    const dataset = `${prefixes}<> a dcat:Dataset ; dct:title "One"@en .`
    expect((await again.putDataset('c', 'one', dataset)).status).toBe(304)
    expect((await identity())['baseUri']).toBe(baseUri)
  }, 60_000)

  it('refuses another base that somebody chose, and names both', async () => {
    await fill(await start())
    const { baseUri = '' } = await identity()
    const told = await refused({ base: 'https://data.example/' })
    expect(told).toContain('ended with 1')
    for (const part of [baseUri, 'https://data.example/', 'PLATFORM_BASE_URI'])
      expect(told).toContain(part)
    expect(await datasets(await start({ base: baseUri }))).toHaveLength(1)
    const segments = { PLATFORM_IRI_SEGMENTS: '{"dataset":"dataset/"}' }
    expect(await refused({ env: segments })).toContain('set/data/')
  }, 60_000)

  it.each([
    ['without an identity', forgetIdentity],
    ['whose file was lost', () => rm(join(directory, 'cartulary.json'))],
  ])(
    '%s opens without loss, under the base of its data',
    async (_, damage) => {
      await fill(await start())
      const before = await identity()
      await damage()
      expect(await datasets(await start())).toEqual([`${before['baseUri']}set/data/one`])
      expect((await identity())['baseUri']).toBe(before['baseUri'])
      await damage()
      expect(await refused({ base: 'https://data.example/' })).toContain(before['baseUri'])
    },
    60_000,
  )

  it.each(['', '{"format":1}', '{'])(
    'refuses an identity that is %j',
    async (text) => {
      await start()
      await running?.stop()
      await writeFile(join(directory, 'cartulary.json'), text)
      expect(await refused({})).toContain('cartulary.json is damaged')
    },
    30_000,
  )

  it('refuses a store of another platform, until that is to be taken over', async () => {
    const other = await temporaryDirectory()
    try {
      const base = 'http://localhost:8080/'
      await fill(await start({ at: other, base }))
      await start({ base })
      await running?.stop()
      running = undefined
      await copyFile(join(other, 'store/store.db'), join(directory, 'store/store.db'))
      const [mine, theirs] = [await identity(), await identity(other)]
      const told = await refused({})
      for (const { storeId } of [mine, theirs]) expect(told).toContain(storeId)
      await found(await start({ words: ['--adopt'] }))
      expect((await identity())['storeId']).toBe(theirs['storeId'])
      await start()
    } finally {
      await remove(other)
    }
  }, 60_000)

  it('of a newer version is refused and stays as it is', async () => {
    await start()
    await running?.stop()
    for (const name of ['runs.sqlite', 'store/store.db']) {
      const path = join(directory, name)
      const file = new DatabaseSync(path)
      file.exec('PRAGMA user_version = 99')
      const told = await refused({})
      expect(told).toContain(path)
      expect(told).toContain('newer version')
      expect(file.prepare('PRAGMA user_version').get()).toEqual({ user_version: 99 })
      file.exec('PRAGMA user_version = 1')
      file.close()
    }
    await start()
  }, 60_000)
})

describe('a store behind a wire', () => {
  let server: ProtocolServer
  let env: Record<string, string>
  beforeAll(async () => {
    server = await protocolServer()
    env = { PLATFORM_TRIPLESTORE_CONFIG: JSON.stringify(server.config) }
  })
  afterAll(() => server.stop())

  it('says whose it is, and is not opened from a data directory that has never seen it', async () => {
    const base = 'https://data.example/'
    const elsewhere = await temporaryDirectory()
    try {
      await fill(await start({ at: elsewhere, env, base }))
      const { storeId } = await identity(elsewhere)
      const told = await refused({ env })
      for (const part of [base, storeId, '--adopt']) expect(told).toContain(part)
      // Said before it waits for a gateway that runs.
      const first = await gateway(elsewhere, { ...env, PLATFORM_BASE_URI: base })
      const second = gateway(directory, { ...env, PLATFORM_BASE_URI: '' }).catch(String)
      expect(await second).toContain('--adopt')
      expect(await first.stop()).toBe(0)
      await found(await start({ env, words: ['--adopt'] }))
      expect(await identity()).toMatchObject({ baseUri: base, storeId })
      await start({ env })
    } finally {
      await remove(elsewhere)
    }
  }, 60_000)
})
