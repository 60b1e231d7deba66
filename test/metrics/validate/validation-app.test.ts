/** The validation service: what it takes, what it tells, what it refuses. */

import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from '../../../src/http/app.ts'
import { defaultLimits } from '../../../src/http/limits.ts'
import { logger } from '../../../src/log.ts'
import { expectedScores } from '../../../src/metrics/measure/expected-score.ts'
import { loadValueTests } from '../../../src/metrics/measure/measured-values.ts'
import { loadWeights } from '../../../src/metrics/measure/weights.ts'
import { readReport } from '../../../src/metrics/measure/validation-report.ts'
import { validationApp } from '../../../src/metrics/validate/validation-app.ts'
import type { Validation } from '../../../src/metrics/validate/validation.ts'
import { formatOfMediaType, formats } from '../../../src/rdf/media-types.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { toLines } from '../../../src/rdf/lines.ts'
import { serialise } from '../../../src/rdf/serialise.ts'
import { endless, endlessTitle, opened, prefixes, sound, turtle, untitled } from './builders.ts'

const base = '/api/mqa/shacl'
const fine = prefixes + sound
let validation: Validation
let app: App

const { weights } = await loadWeights()
const values = await loadValueTests({
  licenceSchemes: [],
  literalFormats: false,
  read: async () => undefined,
})

const serving = (own: Validation) =>
  validationApp({
    validation: own,
    expected: async (record, isCompliant, signal) =>
      expectedScores(record, { isCompliant, values: await values(signal), weights }),
    limits: defaultLimits,
    hasKey: (c) => c.req.header('X-API-Key') === 'right',
    http: { log: logger('silent'), base },
    version: '1',
    isPlatformIri: (iri) => iri.startsWith('https://portal.example/set/record/'),
  })

beforeAll(async () => {
  validation = await opened()
  app = serving(validation)
})
afterAll(() => validation.stop())

type Given = {
  readonly query?: string
  readonly type?: string
  readonly accept?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly to?: App
}

async function post(body: string | Uint8Array<ArrayBuffer>, given: Given = {}): Promise<Response> {
  const { query = '', type = 'text/turtle', accept = 'text/turtle', headers, to = app } = given
  return to.request(`${base}/validation/report${query}`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': type, Accept: accept, ...headers },
  })
}

async function told(answer: Response) {
  const format = formatOfMediaType(answer.headers.get('Content-Type') ?? '')
  if (!format) throw new Error('the report is not RDF')
  return readReport(await parse(await answer.text(), format, { baseIri: '' }))
}

async function problem(answer: Response) {
  const { type } = (await answer.json()) as Readonly<Record<string, unknown>>
  return { status: answer.status, type }
}

describe('a catalogue record', () => {
  const described = (iri: string) => `${fine} <${iri}> a dcat:CatalogRecord ;
    <http://spdx.org/rdf/terms#checksum> [ a <http://spdx.org/rdf/terms#Checksum> ] .`

  it('of the platform is left out, one of the sender is validated', async () => {
    const own = await told(await post(described('https://portal.example/set/record/d')))
    expect(own).toMatchObject({ conforms: true, results: [] })
    const theirs = await told(await post(described('https://city.example/record/d')))
    expect(theirs?.conforms).toBe(false)
    expect(theirs?.results.map(({ focusNode }) => focusNode?.value)).toContain(
      'https://city.example/record/d',
    )
  })
})

