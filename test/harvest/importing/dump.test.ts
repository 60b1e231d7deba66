/** A whole import: what arrives, in whatever order the document was written, and what is said about it. */

import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { importDump, type ImportOptions } from '../../../src/harvest/importing/dump.ts'
import type { Format } from '../../../src/rdf/media-types.ts'
import { doubleKey, type RepositoryDouble } from '../../support/repository-double.ts'
import { openRepository, quickClock, size, sourceOf, turtle } from './builders.ts'

type Wish = Partial<ImportOptions> & { format?: Format; signal?: AbortSignal }
const bring = (text: string, double: RepositoryDouble, wish: Wish = {}) => {
  const { format = 'turtle', signal = new AbortController().signal, ...more } = wish
  const options = { service: double.service, key: doubleKey, clock: quickClock(), ...more }
  return importDump(sourceOf(text, format), options, signal)
}
const arrival = async (text: string, wish: Wish = {}) => {
  const double = await openRepository()
  const summary = await bring(text, double, wish)
  return { summary, datasets: Object.fromEntries(double.datasets), double }
}

const two = turtle(`
  ex:c1 a dcat:Catalog ; dct:identifier "First one" ; dct:title "One" ; dcat:dataset ex:a, ex:b ;
    dcat:record ex:r ; dct:publisher ex:p .
  ex:c2 a dcat:Catalog ; dct:title "Two" ; dcat:dataset ex:c .
  ex:r a dcat:CatalogRecord ; foaf:primaryTopic ex:a .
  ex:a a dcat:Dataset ; dct:identifier "A" ; dct:publisher ex:p .
  ex:b a dcat:Dataset ; dct:identifier "B" ; dct:publisher ex:p .
  ex:c a dcat:Dataset ; dct:publisher ex:p .
  ex:d a dcat:Dataset ; dct:title "in no catalogue" .
  ex:p a foaf:Organization ; foaf:name "P" .`)

