/** The bundled vocabularies: complete, well formed, small, and with their attribution. */

import { readFileSync, readdirSync } from 'node:fs'
import { Parser, type Quad } from 'n3'
import { describe, expect, it } from 'vitest'

const folder = new URL('../../shapes/vocabularies/', import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8')
const tables = readdirSync(folder)
  .filter((name) => name.endsWith('.ttl'))
  .map((name) => name.slice(0, -4))
  .sort()

const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const skos = 'http://www.w3.org/2004/02/skos/core#'
const identifier = 'http://purl.org/dc/elements/1.1/identifier'
const authority = 'http://publications.europa.eu/resource/authority/'
const control = 'urn:cartulary:control#'

const quadsOf = new Map<string, Quad[]>()
const quads = (table: string): Quad[] => {
  const known = quadsOf.get(table) ?? new Parser().parse(read(`${table}.ttl`))
  quadsOf.set(table, known)
  return known
}
const typed = (table: string, type: string): string[] =>
  quads(table)
    .filter((q) => q.predicate.value === `${rdf}type` && q.object.value === type)
    .map((q) => q.subject.value)
const values = (table: string, subject: string, predicate: string): string[] =>
  quads(table)
    .filter((q) => q.subject.value === subject && q.predicate.value === predicate)
    .map((q) => q.object.value)

const languageOf = (q: Quad): string => (q.object.termType === 'Literal' ? q.object.language : '')

const counts: Readonly<Record<string, number>> = {
  'access-right': 6,
  'adms-licence-type': 13,
  'adms-publisher-type': 11,
  'adms-status': 4,
  continent: 6,
  country: 250,
  'data-theme': 13,
  'dataset-type': 24,
  'distribution-status': 4,
  'distribution-type': 4,
  'file-type': 202,
  frequency: 38,
  'hvd-category': 96,
  language: 42,
  licence: 175,
  'planned-availability': 4,
  'spdx-checksum-algorithm': 6,
}

describe('the bundled vocabularies', () => {
  it('are the agreed tables with all their concepts', () => {
    const found = tables.map((table) => [table, typed(table, `${skos}Concept`).length])
    expect(Object.fromEntries(found)).toEqual(counts)
  })

  it.each(tables)('%s: one scheme, and every concept has identifier, scheme and label', (table) => {
    const [scheme, ...others] = typed(table, `${skos}ConceptScheme`)
    expect(others).toEqual([])
    expect(values(table, scheme!, `${skos}prefLabel`)).toHaveLength(1)
    const concepts = Map.groupBy(quads(table), (q) => q.subject.value)
    concepts.delete(scheme!)
    const untidy = [...concepts].flatMap(([iri, about]) => {
      const of = (predicate: string) => about.filter((q) => q.predicate.value === predicate)
      const one = (predicate: string) =>
        of(predicate).length === 1 && of(predicate)[0]?.object.value
      const ends = one(identifier)
      const tags = of(`${skos}prefLabel`).map((q) => languageOf(q))
      const tidy =
        ends !== false &&
        iri.endsWith(ends ?? '?') &&
        one(`${skos}inScheme`) === scheme &&
        one(`${rdf}type`) === `${skos}Concept` &&
        tags.includes('en') &&
        new Set(tags).size === tags.length
      return tidy ? [] : [iri]
    })
    expect(untidy).toEqual([])
  })

  it.each(tables)('%s carries its attribution', (table) => {
    expect(read(`${table}.ttl`)).toContain(
      'contains data of the EU authority tables, © European Union, CC BY 4.0',
    )
  })

  it('stay under 600 KB together', () => {
    const bytes = readdirSync(folder).map((name) => Buffer.byteLength(read(name)))
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(600_000)
  })

  it.each([
    ['country', 'GBR', 'alpha2', ['gb']],
    ['country', 'GRC', 'alpha2', ['gr']],
    ['country', '1A0', 'alpha2', ['xk']],
    ['country', 'EUR', 'alpha2', ['eu']],
    ['language', 'DEU', 'alpha2', ['de']],
    ['language', 'MUL', 'alpha2', []],
    ['file-type', 'CSV', 'mediaType', ['text/csv']],
    ['file-type', 'CSV', 'ending', ['csv']],
    ['file-type', 'GML', 'ending', ['gml', 'xml']],
    ['file-type', 'CSV', 'machineReadable', ['true']],
    ['file-type', 'CSV', 'nonProprietary', ['true']],
    ['file-type', 'PDF', 'machineReadable', []],
  ])('%s %s says its %s', (table, code, predicate, expected) => {
    expect(values(table, `${authority}${table}/${code}`, control + predicate)).toEqual(expected)
  })

  it('know the texts of licences, and mark the codes that are no longer given', () => {
    const licence = (code: string, predicate: string) =>
      values('licence', `${authority}licence/${code}`, predicate)
    expect(licence('CC_BY_4_0', `${skos}exactMatch`)).toEqual([
      'http://creativecommons.org/licenses/by/4.0/',
    ])
    expect(licence('CC_BY_4_0', 'http://www.w3.org/2002/07/owl#deprecated')).toEqual([])
    expect(licence('CC_BY', 'http://www.w3.org/2002/07/owl#deprecated')).toEqual(['true'])
    expect(licence('DLDE_BY_2_0', `${control}assistant`)).toHaveLength(1)
  })

  it.each(['data-theme', 'continent', 'frequency', 'country', 'licence'])(
    '%s speaks the languages at hand',
    (table) => {
      const tags = new Set(quads(table).map((q) => languageOf(q)))
      for (const tag of ['bg', 'de', 'el', 'fr', 'it', 'mt', 'sv']) expect(tags).toContain(tag)
    },
  )

  it.each(tables.filter((table) => !/^(?:file-type|hvd|language|licence$|spdx)/.test(table)))(
    '%s names its concepts in each language of the portal',
    (table) => {
      const labels = quads(table).filter((q) => q.predicate.value === `${skos}prefLabel`)
      const missing = typed(table, `${skos}Concept`).flatMap((iri) => {
        const tags = new Set(labels.filter((q) => q.subject.value === iri).map(languageOf))
        return ['en', 'de', 'fr', 'it'].every((tag) => tags.has(tag)) ? [] : [iri]
      })
      expect(missing).toEqual([])
    },
  )

  it('leave out the placeholder that every official table carries', () => {
    for (const table of tables) expect(read(`${table}.ttl`)).not.toContain('OP_DATPRO')
  })

  it('list the registered media types, sorted and without doubles', () => {
    const names = read('iana-media-types.txt')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    expect(names).toHaveLength(2111)
    expect(names).toContain('text/csv')
    expect(names).toEqual([...new Set(names)].sort())
    for (const name of names) expect(name).toMatch(/^[a-z]+\/\S+$/)
  })
})
