/** A node may have many types: the route and the links of a body say what it is, and none of its statements gets lost. */

import fc from 'fast-check'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Quad } from '@rdfjs/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importDump } from '../../src/harvest/importing/dump.ts'
import { serve, type RunningServer } from '../../src/http/serve.ts'
import { quoteLiteral, termText, toLines } from '../../src/rdf/lines.ts'
import { formatByName } from '../../src/rdf/media-types.ts'
import { parse } from '../../src/rdf/parse.ts'
import { keyOf } from '../../src/rdf/read.ts'
import { namedNode, quad } from '../../src/rdf/terms.ts'
import { quickClock, sourceOf } from '../harvest/importing/builders.ts'
import { base, prefixes, repository } from '../support/repository.ts'
import { bulkOf, type Verdict } from './bulk/builders.ts'
import { declared, iriOf } from './declared.ts'

let repo: Awaited<ReturnType<typeof repository>>
let served: RunningServer
beforeAll(async () => {
  repo = await repository({ resources: declared })
  served = await serve(repo.app, { port: 0 })
  await repo.putCatalogue('c')
})
afterAll(async () => {
  await served.close()
  await repo.close()
})

const p = `${prefixes}@prefix adms: <http://www.w3.org/ns/adms#> . @prefix void: <http://rdfs.org/ns/void#> .
@prefix prov: <http://www.w3.org/ns/prov#> . @prefix dqv: <http://www.w3.org/ns/dqv#> .
@prefix vcard: <http://www.w3.org/2006/vcard/ns#> . @prefix ex: <https://example.org/> .\n`

const others = [
  'dcat:CatalogRecord',
  'dcat:Catalog',
  'dcat:Distribution',
  'dcat:DatasetSeries',
  'dcat:DataService',
  'dcat:Resource',
  'skos:Concept',
  'skos:ConceptScheme',
  'foaf:Document',
  'foaf:Organization',
  'adms:Asset',
  'void:Dataset',
  'prov:Entity',
  'dqv:QualityMetadata',
]

const stored = async (path: string) => {
  const answer = await repo.ask(`${path}.nt`)
  return answer.status === 200 ? parse(await answer.text(), 'ntriples', { baseIri: base }) : []
}
/** The literals about a node, which no rename touches. */
const texts = (quads: readonly Quad[], node: string) =>
  [
    ...new Set(
      quads
        .filter((q) => keyOf(q.subject) === node && q.object.termType === 'Literal')
        .map((q) => `${q.predicate.value} ${termText(q.object)}`),
    ),
  ].sort()
const typesOf = (quads: readonly Quad[], node: string) =>
  quads
    .filter((q) => q.subject.value === node && q.predicate.value.endsWith('#type'))
    .map((q) => q.object.value)
const data = (id: string) => `${base}set/data/${id}`
const verdicts = async (answer: Response) => (await answer.json()) as readonly Verdict[]
const put = (id: string, body: string) => repo.putDataset('c', id, p + body)
const bring = (body: string, catalogue?: string) =>
  importDump(
    sourceOf(p + body),
    {
      service: served.url,
      key: 'a-key-for-everything',
      clock: quickClock(),
      ...(catalogue !== undefined && { catalogue }),
    },
    new AbortController().signal,
  )

describe.each(others)('a dataset that is a %s too', (other) => {
  const id = `s-${other.toLowerCase().replace(':', '-')}`
  const wells = (title: string) => `ex:${id} a dcat:Dataset , ${other} ; dct:identifier "${id}" ;
    dct:title "${title}"@en ; dct:description "Every well"@en ; foaf:primaryTopic ex:${id} ;
    dcat:distribution ex:${id}-f . ex:${id}-f a dcat:Distribution ; dct:title "${title}" .`
  const isWhole = async (title: string) => {
    const quads = await stored(`/datasets/${id}`)
    expect(texts(quads, data(id))).toEqual([
      'http://purl.org/dc/terms/description "Every well"@en',
      `http://purl.org/dc/terms/identifier "${id}"`,
      `http://purl.org/dc/terms/title "${title}"@en`,
    ])
    expect(typesOf(quads, data(id))).toHaveLength(2)
    const files = quads.filter((q) => q.predicate.value.endsWith('#distribution'))
    expect(files).toHaveLength(1)
    expect(texts(quads, files[0]!.object.value).join()).toContain(title)
  }

  it('is stored whole by a PUT, which replaces it whole', async () => {
    expect((await put(id, wells('Wells'))).status).toBe(201)
    await isWhole('Wells')
    expect((await put(id, wells('More wells'))).status).toBe(204)
    await isWhole('More wells')
  })

  it('is stored whole by a bulk PUT, also in a graph of its own', async () => {
    const bulk = bulkOf(repo)
    const answer = await bulk.put('c', p + wells('Bulk'))
    expect((await verdicts(answer)).map(({ status }) => status)).toEqual([204])
    await isWhole('Bulk')
    const graph = `${p} <urn:g> { ${wells('Graph')} }`
    const named = await bulk.put('c', graph, { type: 'application/trig' })
    expect((await verdicts(named)).map(({ status }) => status)).toEqual([204])
    await isWhole('Graph')
  })

  it('is stored whole by an import', async () => {
    expect(await bring(wells('Import'), 'c')).toMatchObject({ updated: 1, failed: 0 })
    await isWhole('Import')
  })
})

