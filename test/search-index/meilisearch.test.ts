/** The engine Meilisearch without its server: nothing is answered, nothing is lost, nothing ends. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { meilisearchIndex } from '../../src/search-index/meilisearch/meilisearch-index.ts'
import { logger } from '../../src/log.ts'
import type { SearchIndex } from '../../src/search-index/search-index.ts'
import { documents, request, settings } from '../contracts/search-index-corpus.ts'
import { json, server, type Told } from './meilisearch/wire/server.ts'

let told: Told
let index: SearchIndex | undefined
let time = 0
const start = async () => {
  index = await meilisearchIndex({
    url: told.url,
    log: logger('silent'),
    cursors: { perClient: 1, total: 1, ttlMs: 1000, bytes: 1000 },
    now: () => time,
    pause: () => Promise.resolve(),
  })
  return index
}
beforeEach(async () => {
  told = await server((_, response) => response.destroy())
})
afterEach(async () => {
  await index?.close()
  index = undefined
  await told.close()
})

const away = { kind: 'engine-unavailable', retryAfter: 2 }

describe('a start without the server', () => {
  it('succeeds, and every call says that the engine is away', async () => {
    const engine = await start()
    const calls = [
      () => engine.configure(settings),
      () => engine.finish('dataset'),
      () => engine.missingIds('dataset', ['a']),
      () => engine.write([{ put: documents[0]! }]),
      () => engine.search(request()),
      () => engine.openCursor({ ...request(), client: 'c', note: '' }),
      () => engine.readPage('x'),
      () => engine.facetValues('dataset', 'country'),
      () => engine.get('dataset', 'a'),
      () => engine.entries('dataset', '', 10),
      () => engine.newestVersion(),
      () => engine.health(),
    ]
    for (const call of calls) await expect(call()).rejects.toMatchObject(away)
    expect(engine.currentSettings()).toEqual([])
  })

  it('looks at the release as soon as it can', async () => {
    const engine = await start()
    told.answer = json({ pkgVersion: '1.15.2' })
    time += 1000
    await expect(engine.configure(settings)).rejects.toThrow('too old')
  })
})

it('a start with a server that is too old fails', async () => {
  told.answer = json({ pkgVersion: '1.15.2' })
  await expect(start()).rejects.toMatchObject({ kind: 'internal' })
})

it('the state is another one after a write, also after one that may have failed', async () => {
  const engine = await start()
  const before = engine.stateTag()
  expect(engine.stateTag()).toBe(before)
  await expect(engine.write([{ put: documents[0]! }])).rejects.toMatchObject(away)
  expect(engine.stateTag()).not.toBe(before)
})

it('is an object that callers can spread', async () => {
  const engine = { ...(await start()) }
  await expect(engine.search(request())).rejects.toMatchObject(away)
})
