import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from '../../src/rdf/parse.ts'
import { base, prefixes, repository } from '../support/repository.ts'
import { declared } from './declared.ts'

let repo: Awaited<ReturnType<typeof repository>>
beforeAll(async () => {
  repo = await repository({ resources: declared })
  await repo.putCatalogue('rivers')
  await repo.putCatalogue('lakes')
  await repo.putCatalogue('empty')
  for (const id of ['c', 'a', 'b']) await putService(id, id === 'c' ? 'lakes' : 'rivers')
})
afterAll(() => repo.close())

const body = `${prefixes}<> a dcat:DataService ; dct:title "Levels" ; dcat:contactPoint [ foaf:name "Desk" ] .`
const putService = (id: string, catalogue: string) =>
  repo.ask(`/customresources/data-service/${id}?catalogId=${catalogue}`, {
    method: 'PUT',
    type: 'text/turtle',
    body,
  })
const list = (query = '') => repo.ask(`/customresources/data-service${query}`)
const json = async (query?: string) => (await list(query)).json()
const iri = (id: string) => `${base}set/resource/data-service/${id}`
const address = `${base}api/hub/repo/customresources/data-service`

it('a list names the resources of its type in order, by IRI or by id', async () => {
  expect(await json()).toEqual([iri('a'), iri('b'), iri('c')])
  expect(await json('?valueType=identifiers')).toEqual(['a', 'b', 'c'])
  expect(await json('?valueType=originalIds')).toEqual(['a', 'b', 'c'])
  expect(await (await repo.ask('/customresources/gauge')).json()).toEqual([])
})

it('pages lead on to each other', async () => {
  const answer = await list('?valueType=identifiers&limit=2&offset=2')
  expect(await answer.json()).toEqual(['c'])
  const link = answer.headers.get('Link') ?? ''
  expect(link).toContain(`<${address}?valueType=identifiers&limit=2&offset=0>; rel="first"`)
  expect(link).toContain('rel="prev"')
  expect(link).not.toContain('rel="next"')
  expect((await list('?limit=0')).status).toBe(400)
  expect((await list('?limit=5001')).status).toBe(400)
  expect(await json('?offset=10')).toEqual([])
})

it('metadata are the resources themselves, each in its graph, with the paging node', async () => {
  const text = await (
    await repo.ask('/customresources/data-service?valueType=metadata&limit=2&graphs=true', {
      headers: { Accept: 'application/n-quads' },
    })
  ).text()
  const quads = await parse(text, 'nquads', { baseIri: base })
  const graphs = new Set(quads.map(({ graph }) => graph.value))
  expect([...graphs].sort()).toEqual(['', iri('a'), iri('b')])
  expect(text).toContain('http://www.w3.org/ns/hydra/core#PartialCollectionView')
  expect(text).not.toContain('genid')
  const plain = await (await list('?valueType=metadata&hydra=false')).text()
  expect(plain).not.toContain('totalItems')
})

it('a list can be that of one catalogue', async () => {
  expect(await json('?catalogId=rivers&valueType=identifiers')).toEqual(['a', 'b'])
  expect(await json('?catalogId=empty')).toEqual([])
  const page = await list('?catalogId=rivers&limit=1')
  expect(page.headers.get('Link')).toContain(
    `<${address}?catalogId=rivers&valueType=uriRefs&limit=1&offset=1>; rel="next"`,
  )
  expect((await list('?catalogId=nowhere')).status).toBe(404)
  expect((await list('?catalogId=no%20id')).status).toBe(400)
})

it('a list hears of what is created and deleted', async () => {
  expect(await json('?valueType=identifiers')).toEqual(['a', 'b', 'c'])
  await putService('d', 'rivers')
  expect(await json('?valueType=identifiers')).toEqual(['a', 'b', 'c', 'd'])
  await repo.ask('/customresources/data-service/d', { method: 'DELETE' })
  expect(await json('?valueType=identifiers')).toEqual(['a', 'b', 'c'])
  expect(await json('?valueType=identifiers&catalogId=rivers')).toEqual(['a', 'b'])
})

it('a deleted catalogue takes its resources with it, and no others', async () => {
  await repo.putCatalogue('doomed')
  await repo.putDataset('doomed', 'levels', `${prefixes}<> a dcat:Dataset .`)
  for (const id of ['x', 'y', 'z']) await putService(id, 'doomed')
  repo.changed.length = 0
  const answer = await repo.ask('/catalogues/doomed', { method: 'DELETE' })
  expect(answer.status).toBe(204)
  expect(await json('?valueType=identifiers')).toEqual(['a', 'b', 'c'])
  expect((await repo.ask('/customresources/data-service/x')).status).toBe(410)
  const marked = repo.changed.map(({ resource }) => resource)
  for (const id of ['x', 'y', 'z']) expect(marked).toContain(iri(id))
  const left = await repo.store.select(
    `SELECT ?p WHERE { GRAPH ?g { ?s ?p ?o FILTER(CONTAINS(STR(?s), "doomed") || CONTAINS(STR(?o), "doomed")) } FILTER(!STRENDS(STR(?p), "pending")) }`,
  )
  expect(left).toEqual([])
})

it('nothing lands in a catalogue while it is deleted', async () => {
  await repo.putCatalogue('closing')
  for (let n = 0; n < 5; n += 1) await putService(`early-${n}`, 'closing')
  const deleting = repo.ask('/catalogues/closing', { method: 'DELETE' })
  const late = await Promise.all(
    [...Array(5).keys()].map((n) => putService(`late-${n}`, 'closing')),
  )
  await deleting
  await repo.ask('/catalogues/closing', { method: 'DELETE' })
  const ids = (await json('?valueType=identifiers')) as string[]
  expect(ids.filter((id) => id.startsWith('early') || id.startsWith('late'))).toEqual([])
  for (const { status } of late) expect([201, 404]).toContain(status)
})