describe('a distribution that has a second type', () => {
  it.each(others)('%s stays with its dataset', async (other) => {
    const id = `d-${other.toLowerCase().replace(':', '-')}`
    const body = (title: string) => `ex:${id} a dcat:Dataset ; dct:identifier "${id}" ;
      dct:title "T"@en ; dcat:distribution ex:${id}-f .
      ex:${id}-f a dcat:Distribution , ${other} ; dct:title "${title}" ; dcat:accessURL ex:file .`
    expect((await put(id, body('one'))).status).toBe(201)
    expect(toLines(await stored(`/datasets/${id}`))).toContain('"one"')
    const [item, ...more] = await verdicts(await bulkOf(repo).put('c', p + body('two')))
    expect([item!.status, more]).toEqual([204, []])
    expect(toLines(await stored(`/datasets/${id}`))).toContain('"two"')
    expect(await bring(body('three'), 'c')).toMatchObject({ updated: 1, created: 0, failed: 0 })
    const quads = await stored(`/datasets/${id}`)
    expect(toLines(quads)).toContain('"three"')
    const file = quads.find((q) => q.predicate.value.endsWith('#distribution'))!.object.value
    const path = `/distributions/${file.split('/').at(-1)}`
    const alone = `${p}ex:f a dcat:Distribution , ${other} ; dct:title "four" .`
    const changed = await repo.ask(path, { method: 'PUT', type: 'text/turtle', body: alone })
    expect(changed.status).toBe(204)
    expect(texts(await stored(path), file).join()).toContain('"four"')
  })
})

describe('a dataset that is its own distribution', () => {
  it('gets no second name', async () => {
    const body = `ex:self a dcat:Dataset , dcat:Distribution ; dct:title "Self" ; dcat:distribution ex:self ;
      dcat:accessURL ex:file .`
    expect((await put('self', body)).status).toBe(201)
    expect(toLines(await stored('/datasets/self'))).not.toContain('/set/distribution/')
  })
})

