/** All ids at the origin of a large catalogue: complete or visibly broken off, and never gathered in memory. */

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { serve } from '../../src/http/serve.ts'
import { toLines } from '../../src/rdf/lines.ts'
import { recordQuads } from '../../src/repository/content/catalogue-record.ts'
import { linkLines } from '../../src/repository/deleting/members.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'
import { repository } from '../support/repository.ts'

let repo: Awaited<ReturnType<typeof repository>>
let questions = 0
let most = Number.POSITIVE_INFINITY
/** A store that counts what it is asked for and goes away after so many questions. */
const counted = (store: GraphStore): GraphStore => ({
  ...store,
  select: async (query, signal) => {
    questions += 1
    if (questions > most) throw new Failure('store-unavailable', 'The store is away.')
    return store.select(query, signal)
  },
})

const count = 6_000
const path = '/catalogues/large/datasets?valueType=originalIds'
const originOf = (n: number) => `https://example.org/dataset?n=${n}&quote="`

beforeAll(async () => {
  repo = await repository({ around: counted })
  await repo.putCatalogue('large')
  const { names } = repo
  const records = Array.from({ length: count }, (_, n) => ({
    id: `d-${String(n).padStart(6, '0')}`,
    originalId: originOf(n),
    hash: String(n),
    issued: '2026-11-21T10:00:00Z',
    modified: '2026-11-21T10:00:00Z',
  }))
  for (let at = 0; at < count; at += 500) {
    const batch = records.slice(at, at + 500)
    await repo.store.write([
      ...batch.map((record) => ({
        graph: names.dataset(record.id),
        content: toLines(recordQuads(record, names)),
      })),
      {
        graph: names.catalogue('large'),
        add: batch.flatMap(({ id }) => linkLines(names, { catalogue: 'large', id })),
      },
    ])
  }
})
afterAll(() => repo.close())
afterEach(() => {
  most = Number.POSITIVE_INFINITY
})

it('come all without limit and offset, in the order of the platform ids', async () => {
  const answer = await repo.ask(path)
  expect(answer.headers.get('Content-Type')).toBe('application/json')
  expect(await answer.json()).toEqual(Array.from({ length: count }, (_, n) => originOf(n)))
})

it('come in pages of up to 5000', async () => {
  const pages = [`${path}&limit=5000`, `${path}&limit=5000&offset=5000`].map(async (page) => {
    const answer = await repo.ask(page)
    return (await answer.json()) as string[]
  })
  const [first = [], second = []] = await Promise.all(pages)
  expect([first.length, second.length]).toEqual([5000, 1000])
  expect([...first, ...second]).toEqual(Array.from({ length: count }, (_, n) => originOf(n)))
})

it('are asked for only as fast as they are taken', async () => {
  questions = 0
  const answer = await repo.ask(path)
  const reader = answer.body?.getReader()
  await reader?.read()
  await new Promise((resolve) => setImmediate(resolve))
  // The catalogue may have been looked up; each piece of a thousand takes two questions, and one piece is made ahead.
  expect(questions).toBeLessThanOrEqual(6)
  await reader?.cancel()
})

it('break off when their catalogue goes meanwhile, because the rest of its datasets does too', async () => {
  await repo.putCatalogue('leaving')
  await repo.store.write([
    {
      graph: repo.names.catalogue('leaving'),
      add: Array.from({ length: 3 }, (_, n) =>
        linkLines(repo.names, { catalogue: 'leaving', id: `d-00000${n}` }),
      ).flat(),
    },
  ])
  const answer = await repo.ask(path.replace('large', 'leaving'))
  await repo.ask('/catalogues/leaving', { method: 'DELETE' })
  await expect(answer.text()).rejects.toThrow('leaving')
})

it('end with the connection when the store goes away in the middle', async () => {
  const served = await serve(repo.app, { port: 0 })
  try {
    for (const coding of ['identity', 'gzip']) {
      questions = 0
      most = 5
      const answer = fetch(served.url + path, { headers: { 'Accept-Encoding': coding } })
      await expect(answer.then((one) => one.text())).rejects.toThrow(/terminated|fetch failed/)
    }
  } finally {
    await served.close()
  }
})
