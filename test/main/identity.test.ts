/** Whose data it is: a store that is opened otherwise than before keeps its identity, or the start says why it is refused. */

import { mkdirSync } from 'node:fs'
import { copyFile, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { logger } from '../../src/log.ts'
import { checkFiles } from '../../src/main/data-files.ts'
import { checkOwner, identify, readIdentity } from '../../src/main/identity.ts'
import { names as namesOf } from '../../src/rdf/names.ts'
import { embeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { factLine, systemChange } from '../../src/store/marks.ts'
import { openRemote } from '../store/opening.ts'
import { remove, temporaryDirectory } from '../support/gateway.ts'
import { protocolServer, type ProtocolServer } from '../support/protocol-server.ts'
import { configOf } from '../support/settings.ts'

const log = logger('silent')
let directory: string
let other: string
beforeEach(async () => {
  directory = await temporaryDirectory()
  other = await temporaryDirectory()
})
afterEach(async () => {
  await remove(directory)
  await remove(other)
})

type Start = {
  /** The setting; `''` when nobody chose one. */
  readonly base?: string
  readonly adopt?: boolean
  readonly env?: Record<string, string>
  /** The data directory. */
  readonly at?: string
  /** Writes a catalogue under this base before the store is closed. */
  readonly fill?: string
}

const given = async ({ base = '', adopt = false, env = {}, at = directory }: Start) => ({
  config: configOf({ PLATFORM_DATA_DIR: at, PLATFORM_BASE_URI: base, ...env }),
  startOptions: { adopt, empty: false, reset: [] },
  kept: await readIdentity(at),
  indexed: 0,
  version: 'test',
  log,
  newId: crypto.randomUUID(),
})

/** What the embedded store of the data directory is identified as. */
async function start(options: Start = {}) {
  const known = await given(options)
  const store = await embeddedStore({ directory: join(known.config.dataDir, 'store'), log })
  try {
    const { identity } = await identify({ ...known, store })
    if (options.fill !== undefined) await writeCatalogue(store, options.fill)
    return identity
  } finally {
    await store.close()
  }
}

async function writeCatalogue(store: GraphStore, base: string): Promise<void> {
  const graph = namesOf(base).catalogue('c')
  const isCatalogue =
    '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/dcat#Catalog>'
  await store.write([
    { graph, content: `<${graph}> ${isCatalogue} .\n` },
    systemChange({ add: [factLine(graph, 'hash', 'x')] }),
  ])
}

const refusal = (starting: Promise<unknown>) =>
  starting.then(
    () => 'started',
    (error: unknown) => String(error),
  )

/** The data directory as versions before identities left it. */
const forgetIdentity = async () => {
  await rm(join(directory, 'cartulary.json'))
  const file = new DatabaseSync(join(directory, 'store', 'store.db'))
  file.exec(`DELETE FROM link WHERE line LIKE '<urn:cartulary:system> %'`)
  file.close()
}

const base = 'https://data.example/'

describe('a data directory', () => {
  it('keeps the base of its data and its store when nobody chooses a base, in a file of its own user', async () => {
    const first = await start({ base })
    expect(first.baseUri).toBe(base)
    expect((await stat(join(directory, 'cartulary.json'))).mode & 0o777).toBe(0o600)
    expect(await start()).toEqual(first)
  })

  it('refuses another base that somebody chose and other segments, and names both', async () => {
    const { baseUri } = await start()
    const told = await refusal(start({ base }))
    for (const part of [baseUri, base, 'PLATFORM_BASE_URI']) expect(told).toContain(part)
    const env = { PLATFORM_IRI_SEGMENTS: '{"dataset":"dataset/"}' }
    expect(await refusal(start({ env }))).toContain('set/data/')
    expect((await start({ base: baseUri })).baseUri).toBe(baseUri)
  })

  it.each([
    ['without an identity', forgetIdentity],
    ['whose file was lost', () => rm(join(directory, 'cartulary.json'))],
  ])('%s opens under the base of its data, and refuses another', async (_, damage) => {
    await start({ base, fill: base })
    await damage()
    expect((await start()).baseUri).toBe(base)
    await damage()
    expect(await refusal(start({ base: 'https://other.example/' }))).toContain(base)
  })

  it.each(['', '{"format":1}', '{'])('refuses an identity that is %j', async (text) => {
    await writeFile(join(directory, 'cartulary.json'), text)
    expect(await refusal(start())).toContain('cartulary.json is damaged')
  })

  it('refuses a store of another platform, until that is to be taken over', async () => {
    const theirs = await start({ at: other })
    const mine = await start()
    await copyFile(join(other, 'store/store.db'), join(directory, 'store/store.db'))
    const told = await refusal(start())
    for (const { storeId } of [mine, theirs]) expect(told).toContain(storeId)
    expect((await start({ adopt: true })).storeId).toBe(theirs.storeId)
    expect((await start()).storeId).toBe(theirs.storeId)
  })

  it.each(['runs.sqlite', 'store/store.db'])(
    'whose %s is of a newer version is refused, and the file stays as it is',
    (name) => {
      const path = join(directory, name)
      mkdirSync(join(directory, 'store'))
      const file = new DatabaseSync(path)
      file.exec('CREATE TABLE run (id TEXT); PRAGMA user_version = 99')
      const check = () => checkFiles({ directory, reset: [], had: [], unused: [], log })
      expect(check).toThrow(new RegExp(`${name}.*newer version`))
      expect(file.prepare('PRAGMA user_version').get()).toEqual({ user_version: 99 })
      file.close()
    },
  )
})

describe('a store behind a wire', () => {
  let server: ProtocolServer
  let store: GraphStore
  let env: Record<string, string>
  beforeAll(async () => {
    server = await protocolServer()
    store = await openRemote(server.config)
    env = { PLATFORM_TRIPLESTORE_CONFIG: JSON.stringify(server.config) }
  })
  afterAll(async () => {
    await store.close()
    await server.stop()
  })

  it('says whose it is, and is not opened from a data directory that has never seen it', async () => {
    const { identity } = await identify({ ...(await given({ at: other, env, base })), store })
    const stranger = await given({ env })
    for (const told of [
      await refusal(identify({ ...stranger, store })),
      // Before it waits for a platform that runs.
      await refusal(checkOwner(stranger, store)),
    ])
      for (const part of [base, identity.storeId, '--adopt']) expect(told).toContain(part)
    const adopted = await identify({ ...(await given({ env, adopt: true })), store })
    expect(adopted.identity).toMatchObject({ baseUri: base, storeId: identity.storeId })
    expect(JSON.parse(await readFile(join(directory, 'cartulary.json'), 'utf8'))).toMatchObject({
      baseUri: base,
    })
    expect((await identify({ ...(await given({ env })), store })).isOther).toBe(false)
  })
})
