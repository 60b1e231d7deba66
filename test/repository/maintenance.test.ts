/** What operators have done to catalogues: emptied, mended, and told what was deleted. */

import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { prefixes, repository } from '../support/repository.ts'
import { withTypes } from './declared.ts'

const soon = () => AbortSignal.timeout(30_000)
const body = (title: string) => `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en .`
const many = Array.from({ length: 130 }, (_, n) => `old-${n}`)

let ground: Awaited<ReturnType<typeof repository>>
beforeEach(async () => {
  ground = await repository({ limits: { writesPerKey: 200 } })
  await ground.putCatalogue('city')
  await ground.putCatalogue('lake')
})
afterEach(() => ground.close())

const all = async <T>(some: AsyncIterable<T>): Promise<readonly T[]> => {
  const found: T[] = []
  for await (const one of some) found.push(one)
  return found
}
const status = async (path: string, method = 'GET') => (await ground.ask(path, { method })).status
const listed = async (catalogue: string): Promise<readonly string[]> =>
  JSON.parse(
    await (
      await ground.ask(`/catalogues/${catalogue}/datasets?valueType=originalIds`, {
        headers: { Accept: 'application/json' },
      })
    ).text(),
  )
const clear = (
  catalogue: string,
  keepIndex = false,
  progress: (done: number, total?: number) => void = () => undefined,
) => ground.maintenance().clear({ catalogue, keepIndex, progress }, soon())

describe('clearing a catalogue', () => {
  beforeEach(async () => {
    await Promise.all(many.map((id) => ground.putDataset('city', id, body(id))))
    await ground.putDataset('lake', 'other', body('Other'))
  })

  it('deletes its datasets and nothing else, and tells how far it is', async () => {
    const told: string[] = []
    const before = ground.changed.length
    expect(await clear('city', false, (done, total) => told.push(`${done}/${total}`))).toBe(130)
    expect(told.at(-1)).toBe('130/130')
    expect(await listed('city')).toEqual([])
    expect(await status('/catalogues/city')).toBe(200)
    expect(await listed('lake')).toEqual(['other'])
    expect(ground.changed.length - before).toBe(130)
  })

  it('counts the datasets only, as it keeps resources of declared types', async () => {
    const repo = await withTypes()
    onTestFinished(() => repo.close())
    await repo.putService('levels', 'other')
    await repo.putDataset('other', 'one', body('One'))
    const told: string[] = []
    const progress = (done: number, total?: number) => told.push(`${done}/${total}`)
    const request = { catalogue: 'other', keepIndex: false, progress }
    expect(await repo.maintenance().clear(request, soon())).toBe(1)
    expect(told).toEqual(['1/1'])
    expect((await repo.read('/data-service/levels')).status).toBe(200)
  })

  it('leaves tombstones: every dataset can be restored', async () => {
    await clear('city')
    const stones = await all(ground.maintenance().tombstones('city', soon()))
    expect(stones.map(({ originalId = '' }) => originalId).toSorted()).toEqual(many.toSorted())
    expect(await all(ground.maintenance().tombstones('lake', soon()))).toEqual([])
    const [first] = stones
    expect(await status(`/datasets/${first?.id}/restore`, 'POST')).toBe(201)
    expect(await listed('city')).toEqual([first?.originalId])
    expect(await all(ground.maintenance().tombstones(undefined, soon()))).toHaveLength(129)
  })

  it('lists every tombstone when others before it are discarded on the way', async () => {
    const rest = { catalogue: 'city', originalId: undefined, content: '', metrics: '' }
    const [ids, there] = [Array.from({ length: 1100 }, (_, n) => `gone-${n}`), ['old-0', 'old-1']]
    const deleted = [...ids, ...there].map((id) => ({ ...rest, kind: 'dataset' as const, id }))
    const { tombstones } = ground.deletion
    tombstones.write(deleted, ground.clock.now).end(deleted.map(({ id }) => id))
    const headers = { 'X-API-Key': 'a-key-for-everything' }
    const listedPage = async (offset: number): Promise<readonly { id: string }[]> =>
      JSON.parse(
        await (await ground.ask(`/tombstones?limit=2&offset=${offset}`, { headers })).text(),
      )
    const first = await listedPage(0)
    expect([...first, ...(await listedPage(2))].map(({ id }) => id)).toEqual(
      [1099, 1098, 1097, 1096].map((n) => `gone-${n}`),
    )
    tombstones.write(deleted.slice(-2), ground.clock.now).end(there)
    const stones = await all(ground.maintenance().tombstones(undefined, soon()))
    expect(new Set(stones.map(({ id }) => id))).toEqual(new Set(ids))
  })

  it('does not tell the index when that is to be kept', async () => {
    const before = ground.changed.length
    expect(await clear('city', true)).toBe(130)
    expect(ground.changed.length).toBe(before)
    const left = 'SELECT ?s WHERE { GRAPH ?g { ?s <urn:cartulary:control#pending> ?v } }'
    const marked = (await ground.store.select(left)).map((row) => row['s']?.value)
    expect(new Set(marked).size).toBeLessThanOrEqual(before)
    expect(await listed('city')).toEqual([])
  })

  it('is refused where there is no catalogue, and ends with its signal', async () => {
    await expect(clear('sea')).rejects.toMatchObject({ kind: 'unknown-catalogue' })
    const asked = { catalogue: 'city', keepIndex: false, progress: () => undefined }
    const over = AbortSignal.abort(new Error('enough'))
    await expect(ground.maintenance().clear(asked, over)).rejects.toThrow('enough')
    expect(await listed('city')).toHaveLength(130)
  })
})

