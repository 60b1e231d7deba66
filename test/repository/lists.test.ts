/** Lists: which values they have, how they are paged, and what says so. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { base } from '../support/repository.ts'
import { dataset, filledRepository, members, service } from './listing/filled.ts'

let repo: Awaited<ReturnType<typeof filledRepository>>
beforeAll(async () => {
  repo = await filledRepository()
})
afterAll(() => repo.close())

const json = async (path: string): Promise<unknown> => (await repo.ask(path)).json()
const links = (answer: Response) =>
  Object.fromEntries(
    [...(answer.headers.get('Link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(
      ([, target, relation]) => [relation, target],
    ),
  )

describe('a list of strings', () => {
  it('is a bare array in the order of the ids, whatever Accept says', async () => {
    const answer = await repo.ask(`${members}?valueType=identifiers`, {
      headers: { Accept: 'text/turtle' },
    })
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/)
    expect(await answer.json()).toEqual(['id-a', 'id-b', 'id-c', 'id-d', 'id-e'])
    expect(await json(`${members}?limit=2`)).toEqual([
      `${base}set/data/id-a`,
      `${base}set/data/id-b`,
    ])
  })

  it('has the ids at the origin of one catalogue, all at once or in pages', async () => {
    const all = ['id a', 'id B', 'id c', 'id D', 'id e']
    expect(await json(`${members}?valueType=originalIds`)).toEqual(all)
    expect(await json(`${members}?valueType=originalIds&offset=3`)).toEqual(all.slice(3))
    expect(await json(`${members}?valueType=originalIds&limit=2`)).toEqual(all.slice(0, 2))
    expect(await json('/datasets?catalogue=water&valueType=originalIds')).toEqual(all)
    expect((await repo.ask('/datasets?valueType=originalIds')).status).toBe(400)
  })

  it('spans all catalogues when none is named', async () => {
    expect(await json('/datasets?valueType=identifiers&offset=4')).toEqual(['id-e', 'wind'])
    expect(await json('/datasets?catalogue=air&valueType=identifiers')).toEqual(['wind'])
  })

  it('calls catalogues and vocabularies by their ids in every value type but IRIs', async () => {
    expect(await json('/catalogues?valueType=originalIds')).toEqual(['air', 'water'])
    expect(await json('/vocabularies?valueType=identifiers')).toEqual(['colours'])
    expect(await json('/vocabularies?valueType=originalIds')).toEqual(['colours'])
    expect(await json('/vocabularies')).toEqual(['https://example.org/colours'])
  })

  it('of a dataset has its distributions', async () => {
    const path = '/datasets/id-a/distributions'
    const ids = (await json(`${path}?valueType=identifiers`)) as string[]
    expect(ids).toHaveLength(2)
    expect([...ids].sort()).toEqual(ids)
    expect(await json(`${path}?limit=1&offset=1`)).toEqual([`${base}set/distribution/${ids[1]}`])
    const origins = (await json(`${path}?valueType=originalIds`)) as string[]
    expect(origins.sort()).toEqual(['y-a', 'z-a'])
    expect((await repo.ask('/datasets/nowhere/distributions')).status).toBe(404)
  })

  it('is empty past its end, and for other kinds of resources than datasets', async () => {
    expect(await json(`${members}?offset=99`)).toEqual([])
    expect(await json(`${members}?resourceTypes=DataService`)).toEqual([])
    for (const types of ['Dataset', 'dataset', 'DataService,Dataset', 'X&resourceTypes=dataset'])
      expect(await json(`${members}?resourceTypes=${types}`)).toHaveLength(5)
  })

  it('refuses limits outside 1..5000, negative offsets and unknown value types', async () => {
    for (const query of [
      'limit=0',
      'limit=5001',
      'limit=ten',
      'limit=1.5',
      'offset=-1',
      'valueType=x',
    ])
      expect((await repo.ask(`${members}?${query}`)).status).toBe(400)
    expect((await repo.ask(`${members}?limit=5000`)).status).toBe(200)
  })

  it('of an unknown catalogue is 404', async () => {
    expect((await repo.ask('/catalogues/nowhere/datasets')).status).toBe(404)
    expect((await repo.ask('/datasets?catalogue=nowhere')).status).toBe(404)
    expect((await repo.ask('/datasets?catalogue=nowhere&resourceTypes=x')).status).toBe(404)
    expect((await repo.ask('/catalogues/no%20id/datasets')).status).toBe(400)
  })

  it('knows at once what was written and what was deleted', async () => {
    await repo.putCatalogue('changing')
    const ids = () => json('/catalogues/changing/datasets?valueType=identifiers')
    const everywhere = async () =>
      ((await json('/datasets?valueType=identifiers&limit=5000')) as string[]).filter((id) =>
        id.startsWith('new'),
      )
    expect(await ids()).toEqual([])
    for (const id of ['new-2', 'new-1', 'new-3']) {
      await repo.putDataset('changing', id, dataset(id))
      expect(await ids()).toContain(id)
    }
    expect(await everywhere()).toEqual(['new-1', 'new-2', 'new-3'])
    await repo.ask('/datasets/new-1', { method: 'DELETE' })
    expect(await ids()).toEqual(['new-2', 'new-3'])
    await repo.ask('/catalogues/changing', { method: 'DELETE' })
    expect(await everywhere()).toEqual([])
    expect(await json('/catalogues?valueType=identifiers')).not.toContain('changing')
    expect([404, 410]).toContain((await repo.ask('/catalogues/changing/datasets')).status)
  })

  it('does not show the datasets of a catalogue that is gone but for its links', async () => {
    await repo.putCatalogue('going')
    await repo.putDataset('going', 'left-behind', dataset('left-behind'))
    await repo.store.write([{ graph: `${base}id/catalogue/going`, content: '' }])
    repo.clock.now = new Date(repo.clock.now.getTime() + 31_000)
    expect((await repo.ask('/catalogues/going/datasets')).status).toBe(404)
    expect((await repo.ask('/catalogues/going/dump')).status).toBe(404)
    expect(await json('/datasets?valueType=identifiers')).not.toContain('left-behind')
    expect(await json('/catalogues?valueType=identifiers')).not.toContain('going')
  })

  it('believes what it has read for half a minute, then sees what others wrote to the store', async () => {
    await repo.putCatalogue('shared')
    await repo.putDataset('shared', 'ours', dataset('ours'))
    const ids = () => json('/catalogues/shared/datasets?valueType=identifiers')
    expect(await ids()).toEqual(['ours'])
    const theirs = `<${base}id/catalogue/shared> <http://www.w3.org/ns/dcat#dataset> <${base}set/data/theirs> .`
    await repo.store.write([{ graph: `${base}id/catalogue/shared`, add: [theirs] }])
    repo.clock.now = new Date(repo.clock.now.getTime() + 31_000)
    expect(await ids()).toEqual(['ours', 'theirs'])
    await repo.ask('/catalogues/shared', { method: 'DELETE' })
  })
})

describe('the Link header of a list', () => {
  it('has absolute addresses of the configured service, never of the Host', async () => {
    const answer = await repo.ask(`${members}?limit=2&offset=2&unknown=1`, {
      headers: { Host: 'elsewhere.example' },
    })
    const at = (offset: number) => `${service}${members}?valueType=uriRefs&limit=2&offset=${offset}`
    expect(links(answer)).toEqual({ first: at(0), prev: at(0), next: at(4), last: at(4) })
  })

  it('lacks what is not there: a page before the first and one behind the last', async () => {
    const whole = links(await repo.ask(members))
    expect(Object.keys(whole)).toEqual(['first', 'last'])
    expect(links(await repo.ask(`${members}?limit=2&offset=4`))).not.toHaveProperty('next')
    expect(links(await repo.ask(`${members}?valueType=originalIds`))).toEqual({
      first: `${service}${members}?valueType=originalIds`,
      last: `${service}${members}?valueType=originalIds`,
    })
  })

  it('stands on HEAD too, with the status and the headers of GET', async () => {
    for (const query of ['', '?valueType=originalIds', '?valueType=metadata']) {
      const [get, head] = [
        await repo.ask(members + query),
        await repo.ask(members + query, { method: 'HEAD' }),
      ]
      expect(head.status).toBe(200)
      for (const name of ['Link', 'Content-Type', 'Vary', 'Cache-Control'])
        expect(head.headers.get(name)).toBe(get.headers.get(name))
      expect(await head.text()).toBe('')
    }
  })
})
