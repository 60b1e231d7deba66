/** Catalogues and vocabularies through the repository's own routes, over a real store. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatOfSuffix, formats } from '../../src/rdf/media-types.ts'
import { parse } from '../../src/rdf/parse.ts'
import { base, prefixes, repository } from '../support/repository.ts'

let repo: Awaited<ReturnType<typeof repository>>
beforeAll(async () => {
  repo = await repository({ limits: { writesPerKey: 100 } })
})
afterAll(() => repo.close())

const catalogue = `${prefixes}<https://example.org/c> a dcat:Catalog ; dct:title "Water"@en ; dcat:dataset <https://example.org/d> .
<https://example.org/d> a dcat:Dataset ; dct:title "Not here" .`
const dataset = `${prefixes}<> a dcat:Dataset ; dct:title "One" .`

describe('a catalogue', () => {
  it('is created with 201, unchanged with 304, updated with 204', async () => {
    const created = await repo.putCatalogue('Water_1', catalogue)
    expect(created.status).toBe(201)
    expect(created.headers.get('Location')).toBe(`${base}id/catalogue/Water_1`)
    expect((await repo.putCatalogue('Water_1', catalogue)).status).toBe(304)
    expect(
      (await repo.putCatalogue('Water_1', catalogue.replace('"Water"', '"Waters"'))).status,
    ).toBe(204)
  })

  it('is stored without descriptions of datasets and read without links', async () => {
    await repo.putDataset('Water_1', 'one', dataset)
    const text = await (await repo.ask('/catalogues/Water_1.nt')).text()
    expect(text).toContain('"Waters"@en')
    expect(text).not.toContain('Not here')
    expect(text).not.toContain('dcat#dataset')
    const linked = await repo.store.ask(
      `ASK { GRAPH <${base}id/catalogue/Water_1> { ?c <http://www.w3.org/ns/dcat#dataset> <${base}set/data/one> ; <http://www.w3.org/ns/dcat#record> <${base}set/record/one> } }`,
    )
    expect(linked).toBe(true)
  })

  it('says of its sub catalogues what it likes, but not what is in them', async () => {
    const whole = `${prefixes}<> a dcat:Catalog ; dct:hasPart <https://example.org/part> .
      <https://example.org/part> a dcat:Catalog ; dct:title "Part"@en ;
        dcat:dataset <https://example.org/d>, [ dct:title "Blank" ] ; dcat:record <https://example.org/r> .`
    expect((await repo.putCatalogue('whole', whole)).status).toBe(201)
    const stored = (await repo.store.read(`${base}id/catalogue/whole`)) ?? ''
    expect(stored).toContain('"Part"@en')
    for (const gone of ['dcat#dataset', 'dcat#record', 'example.org/d>', 'Blank'])
      expect(stored).not.toContain(gone)
    await repo.ask('/catalogues/whole', { method: 'DELETE' })
  })

  it('keeps its links and its date of creation when its metadata is replaced', async () => {
    repo.clock.now = new Date('2026-11-22T10:00:00Z')
    expect((await repo.putCatalogue('Water_1', catalogue)).status).toBe(204)
    const text = await (await repo.ask('/catalogues/Water_1.nt')).text()
    expect(text).toContain('2026-11-21T10:00:00Z')
    expect(text).toContain('2026-11-22T10:00:00Z')
    expect(
      await (await repo.ask('/catalogues/Water_1/datasets?valueType=identifiers')).json(),
    ).toEqual(['one'])
  })

  it('asks for its datasets to be projected again only when an embedded fact changed', async () => {
    const before = repo.cascaded.length
    await repo.putCatalogue(
      'Water_1',
      `${catalogue}<https://example.org/c> dct:description "More"@en .`,
    )
    expect(repo.cascaded).toHaveLength(before)
    await repo.putCatalogue('Water_1', catalogue.replace('"Water"', '"Lakes"'))
    expect(repo.cascaded).toHaveLength(before + 1)
  })

  it('keeps its date of creation as it was written', async () => {
    const dated = `${prefixes}<> a dcat:Catalog ; dct:issued "2020-01-01"^^<http://www.w3.org/2001/XMLSchema#date> .`
    await repo.putCatalogue('dated', dated)
    await repo.putCatalogue(
      'dated',
      `${prefixes}<> a dcat:Catalog ; dct:title "Now without a date" .`,
    )
    const text = await (await repo.ask('/catalogues/dated.nt')).text()
    expect(text).toContain('"2020-01-01"^^<http://www.w3.org/2001/XMLSchema#date>')
    await repo.ask('/catalogues/dated', { method: 'DELETE' })
  })

  it('needs a dcat:Catalog', async () => {
    expect((await repo.putCatalogue('none', dataset)).status).toBe(422)
  })

  it('lists in pages, by IRI or id', async () => {
    await repo.putCatalogue('a')
    await repo.putCatalogue('b')
    expect(await (await repo.ask('/catalogues')).json()).toEqual(
      ['Water_1', 'a', 'b'].map((id) => `${base}id/catalogue/${id}`),
    )
    expect(
      await (await repo.ask('/catalogues?valueType=identifiers&limit=1&offset=1')).json(),
    ).toEqual(['a'])
    expect(await (await repo.ask('/catalogues?offset=9')).json()).toEqual([])
    const wrong = await repo.ask('/catalogues?limit=0&offset=-1')
    expect(wrong.status).toBe(400)
    expect(((await wrong.json()) as { errors: object[] }).errors).toHaveLength(2)
  })

  it('lists all original ids of a catalogue, and none without one', async () => {
    await repo.putDataset('Water_1', 'Two/2', dataset)
    expect(
      await (await repo.ask('/catalogues/Water_1/datasets?valueType=originalIds')).json(),
    ).toEqual(['one', 'Two/2'])
    expect((await repo.ask('/datasets?valueType=originalIds')).status).toBe(400)
    expect(
      await (await repo.ask('/datasets?catalogue=Water_1&valueType=identifiers')).json(),
    ).toEqual(['one', 'two-2'])
    expect((await repo.ask('/datasets?catalogue=nowhere')).status).toBe(404)
  })

  it('is deleted with all its datasets; then both are gone, and what never was is unknown', async () => {
    expect((await repo.ask('/catalogues/Water_1', { method: 'DELETE' })).status).toBe(204)
    expect((await repo.ask('/catalogues/Water_1')).status).toBe(410)
    expect((await repo.ask('/datasets/one')).status).toBe(410)
    expect((await repo.ask('/catalogues/Water_1', { method: 'DELETE' })).status).toBe(410)
    expect((await repo.ask('/catalogues/never', { method: 'DELETE' })).status).toBe(404)
    expect(await repo.store.ask(`ASK { GRAPH <${base}id/catalogue/Water_1> { ?s ?p ?o } }`)).toBe(
      false,
    )
  })
})

describe('a catalogue that is deleted while datasets come in', () => {
  it('leaves no dataset behind, whoever was first', async () => {
    await repo.putCatalogue('busy')
    for (let n = 0; n < 20; n++) await repo.putDataset('busy', `old-${n}`, dataset)
    const puts = Array.from({ length: 30 }, (_, n) => repo.putDataset('busy', `new-${n}`, dataset))
    const [gone, ...answers] = await Promise.all([
      repo.ask('/catalogues/busy', { method: 'DELETE' }),
      ...puts,
    ])
    expect(gone.status).toBe(204)
    expect(
      answers.filter(({ status }) => status !== 201 && status !== 404 && status !== 429),
    ).toEqual([])
    const left = await repo.store.select(
      `SELECT ?d WHERE { GRAPH ?d { ?d a <http://www.w3.org/ns/dcat#Dataset> } FILTER(REGEX(STR(?d), 'old-|new-')) }`,
    )
    expect(left).toEqual([])
    expect(await repo.store.ask(`ASK { GRAPH <${base}id/catalogue/busy> { ?s ?p ?o } }`)).toBe(
      false,
    )
  })
})

describe('a vocabulary', () => {
  const body = `${prefixes}@prefix dc11: <http://purl.org/dc/elements/1.1/> .
<https://example.org/voc> a skos:ConceptScheme ; skos:prefLabel "Publishers"@en .
<https://example.org/voc/acme> a skos:Concept ; dc11:identifier "ACME" ; skos:inScheme <https://example.org/voc> ; skos:prefLabel "Acme"@en .`
  const put = (id: string, text = body) =>
    repo.ask(`/vocabularies/${id}`, { method: 'PUT', type: 'text/turtle', body: text })

  it('is stored as given under the IRI of its scheme', async () => {
    const created = await put('publishers')
    expect(created.status).toBe(201)
    expect(created.headers.get('Location')).toBe('https://example.org/voc')
    expect((await put('publishers')).status).toBe(304)
    const text = await (await repo.ask('/vocabularies/publishers.nt')).text()
    expect(text.trim().split('\n')).toHaveLength(6)
    expect(await (await repo.ask('/vocabularies')).json()).toEqual(['https://example.org/voc'])
    expect(await (await repo.ask('/vocabularies?valueType=identifiers')).json()).toEqual([
      'publishers',
    ])
  })

  it('refuses a scheme that another vocabulary has, and a body without one', async () => {
    const other = await put('others')
    expect(await other.json()).toMatchObject({
      status: 409,
      type: 'urn:cartulary:problem:already-exists',
    })
    expect((await put('others', '<a:a> <a:b> <a:c> .')).status).toBe(422)
    expect(
      (await put('others', `${prefixes}<urn:cartulary:system> a skos:ConceptScheme .`)).status,
    ).toBe(422)
  })

  it('may be written with relative references', async () => {
    const relative = `${prefixes}<> a skos:ConceptScheme . <#1> a skos:Concept ; skos:inScheme <> ; skos:prefLabel "One"@en .`
    expect((await put('relative', relative)).status).toBe(201)
    expect(await (await repo.ask('/vocabularies/relative.nt')).text()).toContain('"One"@en')
    await repo.ask('/vocabularies/relative', { method: 'DELETE' })
  })

  it('is gone after DELETE', async () => {
    expect((await repo.ask('/vocabularies/publishers', { method: 'DELETE' })).status).toBe(204)
    expect((await repo.ask('/vocabularies/publishers')).status).toBe(404)
    expect(await (await repo.ask('/vocabularies')).json()).toEqual([])
  })
})

describe('the profile', () => {
  it('is shown as JSON, and as its shapes when Turtle is asked for', async () => {
    expect(await (await repo.ask('/profile')).json()).toMatchObject({
      enabled: false,
      version: '1',
    })
    const shapes = await repo.ask('/profile', { headers: { Accept: 'text/turtle' } })
    expect(await shapes.text()).toContain('NodeShape')
  })

  it('has its shapes in every format, by suffix or by Accept', async () => {
    const turtle = await (await repo.ask('/profile.ttl')).text()
    const size = (await parse(turtle, 'turtle', { baseIri: base })).length
    expect(size).toBeGreaterThan(100)
    for (const [name, { mediaType, suffix }] of Object.entries(formats)) {
      const asked = { headers: { Accept: mediaType } }
      for (const answer of [
        await repo.ask(`/profile.${suffix}`),
        await repo.ask('/profile', asked),
      ]) {
        expect([answer.status, answer.headers.get('Content-Type')]).toEqual([
          200,
          expect.stringContaining(mediaType),
        ])
        const format = formatOfSuffix(suffix) ?? 'turtle'
        const quads = await parse(await answer.text(), format, { baseIri: base })
        expect([name, quads.length]).toEqual([name, size])
      }
    }
    const browser = { headers: { Accept: 'text/html,*/*;q=0.8' } }
    expect((await repo.ask('/profile', browser)).headers.get('Content-Type')).toContain('json')
    expect((await repo.ask('/profile', { headers: { Accept: 'image/png' } })).status).toBe(406)
    expect((await repo.ask('/profile.exe')).status).toBe(404)
  })
})