describe('a catalogue that is also a dataset or an organisation', () => {
  const two = `ex:cat a dcat:Catalog , dcat:Dataset ; dct:identifier "both" ; dct:title "Both" ; dcat:dataset ex:b1 , ex:b2 .
    ex:b1 a dcat:Dataset ; dct:identifier "b1" ; dct:title "One" .
    ex:b2 a dcat:Dataset ; dct:identifier "b2" ; dct:title "Two" .`

  it('is stored whole by its own route', async () => {
    const types = 'dcat:Catalog , dcat:Dataset , dcat:CatalogRecord , foaf:Organization'
    expect((await repo.putCatalogue('twice', `${p}<> a ${types} ; dct:title "T" .`)).status).toBe(
      201,
    )
    const quads = await stored('/catalogues/twice')
    expect(texts(quads, `${base}id/catalogue/twice`).join()).toContain('title "T"')
    expect(typesOf(quads, `${base}id/catalogue/twice`)).toHaveLength(4)
  })

  it('is a catalogue where it lists and is not listed', async () => {
    const items = await verdicts(await bulkOf(repo).put('c', p + two))
    expect(items.map(({ originalId }) => originalId)).toEqual(['b1', 'b2'])
    const summary = await bring(two)
    expect(summary).toMatchObject({ created: 2, failed: 0 })
    expect(summary.catalogues).toEqual([{ id: 'both', outcome: 'created' }])
  })

  it('is a dataset where it stands in a catalogue, and so are its parts', async () => {
    const body = `ex:top a dcat:Catalog ; dct:identifier "top" ; dct:title "Top" ; dcat:dataset ex:cat . ${two}`
    const summary = await bring(body)
    expect(summary).toMatchObject({ created: 3, failed: 0 })
    expect(summary.catalogues).toEqual([{ id: 'top', outcome: 'created' }])
    const items = await verdicts(await bulkOf(repo).put('c', p + body))
    expect(new Set(items.map(({ originalId }) => originalId))).toEqual(
      new Set(['b1', 'b2', 'both']),
    )
  })

  it('keeps its description where it publishes a dataset, without its list', async () => {
    const body = `ex:org a dcat:Catalog , foaf:Organization ; foaf:name "City" ; dcat:dataset ex:o1 , ex:o2 .
      ex:o1 a dcat:Dataset ; dct:identifier "o1" ; dct:publisher ex:org .
      ex:o2 a dcat:Dataset ; dct:identifier "o2" ; dct:publisher ex:org .`
    const ways = [
      () => bulkOf(repo).put('c', p + body),
      () => put('o1', body),
      () => bring(body, 'c'),
    ]
    for (const way of ways) {
      await way()
      const lines = toLines(await stored('/datasets/o1'))
      expect(lines).toContain('"City"')
      expect(lines).not.toContain('dcat#dataset')
      await repo.ask('/datasets/o1', { method: 'DELETE' })
    }
  })
})

describe('a dataset that names parts', () => {
  const body = (
    n: string,
  ) => `ex:w${n} a dcat:Dataset ; dct:identifier "w${n}" ; dct:title "Whole" ;
    dcat:dataset ex:p${n} . ex:p${n} a dcat:Dataset ; dct:identifier "p${n}" ; dct:title "Part" .`
  const areBoth = async (n: string) => {
    const whole = toLines(await stored(`/datasets/w${n}`))
    expect(whole).toContain(`dcat#dataset> <https://example.org/p${n}>`)
    expect(whole).toContain('"Whole"')
    expect(toLines(await stored(`/datasets/p${n}`))).toContain('"Part"')
  }

  it('is a record, and so are the parts, in a bulk PUT and in an import', async () => {
    const items = await verdicts(await bulkOf(repo).put('c', p + body('1')))
    expect(items.map(({ status }) => status)).toEqual([201, 201])
    await areBoth('1')
    await expect(bring(body('2'))).rejects.toThrow('--catalogue')
    expect(await bring(body('2'), 'c')).toMatchObject({ created: 2, failed: 0 })
    await areBoth('2')
  })

  it('gives way to the part that a PUT names', async () => {
    expect((await put('p3', body('3'))).status).toBe(201)
    expect(texts(await stored('/datasets/p3'), data('p3')).join()).toContain('"Part"')
    expect((await put('w3', body('3'))).status).toBe(201)
    expect(texts(await stored('/datasets/w3'), data('w3')).join()).toContain('"Whole"')
  })
})

describe('records about other datasets', () => {
  it('are no datasets, also when they have that type', async () => {
    const body = `ex:r a dcat:CatalogRecord , dcat:Dataset ; foaf:primaryTopic ex:t ; dct:title "Record" .
      ex:t a dcat:Dataset ; dct:identifier "topic" ; dct:title "Topic" .`
    const items = await verdicts(await bulkOf(repo).put('c', p + body))
    expect(items.map(({ originalId }) => originalId)).toEqual(['topic'])
    expect(await bring(body, 'c')).toMatchObject({ created: 0, unchanged: 1, failed: 0 })
  })
})

describe('a resource of a declared type', () => {
  it.each(others)('keeps its statements when it is a %s too', async (other) => {
    const id = `r-${other.toLowerCase().replace(':', '-')}`
    const body = `${p}<> a ex:Gauge , ${other} ; dct:title "Bridge" .`
    const answer = await repo.ask(`/customresources/gauge/${id}`, {
      method: 'PUT',
      type: 'text/turtle',
      body,
    })
    expect(answer.status).toBe(201)
    const quads = await stored(`/customresources/gauge/${id}`)
    expect(texts(quads, iriOf('gauge', id)).join()).toContain('"Bridge"')
  })
})

