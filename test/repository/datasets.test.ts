/** Datasets through the repository's own routes, over a real store. */

import { isomorphic } from 'rdf-isomorphic'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from '../../src/rdf/parse.ts'
import { quad } from '../../src/rdf/terms.ts'
import { alpineKey, base, prefixes, repository } from '../support/repository.ts'

let repo: Awaited<ReturnType<typeof repository>>
beforeAll(async () => {
  repo = await repository()
  await repo.putCatalogue('alpine-water')
  await repo.putCatalogue('other')
})
afterAll(() => repo.close())

const water = `${prefixes}<https://example.org/ds/1> a dcat:Dataset ; dct:title "Water"@en ;
  dct:publisher [ a foaf:Agent ; foaf:name "Board" ] ;
  dcat:distribution <https://example.org/dist/1> , [ a dcat:Distribution ; dct:title "Second" ] .
<https://example.org/dist/1> a dcat:Distribution ; dct:title "First" ; dcat:accessURL <https://example.org/1.csv> .`

const turtle = async (path: string) => {
  const answer = await repo.ask(path, { headers: { Accept: 'text/turtle' } })
  return parse(await answer.text(), 'turtle', { baseIri: base })
}

const distributions = async (id: string) =>
  (await turtle(`/datasets/${id}`))
    .filter((q) => q.predicate.value.endsWith('#distribution'))
    .map((q) => q.object.value)
    .sort()

describe('a PUT by original id', () => {
  it('creates with 201 and the IRI of the dataset as Location', async () => {
    const answer = await repo.putDataset('alpine-water', 'Pegel 2024/1', water)
    expect(answer.status).toBe(201)
    expect(answer.headers.get('Location')).toBe(`${base}set/data/pegel-2024-1`)
    expect(answer.headers.get('Index-Status')).toBe('done')
    expect(answer.headers.get('ETag')).toMatch(/^"[0-9a-f]{64}"$/)
    expect(await answer.text()).toBe('')
  })

  it('answers 304 for the same triples in another order and with other blank node labels', async () => {
    const again = water.replace(
      'a dcat:Dataset ; dct:title "Water"@en',
      'dct:title "Water"@en ; a dcat:Dataset',
    )
    const answer = await repo.putDataset('alpine-water', 'Pegel 2024/1', again)
    expect(answer.status).toBe(304)
  })

  it('writes a body that it knows when something else is stored by now', async () => {
    const put = async (body: string) => (await repo.putDataset('other', 'by turns', body)).status
    const changed = water.replace('"Water"', '"Waters"')
    const statuses = [await put(water), await put(water), await put(changed), await put(water)]
    const ask = (path: string, method: string) => repo.ask(path, { method })
    await ask('/datasets/by-turns', 'DELETE')
    statuses.push(await put(water), await put(water))
    expect(statuses).toEqual([201, 304, 204, 204, 201, 304])
  })

  it('writes the same triples when enforceUpdate asks for it', async () => {
    const path =
      '/catalogues/alpine-water/datasets/origin?originalId=Pegel%202024%2F1&enforceUpdate=true'
    const answer = await repo.ask(path, {
      method: 'PUT',
      type: 'text/turtle',
      body: water,
    })
    expect(answer.status).toBe(204)
  })

  it('answers 204 for a change and keeps the IRIs of the distributions', async () => {
    const before = await distributions('pegel-2024-1')
    const answer = await repo.putDataset(
      'alpine-water',
      'Pegel 2024/1',
      water.replace('"Water"', '"Waters"'),
    )
    expect(answer.status).toBe(204)
    expect(await distributions('pegel-2024-1')).toEqual(before)
    expect(before).toHaveLength(2)
  })

  it('comes back isomorphic, but for the renaming and the record', async () => {
    const quads = await turtle('/datasets/pegel-2024-1')
    const own = quads.filter((q) => !q.subject.value.startsWith(`${base}set/record/`))
    expect(own.filter((q) => q.object.value === 'Waters')).toHaveLength(1)
    expect(
      own.filter((q) => q.predicate.value.endsWith('/name')).map((q) => q.subject.termType),
    ).toEqual(['BlankNode'])
  })

  it('gives the same graph in every format', async () => {
    const expected = await turtle('/datasets/pegel-2024-1')
    const formats = {
      jsonld: 'jsonld',
      nt: 'ntriples',
      nq: 'nquads',
      trig: 'trig',
      rdf: 'rdfxml',
      n3: 'n3',
    } as const
    for (const [suffix, format] of Object.entries(formats)) {
      const text = await (await repo.ask(`/datasets/pegel-2024-1.${suffix}`)).text()
      const quads = await parse(text, format, { baseIri: base })
      const triples = quads.map((q) => quad(q.subject, q.predicate, q.object))
      expect([suffix, isomorphic(triples, [...expected])]).toEqual([suffix, true])
    }
  })

  it('appends ~~1 when the id is taken by a dataset of another catalogue', async () => {
    const answer = await repo.putDataset('other', 'pegel 2024 1', water)
    expect(answer.headers.get('Location')).toBe(`${base}set/data/pegel-2024-1~~1`)
  })

  it('gives two concurrent creates with one normal form two ids', async () => {
    const answers = await Promise.all(
      ['A b', 'a-b', 'A B', 'a_b'].map((id) => repo.putDataset('other', id, water)),
    )
    const places = answers.map((answer) => answer.headers.get('Location'))
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201, 201])
    expect(new Set(places).size).toBe(4)
  })

  it('resolves relative references against the IRI of the dataset', async () => {
    const body = `${prefixes}<> a dcat:Dataset ; dcat:distribution <#csv> . <#csv> a dcat:Distribution .`
    expect((await repo.putDataset('other', 'relative', body)).status).toBe(201)
    expect(await distributions('relative')).toHaveLength(1)
  })

  it('refuses a record that was modified later than recordModified', async () => {
    const path =
      '/catalogues/other/datasets/origin?originalId=relative&recordModified=2020-01-01T00:00:00Z'
    const body = `${prefixes}<> a dcat:Dataset ; dct:title "x" .`
    const answer = await repo.ask(path, { method: 'PUT', type: 'text/turtle', body })
    expect(answer.status).toBe(409)
    expect(await answer.json()).toMatchObject({ type: 'urn:cartulary:problem:newer-exists' })
  })
})

