import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from '../../src/rdf/parse.ts'
import { base, prefixes, repository } from '../support/repository.ts'
import { aGauge, aService, declared, ex, gauge, iriOf, problem, withTypes } from './declared.ts'

let repo: Awaited<ReturnType<typeof withTypes>>
beforeAll(async () => {
  repo = await withTypes()
})
afterAll(() => repo.close())

describe('a resource of a declared type', () => {
  it('is created, found unchanged, and updated', async () => {
    const created = await repo.putGauge('bridge')
    expect(created.status).toBe(201)
    expect(created.headers.get('Location')).toBe(iriOf('gauge', 'bridge'))
    expect(created.headers.get('Index-Status')).toBe('done')
    expect(await created.text()).toBe('')
    const again = await repo.putGauge('bridge')
    expect([again.status, again.headers.get('ETag')]).toEqual([304, created.headers.get('ETag')])
    const updated = await repo.putGauge('bridge', aGauge('Ford'))
    expect(updated.status).toBe(204)
    expect(updated.headers.get('Content-Location')).toBe(iriOf('gauge', 'bridge'))
    expect(updated.headers.get('ETag')).not.toBe(created.headers.get('ETag'))
    expect(await repo.lines('gauge', 'bridge')).toContain('"Ford"')
    expect(await repo.lines('gauge', 'bridge')).not.toContain('"Bridge"')
    const hash = `<${iriOf('gauge', 'bridge')}> <urn:cartulary:control#hash> `
    expect((await repo.store.read('urn:cartulary:system'))?.split(hash)).toHaveLength(2)
  })

  it('is marked for the index by every write that changes it, and by its deletion', async () => {
    const marks = () => repo.changed.filter(({ resource }) => resource === iriOf('gauge', 'marked'))
    await repo.putGauge('marked')
    await repo.putGauge('marked')
    expect(marks()).toHaveLength(1)
    await repo.putGauge('marked', aGauge(), { headers: {} })
    await repo.send('PUT', '/gauge/marked?enforceUpdate=true', aGauge())
    expect(marks()).toHaveLength(2)
    await repo.send('DELETE', '/gauge/marked')
    expect(marks()).toHaveLength(3)
    const pending = await repo.store.select(
      `SELECT ?v WHERE { GRAPH <urn:cartulary:system> { <${iriOf('gauge', 'marked')}> <urn:cartulary:control#pending> ?v } }`,
    )
    expect(pending).toHaveLength(3)
  })

  it('is read in the format of its suffix or of Accept, with its blank nodes, and 304 for who has it', async () => {
    await repo.putService('read', 'alpine-water')
    const turtle = await repo.read('/data-service/read.ttl')
    expect(turtle.headers.get('Content-Type')).toContain('text/turtle')
    const text = await turtle.text()
    expect(text).toContain('Levels')
    expect(text).not.toContain('genid')
    const etag = turtle.headers.get('ETag') ?? ''
    expect((await repo.read('/data-service/read', { 'If-None-Match': etag })).status).toBe(304)
    const named = await repo.read('/data-service/read.nq')
    expect(await named.text()).toContain(`<${iriOf('data-service', 'read')}> .`)
    expect((await repo.read('/data-service/read')).headers.get('Content-Type')).toContain('ld+json')
    expect((await repo.read('/data-service/read', { Accept: 'text/html' })).status).toBe(406)
    const link = turtle.headers.get('Link') ?? ''
    expect(link).toContain(`<${iriOf('data-service', 'read')}>; rel="canonical"`)
    expect(link).toContain(`<${base}id/catalogue/alpine-water>; rel="collection"`)
    expect(link).toContain('/customresources/data-service/read.nt>; rel="alternate"')
    const head = await repo.app.request('/customresources/data-service/read', { method: 'HEAD' })
    expect([head.status, head.headers.get('ETag')]).toEqual([200, etag])
  })

  it('comes back unchanged when what was read is sent again', async () => {
    await repo.putService('round', 'alpine-water')
    const text = await (await repo.read('/data-service/round.nt')).text()
    const asked = { method: 'PUT', type: 'application/n-triples', body: text }
    expect((await repo.ask('/customresources/data-service/round', asked)).status).toBe(304)
  })

  it('is written under conditions', async () => {
    const created = await repo.putGauge('guarded', aGauge(), { headers: { 'If-None-Match': '*' } })
    expect(created.status).toBe(201)
    const wrong = { headers: { 'If-Match': '"other"' } }
    expect((await repo.putGauge('guarded', aGauge(), wrong)).status).toBe(412)
    const twice = { headers: { 'If-None-Match': '*' } }
    expect((await repo.putGauge('guarded', aGauge(), twice)).status).toBe(412)
    expect((await repo.putGauge('absent', aGauge(), { headers: { 'If-Match': '*' } })).status).toBe(
      412,
    )
    expect((await repo.send('DELETE', '/gauge/guarded', undefined, wrong)).status).toBe(412)
    const right = { headers: { 'If-Match': created.headers.get('ETag') ?? '' } }
    expect((await repo.putGauge('guarded', aGauge('New'), right)).status).toBe(204)
  })

  it('waits for the index as the client prefers', async () => {
    const answer = await repo.putGauge('hasty', aGauge(), { headers: { Prefer: 'respond-async' } })
    expect(answer.headers.get('Preference-Applied')).toBe('respond-async')
    expect(answer.headers.get('Index-Status')).toBe('pending')
  })

  it('answers at its own IRI', async () => {
    await repo.putGauge('led')
    const answer = await repo.read('/gauge/led.ttl')
    expect(await answer.text()).toContain(iriOf('gauge', 'led'))
  })
})

