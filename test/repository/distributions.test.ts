/** Distributions as resources of their own, over a real store. */

import { isomorphic } from 'rdf-isomorphic'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parse } from '../../src/rdf/parse.ts'
import { alpineKey, base, prefixes, repository } from '../support/repository.ts'

let repo: Awaited<ReturnType<typeof repository>>
beforeAll(async () => {
  repo = await repository()
  await repo.putCatalogue('alpine-water')
  await repo.putCatalogue('other')
})
afterAll(() => repo.close())

const source = `${prefixes}<https://example.org/ds/1> a dcat:Dataset ; dct:title "Water"@en ;
  dct:publisher <https://example.org/board> ; dcat:contactPoint [ foaf:name "Desk" ] ;
  dcat:distribution <https://example.org/dist/1> , <https://example.org/dist/2> .
<https://example.org/board> a foaf:Agent ; foaf:name "Board" .
<https://example.org/licence> a dct:LicenseDocument ; dct:title "Open" .
<https://example.org/own> a dct:LicenseDocument ; dct:title "Ours" .
<https://example.org/dist/1> a dcat:Distribution ; dct:title "First"@en ; dct:license <https://example.org/licence> ;
  dct:rights <https://example.org/own> , [ dct:title "Mine" ] .
<https://example.org/dist/2> a dcat:Distribution ; dct:title "Second" ; dct:license <https://example.org/licence> .`

const graphOf = async (id: string) => (await repo.store.read(`${base}set/data/${id}`)) ?? ''
const recordLine = (line: string) => /record|checksumValue/.test(line)
const content = async (id: string) => (await graphOf(id)).split('\n').filter((l) => !recordLine(l))

const ids = async (dataset: string) => {
  const lines = (await graphOf(dataset)).split('\n')
  const named = lines.flatMap(
    (line) => /data\/[^>]*> <[^>]*#distribution> <([^>]+)>/.exec(line)?.[1] ?? [],
  )
  const titled = (title: string) =>
    named.find((iri) => lines.some((line) => line.startsWith(`<${iri}>`) && line.includes(title)))
  const id = (iri: string | undefined) => iri?.split('/').at(-1) ?? 'none'
  return { first: id(titled('"First"')), second: id(titled('"Second"')), all: named.map(id) }
}

