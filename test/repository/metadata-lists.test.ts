/** Lists of the resources themselves: graphs, paging nodes, formats. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hydra, rdf } from '../../src/rdf/namespaces.ts'
import { parse } from '../../src/rdf/parse.ts'
import { graphOf, isA } from '../../src/rdf/read.ts'
import type { Format } from '../../src/rdf/media-types.ts'
import { base } from '../support/repository.ts'
import { filledRepository, members, service } from './listing/filled.ts'

let repo: Awaited<ReturnType<typeof filledRepository>>
beforeAll(async () => {
  repo = await filledRepository()
})
afterAll(() => repo.close())

const rdfOf = async (path: string, type: string, format: Format) => {
  const answer = await repo.ask(path, { headers: { Accept: type } })
  expect(answer.status).toBe(200)
  return parse(await answer.text(), format, { baseIri: service })
}

describe('a list of metadata', () => {
  const query = `${members}?valueType=metadata&limit=2`
  const page = (offset: number) => `${service}${query}&offset=${offset}`

  it('has the statements of all resources in the default graph, in every format', async () => {
    for (const [type, format] of [
      ['application/trig', 'trig'],
      ['application/n-quads', 'nquads'],
    ] as const) {
      const quads = await rdfOf(query, type, format)
      expect(new Set(quads.map((one) => one.graph.value))).toEqual(new Set(['']))
      expect(isA(graphOf(quads), `${base}set/data/id-b`, 'http://www.w3.org/ns/dcat#Dataset')).toBe(
        true,
      )
    }
  })

  it('names each resource in TriG and N-Quads where graphs are asked for, but not the paging node', async () => {
    for (const [type, format] of [
      ['application/trig', 'trig'],
      ['application/n-quads', 'nquads'],
    ] as const) {
      const quads = await rdfOf(`${query}&graphs=true`, type, format)
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
    const bare = await rdfOf(`${query}&hydra=false&graphs=true`, 'application/trig', 'trig')
    expect(bare.some((one) => one.graph.value === '')).toBe(false)
    expect(bare.length).toBeGreaterThan(0)
  })

  it.each(['', '&graphs=true'])(
    'can be sent back in bulk%s: each dataset is known again',
    async (graphs) => {
      const page = await repo.ask(`${query}${graphs}`, {
        headers: { Accept: 'application/n-quads' },
      })
      const answer = await repo.ask(`${members}/bulk`, {
        method: 'PUT',
        type: 'application/n-quads',
        body: await page.text(),
      })
      expect(answer.status).toBe(200)
      expect(await answer.json()).toMatchObject([
        { id: 'id-a', originalId: 'id a', status: expect.any(Number) },
        { id: 'id-b', originalId: 'id B', status: expect.any(Number) },
      ])
    },
  )

  it('strips catalogues of their links, and names vocabularies by their schemes', async () => {
    const catalogues = await rdfOf(
      '/catalogues?valueType=metadata',
      'application/n-quads',
      'nquads',
    )
    expect(catalogues.some((one) => one.object.value === 'Water')).toBe(true)
    expect(catalogues.some((one) => one.predicate.value.endsWith('dcat#dataset'))).toBe(false)
    const vocabularies = await rdfOf(
      '/vocabularies?valueType=metadata&graphs=true',
      'application/n-quads',
      'nquads',
    )
    expect(vocabularies.some((one) => one.graph.value === 'https://example.org/colours')).toBe(true)
  })

  it('describes the distributions of a dataset one by one', async () => {
    const quads = await rdfOf(
      '/datasets/id-a/distributions?valueType=metadata&graphs=true',
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
