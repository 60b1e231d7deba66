/** What the repository says of deleted catalogues, and how they come back with their datasets, over a real store. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { base, prefixes, repository } from '../support/repository.ts'
import { eventually } from '../support/gateway.ts'
import type { GraphStore } from '../../src/store/graph-store.ts'

/** Holds the removal of datasets back as long as it is closed. */
function gate() {
  let open = Promise.resolve()
  let release: () => void = () => undefined
  return {
    close: () => {
      const next = Promise.withResolvers<void>()
      open = next.promise
      release = next.resolve
    },
    open: () => release(),
    around: (store: GraphStore): GraphStore => ({
      ...store,
      writeEach: async (groups, signal) => {
        const isElsewhere = groups.flat().some(({ graph }) => graph.endsWith('/elsewhere'))
        if (!isElsewhere) await open
        return store.writeEach(groups, signal)
      },
    }),
  }
}

const held = gate()
let repo: Awaited<ReturnType<typeof repository>>
beforeAll(async () => {
  repo = await repository({ limits: { writesPerKey: 300 }, around: held.around })
})
afterAll(() => repo.close())

const dataset = (title: string) => `${prefixes}<> a dcat:Dataset ; dct:title "${title}"@en .`
const remove = (path: string, headers: Record<string, string> = {}) =>
  repo.ask(path, { method: 'DELETE', headers })
const restore = (path: string) => repo.ask(`${path}/restore`, { method: 'POST' })
const json = async (path: string): Promise<unknown> => (await repo.ask(path)).json()
const fill = (catalogue: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, n) =>
      repo.putDataset(catalogue, `${catalogue} ${n}`, dataset(`N${n}`)),
    ),
  )
const isLeft = (catalogue: string) =>
  repo.store.ask(
    `ASK { GRAPH ?g { ?s ?p ?o } FILTER(STRENDS(STR(?g), '/${catalogue}') || CONTAINS(STR(?g), '/data/${catalogue}-')) }`,
  )
const isDone = (catalogue: string) =>
  eventually(async () => (await remove(`/catalogues/${catalogue}`)).status === 410)

describe('DELETE of a catalogue', () => {
  it('answers 204 when its datasets are gone within the time of the wait', async () => {
    await repo.putCatalogue('small')
    await fill('small', 12)
    expect((await remove('/catalogues/small')).status).toBe(204)
    expect(await isLeft('small')).toBe(false)
    expect(await json('/catalogues/small')).toMatchObject({
      status: 410,
      type: 'urn:cartulary:problem:gone',
      catalogue: 'small',
      deletedAt: '2026-11-21T10:00:00Z',
      restorableUntil: '2026-12-21T10:00:00Z',
    })
    const members = await json('/catalogues/small')
    for (const path of ['datasets', 'datasets?valueType=metadata', 'dump.nq', 'dump.rdf']) {
      const answer = await repo.ask(`/catalogues/small/${path}`)
      const instance = `/catalogues/small/${path.split('?')[0]}`
      expect(await answer.json()).toEqual({ ...Object(members), instance })
    }
    expect((await repo.ask('/catalogues/never/dump')).status).toBe(404)
    expect(await json('/datasets/small-3')).toMatchObject({ status: 410, originalId: 'small 3' })
    expect(await json('/catalogues/small/datasets/origin?originalId=small%203')).toMatchObject({
      status: 410,
      catalogue: 'small',
    })
  })

  it('honours If-Match', async () => {
    await repo.putCatalogue('matched')
    expect((await remove('/catalogues/matched', { 'If-Match': '"other"' })).status).toBe(412)
    expect((await repo.ask('/catalogues/matched')).status).toBe(200)
  })

  it('that takes longer answers 202 with how many remain, and goes on', async () => {
    await repo.putCatalogue('large')
    await fill('large', 130)
    held.close()
    const answer = await remove('/catalogues/large', { Prefer: 'respond-async' })
    expect([answer.status, await answer.json()]).toEqual([202, { remaining: 130 }])
    expect(await (await remove('/catalogues/large')).json()).toEqual({ remaining: 130 })
    held.open()
    expect(await isDone('large')).toBe(true)
    expect(await isLeft('large')).toBe(false)
    expect(await repo.store.ask('ASK { ?s <urn:cartulary:control#deleting> ?o }')).toBe(false)
  })
})