describe('the validation service', () => {
  it('reads nothing that was sent but in a worker', async () => {
    const texts: string[] = []
    const read: Validation['read'] = (sent, isUnwanted, signal) => {
      texts.push(sent.text)
      return validation.read({ ...sent, text: fine }, isUnwanted, signal)
    }
    // On the main thread this would be refused as malformed.
    const answer = await post('<urn:a> is no Turtle', { to: serving({ ...validation, read }) })
    expect(await told(answer)).toMatchObject({ conforms: true })
    expect(texts).toEqual(['<urn:a> is no Turtle'])
  })

  it.each(Object.entries(formats))('takes %s and answers in it', async (format, { mediaType }) => {
    const quads = await turtle(untitled)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are the formats
    const body = await serialise(toLines(quads), format as keyof typeof formats)
    const answer = await post(body, { type: mediaType, accept: mediaType })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('Content-Type')).toContain(mediaType)
    expect(await told(answer)).toMatchObject({
      conforms: false,
      results: [
        {
          focusNode: { value: 'https://example.org/d' },
          path: { value: 'http://purl.org/dc/terms/title' },
          severity: 'Violation',
          component: 'http://www.w3.org/ns/shacl#MinCountConstraintComponent',
        },
      ],
    })
  })

  it('answers JSON-LD to whoever has no wish, and nothing but the report', async () => {
    const answer = await post(prefixes + sound, { accept: '*/*' })
    expect(answer.headers.get('Content-Type')).toContain('application/ld+json')
    const quads = await parse(await answer.text(), 'jsonld', { baseIri: '' })
    expect(quads).toHaveLength(2)
    expect(readReport(quads)).toMatchObject({ conforms: true, results: [] })
  })

  it('validates against the models that are named', async () => {
    const counts = async (query: string) => {
      const report = await told(await post(prefixes + sound, { query }))
      return [report?.conforms, report?.results.length]
    }
    expect(await counts('?shapeModel=dcatap301level2')).toEqual([false, 7])
    expect(await counts('?shapeModel=dcatap301level2&shapeModel=dcatap301level1')).toEqual([
      false,
      7,
    ])
    expect(await counts('?shapeModel=customized&customized=recommended')).toEqual([false, 7])
    expect(await counts('?shapeModel=customized')).toEqual([true, 0])
    expect(await counts('?shapeModel=dcatap211level1')).toEqual([true, 0])
  })

  it('bounds a report of twenty thousand violations, and says so', async () => {
    const nodes = Array.from({ length: 20_000 }, (_, n) => `_:n${n} :p 1 ; a dcat:Distribution .`)
    const headers = { 'X-API-Key': 'right' }
    const report = await told(await post(prefixes + nodes.join('\n'), { headers }))
    expect([report?.results.length, report?.truncated]).toEqual([1000, true])
  }, 60_000)

  it.each([
    ['broken RDF', `${prefixes} :d a `, {}, '400 malformed-rdf'],
    ['nothing', ' ', {}, '400 empty-body'],
    [
      'a remote context',
      '{"@context":"http://example.org/"}',
      { type: 'application/ld+json' },
      '400 remote-context',
    ],
    ['an unknown model', fine, { query: '?shapeModel=dcatap17' }, '400 invalid-parameter'],
    [
      'an unknown set',
      fine,
      { query: '?shapeModel=customized&customized=x' },
      '400 invalid-parameter',
    ],
    ['no RDF', fine, { type: 'application/pdf' }, '415 unsupported-media-type'],
    ['a wish for pictures', fine, { accept: 'image/png' }, '406 not-acceptable'],
  ])('refuses %s', async (_, body, given, expected) => {
    const { status, type } = await problem(await post(body, given))
    expect(`${status} ${String(type)}`).toBe(expected.replace(' ', ' urn:cartulary:problem:'))
  })

  it('refuses more than 200 kB of a stranger, and more than five megabytes of anybody, packed ones too', async () => {
    const spaced = (bytes: number) => fine + ' '.repeat(bytes)
    const headers = { 'X-API-Key': 'right' }
    expect((await post(spaced(200_001))).status).toBe(413)
    expect((await post(spaced(200_001), { headers })).status).toBe(200)
    expect((await post(spaced(5 * 2 ** 20 + 1), { headers })).status).toBe(413)
    const bomb = gzipSync(Buffer.alloc(200 * 2 ** 20, 32))
    const packed = await problem(await post(bomb, { headers: { 'Content-Encoding': 'gzip' } }))
    expect(packed).toMatchObject({ status: 413, type: 'urn:cartulary:problem:too-large' })
    const packedWell = gzipSync(fine)
    expect((await post(packedWell, { headers: { 'Content-Encoding': 'gzip' } })).status).toBe(200)
  })

  it('works for a client on two descriptions at once, and ends what takes too long', async () => {
    const hasty = await opened({ endless }, { limits: { recordMs: 1000 } })
    const to = serving(hasty)
    const two = [1, 2].map(() =>
      post(prefixes + endlessTitle, { query: '?shapeModel=endless', to }),
    )
    const third = await post(prefixes + sound, { to })
    expect(third.status).toBe(429)
    expect(third.headers.get('Retry-After')).toBe('1')
    const statuses = (await Promise.all(two)).map(({ status }) => status)
    expect(statuses).toEqual([503, 503])
    expect((await post(prefixes + untitled, { to, query: '?shapeModel=dcatap17' })).status).toBe(
      400,
    )
    await hasty.stop()
  }, 60_000)

  it('describes itself', async () => {
    const answer = await app.request(`${base}/openapi.json`)
    const { paths } = (await answer.json()) as { readonly paths: Record<string, object> }
    expect(Object.keys(paths)).toEqual(['/validation/report', '/validation/score'])
    expect((await app.request(`${base}/validation/report`)).status).toBe(405)
  })
})

describe('the points to expect', () => {
  const score = async (body: string) => {
    const answer = await app.request(`${base}/validation/score`, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'text/turtle' },
    })
    return { status: answer.status, body: await answer.json() }
  }
  const described = (more: string) => `${prefixes}
    <https://a.example/d> a dcat:Dataset ; dct:title "Wells"@en ; dct:description "All wells."@en ${more} .`

  it('are those of what is there and of compliance, none of links', async () => {
    const { status, body } = await score(described('; dcat:keyword "water"@en'))
    expect(status).toBe(200)
    expect(body).toEqual({
      datasets: [
        {
          dataset: 'https://a.example/d',
          total: 60,
          dimensions: {
            findability: 30,
            accessibility: 0,
            interoperability: 30,
            reusability: 0,
            contextuality: 0,
          },
        },
      ],
    })
  })

  it('leave out compliance where the shapes find a violation', async () => {
    const { body } = await score(`${prefixes} <https://a.example/d> a dcat:Dataset .`)
    expect(body).toMatchObject({ datasets: [{ total: 0 }] })
  })

  it('are empty without a dataset, and a syntax error is a problem', async () => {
    expect((await score(`${prefixes} <https://a.example/c> a dcat:Catalog .`)).body).toEqual({
      datasets: [],
    })
    expect((await score('<a')).status).toBe(400)
  })
})