describe('what a body may say', () => {
  it('is about the one node of the declared class, whatever it is called', async () => {
    const body = `${ex}ex:g a ex:Gauge ; dct:title "Named" ; ex:beside [ a ex:Gauge ] . [] dct:title "Free" .`
    expect((await repo.putGauge('named', body)).status).toBe(201)
    const graph = await repo.lines('gauge', 'named')
    expect(graph).toContain(`<${iriOf('gauge', 'named')}> <http://purl.org/dc/terms/title> "Named"`)
    expect(graph).not.toContain('https://example.org/g>')
    expect(graph).toContain('"Free"')
  })

  it('has to name its class', async () => {
    const answer = await problem(await repo.putGauge('lost', `${ex}<> a dcat:Dataset .`))
    expect(answer).toMatchObject({ status: 422, slug: 'missing-class' })
    expect(answer.detail).toContain('https://example.org/Gauge')
  })

  it('must be about one, unless one of several is named by the id', async () => {
    const two = `${ex}ex:a a ex:Gauge ; dct:title "A" . ex:b a ex:Gauge ; dct:title "B"`
    const answer = await problem(await repo.putGauge('two', `${two} .`))
    expect(answer).toMatchObject({ status: 422, slug: 'ambiguous-subject' })
    expect(answer.detail).not.toContain('bulk')
    expect((await repo.putGauge('two', `${two} ; dct:identifier "two" .`)).status).toBe(201)
    expect(await repo.lines('gauge', 'two')).toContain(
      `<${iriOf('gauge', 'two')}> <http://purl.org/dc/terms/title> "B"`,
    )
  })

  it('cannot describe another resource of the platform, a catalogue or a record', async () => {
    await repo.putGauge('victim')
    const body = `${ex}<> a ex:Gauge ; dct:relation <${iriOf('gauge', 'victim')}> .
      <${iriOf('gauge', 'victim')}> dct:title "Taken over" . <${base}set/data/x> dct:title "Taken over" .
      <${base}set/record/gauge/spy> dct:issued "Taken over" . ex:c a dcat:Catalog ; dct:title "Taken over" .
      ex:r a dcat:CatalogRecord ; foaf:primaryTopic <> ; dct:title "Taken over" .
      <#part> dct:title "Part" . ex:p dct:title "Publisher" .`
    expect((await repo.putGauge('spy', body)).status).toBe(201)
    const graph = await repo.lines('gauge', 'spy')
    expect(graph).not.toContain('Taken over')
    expect(graph).toContain(`relation> <${iriOf('gauge', 'victim')}>`)
    expect(graph).toContain('"Part"')
    expect(graph).toContain('"Publisher"')
  })

  it('may be of a class that frames other bodies', async () => {
    const own = await repository({
      resources: [{ ...gauge, typeUri: 'http://www.w3.org/ns/dcat#Catalog' }],
    })
    const body = `${prefixes}<> a dcat:Catalog ; dct:title "A list" .`
    const asked = { method: 'PUT', type: 'text/turtle', body }
    expect((await own.ask('/customresources/gauge/list', asked)).status).toBe(201)
    expect(await own.store.read(iriOf('gauge', 'list'))).toContain('"A list"')
    expect(await (await own.ask('/catalogues')).json()).toEqual([])
    await own.close()
  })

  it('is refused when it is malformed, empty, too large or in no known format', async () => {
    expect((await repo.putGauge('bad', 'no turtle')).status).toBe(400)
    expect((await repo.putGauge('bad', ' ')).status).toBe(400)
    expect((await repo.putGauge('bad', aGauge(), { type: 'text/plain' })).status).toBe(415)
    const small = await repository({ resources: declared, limits: { triples: 1 } })
    const asked = { method: 'PUT', type: 'text/turtle', body: aGauge() }
    expect((await small.ask('/customresources/gauge/large', asked)).status).toBe(413)
    await small.close()
    expect((await repo.read('/gauge/bad')).status).toBe(404)
  })
})

