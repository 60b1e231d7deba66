/** Quality metrics of a dataset and its catalogue record, over a real store. */

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

let count = 0
let dataset = ''
let distribution = ''
beforeEach(async () => {
  dataset = `measured-${(count += 1)}`
  const body = `${prefixes}<> a dcat:Dataset ; dct:title "Water" ; dcat:distribution [ a dcat:Distribution ; dct:title "csv" ] .`
  await repo.putDataset('alpine-water', dataset, body)
  const text = (await repo.store.read(`${base}set/data/${dataset}`)) ?? ''
  distribution = /<([^>]*set\/distribution\/[^>]*)>/.exec(text)?.[1] ?? ''
})

const names = `@prefix dqv: <http://www.w3.org/ns/dqv#> . @prefix pv: <https://piveau.eu/ns/voc#> .
@prefix prov: <http://www.w3.org/ns/prov#> .\n`
const iri = () => `${base}set/data/${dataset}`
const metricsIri = () => `${base}id/metrics/${dataset}`
const measurement = (on: string, value: number) =>
  `<${on}> dqv:hasQualityMeasurement [ a dqv:QualityMeasurement ; dqv:isMeasurementOf pv:scoring ; dqv:computedOn <${on}> ; dqv:value ${value} ] .`

const put = (body: string, type = 'text/turtle', headers: Record<string, string> = {}) =>
  repo.ask(`/datasets/${dataset}/metrics`, {
    method: 'PUT',
    type,
    body: body && names + body,
    headers,
  })
const read = async () => (await repo.ask(`/datasets/${dataset}.nt/metrics`)).text()

