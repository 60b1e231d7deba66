import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isomorphic } from 'rdf-isomorphic'
import { describe, expect, test } from 'vitest'
import type { Quad } from '@rdfjs/types'
import { canonicalise } from '../../src/rdf/canonical.ts'
import { formatOfSuffix } from '../../src/rdf/media-types.ts'
import { parseStream } from '../../src/rdf/reading/parse-stream.ts'
import { decode, parse, type Repair } from '../../src/rdf/parse.ts'
import { pieces } from './graphs.ts'

const samples = new URL('../../../shared/data/samples/', import.meta.url)
const baseIri = 'http://localhost:8080/set/data/x'

const bytes = (name: string) => readFileSync(new URL(name, samples))
const formatOf = (name: string) => formatOfSuffix(name.split('.').at(-1) ?? '') ?? 'turtle'
const read = async (name: string, repair?: (repair: Repair) => void) =>
  parse(decode(bytes(name)), formatOf(name), { baseIri, ...(repair ? { repair } : {}) })

describe.skipIf(!existsSync(samples))('samples from the wild', () => {
  test.each([
    ['semic/example-ms_catalogue_hvd.ttl', 46],
    ['semic/example-ms_catalogue_hvd.jsonld', 46],
    ['semic/example-ms_dataset_2_distributions.ttl', 25],
    ['semic/example-ms_dataset_2_distributions.jsonld', 25],
    ['dcat-ap-de/RefImp_TTL_ADVANCED.ttl', 119],
    ['dcat-ap-de/RefImp_RDF_ADVANCED.rdf', 119],
    ['dcat-ap-de/RefImp_JSONLD_ADVANCED.jsonld', 119],
    ['worked/catalogue.ttl', 13],
    ['worked/dataset.ttl', 75],
    ['broken/byte-order-mark.ttl', 2],
    ['broken/relative-iris.ttl', 6],
    ['broken/no-dataset.ttl', 1],
    ['broken/untidy.ttl', 29],
  ])('%s has %i triples, whole and in pieces', async (name, count) => {
    const quads = await read(name)
    expect(quads).toHaveLength(count)
    const streamed: Quad[] = []
    const source = pieces(bytes(name), 100)
    for await (const batch of parseStream(source, formatOf(name), { baseIri }))
      streamed.push(...batch)
    expect(isomorphic(streamed, quads)).toBe(true)
  })

  test('one example in two syntaxes is one graph with one hash', async () => {
    for (const name of [
      'semic/example-ms_catalogue_hvd',
      'semic/example-ms_dataset_2_distributions',
    ]) {
      const one = await canonicalise(await read(`${name}.ttl`))
      expect((await canonicalise(await read(`${name}.jsonld`))).hash).toBe(one.hash)
    }
  })

  test.each([
    ['semic/example-bee-population-dataset-series-combined.ttl', 32],
    ['dcat-ap-de/UAG_Beispieldatensatz_v1.ttl', 1],
    ['broken/text-before-turtle.ttl', 1],
    ['broken/undeclared-prefix.ttl', 4],
    ['broken/slash-in-local-name.ttl', 6],
    ['broken/truncated.ttl', 5],
    ['broken/not-utf8.ttl', 4],
    ['broken/bad-iris.rdf', 9],
    ['broken/external-entity.rdf', 2],
    ['broken/bad-language-tag.jsonld', 9],
  ])('%s is refused with line %i', async (name, line) => {
    await expect(async () => read(name)).rejects.toMatchObject({
      kind: 'malformed-rdf',
      errors: [{ line, detail: expect.any(String) as string }],
    })
  })

  test.each([
    ['semic/example-bee-population-dataset-series-combined.jsonld', 'https://semiceu.github.io/'],
    ['broken/remote-context.jsonld', 'https://example.org/contexts/dcat-ap.jsonld'],
  ])('[T2] %s names the context that is not loaded', async (name, address) => {
    await expect(read(name)).rejects.toMatchObject({
      kind: 'remote-context',
      detail: expect.stringContaining(address) as string,
    })
  })

  test('harvesting repairs IRIs and says which', async () => {
    const repairs: Repair[] = []
    const quads = await read('broken/bad-iris.rdf', (repair) => repairs.push(repair))
    expect(quads).toHaveLength(10)
    expect(repairs.map(({ line, to }) => [line, to])).toEqual([
      [9, 'tel:+49%2040%20123%2045'],
      [12, 'https://example.org/search?filter%5Btopic%5D=water'],
      [14, 'https://example.org/dist/%22quoted%22'],
      [15, 'https://example.org/files/annual%20report%20%7B2024%7D.csv'],
    ])
  })

  test('harvesting repairs language tags and drops nothing', async () => {
    const repairs: Repair[] = []
    const quads = await read('broken/bad-language-tag.jsonld', (repair) => repairs.push(repair))
    expect(quads).toHaveLength(4)
    expect(repairs).toContainEqual({ kind: 'language', from: 'en_GB', to: 'en-GB' })
    expect(quads.map(({ object }) => object.value)).toContain('https://example.org/a%20page')
  })
})

describe.skipIf(!existsSync(samples))('a sample under another charset', () => {
  const names = existsSync(samples)
    ? readdirSync(samples, { recursive: true, encoding: 'utf8' }).filter((name) =>
        /\.(?:ttl|rdf|jsonld)$/.test(name),
      )
    : []
  const charsets = ['utf-8', 'us-ascii', 'iso-8859-1', 'windows-1251', 'utf-16', 'klingon']

  test.each(names)('%s is read as before, or refused as before', async (name) => {
    const outcome = async (charset?: string) => {
      try {
        const text = decode(bytes(name), charset && `text/turtle; charset=${charset}`)
        return canonicalise(await parse(text, formatOf(name), { baseIri }))
      } catch (error) {
        return String(error)
      }
    }
    const usual = JSON.stringify(await outcome())
    // Bytes that are not UTF-8 are read in a charset that is declared, and else refused.
    const isText = !usual.includes('not UTF-8')
    for (const charset of charsets)
      expect([isText && JSON.stringify(await outcome(charset))]).toEqual([isText && usual])
  })
})