describe('repairing a catalogue', () => {
  const repaired = (homes: Readonly<Record<string, string>> = {}) =>
    all(ground.maintenance(homes).repair('city', soon()))
  const catalogue = () => ground.names.catalogue('city')
  const links = (id: string) => [
    `<${catalogue()}> <http://www.w3.org/ns/dcat#dataset> <${ground.names.dataset(id)}> .`,
    `<${catalogue()}> <http://www.w3.org/ns/dcat#record> <${ground.names.record(id)}> .`,
  ]
  beforeEach(async () => {
    for (const id of ['parks', 'roads', 'trees']) await ground.putDataset('city', id, body(id))
  })

  it('finds nothing where nothing is broken', async () => {
    expect(await repaired()).toEqual([])
  })

  it('removes links to nothing and lets the index know', async () => {
    await ground.store.write([{ graph: ground.names.dataset('parks'), drop: true }])
    ground.changed.length = 0
    expect(await repaired()).toEqual(['the link to parks is removed: there is no such dataset'])
    expect(ground.changed.map(({ resource }) => resource)).toEqual([ground.names.dataset('parks')])
    expect(await listed('city')).toEqual(['roads', 'trees'])
    expect(await repaired()).toEqual([])
  })

  it('links again what searches still find in the catalogue, and only tells of what nobody knows', async () => {
    const remove = ['parks', 'roads', 'trees'].flatMap(links)
    await ground.store.write([{ graph: catalogue(), remove }])
    const said = await repaired({ parks: 'city', roads: 'lake' })
    expect(said.toSorted()).toEqual([
      'parks is linked again',
      'trees ("trees") is in no catalogue, and its former catalogue is not known',
    ])
    expect(await listed('city')).toEqual(['parks'])
  })

  it('tells of original ids that are used twice', async () => {
    const lines = await ground.store.read(ground.names.dataset('parks'))
    const twin = lines?.replaceAll('/parks>', '/parks-2>') ?? ''
    const graph = ground.names.dataset('parks-2')
    await ground.store.write([
      { graph, content: twin },
      { graph: catalogue(), add: links('parks-2') },
    ])
    expect(await repaired()).toEqual([
      'the original id "parks" is used by parks, parks-2: delete all but one',
    ])
  })

  it('reaches every dataset without link, however many cannot be linked', async () => {
    const put = (id: string) => {
      const [dataset, record] = [ground.names.dataset(id), ground.names.record(id)]
      const content = `<${record}> <http://xmlns.com/foaf/0.1/primaryTopic> <${dataset}> .
<${record}> <http://purl.org/dc/terms/identifier> "${id}" .\n`
      return { graph: dataset, content }
    }
    const known = Array.from({ length: 100 }, (_, n) => `known-${n}`)
    const lost = Array.from({ length: 5000 }, (_, n) => `lost-${n}`)
    await ground.store.write([...lost, ...known].map(put))
    const said = await repaired(Object.fromEntries(known.map((id) => [id, 'city'])))
    expect(said.filter((line) => line.endsWith('is linked again'))).toHaveLength(100)
  })

  it('is refused where there is no catalogue', async () => {
    await expect(all(ground.maintenance().repair('sea', soon()))).rejects.toMatchObject({
      kind: 'unknown-catalogue',
    })
  })
})