describe('an import', () => {
  it('sends each dataset to the catalogue that links it, and the rest to the first', async () => {
    const { datasets, double, summary } = await arrival(two)
    expect(Object.keys(datasets).sort()).toEqual([
      'first-one/A',
      'first-one/B',
      'first-one/https://example.org/d',
      'https-example-org-c2/https://example.org/c',
    ])
    expect(Object.values(datasets).filter((body) => body.includes('"P"'))).toHaveLength(3)
    expect([...double.catalogues.keys()]).toEqual(['first-one', 'https-example-org-c2'])
    expect(summary).toMatchObject({ created: 4, failed: 0, unsent: 0, endReason: undefined })
  })

  it('describes a new catalogue without links, and with everything else that belongs to it', async () => {
    const { double } = await arrival(two)
    const body = double.catalogues.get('first-one')!
    expect(size(body)).toBe(6)
    expect(body).not.toContain('dcat#dataset')
    expect(body).not.toContain('dcat#record')
  })

  it('sends everything to the catalogue that was asked for', async () => {
    const { datasets, double } = await arrival(two, { catalogue: 'mine' })
    expect(Object.keys(datasets).every((key) => key.startsWith('mine/'))).toBe(true)
    expect([...double.catalogues.keys()]).toEqual(['mine'])
  })

  it('leaves a catalogue that exists alone, unless told otherwise', async () => {
    const double = await openRepository({ catalogues: ['mine'] })
    await bring(two, double, { catalogue: 'mine' })
    expect(double.catalogues.get('mine')).toBe('')
    await bring(two, double, { catalogue: 'mine', updateCatalogue: true })
    expect(double.catalogues.get('mine')).toContain('"One"')
  })

  it('makes a catalogue of its own for a document without one, when it knows its name', async () => {
    const text = turtle('ex:a a dcat:Dataset .')
    const { double, summary } = await arrival(text, { catalogue: 'new-one' })
    expect(double.catalogues.get('new-one')).toContain('"new-one"')
    expect(summary.created).toBe(1)
    await expect(arrival(text)).rejects.toThrow('--catalogue')
  })

  it('asks the repository not to wait for the index, and speaks N-Triples', async () => {
    const { double } = await arrival(two)
    expect(double.puts.at(-1)!.headers).toMatchObject({
      prefer: 'respond-async',
      'content-type': 'application/n-triples',
    })
  })

  it('sends the same bodies whatever order the triples come in', async () => {
    const lines = [
      '<a:c> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/dcat#Catalog> .',
      '<a:c> <http://www.w3.org/ns/dcat#dataset> <a:d> .',
      '<a:c> <http://www.w3.org/ns/dcat#dataset> <a:e> .',
      '<a:d> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/dcat#Dataset> .',
      '<a:e> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/dcat#Dataset> .',
      '<a:d> <http://purl.org/dc/terms/publisher> <a:p> .',
      '<a:e> <http://purl.org/dc/terms/publisher> <a:p> .',
      '<a:p> <http://xmlns.com/foaf/0.1/name> "Both" .',
      '<a:d> <http://www.w3.org/ns/dcat#distribution> <a:x> .',
      '<a:x> <http://www.w3.org/ns/dcat#accessURL> <a:y> .',
    ]
    const inOrder = await arrival(lines.join('\n'), { format: 'ntriples' })
    expect(Object.values(inOrder.datasets).map(size)).toEqual([5, 3])
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(lines, { minLength: lines.length }),
        async (shuffled) => {
          const { datasets } = await arrival(shuffled.join('\n'), { format: 'ntriples' })
          expect(datasets).toEqual(inOrder.datasets)
        },
      ),
      { numRuns: 15 },
    )
  })

  it('imports a series and its datasets as resources of their own', async () => {
    const { datasets } = await arrival(
      turtle(`ex:k a dcat:Catalog ; dcat:dataset ex:s, ex:y1, ex:y2 .
        ex:s a dcat:DatasetSeries ; dct:identifier "S" ; dct:title "Years" .
        ex:y1 a dcat:Dataset ; dct:identifier "1" ; dct:title "Y1" ; dcat:inSeries ex:s .
        ex:y2 a dcat:Dataset ; dct:identifier "2" ; dct:title "Y2" ; dcat:inSeries ex:s ; dcat:prev ex:y1 .`),
    )
    const sizes = Object.entries(datasets).map(([key, body]) => [key.split('/')[1], size(body)])
    expect(Object.fromEntries(sizes)).toEqual({ S: 3, 1: 4, 2: 5 })
  })

  it('passes over an untitled mention that no catalogue links', async () => {
    const { summary } = await arrival(
      turtle(`ex:k a dcat:Catalog ; dcat:dataset ex:a .
        ex:a a dcat:Dataset ; dct:title "A" ; dct:relation ex:m . ex:m a dcat:Dataset .`),
    )
    expect(summary).toMatchObject({ created: 1, failed: 0 })
  })

  it('sends a nested blank dataset with its parent, a linked one by itself', async () => {
    const { datasets, summary } = await arrival(
      turtle(`ex:k a dcat:Catalog ; dcat:dataset ex:a, [ a dcat:Dataset ; dct:identifier "blank" ] .
        ex:a a dcat:Dataset ; dct:source [ a dcat:Dataset ; dct:title "inner" ] .`),
    )
    expect(summary).toMatchObject({ created: 2, failed: 0 })
    expect(datasets['https-example-org-k/https://example.org/a']).toContain('"inner"')
    expect(Object.keys(datasets)).toContain('https-example-org-k/blank')
  })

  it('keeps each named graph to itself', async () => {
    const { datasets, summary } = await arrival(
      turtle(`ex:k a dcat:Catalog ; dcat:dataset ex:a, ex:b .
        ex:a { ex:a a dcat:Dataset ; dct:publisher ex:p . ex:p vcard:hasAddress [ vcard:locality "X" ] . }
        ex:b { ex:b a dcat:Dataset ; dct:publisher ex:p . ex:p vcard:hasAddress [ vcard:locality "Y" ] .
               ex:a a dcat:Dataset . }`),
      { format: 'trig' },
    )
    expect(Object.values(datasets).map(size)).toEqual([4, 4])
    expect(summary).toMatchObject({ created: 2, failed: 0 })
  })

  it('says which datasets failed, and why: no id, an id twice, the repository said no', async () => {
    const problem = {
      type: 'urn:cartulary:problem:malformed-rdf',
      detail: 'an IRI is broken',
      errors: [{ line: 3, column: 7, detail: 'an IRI is broken' }],
    }
    const double = await openRepository({
      mischief: (put) => (put.originalId === 'bad' ? { status: 400, problem } : undefined),
    })
    const summary = await bring(
      turtle(`ex:k a dcat:Catalog ; dcat:dataset [ a dcat:Dataset ; dct:title "no id" ] .
        ex:a a dcat:Dataset ; dct:title "T" ; dct:identifier "same" .
        ex:b a dcat:Dataset ; dct:title "T" ; dct:identifier "same" .
        ex:k dcat:dataset [ a dcat:Dataset ; dct:title "T" ; dct:identifier "same" ] .
        ex:c a dcat:Dataset ; dct:title "T" ; dct:identifier "bad" .`),
      double,
    )
    expect(summary).toMatchObject({ created: 2, failed: 3 })
    expect(summary.failures.map(({ reason }) => reason).sort()).toEqual([
      'a blank node without dct:identifier has no original id',
      expect.stringMatching(
        /^duplicate-in-request: _:\S+ has the original id of an earlier dataset$/,
      ),
      'malformed-rdf: an IRI is broken (line 3, column 7)',
    ])
  })

  it('counts what changed and what did not', async () => {
    const double = await openRepository()
    const text = (title: string) =>
      `${two}\n<https://example.org/a> <http://purl.org/dc/terms/title> "${title}" .`
    expect(await bring(text('x'), double)).toMatchObject({ created: 4 })
    expect(await bring(text('x'), double)).toMatchObject({ unchanged: 4 })
    expect(await bring(text('y'), double)).toMatchObject({ updated: 1, unchanged: 3 })
  })

  it('repairs broken IRIs and reports the first ten of them', async () => {
    const links = Array.from({ length: 12 }, (_, n) => `<https://example.org/a b ${n}>`)
    const { datasets, summary } = await arrival(
      turtle(`ex:k a dcat:Catalog . ex:a a dcat:Dataset ; dct:relation ${links.join(', ')} .`),
    )
    expect(summary.repaired).toBe(12)
    expect(summary.repairs).toHaveLength(10)
    expect(Object.values(datasets)[0]).toContain('<https://example.org/a%20b%200>')
  })

  it('sends nothing when the last line is broken', async () => {
    const double = await openRepository()
    const broken = `${two}\nex:z a "unfinished`
    await expect(bring(broken, double)).rejects.toMatchObject({ kind: 'malformed-rdf' })
    expect(double.puts).toEqual([])
  })

  it('brings an export of a platform home under its old ids', async () => {
    const base = 'http://other.example/'
    const { datasets } = await arrival(
      turtle(`<${base}id/catalogue/Alps> a dcat:Catalog ; dct:identifier "x" ; dcat:dataset <${base}set/data/a-1> .
        <${base}set/data/a-1> a dcat:Dataset ; dct:identifier "inner" ; dct:title "T" .
        <${base}set/record/a-1> a dcat:CatalogRecord ; foaf:primaryTopic <${base}set/data/a-1> ;
          dct:identifier "A/1" .
        <http://elsewhere.example/r> a dcat:CatalogRecord ; foaf:primaryTopic <${base}set/data/a-1> ;
          dct:identifier "0" .`),
    )
    expect(Object.keys(datasets)).toEqual(['Alps/A/1'])
    expect(datasets['Alps/A/1']).not.toContain('record')
  })
})