// Any document with one type more, or with a term made a blank node.

const folder = new URL('../../../shared/data/samples/', import.meta.url)
const samples = existsSync(folder)
  ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(
        (name) =>
          /^(semic|worked|dcat-ap-de)\/(?!UAG).*\.(ttl|rdf)$/.test(name) &&
          formatByName(name.split('.').at(-1)!),
      )
      .slice(0, 12)
  : []

const drawn = fc.record({
  title: fc.constantFrom('Water', 'Eau "x"', 'é~'),
  type: fc.constantFrom(...others),
  onFile: fc.boolean(),
  blank: fc.constantFrom('', 'publisher', 'file'),
  listed: fc.boolean(),
})
const node = (isBlank: boolean, name: string) => (isBlank ? `_:${name}` : `ex:${name}`)
let run = 0

const bodyOf = (one: typeof drawn extends fc.Arbitrary<infer T> ? T : never, id: string) => {
  const file = node(one.blank === 'file', `${id}f`)
  const agent = node(one.blank === 'publisher', `${id}p`)
  const list = one.listed
    ? `ex:${id}c a dcat:Catalog ; dct:identifier "c" ; dcat:dataset ex:${id} .`
    : ''
  return `${list} ex:${id} a dcat:Dataset ; dct:identifier "${id}" ; dct:title ${quoteLiteral(one.title)}@en ;
    dct:publisher ${agent} ; dcat:distribution ${file} . ${agent} a foaf:Agent ; foaf:name "Board" .
    ${file} a dcat:Distribution ; dct:title "File" ; dcat:accessURL <https://example.org/${id}.csv> .
    ${one.onFile ? file : `ex:${id}`} a ${one.type} .`
}

/** Whether a body is taken in, by each way in. */
const ways: Readonly<Record<string, (id: string, body: string) => Promise<boolean>>> = {
  put: async (id, body) => (await put(id, body)).status === 201,
  bulk: async (_id, body) =>
    (await verdicts(await bulkOf(repo).put('c', p + body)))[0]?.status === 201,
  import: async (_id, body) => (await bring(body, 'c')).created === 1,
}

describe('a body with one more type', () => {
  it('loses no statement about its dataset', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async (one) => {
        run += 1
        for (const [name, send] of Object.entries(ways)) {
          const id = `any-${run}-${name}`
          const body = bodyOf(one, id)
          expect([name, await send(id, body)]).toEqual([name, true])
          const sent = await parse(p + body, 'turtle', { baseIri: base })
          const quads = await stored(`/datasets/${id}`)
          expect(texts(quads, data(id))).toEqual(texts(sent, `https://example.org/${id}`))
          for (const text of ['"Board"', '"File"']) expect(toLines(quads)).toContain(text)
        }
      }),
      { numRuns: 25, seed: 31 },
    )
  })

  it.skipIf(samples.length === 0)(
    'that is a sample loses none either (skipped where ../shared/data/samples is absent)',
    { timeout: 120_000 },
    async () => {
      for (const name of samples) {
        const text = readFileSync(new URL(name, folder), 'utf8')
        const format = formatByName(name.split('.').at(-1)!)!
        // Some of them cannot be read at all, which is another test.
        const sent = await parse(text, format, { baseIri: base }).catch(() => [])
        const isDataset = ({ predicate, object }: Quad) =>
          predicate.value.endsWith('#type') && object.value === 'http://www.w3.org/ns/dcat#Dataset'
        const [first] = sent.filter(isDataset).map(({ subject }) => subject)
        if (first?.termType !== 'NamedNode') continue
        for (const [at, type] of ['CatalogRecord', 'Distribution', 'Catalog'].entries()) {
          const more = quad(
            first,
            namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type'),
            namedNode(`http://www.w3.org/ns/dcat#${type}`),
          )
          const id = `${name}-${at}`
          const answer = await repo.putDataset('c', id, toLines([...sent, more]), {
            type: 'application/n-triples',
          })
          // Refused in words, which is no loss.
          if (answer.status >= 400) continue
          const iri = answer.headers.get('Location')!
          const path = `/datasets/${iri.split('/').at(-1)}`
          expect(texts(await stored(path), iri)).toEqual(texts(sent, first.value))
        }
      }
    },
  )
})