describe('quality metrics', () => {
  it('are created with 201 and replaced with 204, as a whole', async () => {
    const first = await put(`<a:m> a dqv:QualityMetadata . ${measurement(iri(), 1)}`)
    expect([first.status, first.headers.get('Location'), await first.text()]).toEqual([
      201,
      metricsIri(),
      '',
    ])
    const second = await put(`<a:m> a dqv:QualityMetadata . ${measurement(iri(), 2)}`)
    expect([second.status, second.headers.get('Content-Location')]).toEqual([204, metricsIri()])
    expect(await read()).toContain('"2"^^')
    expect(await read()).not.toContain('"1"^^')
  })

  it('are the same graph in every format, and named in TriG', async () => {
    await put(
      `[] a dqv:QualityMetadata ; prov:generatedAtTime "x" . ${measurement(distribution, 7)}`,
    )
    const answer = await repo.ask(`/datasets/${dataset}.trig/metrics`)
    const quads = await parse(await answer.text(), 'trig', { baseIri: base })
    expect(new Set(quads.map((q) => q.graph.value))).toEqual(new Set([metricsIri()]))
    expect(await read()).toContain(
      `<${metricsIri()}> <http://www.w3.org/ns/prov#generatedAtTime> "x" .`,
    )
    expect(await read()).not.toContain('genid')
  })

  it('get a dqv:QualityMetadata when the body has none', async () => {
    await put(measurement(iri(), 3))
    expect(await read()).toContain(
      `<${metricsIri()}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/dqv#QualityMetadata> .`,
    )
  })

  const named = (graph: string, body: string) => `<${graph}> { ${body} }`
  const choices: readonly (readonly [string, () => string])[] = [
    [
      'the graph with the metadata',
      () =>
        `${named('a:x', `<a:m> a dqv:QualityMetadata . ${measurement(iri(), 42)}`)} ${named('a:y', measurement(iri(), 1))} ${measurement(iri(), 2)}`,
    ],
    [
      'the only named graph',
      () => `${named('a:x', measurement(iri(), 42))} ${measurement(iri(), 1)}`,
    ],
    [
      'the default graph',
      () =>
        `${named('a:x', measurement(iri(), 1))} ${named('a:y', measurement(iri(), 2))} ${measurement(iri(), 42)}`,
    ],
    [
      'the default graph with the metadata',
      () =>
        `<a:m> a dqv:QualityMetadata . ${measurement(iri(), 42)} ${named('a:x', measurement(iri(), 1))}`,
    ],
  ]
  it.each(choices)('are taken from %s', async (_, body) => {
    expect((await put(body(), 'application/trig')).status).toBe(201)
    expect((await read()).match(/"\d+"\^\^/g)).toEqual(['"42"^^'])
  })

  it('of anything but this dataset and its distributions are dropped', async () => {
    await repo.putDataset('other', 'stranger', `${prefixes}<> a dcat:Dataset .`)
    const stranger = `${base}set/data/stranger`
    const foreign = `${measurement(stranger, 1)} ${measurement('https://example.org/d', 2)}
      <${iri()}> dqv:hasQualityMeasurement <a:n> . <a:n> dqv:computedOn <${stranger}> ; dqv:isMeasurementOf pv:scoring ; dqv:value 4 .
      <${stranger}> <http://purl.org/dc/terms/title> "Stolen" . [] a dqv:QualityMeasurement ; dqv:value 5 .`
    expect(
      (await put(`${foreign} ${measurement(iri(), 10)} ${measurement(distribution, 11)}`)).status,
    ).toBe(201)
    const text = await read()
    expect(text.match(/"\d+"\^\^/g)?.sort()).toEqual(['"10"^^', '"11"^^'])
    expect(text).not.toMatch(/stranger|Stolen|example\.org\/d|a:n/)
  })

  it('may leave out what they are computed on, or misspell it', async () => {
    const body = `<${iri()}> dqv:hasQualityMeasurement [ a dqv:QualityMeasurement ; dqv:value 1 ] .
      [] a dqv:QualityMeasurement ; dqv:computeOn <${distribution}> ; dqv:value 2 .`
    expect((await put(body)).status).toBe(201)
    expect((await read()).match(/"\d+"\^\^/g)?.sort()).toEqual(['"1"^^', '"2"^^'])
  })

  it('that a dataset has them says only one that may be measured here', async () => {
    const has = (on: string) => `<${on}> dqv:hasQualityMetadata <a:m> .`
    const head = `<a:m> a dqv:QualityMetadata . ${has(iri())} ${has('https://example.org/d')}`
    const nothing = await put(head)
    expect(await nothing.json()).toMatchObject({ type: 'urn:cartulary:problem:invalid-content' })
    expect(
      (await put(`${head} ${measurement(iri(), 1)} ${measurement(distribution, 2)}`)).status,
    ).toBe(201)
    const text = await read()
    expect(text).toContain(
      `<${iri()}> <http://www.w3.org/ns/dqv#hasQualityMetadata> <${metricsIri()}>`,
    )
    expect(text).not.toContain('example.org')
    expect((await put(head)).status).toBe(422)
    expect(await read()).toBe(text)
  })

  const refused: readonly (readonly [string, number, string, string])[] = [
    ['nothing about the dataset', 422, 'invalid-content', measurement('https://example.org/d', 1)],
    [
      'the metadata alone',
      422,
      'invalid-content',
      '<a:m> a dqv:QualityMetadata ; prov:generatedAtTime "x" .',
    ],
    [
      'two of them',
      422,
      'ambiguous-subject',
      '<a:m> a dqv:QualityMetadata . <a:n> a dqv:QualityMetadata .',
    ],
    ['a missing body', 400, 'empty-body', ''],
    ['a syntax error', 400, 'malformed-rdf', '<a> <b> '],
  ]
  it.each(refused)('%s give %i and change nothing', async (_, status, slug, body) => {
    const answer = await put(body)
    expect(await answer.json()).toMatchObject({ status, type: `urn:cartulary:problem:${slug}` })
    expect((await repo.ask(`/datasets/${dataset}/metrics`)).status).toBe(404)
  })

  it('mark the dataset as pending, so that its scores are indexed', async () => {
    const answer = await put(measurement(iri(), 1))
    expect(answer.headers.get('Index-Status')).toBe('done')
    expect(repo.changed.at(-1)?.resource).toBe(iri())
    const marks = await repo.store.read('urn:cartulary:system')
    expect(marks).toContain(
      `<${iri()}> <urn:cartulary:control#pending> "${repo.changed.at(-1)?.version}"`,
    )
  })

  it('are found by HEAD, unknown before and after, whatever historic says', async () => {
    const head = async () =>
      (await repo.ask(`/datasets/${dataset}/metrics?historic=true`, { method: 'HEAD' })).status
    expect(await head()).toBe(404)
    await put(measurement(iri(), 1))
    expect(await head()).toBe(200)
    expect((await repo.ask(`/datasets/${dataset}/metrics`, { method: 'DELETE' })).status).toBe(204)
    expect(await head()).toBe(404)
    const again = await repo.ask(`/datasets/${dataset}/metrics`, { method: 'DELETE' })
    expect(await again.json()).toMatchObject({
      status: 404,
      type: 'urn:cartulary:problem:unknown-metrics',
    })
  })

  it('of an unknown dataset are another 404', async () => {
    const answer = await repo.ask('/datasets/nowhere/metrics')
    expect(await answer.json()).toMatchObject({
      status: 404,
      type: 'urn:cartulary:problem:unknown-dataset',
    })
    const write = await repo.ask('/datasets/nowhere/metrics', {
      method: 'PUT',
      type: 'text/turtle',
      body: 'x',
    })
    expect(await write.json()).toMatchObject({
      status: 404,
      type: 'urn:cartulary:problem:unknown-dataset',
    })
  })

  it('have an entity tag: the same content has the same one, and a wrong one is refused', async () => {
    const first = await put(measurement(iri(), 1))
    const tag = first.headers.get('ETag') ?? ''
    expect((await repo.ask(`/datasets/${dataset}/metrics`)).headers.get('ETag')).toBe(tag)
    expect((await put(measurement(iri(), 1))).headers.get('ETag')).toBe(tag)
    expect((await put(measurement(iri(), 2), 'text/turtle', { 'If-Match': '"0"' })).status).toBe(
      412,
    )
    expect((await put(measurement(iri(), 2), 'text/turtle', { 'If-None-Match': '*' })).status).toBe(
      412,
    )
    expect((await put(measurement(iri(), 2), 'text/turtle', { 'If-Match': tag })).status).toBe(204)
    const path = `/datasets/${dataset}/metrics`
    const removal = await repo.ask(path, { method: 'DELETE', headers: { 'If-Match': tag } })
    expect([removal.status, (await repo.ask(path)).status]).toEqual([412, 200])
  })

  it('outlive an update of the dataset and go with the dataset', async () => {
    await put(measurement(iri(), 1))
    await repo.putDataset(
      'alpine-water',
      dataset,
      `${prefixes}<> a dcat:Dataset ; dct:title "New" .`,
    )
    expect((await repo.ask(`/datasets/${dataset}/metrics`)).status).toBe(200)
    await repo.ask(`/datasets/${dataset}`, { method: 'DELETE' })
    expect(await repo.store.read(metricsIri())).toBeUndefined()
  })

  it('are written by whoever may write the catalogue', async () => {
    await repo.putDataset('other', 'guarded', `${prefixes}<> a dcat:Dataset .`)
    const headers = { 'X-API-Key': alpineKey }
    expect((await put(measurement(iri(), 1), 'text/turtle', headers)).status).toBe(201)
    const theirs = { method: 'PUT', type: 'text/turtle', body: measurement(iri(), 1), headers }
    expect((await repo.ask('/datasets/guarded/metrics', theirs)).status).toBe(403)
  })
})