const send = (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
  repo.ask(path, { method, headers, ...(body !== undefined && { type: 'text/turtle', body }) })
const post = (dataset: string, body: string) =>
  send('POST', `/datasets/${dataset}/distributions`, body)
const turtle = async (path: string) =>
  (await repo.ask(path, { headers: { Accept: 'text/turtle' } })).text()
const quads = async (path: string) => parse(await turtle(path), 'turtle', { baseIri: base })

let count = 0
let dataset = ''
beforeEach(async () => {
  dataset = `water-${(count += 1)}`
  await repo.putDataset('alpine-water', dataset, source)
})

describe('a distribution that is read', () => {
  it('comes with its blank nodes and what it leads to, and without its dataset and its neighbours', async () => {
    const { first } = await ids(dataset)
    const found = await turtle(`/distributions/${first}`)
    for (const there of ['"First"@en', '"Open"', '"Ours"', '"Mine"']) expect(found).toContain(there)
    for (const absent of ['"Second"', '"Water"', 'genid', 'Board'])
      expect(found).not.toContain(absent)
  })

  it('has an entity tag that is the same in all formats and changes with the distribution alone', async () => {
    const { first, second } = await ids(dataset)
    const tag = async (path: string) => (await repo.ask(path)).headers.get('ETag')
    const before = await tag(`/distributions/${first}`)
    expect(before).toMatch(/^"[0-9a-f]{64}"$/)
    expect(await tag(`/distributions/${first}.nt`)).toBe(before)
    await send(
      'PUT',
      `/distributions/${second}`,
      `${prefixes}<> a dcat:Distribution ; dct:title "New" .`,
    )
    expect(await tag(`/distributions/${first}`)).toBe(before)
    const fresh = await repo.ask(`/distributions/${first}`, {
      headers: { 'If-None-Match': before ?? '' },
    })
    expect(fresh.status).toBe(304)
  })

  it('names the graph of its dataset in TriG', async () => {
    const { first } = await ids(dataset)
    const answer = await repo.ask(`/distributions/${first}.trig`)
    const found = await parse(await answer.text(), 'trig', { baseIri: base })
    expect(new Set(found.map((q) => q.graph.value))).toEqual(
      new Set([`${base}set/data/${dataset}`]),
    )
  })

  it('is unknown under another id', async () => {
    const answer = await repo.ask('/distributions/nowhere')
    expect(await answer.json()).toMatchObject({
      status: 404,
      type: 'urn:cartulary:problem:unknown-distribution',
    })
  })
})

describe('a distribution that is added', () => {
  const third = `${prefixes}<https://example.org/dist/3> a dcat:Distribution ; dct:title "Third" ; dct:license [ dct:title "x" ] .`

  it('gets 201, an IRI as Location, a link from the dataset and its source IRI as identifier', async () => {
    const before = await content(dataset)
    const answer = await post(dataset, third)
    expect(answer.status).toBe(201)
    expect(await answer.text()).toBe('')
    const iri = answer.headers.get('Location') ?? ''
    expect(iri).toMatch(`${base}set/distribution/`)
    expect(answer.headers.get('Index-Status')).toBe('done')
    const read = await repo.ask(`/distributions/${iri.split('/').at(-1)}`)
    expect(answer.headers.get('ETag')).toBe(read.headers.get('ETag'))
    const after = await content(dataset)
    expect(before.filter((line) => !after.includes(line))).toEqual([])
    expect(after).toContain(
      `<${base}set/data/${dataset}> <http://www.w3.org/ns/dcat#distribution> <${iri}> .`,
    )
    expect(after).toContain(
      `<${iri}> <http://purl.org/dc/terms/identifier> "https://example.org/dist/3" .`,
    )
    expect(after.length - before.length).toBe(6)
  })

  it('is refused when the dataset has one with the same key', async () => {
    const answers = [
      third,
      third,
      `${prefixes}<https://example.org/dist/1> a dcat:Distribution .`,
      `${prefixes}[] a dcat:Distribution ; dct:title "Second" .`,
      `${prefixes}[] a dcat:Distribution ; dct:identifier "https://example.org/dist/2" ; dct:title "Other" .`,
    ].map((body) => () => post(dataset, body))
    const statuses: number[] = []
    for (const ask of answers) statuses.push((await ask()).status)
    expect(statuses).toEqual([201, 409, 409, 409, 409])
    const problem = await (await post(dataset, third)).json()
    expect(problem).toMatchObject({ type: 'urn:cartulary:problem:already-exists' })
  })

  it('may have the title of another one when a better key tells them apart', async () => {
    const body = `${prefixes}<https://example.org/dist/4> a dcat:Distribution ; dct:title "Second" .`
    expect((await post(dataset, body)).status).toBe(201)
  })

  it('does not get mixed up with its twin: blank nodes of two bodies stay apart', async () => {
    const body = (url: string) =>
      `${prefixes}[] a dcat:Distribution ; dcat:accessURL <${url}> ; dct:license [ dct:title "L" ] .`
    const one = await post(dataset, body('https://example.org/a'))
    await post(dataset, body('https://example.org/b'))
    await send('DELETE', `/distributions/${one.headers.get('Location')?.split('/').at(-1)}`)
    const left = await turtle(`/datasets/${dataset}`)
    expect(left.match(/"L"/g)).toHaveLength(1)
  })

  it('takes nothing of the body that is not about it', async () => {
    const before = await content(dataset)
    const body = `${prefixes}<> a dcat:Distribution ; dct:title "Mine" .
      <${base}set/data/${dataset}> dct:title "Stolen" ; dcat:distribution <> .
      <https://example.org/else> dct:title "Stolen" . [] a dcat:Dataset ; dct:title "Stolen" .
      <${base}set/record/${dataset}> dct:title "Stolen" . <${base}id/catalogue/other> dct:title "Stolen" .`
    expect((await post(dataset, body)).status).toBe(201)
    expect(await graphOf(dataset)).not.toContain('Stolen')
    expect((await content(dataset)).length - before.length).toBe(4)
  })

  const refused: readonly (readonly [string, number, string, string])[] = [
    ['no distribution', 422, 'missing-class', `${prefixes}<> a dcat:Dataset .`],
    ['a data service', 422, 'missing-class', `${prefixes}<> a dcat:DataService .`],
    [
      'two of them',
      422,
      'ambiguous-subject',
      `${prefixes}<a:1> a dcat:Distribution . <a:2> a dcat:Distribution .`,
    ],
    ['a syntax error', 400, 'malformed-rdf', '<a> <b> '],
    ['an empty body', 400, 'empty-body', ' '],
  ]
  it.each(refused)('%s gives %i and changes nothing', async (_, status, slug, body) => {
    const before = await graphOf(dataset)
    const answer = await post(dataset, body)
    expect(await answer.json()).toMatchObject({ status, type: `urn:cartulary:problem:${slug}` })
    expect(await graphOf(dataset)).toBe(before)
  })
})

describe('a distribution that is replaced', () => {
  it('keeps its IRI and its identifier, and everything else of the dataset to the letter', async () => {
    const { first } = await ids(dataset)
    const before = await content(dataset)
    const own = before.filter(
      (line) =>
        line.startsWith(`<${base}set/distribution/${first}>`) ||
        /Ours|Mine|example.org\/own/.test(line),
    )
    const answer = await send(
      'PUT',
      `/distributions/${first}`,
      `${prefixes}[] a dcat:Distribution ; dct:title "Changed" .`,
    )
    expect(answer.status).toBe(204)
    expect(answer.headers.get('Content-Location')).toBe(`${base}set/distribution/${first}`)
    const after = await content(dataset)
    const others = before.filter((line) => !own.includes(line) && !line.includes('LicenseDocument'))
    expect(others.filter((line) => !after.includes(line))).toEqual([])
    const about = after.filter((line) => line.startsWith(`<${base}set/distribution/${first}>`))
    expect(about.map((line) => line.split(' ').slice(2).join(' ')).sort()).toEqual([
      '"Changed" .',
      '"https://example.org/dist/1" .',
      '<http://www.w3.org/ns/dcat#Distribution> .',
    ])
    const all = after.join('\n')
    expect(all).toContain('"Open"')
    expect(all).not.toMatch(/Ours|Mine/)
  })

  it('sets the date of change and the hash of the record anew', async () => {
    const { first } = await ids(dataset)
    const before = await repo.ask(`/datasets/${dataset}`)
    repo.clock.now = new Date('2026-11-22T10:00:00Z')
    await send('PUT', `/distributions/${first}`, `${prefixes}<> a dcat:Distribution .`)
    const after = await repo.ask(`/datasets/${dataset}`)
    expect(after.headers.get('ETag')).not.toBe(before.headers.get('ETag'))
    expect(after.headers.get('Last-Modified')).toBe('Sun, 22 Nov 2026 10:00:00 GMT')
    expect((await graphOf(dataset)).match(/checksumValue|terms\/modified/g)).toHaveLength(2)
    const old = await send('PUT', `/datasets/${dataset}`, source, {
      'If-Match': before.headers.get('ETag') ?? '',
    })
    expect(old.status).toBe(412)
  })

  it('makes the next PUT of the unchanged source write again, and a dataset sent back as it is gives 304', async () => {
    const { first } = await ids(dataset)
    await send(
      'PUT',
      `/distributions/${first}`,
      `${prefixes}<> a dcat:Distribution ; dct:license [ dct:title "b" ] .`,
    )
    const back = await send('PUT', `/datasets/${dataset}`, await turtle(`/datasets/${dataset}`))
    expect(back.status).toBe(304)
    expect((await repo.putDataset('alpine-water', dataset, source)).status).toBe(204)
    expect((await ids(dataset)).first).toBe(first)
  })

  it('answers 304 when it is sent back as it was read, in any format', async () => {
    const { first } = await ids(dataset)
    for (const [suffix, type] of [
      ['ttl', 'text/turtle'],
      ['jsonld', 'application/ld+json'],
      ['nq', 'application/n-quads'],
    ] as const) {
      const body = await (await repo.ask(`/distributions/${first}.${suffix}`)).text()
      const answer = await repo.ask(`/distributions/${first}`, { method: 'PUT', type, body })
      expect([suffix, answer.status]).toEqual([suffix, 304])
      expect(answer.headers.get('Content-Location')).toBe(`${base}set/distribution/${first}`)
    }
  })

  it('is refused with 412 when it is not in the state that the client knows', async () => {
    const { first } = await ids(dataset)
    const body = `${prefixes}<> a dcat:Distribution .`
    expect((await send('PUT', `/distributions/${first}`, body, { 'If-Match': '"0"' })).status).toBe(
      412,
    )
    const tag = (await repo.ask(`/distributions/${first}`)).headers.get('ETag') ?? ''
    expect((await send('PUT', `/distributions/${first}`, body, { 'If-Match': tag })).status).toBe(
      204,
    )
    expect(
      (await send('DELETE', `/distributions/${first}`, undefined, { 'If-Match': tag })).status,
    ).toBe(412)
  })

  it('is read as it was sent, but for the identifier', async () => {
    const { second } = await ids(dataset)
    const body = `${prefixes}<> a dcat:Distribution ; dct:identifier "2" ; dct:title "Zwei"@DE-at ; dct:license [ dct:title "x" , "y" ] .`
    await send('PUT', `/distributions/${second}`, body)
    const sent = await parse(body, 'turtle', { baseIri: `${base}set/distribution/${second}` })
    expect(isomorphic([...(await quads(`/distributions/${second}`))], [...sent])).toBe(true)
  })

  it('is never created by a PUT', async () => {
    const answer = await send(
      'PUT',
      '/distributions/nowhere',
      `${prefixes}<> a dcat:Distribution .`,
    )
    expect(answer.status).toBe(404)
  })
})

describe('a distribution that is deleted', () => {
  it('goes with its link and its own nodes, and leaves what others refer to', async () => {
    const { first, second } = await ids(dataset)
    expect((await send('DELETE', `/distributions/${first}`)).status).toBe(204)
    const left = await turtle(`/datasets/${dataset}`)
    expect(left).not.toMatch(/First|Ours|Mine/)
    expect(left).toMatch(/Open/)
    expect((await ids(dataset)).all).toEqual([second])
    expect((await repo.ask(`/distributions/${first}`)).status).toBe(404)
    expect((await send('DELETE', `/distributions/${first}`)).status).toBe(404)
  })
})

describe('writers of one dataset', () => {
  it('lose nothing when they add and replace distributions side by side', async () => {
    const { first } = await ids(dataset)
    const bodies = Array.from(
      { length: 8 },
      (_, n) => `${prefixes}<a:${n}> a dcat:Distribution ; dct:title "n${n}" .`,
    )
    const answers = await Promise.all([
      ...bodies.map((body) => post(dataset, body)),
      send(
        'PUT',
        `/distributions/${first}`,
        `${prefixes}<> a dcat:Distribution ; dct:title "last" .`,
      ),
    ])
    expect(answers.map((answer) => answer.status)).toEqual([...bodies.map(() => 201), 204])
    const left = await turtle(`/datasets/${dataset}`)
    for (const title of ['"last"', ...bodies.map((_, n) => `"n${n}"`)])
      expect(left).toContain(title)
    expect((await ids(dataset)).all).toHaveLength(10)
  })
})

describe('permission for a distribution', () => {
  it('is that of the catalogue of its dataset', async () => {
    await repo.putDataset('other', `other-${dataset}`, source)
    const theirs = (await ids(`other-${dataset}`)).first
    const own = (await ids(dataset)).first
    const headers = { 'X-API-Key': alpineKey }
    const body = `${prefixes}<> a dcat:Distribution .`
    expect((await send('PUT', `/distributions/${theirs}`, body, headers)).status).toBe(403)
    expect((await send('DELETE', `/distributions/${theirs}`, undefined, headers)).status).toBe(403)
    expect(
      (await send('POST', `/datasets/other-${dataset}/distributions`, body, headers)).status,
    ).toBe(403)
    expect((await send('PUT', `/distributions/${own}`, body, headers)).status).toBe(204)
    expect((await send('PUT', '/distributions/nowhere', body, headers)).status).toBe(404)
  })
})