describe('while the datasets of a deleted catalogue are removed', () => {
  beforeEach(async () => {
    held.open()
    await repo.putCatalogue('leaving')
    await fill('leaving', 3)
    held.close()
    await remove('/catalogues/leaving', { Prefer: 'respond-async' })
    return async () => {
      held.open()
      if (!(await isDone('leaving'))) throw new Error('the deletion does not come to its end')
    }
  })

  it('its id is gone, its lists are unknown and its datasets are in no list', async () => {
    expect((await repo.ask('/catalogues/leaving')).status).toBe(410)
    for (const path of ['datasets', 'resources', 'dump', 'dump.ttl'])
      expect((await repo.ask(`/catalogues/leaving/${path}`)).status).toBe(410)
    expect(await json('/catalogues?valueType=identifiers')).not.toContain('leaving')
    expect(await json('/datasets?valueType=identifiers')).not.toContain('leaving-0')
  })

  it('nothing can be put into it', async () => {
    expect((await repo.putDataset('leaving', 'new', dataset('New'))).status).toBe(404)
    expect((await repo.putDataset('leaving', 'leaving 1', dataset('Other'))).status).toBe(404)
    expect((await restore('/datasets/leaving-1')).status).toBe(409)
  })

  it('neither a PUT nor a restore of its id is possible: 409', async () => {
    expect((await repo.putCatalogue('leaving')).status).toBe(409)
    expect((await restore('/catalogues/leaving')).status).toBe(409)
  })

  it('other writes go through', async () => {
    await repo.putCatalogue('elsewhere')
    const answer = await repo.putDataset('elsewhere', `e ${Math.random()}`, dataset('E'))
    expect(answer.status).toBe(201)
  })
})

describe('after the deletion of a catalogue', () => {
  const catalogue = `${prefixes}<> a dcat:Catalog ; dct:title "Water"@en ; dct:hasPart <${base}id/catalogue/part> .`

  it('restore brings it back with the datasets that went with it, and no others', async () => {
    await repo.putCatalogue('water', catalogue)
    await fill('water', 120)
    await remove('/datasets/water-5')
    const { headers } = await repo.ask('/catalogues/water')
    const before = await repo.store.read(`${base}id/catalogue/water`)
    expect((await remove('/catalogues/water')).status).toBe(204)
    const answer = await restore('/catalogues/water')
    expect([answer.status, answer.headers.get('Location')]).toEqual([
      201,
      `${base}id/catalogue/water`,
    ])
    expect(answer.headers.get('ETag')).toBe(headers.get('ETag'))
    expect(await repo.store.read(`${base}id/catalogue/water`)).toBe(before)
    expect((await repo.ask('/datasets/water-5')).status).toBe(410)
    expect((await repo.ask('/datasets/water-119')).status).toBe(200)
    expect((await restore('/datasets/water-5')).status).toBe(201)
    expect(repo.deletion.tombstones.list('water', { offset: 0, limit: 10 })).toEqual([])
  })

  it('restore is refused with 409 when the id is in use, and unknown without a tombstone', async () => {
    expect((await restore('/catalogues/water')).status).toBe(409)
    expect((await restore('/catalogues/never')).status).toBe(404)
  })

  it('a PUT of its id makes a new and empty one; the old datasets come back one by one', async () => {
    expect((await remove('/catalogues/water')).status).toBe(204)
    expect((await repo.putCatalogue('water', catalogue)).status).toBe(201)
    expect(await json('/catalogues/water/datasets')).toEqual([])
    expect((await restore('/catalogues/water')).status).toBe(409)
    expect((await restore('/datasets/water-8')).status).toBe(201)
    const put = await repo.putDataset('water', 'water 9', dataset('Nine'))
    expect(put.headers.get('Location')).toBe(`${base}set/data/water-9`)
    expect(await json('/catalogues/water/datasets?valueType=identifiers')).toEqual([
      'water-8',
      'water-9',
    ])
  })

  it('its parts stay, and are projected again because their super catalogue has gone', async () => {
    repo.changed.length = 0
    await repo.putCatalogue('part')
    expect((await remove('/catalogues/water')).status).toBe(204)
    expect(repo.changed.map(({ resource }) => resource)).toContain(`${base}id/catalogue/part`)
    expect((await repo.ask('/catalogues/part')).status).toBe(200)
  })
})

describe('a change of a catalogue', () => {
  const body = (facts: string) => `${prefixes}<> a dcat:Catalog ${facts} .`
  const part = (id: string) => `; dct:hasPart <${base}id/catalogue/${id}>`
  const marks = () => repo.changed.map(({ resource }) => resource.split('/').at(-1))

  it('marks exactly the parts that come or go', async () => {
    await repo.putCatalogue('super', body(part('one') + part('two')))
    repo.changed.length = 0
    await repo.putCatalogue('super', body(part('two') + part('three')))
    expect(new Set(marks())).toEqual(new Set(['one', 'super', 'three']))
  })

  it.each([
    ['visibility', '; <https://example.org/voc#visibility> <https://example.org/voc#hidden>'],
    ['a part', part('one')],
    ['its super catalogue', `; dct:isPartOf <${base}id/catalogue/super>`],
  ])('of %s projects its datasets again', async (_, facts) => {
    await repo.putCatalogue('facts', body(''))
    const before = repo.cascaded.length
    await repo.putCatalogue('facts', body(facts))
    expect(repo.cascaded.length).toBe(before + 1)
    await repo.putCatalogue('facts', body(''))
    expect(repo.cascaded.length).toBe(before + 2)
  })
})