describe('the catalogue record', () => {
  it('is the record node and its checksum, with the entity tag of the dataset, at both addresses', async () => {
    const whole = await repo.ask(`/datasets/${dataset}`)
    for (const path of [
      `/datasets/${dataset}/record`,
      `/records/${dataset}`,
      `/datasets/${dataset}.jsonld/record`,
      `/records/${dataset}.jsonld`,
    ]) {
      const answer = await repo.ask(path)
      for (const name of ['ETag', 'Last-Modified'])
        expect(answer.headers.get(name)).toBe(whole.headers.get(name))
      const quads = await parse(await answer.text(), 'jsonld', { baseIri: base })
      expect(quads).toHaveLength(9)
      expect(new Set(quads.map((q) => q.subject.termType))).toEqual(
        new Set(['NamedNode', 'BlankNode']),
      )
      expect(quads.map((q) => q.object.value)).toContain(dataset)
    }
  })

  it('is unknown when its dataset is', async () => {
    const problem = async (path: string) => (await repo.ask(path)).json()
    expect(await problem('/records/nowhere')).toMatchObject({
      status: 404,
      type: 'urn:cartulary:problem:unknown-record',
    })
    expect(await problem('/datasets/nowhere/record')).toMatchObject({
      status: 404,
      type: 'urn:cartulary:problem:unknown-dataset',
    })
  })
})

describe('a dataset that is asked to be indexed again', () => {
  it.each(['POST', 'GET'])('gets a new mark by %s, with a key', async (method) => {
    const before = repo.changed.length
    const headers = { 'X-API-Key': alpineKey }
    const answer = await repo.ask(`/datasets/${dataset}/index`, { method, headers })
    expect([answer.status, await answer.text(), answer.headers.get('Index-Status')]).toEqual([
      202,
      '',
      'pending',
    ])
    expect(repo.changed.slice(before).map(({ resource }) => resource)).toEqual([iri()])
    expect((await repo.app.request(`/datasets/${dataset}/index`, { method })).status).toBe(401)
    expect((await repo.ask('/datasets/nowhere/index', { method, headers })).status).toBe(404)
  })
})

it('[T15] a dataset is not indexed again for a page of another site or ahead of time', async () => {
  const before = repo.changed.length
  const foreign: Record<string, string>[] = [
    { 'Sec-Fetch-Site': 'cross-site' },
    { Purpose: 'prefetch' },
  ]
  for (const headers of foreign) {
    const own = { 'X-API-Key': alpineKey, ...headers }
    const answer = await repo.ask(`/datasets/${dataset}/index`, { headers: own })
    expect([answer.status, answer.headers.get('Access-Control-Allow-Origin')]).toEqual([403, null])
  }
  expect(repo.changed).toHaveLength(before)
})

describe('parts of a dataset in a hidden catalogue', () => {
  it('are stored and not indexed on purpose', async () => {
    const hidden = await repository({ index: 'none' })
    await hidden.putCatalogue('hidden')
    await hidden.putDataset('hidden', 'd', `${prefixes}<> a dcat:Dataset .`)
    const send = (method: string, path: string, body: string) =>
      hidden.ask(path, { method, type: 'text/turtle', body })
    const answers = [
      await send('PUT', '/datasets/d/metrics', names + measurement(`${base}set/data/d`, 1)),
      await send('POST', '/datasets/d/distributions', `${prefixes}<> a dcat:Distribution .`),
    ]
    const told = answers.map(({ status, headers }) => [status, headers.get('Index-Status')])
    expect(told).toEqual([
      [201, 'none'],
      [201, 'none'],
    ])
    await hidden.close()
  })
})
