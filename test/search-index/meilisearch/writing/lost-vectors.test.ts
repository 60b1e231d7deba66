/** Removal of the vectors of records that are not stored, page by page, on a server of many documents. */

import { expect, it } from 'vitest'
import { uidsOf } from '../../../../src/search-index/meilisearch/attributes.ts'
import {
  type EngineClient,
  refusalFailure,
} from '../../../../src/search-index/meilisearch/engine-client.ts'
import type { EngineIndices } from '../../../../src/search-index/meilisearch/engine-indices.ts'
import type { IndexPart } from '../../../../src/search-index/remote/generation.ts'
import { EngineVectors } from '../../../../src/search-index/meilisearch/engine-vectors.ts'

const uids = uidsOf('')
const searched = { uid: 'dataset' } as IndexPart

type Fetch = { readonly ids?: readonly string[]; readonly offset?: number; readonly limit: number }

/** Vectors on a server that holds keys by the uid of their index. */
function vectorsOn(held: Map<string, readonly string[]>, isKnown = true) {
  const post = async (path: string, body: unknown) => {
    const [, , uid = '', , call] = path.split('/')
    const keys = held.get(uid)
    if (!keys) throw refusalFailure(404, '{"code":"index_not_found","message":""}')
    if (call === 'delete-batch') {
      const removed = new Set(body as readonly string[])
      held.set(
        uid,
        keys.filter((key) => !removed.has(key)),
      )
      return {}
    }
    const { ids, offset = 0, limit } = body as Fetch
    const wanted = ids && new Set(ids)
    const found = keys.filter((key) => wanted?.has(key) ?? true)
    const results = found.slice(offset, offset + limit).map((id) => ({ id, n: 1, i: id }))
    return { results, total: found.length }
  }
  const client = { post } as Pick<EngineClient, 'post'> as EngineClient
  const context = { client, uids, searched: () => (isKnown ? searched : undefined) }
  const waitForTasks = async () => undefined
  return new EngineVectors({ context, indices: {} as EngineIndices, waitForTasks })
}

const keys = (count: number) => Array.from({ length: count }, (_, i) => `k${i}`)

async function removeAll(vectors: EngineVectors): Promise<number> {
  let calls = 0
  await vectors.removeLost('dataset', (work) => {
    calls++
    return work()
  })
  return calls
}

it.each([0, 1, 2, 3])(
  'removes exactly those without a record: every third from %i on',
  async (n) => {
    const all = keys(12_000)
    const stored = all.filter((_, i) => (i + n) % 3 > 0 && n < 3)
    const held = new Map([
      ['dataset', stored],
      [uids.vectors('dataset'), all],
    ])
    expect(await removeAll(vectorsOn(held))).toBeLessThanOrEqual(4)
    expect(held.get(uids.vectors('dataset'))).toEqual(stored)
  },
)

it('removes nothing where no vectors are, or the index is not known', async () => {
  const held = new Map<string, readonly string[]>([['dataset', keys(2)]])
  expect(await removeAll(vectorsOn(held))).toBe(1)
  held.set(uids.vectors('dataset'), keys(3))
  expect(await removeAll(vectorsOn(held, false))).toBe(1)
  expect(held.get(uids.vectors('dataset'))).toEqual(keys(3))
})
