/** What operators have done to catalogues: emptied, mended, and told what was deleted. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { prefixes, repository } from '../support/repository.ts'

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

  it('is refused where there is no catalogue', async () => {
    await expect(all(ground.maintenance().repair('sea', soon()))).rejects.toMatchObject({
      kind: 'unknown-catalogue',
    })
  })
})