describe('a type that lives in catalogues', () => {
  it('gets a catalogue record that keeps the date of the creation, and a link from its catalogue', async () => {
    await repo.putService('recorded', 'alpine-water')
    repo.clock.now = new Date('2026-11-22T10:00:00Z')
    await repo.send('PUT', '/data-service/recorded', aService('New'))
    const quads = await parse(await repo.lines('data-service', 'recorded'), 'ntriples', {
      baseIri: base,
    })
    const record = `${base}set/record/data-service/recorded`
    const said = Object.fromEntries(
      quads
        .filter(({ subject }) => subject.value === record)
        .map(({ predicate, object }) => [predicate.value.split(/[/#]/).at(-1), object.value]),
    )
    expect(said).toMatchObject({
      primaryTopic: iriOf('data-service', 'recorded'),
      identifier: 'recorded',
      issued: '2026-11-21T10:00:00Z',
      modified: '2026-11-22T10:00:00Z',
    })
    const catalogue = await repo.store.read(`${base}id/catalogue/alpine-water`)
    expect(catalogue).toContain(`<http://www.w3.org/ns/dcat#record> <${record}>`)
    const shown = await repo.read('/data-service/recorded.ttl')
    expect(shown.headers.get('Last-Modified')).toBe('Sun, 22 Nov 2026 10:00:00 GMT')
  })

  it('has to be written into a catalogue that exists', async () => {
    const nowhere = await problem(await repo.send('PUT', '/data-service/homeless', aService()))
    expect(nowhere).toMatchObject({ status: 400, slug: 'invalid-parameter' })
    const unknown = await problem(await repo.putService('homeless', 'nowhere'))
    expect(unknown).toMatchObject({ status: 404, slug: 'unknown-catalogue' })
    expect((await repo.putService('homeless', 'no%20id')).status).toBe(400)
  })

  it('stays in its catalogue', async () => {
    await repo.putService('settled', 'alpine-water')
    const moved = await problem(await repo.putService('settled', 'other', aService('New')))
    expect(moved).toMatchObject({ status: 409, slug: 'conflict' })
    expect((await repo.read('/data-service/settled?catalogId=alpine-water')).status).toBe(200)
    expect((await repo.read('/data-service/settled?catalogId=other')).status).toBe(404)
    expect((await repo.send('DELETE', '/data-service/settled?catalogId=other')).status).toBe(404)
    expect((await repo.putService('settled', 'alpine-water', aService('New'))).status).toBe(204)
  })

  it('leaves the catalogue and its datasets as they are', async () => {
    await repo.putService('beside', 'alpine-water')
    const shown = await (await repo.ask('/catalogues/alpine-water.ttl')).text()
    expect(shown).not.toContain('record')
    expect(await (await repo.ask('/catalogues/alpine-water/datasets')).json()).toEqual([])
    expect(await (await repo.ask('/datasets')).json()).toEqual([])
    await repo.putCatalogue(
      'alpine-water',
      `<> a <http://www.w3.org/ns/dcat#Catalog> ; <http://purl.org/dc/terms/title> "New" .`,
    )
    const links = await repo.store.read(`${base}id/catalogue/alpine-water`)
    expect(links).toContain('set/record/data-service/beside')
  })

  it('is never taken for a dataset, not even under the same id, and no dataset describes it', async () => {
    await repo.putService('twin', 'alpine-water')
    const before = await repo.lines('data-service', 'twin')
    const body = `${ex}<> a dcat:Dataset ; dct:title "Twin" .
      <${iriOf('data-service', 'twin')}> dct:title "Taken over" . <${base}set/record/data-service/twin> dct:issued "x" .`
    expect((await repo.putDataset('alpine-water', 'twin', body)).status).toBe(201)
    expect(await repo.store.read(`${base}set/data/twin`)).not.toContain('Taken over')
    expect(await repo.lines('data-service', 'twin')).toBe(before)
    const originals = '/catalogues/alpine-water/datasets?valueType=originalIds'
    expect(await (await repo.ask(originals)).json()).toEqual(['twin'])
    expect((await repo.ask('/datasets/twin', { method: 'DELETE' })).status).toBe(204)
    expect(await repo.lines('data-service', 'twin')).toBe(before)
    expect((await repo.read('/data-service/twin')).status).toBe(200)
  })

  it('is not indexed in a hidden catalogue', async () => {
    const hidden = await repository({ resources: declared, index: 'none' })
    await hidden.putCatalogue('alpine-water')
    const asked = { method: 'PUT', type: 'text/turtle', body: aService() }
    const answer = await hidden.ask('/customresources/data-service/a?catalogId=alpine-water', asked)
    expect(answer.headers.get('Index-Status')).toBe('none')
    const gone = await hidden.ask('/customresources/data-service/a', { method: 'DELETE' })
    expect([gone.status, gone.headers.get('Index-Status')]).toEqual([204, 'none'])
    await hidden.close()
  })
})