describe('a PUT that must not succeed', () => {
  const refused: readonly (readonly [string, number, string, string])[] = [
    ['a syntax error', 400, 'malformed-rdf', '<a> <b> '],
    ['no dataset', 422, 'missing-class', '<a:a> <a:b> <a:c> .'],
    [
      'two datasets',
      422,
      'ambiguous-subject',
      `${prefixes}<a:1> a dcat:Dataset . <a:2> a dcat:Dataset .`,
    ],
    ['an empty body', 400, 'empty-body', ' '],
  ]
  it.each(refused)('%s gives %i', async (_, status, slug, body) => {
    const answer = await repo.putDataset('other', 'refused', body)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('Content-Type')).toContain('application/problem+json')
    expect(await answer.json()).toMatchObject({ type: `urn:cartulary:problem:${slug}`, status })
    expect((await repo.ask('/datasets/refused')).status).toBe(404)
  })

  it('several datasets are told where they can be sent together', async () => {
    const several = `${prefixes}<a:1> a dcat:Dataset . <a:2> a dcat:Dataset .`
    const answer = await repo.putDataset('other', 'refused', several)
    expect(await answer.json()).toMatchObject({
      detail: expect.stringContaining('/catalogues/{catalogueId}/datasets/bulk') as string,
    })
  })

  it('a syntax error names its line', async () => {
    const answer = await repo.putDataset('other', 'refused', `${prefixes}\n<a:b> dcat:x "`)
    expect(await answer.json()).toMatchObject({ errors: [{ line: 4 }] })
  })

  it('an unknown media type gives 415 and lists the known ones', async () => {
    const answer = await repo.putDataset('other', 'refused', water, {
      type: 'text/html',
    })
    expect(answer.status).toBe(415)
    expect(((await answer.json()) as { detail: string }).detail).toContain('text/turtle')
  })

  it('an unknown catalogue gives 404', async () => {
    const answer = await repo.putDataset('nowhere', 'x', water)
    expect(await answer.json()).toMatchObject({
      status: 404,
      type: 'urn:cartulary:problem:unknown-catalogue',
    })
  })

  it('no key gives 401, a key of another catalogue 403, its own key passes', async () => {
    const path = '/catalogues/other/datasets/origin?originalId=keys'
    const put = (headers: Record<string, string>, to = path) =>
      repo.app.request(to, {
        method: 'PUT',
        body: water,
        headers: { 'Content-Type': 'text/turtle', ...headers },
      })
    expect((await put({})).status).toBe(401)
    expect((await put({ 'X-API-Key': 'wrong' })).status).toBe(401)
    expect((await put({ 'X-API-Key': alpineKey })).status).toBe(403)
    const own = '/catalogues/alpine-water/datasets/origin?originalId=keys'
    expect((await put({ Authorization: `Bearer ${alpineKey}` }, own)).status).toBe(201)
  })

  it('a wrong If-Match gives 412 even when nothing would change, and changes nothing', async () => {
    const answer = await repo.putDataset('alpine-water', 'keys', water, {
      headers: { 'If-Match': '"other"' },
    })
    expect(answer.status).toBe(412)
    const create = await repo.putDataset('alpine-water', 'keys', water, {
      headers: { 'If-None-Match': '*' },
    })
    expect(create.status).toBe(412)
  })

  it('a key without permission learns nothing from a dataset by id', async () => {
    const answer = await repo.app.request('/datasets/relative', {
      method: 'DELETE',
      headers: { 'X-API-Key': alpineKey },
    })
    expect(answer.status).toBe(403)
  })
})

