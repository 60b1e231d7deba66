/** Lists: which values they have, how they are paged, and what says so. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hydra, rdf } from '../../src/rdf/namespaces.ts'
import { parse } from '../../src/rdf/parse.ts'
import { graphOf, isA } from '../../src/rdf/read.ts'
import type { Format } from '../../src/rdf/media-types.ts'
import { base, prefixes, repository } from '../support/repository.ts'

let repo: Awaited<ReturnType<typeof repository>>
const service = `${base}api/hub/repo`
const letters = ['e', 'a', 'D', 'c', 'B']
const dataset = (name: string) =>
  `${prefixes}<> a dcat:Dataset ; dct:title "${name}" ; dct:publisher [ foaf:name "P" ] ;
   dcat:distribution [ a dcat:Distribution ; dct:identifier "z-${name}" ] , [ a dcat:Distribution ; dct:identifier "y-${name}" ] .`

beforeAll(async () => {
  repo = await repository()
  await repo.putCatalogue('water', `${prefixes}<> a dcat:Catalog ; dct:title "Water" .`)
  await repo.putCatalogue('air')
  for (const letter of letters) await repo.putDataset('water', `id ${letter}`, dataset(letter))
  await repo.putDataset('air', 'wind', dataset('wind'))
  await repo.ask('/vocabularies/colours', {
    method: 'PUT',
    type: 'text/turtle',
    body: `${prefixes}<https://example.org/colours> a skos:ConceptScheme .`,
  })
})
afterAll(() => repo.close())

const json = async (path: string): Promise<unknown> => (await repo.ask(path)).json()
const rdfOf = async (path: string, type: string, format: Format) => {
  const answer = await repo.ask(path, { headers: { Accept: type } })
  expect(answer.status).toBe(200)
  return parse(await answer.text(), format, { baseIri: service })
}
const links = (answer: Response) =>
  Object.fromEntries(
    [...(answer.headers.get('Link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(
      ([, target, relation]) => [relation, target],
    ),
  )
const members = '/catalogues/water/datasets'

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

describe('a list of metadata', () => {
  const query = `${members}?valueType=metadata&limit=2`
  const page = (offset: number) => `${service}${query}&offset=${offset}`

  it('names each resource in TriG and N-Quads and leaves the paging node in the default graph', async () => {
    for (const [type, format] of [
      ['application/trig', 'trig'],
      ['application/n-quads', 'nquads'],
    ] as const) {
      const quads = await rdfOf(query, type, format)
      const graphs = new Set(quads.map((one) => one.graph.value))
      expect(graphs).toEqual(new Set(['', `${base}set/data/id-a`, `${base}set/data/id-b`]))
      const node = quads.filter((one) => one.graph.value === '')
      expect(node.every((one) => one.subject.value.startsWith(service))).toBe(true)
    }
  })

  it('is one default graph in the other formats, JSON-LD when nothing is asked', async () => {
    const answer = await repo.ask(query)
    expect(answer.headers.get('Content-Type')).toBe('application/ld+json')
    expect(answer.headers.get('Vary')).toContain('Accept')
    for (const [type, format] of [
      ['text/turtle', 'turtle'],
      ['application/ld+json', 'jsonld'],
      ['application/rdf+xml', 'rdfxml'],
      ['application/n-triples', 'ntriples'],
    ] as const) {
      const graph = graphOf(await rdfOf(query, type, format))
      expect(isA(graph, `${base}set/data/id-b`, 'http://www.w3.org/ns/dcat#Dataset')).toBe(true)
      expect(isA(graph, page(0), hydra('PartialCollectionView'))).toBe(true)
      expect(graph.quads().some((one) => one.object.value.includes('.well-known/genid'))).toBe(
        false,
      )
    }
    expect((await repo.ask(query, { headers: { Accept: 'image/png' } })).status).toBe(406)
  })

  it('is paged by a Hydra view that leads to its neighbours as IRIs and counts with integers', async () => {
    const quads = await rdfOf(`${query}&offset=2`, 'text/turtle', 'turtle')
    const said = (subject: string) =>
      Object.fromEntries(
        quads
          .filter((one) => one.subject.value === subject)
          .map(({ predicate, object }) => [predicate.value.replace(hydra('').value, ''), object]),
      )
    const view = said(page(2))
    expect(view[rdf('type').value]?.value).toBe(hydra('PartialCollectionView').value)
    expect(view['totalItems']).toMatchObject({
      value: '5',
      datatype: { value: 'http://www.w3.org/2001/XMLSchema#integer' },
    })
    for (const [name, offset] of [
      ['first', 0],
      ['previous', 0],
      ['next', 4],
      ['last', 4],
    ] as const)
      expect(view[name]).toMatchObject({ termType: 'NamedNode', value: page(offset) })
    const collection = said(`${service}${members}`)
    expect(collection[rdf('type').value]?.value).toBe(hydra('Collection').value)
    expect(collection['view']?.value).toBe(page(2))
    expect(collection['totalItems']?.value).toBe('5')
  })

  it('ends where the view has no next', async () => {
    const first = graphOf(await rdfOf(query, 'text/turtle', 'turtle'))
    expect(first.objects(page(0), hydra('previous'))).toEqual([])
    const last = graphOf(await rdfOf(`${query}&offset=4`, 'text/turtle', 'turtle'))
    expect(last.objects(page(4), hydra('next'))).toEqual([])
    expect(last.objects(page(4), hydra('previous'))).toHaveLength(1)
  })

  it('has the older paging node for those who ask for it, and none for those who want none', async () => {
    const legacy = graphOf(await rdfOf(`${query}&usePagedCollection=true`, 'text/turtle', 'turtle'))
    const node =
      [...legacy.subjects()].find((one) => isA(legacy, one, hydra('PagedCollection'))) ?? ''
    expect(legacy.objects(node, hydra('itemsPerPage'))[0]?.value).toBe('2')
    expect(legacy.objects(node, hydra('totalItems'))[0]?.value).toBe('5')
    expect(legacy.objects(node, hydra('nextPage'))[0]?.value).toContain('offset=2')
    expect(legacy.objects(node, hydra('lastPage'))[0]?.value).toContain('usePagedCollection=true')
    const bare = await rdfOf(`${query}&hydra=false`, 'application/trig', 'trig')
    expect(bare.some((one) => one.graph.value === '')).toBe(false)
    expect(bare.length).toBeGreaterThan(0)
  })

  it('strips catalogues of their links, and names vocabularies by their schemes', async () => {
    const catalogues = await rdfOf(
      '/catalogues?valueType=metadata',
      'application/n-quads',
      'nquads',
    )
    expect(catalogues.some((one) => one.object.value === 'Water')).toBe(true)
    expect(catalogues.some((one) => one.predicate.value.endsWith('dcat#dataset'))).toBe(false)
    const vocabularies = await rdfOf(
      '/vocabularies?valueType=metadata',
      'application/n-quads',
      'nquads',
    )
    expect(vocabularies.some((one) => one.graph.value === 'https://example.org/colours')).toBe(true)
  })

  it('describes the distributions of a dataset one by one', async () => {
    const quads = await rdfOf(
      '/datasets/id-a/distributions?valueType=metadata',
      'application/trig',
      'trig',
    )
    const graphs = new Set(quads.map((one) => one.graph.value))
    expect([...graphs].filter((name) => name.startsWith(`${base}set/distribution/`))).toHaveLength(
      2,
    )
  })

  it('is a whole document when it is empty', async () => {
    for (const [type, format] of [
      ['text/turtle', 'turtle'],
      ['application/ld+json', 'jsonld'],
      ['application/rdf+xml', 'rdfxml'],
    ] as const)
      expect(
        await rdfOf(`${members}?valueType=metadata&offset=99&hydra=false`, type, format),
      ).toEqual([])
  })
})
