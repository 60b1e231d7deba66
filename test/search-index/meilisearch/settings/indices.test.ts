/** Settings on a server: written once, and again only where they are others. */

import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  engineIndices,
  type EngineIndices,
} from '../../../../src/search-index/meilisearch/engine-indices.ts'
import { recordSettings, seedOf } from '../../../../src/search-index/meilisearch/stored-document.ts'
import { signatureOf } from '../../../../src/search-index/index-settings.ts'
import { taskWaiter } from '../../../../src/search-index/meilisearch/engine-client.ts'
import {
  connectEngine,
  type EngineClient,
} from '../../../../src/search-index/meilisearch/engine-client.ts'
import { logger } from '../../../../src/log.ts'
import { settings } from '../../../contracts/search-index-corpus.ts'
import { json, server, type Told } from '../wire/server.ts'

const dataset = settings[0]!
const wanted = recordSettings(dataset, ['en'], '_gen_1')
let told: Told
let client: EngineClient
let indices: EngineIndices
let live: Record<string, unknown> | undefined

beforeEach(async () => {
  live = undefined
  told = await server((asked, response) => {
    if (asked.url?.startsWith('/tasks')) {
      return json({ status: 'succeeded' })(asked, response)
    }
    if (asked.method === 'GET')
      return live
        ? json(live)(asked, response)
        : json({ code: 'index_not_found', message: 'no' }, 404)(asked, response)
    if (asked.method === 'PATCH') live = { ...live, ...JSON.parse(asked.body) }
    return json({ taskUid: told.asked.length }, 202)(asked, response)
  })
  client = connectEngine({
    url: told.url,
    log: logger('silent'),
    now: () => 0,
    pause: () => Promise.resolve(),
    callMs: 5000,
  })
  indices = engineIndices(client, taskWaiter(client))
})
afterEach(async () => {
  client.close()
  await told.close()
})

const writes = () =>
  told.asked.flatMap(({ method, url }) => (method === 'GET' ? [] : [`${method} ${url}`]))

it('makes an index with its settings, and shows it every attribute once', async () => {
  await indices.make('a', wanted, seedOf(dataset, ['en']))
  expect(writes()).toEqual([
    'POST /indexes',
    'PATCH /indexes/a/settings',
    'POST /indexes/a/documents',
    'POST /indexes/a/documents/delete-batch',
  ])
  const seed: object = JSON.parse(told.asked.find(({ url }) => url?.endsWith('documents'))!.body)
  const sortable = wanted['sortableAttributes'] as string[]
  expect(Object.keys(seed)).toEqual(expect.arrayContaining(sortable))
  expect(seed).toMatchObject({ '_t.title': { en: ['zzz'], x: ['zzz'] } })
})

it('writes no settings that are there, in whatever order and with whatever else', async () => {
  live = { ...wanted, typoTolerance: { enabled: false, oneTypo: 5 }, dictionary: [] }
  await indices.ensure('a', wanted)
  expect(writes()).toEqual([])
})

it('writes those that are others, and only those', async () => {
  live = { ...wanted, searchCutoffMs: null }
  await indices.ensure('a', wanted)
  expect(told.asked.find(({ method }) => method === 'PATCH')?.body).toBe('{"searchCutoffMs":60000}')
})

it('drops what is there, and nothing else', async () => {
  await indices.drop('a')
  expect(writes()).toEqual([])
  live = {}
  await indices.drop('a')
  expect(writes()).toEqual(['DELETE /indexes/a'])
})

it('are those of the same documents when only weights, titles or bands differ', () => {
  const same = { ...dataset, facets: dataset.facets.map(({ id }) => ({ id, title: 'other' })) }
  expect(signatureOf(1, same, ['en'])).toBe(signatureOf(1, dataset, ['en']))
  expect(signatureOf(1, dataset, ['de'])).not.toBe(signatureOf(1, dataset, ['en']))
  expect(signatureOf(1, { ...dataset, basis: '2' }, ['en'])).not.toBe(
    signatureOf(1, dataset, ['en']),
  )
})