describe('a dataset body that speaks of others', () => {
  it('changes no other resource, whatever graphs and subjects it names', async () => {
    const victim = await (await repo.ask('/datasets/pegel-2024-1.nt')).text()
    const body = `${prefixes}
<http://localhost:8080/set/data/pegel-2024-1> { <http://localhost:8080/set/data/pegel-2024-1> dct:title "Stolen" . }
<http://localhost:8080/id/catalogue/alpine-water> { <http://localhost:8080/id/catalogue/alpine-water> a dcat:Catalog ; dcat:dataset <a:x> . }
{ <a:mine> a dcat:Dataset ; dct:title "Mine" ; dct:relation <http://localhost:8080/set/data/pegel-2024-1> . }`
    const answer = await repo.putDataset('other', 'greedy', body, { type: 'application/trig' })
    expect(answer.status).toBe(201)
    const stored = await repo.store.construct(
      'CONSTRUCT { ?s ?p ?o } WHERE { GRAPH ?g { ?s ?p ?o } FILTER(?o = "Stolen") }',
    )
    expect(stored).toBe('')
    expect(await (await repo.ask('/datasets/pegel-2024-1.nt')).text()).toBe(victim)
    expect((await turtle('/datasets/greedy')).map((q) => q.object.value)).toContain(
      `${base}set/data/pegel-2024-1`,
    )
  })
})

describe('reading and deleting', () => {
  it('a reader with the present state gets 304', async () => {
    const first = await repo.ask('/datasets/greedy')
    const etag = first.headers.get('ETag') ?? ''
    expect(first.headers.get('Content-Type')).toContain('application/ld+json')
    const second = await repo.ask('/datasets/greedy.ttl', { headers: { 'If-None-Match': etag } })
    expect(second.status).toBe(304)
  })

  it('HEAD answers like GET without a body', async () => {
    const answer = await repo.app.request('/datasets/greedy', { method: 'HEAD' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('ETag')).toMatch(/^"/)
    expect(await answer.text()).toBe('')
  })

  it('a dataset that was deleted is gone from reads, lists and the store', async () => {
    expect((await repo.ask('/datasets/greedy', { method: 'DELETE' })).status).toBe(204)
    expect((await repo.ask('/datasets/greedy')).status).toBe(410)
    expect((await repo.ask('/datasets/greedy', { method: 'DELETE' })).status).toBe(410)
    const ids = (await (
      await repo.ask('/catalogues/other/datasets?valueType=identifiers')
    ).json()) as string[]
    expect(ids).not.toContain('greedy')
    expect(repo.changed.at(-1)?.resource).toBe(`${base}set/data/greedy`)
  })

  it('an id with forbidden characters gives 400 that names the parameter', async () => {
    const answer = await repo.ask(`/datasets/${encodeURIComponent('a"b')}`)
    expect(await answer.json()).toMatchObject({ status: 400, errors: [{ parameter: 'datasetId' }] })
  })
})
