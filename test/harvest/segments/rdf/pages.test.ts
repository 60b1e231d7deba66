/** RDF importer: next pages, records, repairs, and what has not changed. */

import { afterEach, describe, expect, it } from 'vitest'
import { importerSegment } from '../../../../src/harvest/importers/importer.ts'
import { rdfImporter } from '../../../../src/harvest/importers/rdf.ts'
import {
  rdfPortal,
  type RdfPortal,
  type RdfPortalOptions,
} from '../../../support/portals/rdf-portal.ts'
import { importOf, type Run } from '../import-run.ts'

const five = 'abcde'.split('').map((id) => ({ id, title: `Title of ${id}` }))
const open: RdfPortal[] = []
const show = async (options: RdfPortalOptions = {}) => {
  const made = await rdfPortal(five, options)
  open.push(made)
  return made
}
const run = (portal: RdfPortal, config: Run['config'] = {}, more: Partial<Run> = {}) =>
  importOf({
    kind: (deps) => importerSegment(rdfImporter, deps),
    config: { address: portal.address, ...config },
    ...more,
  })
const written = async (turtle: string, config: Run['config'] = {}) => {
  const portal = await show()
  const prefixes = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    @prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix e: <https://e.example/> . `
  portal.faults.from(1, { kind: 'edited', edit: () => prefixes + turtle })
  return run(portal, config)
}
const idsOf = (found: { records: readonly { sourceId: string }[] }) =>
  found.records.map(({ sourceId }) => sourceId)

afterEach(async () => {
  for (const portal of open.splice(0)) await portal.close()
})

describe('a next page', () => {
  it('is found in a Link header', async () => {
    expect((await run(await show({ paging: 'link' }))).records).toHaveLength(5)
  })

  it.each(['https://elsewhere.example/2', 'http://127.0.0.1:9/2'])(
    'on another host is not followed: %s',
    async (next) => {
      const portal = await show({ paging: 'next' })
      portal.lead(() => next)
      const found = await run(portal)
      expect([found.end?.kind, found.problem]).toEqual(['incomplete', 'next-crosses-origin'])
    },
  )

  it('behind a proxy that tells its inner name is found by its query', async () => {
    const portal = await show({ paging: 'next' })
    portal.lead((page) => (page < 3 ? `http://inner:8080/x?page=${page + 1}` : undefined))
    expect((await run(portal, { brokenHydra: true })).end?.kind).toBe('complete')
  })

  it.each([
    ['itself', (page: number) => `/catalogue${page === 1 ? '' : `?page=${page}`}`],
    ['a circle of three', (page: number) => `/catalogue?page=${(page % 3) + 1}`],
  ])('that leads to %s ends the import within five requests', async (_, next) => {
    const portal = await show({ paging: 'next' })
    portal.lead(next)
    const found = await run(portal)
    expect(found.end?.kind).toBe('incomplete')
    expect(found.problem).toMatch(/^page-/)
    expect(portal.requests.length).toBeLessThanOrEqual(5)
  })

  it('that is not there ends the import, complete only when the declared total is met', async () => {
    const portal = await show({ paging: 'next' })
    portal.lead((page) => `/catalogue?page=${page + 1}`)
    expect((await run(portal)).end?.kind).toBe('complete')
    portal.declare(() => 6)
    const short = await run(portal)
    expect([short.end?.kind, short.problem]).toEqual(['incomplete', 'source-not-found'])
  })

  it('that answers 404 in the middle is named, whether a total was declared or not', async () => {
    for (const paging of ['next', 'link'] as const) {
      const portal = await show({ paging })
      portal.faults.from(2, { kind: 'status', status: 404 })
      const { end, records } = await run(portal)
      expect(records).toHaveLength(2)
      expect(end).toMatchObject({ kind: 'incomplete', problem: { kind: 'source-not-found' } })
      const detail = end?.kind === 'incomplete' ? end.problem?.detail : ''
      expect(detail).toContain(`${portal.address}?page=2`)
    }
  })
})

describe('what has not changed', () => {
  it('ends as not modified by a 304, by equal bytes, and page by page', async () => {
    for (const options of [
      { conditional: true },
      {},
      { conditional: true, paging: 'next' },
    ] as const) {
      const portal = await show(options)
      const first = await run(portal)
      const validators = first.end?.kind === 'complete' ? (first.end.validators ?? []) : []
      expect(validators.length).toBe('paging' in options ? 3 : 1)
      const second = await run(portal, {}, { validators })
      expect([second.end?.kind, second.records.length]).toEqual(['not-modified', 0])
      portal.show([...five, { id: 'f', title: 'new' }])
      const third = await run(portal, {}, { validators })
      expect([third.end?.kind, third.records.length]).toEqual(['complete', 6])
    }
  })
})

describe('what is in no record', () => {
  it('is counted: services that no distribution names', async () => {
    const services = ['a', 'b', 'c'].map((id) => `e:${id} a dcat:DataService ; dct:title "${id}" .`)
    const alone = await written(
      `e:cat a dcat:Catalog ; dcat:service e:a, e:b, e:c . ${services.join(' ')}`,
      {},
    )
    expect([alone.records.length, alone.findings]).toEqual([
      0,
      ['services-not-harvested 3: https://e.example/a, https://e.example/b, https://e.example/c'],
    ])
    expect(alone.end).toMatchObject({ kind: 'incomplete', problem: { kind: 'source-empty' } })
    const beside = await written(`e:1 a dcat:Dataset ; dct:title "one" ; dcat:distribution e:x .
      e:x a dcat:Distribution ; dcat:accessService e:a . ${services.join(' ')}`)
    expect(beside.findings).toEqual([
      'services-not-harvested 2: https://e.example/b, https://e.example/c',
    ])
  })

  it('is told: statements that nobody can read, with their line', async () => {
    const broken = Array.from({ length: 103 }, (_, n) => `<urn:${'x'.repeat(5000)}${n}>`)
    const found = await written(`e:1 a dcat:Dataset ; dct:title "one" ;
      dcat:landingPage ${broken.join(' ,\n')} .`)
    expect(found.records).toHaveLength(1)
    expect(found.findings).toHaveLength(101)
    expect(found.findings[0]).toMatch(/^dropped-statement line 4: iri urn:xxx/)
    expect(found.findings.at(-1)).toBe('dropped-statement and 3 more')
  })
})

describe('a record', () => {
  it('is known by its IRI, and stored under its identifier, its IRI if wished, or without prefix', async () => {
    const turtle = `e:1 a dcat:Dataset ; dct:title "x" ; dct:identifier "https://e.example/id/77" .`
    const named = async (config: Run['config'] = {}) => {
      const found = await written(turtle, config)
      expect(idsOf(found)).toEqual(['https://e.example/1'])
      expect(found.records[0]?.aliases).toContain('https://e.example/id/77')
      return found.records[0]?.preferredId
    }
    expect(await named()).toBe('https://e.example/id/77')
    expect(await named({ precedenceUriRef: true })).toBe('https://e.example/1')
    expect(await named({ removePrefix: true })).toBe('77')
  })

  it('ends at other datasets, catalogues and records, and of a concept keeps its names', async () => {
    const found = await written(`e:c a dcat:Catalog ; dct:title "cat" ; dcat:dataset e:1 , e:2 .
      e:1 a dcat:Dataset ; dct:title "one" ; dct:relation e:2 ; dcat:theme e:t ; dct:isPartOf e:c .
      e:2 a dcat:Dataset ; dct:title "two" . e:r a dcat:CatalogRecord ; dct:title "record" .
      e:t a skos:Concept ; skos:prefLabel "theme" ; skos:broader e:u . e:u skos:prefLabel "up" .`)
    const [one] = found.records
    expect(found.records).toHaveLength(2)
    expect(one?.text).toContain('"theme"')
    for (const other of ['"two"', '"cat"', '"record"', '"up"', 'broader'])
      expect(one?.text).not.toContain(other)
  })

  it('whose distribution the document names and does not describe has a finding', async () => {
    const found = await written(`e:1 a dcat:Dataset ; dct:title "one" ; dct:publisher e:office ;
      dcat:distribution e:f , e:g . e:f dcat:accessURL e:u .`)
    expect(found.records[0]?.findings).toMatchObject([
      { slug: 'not-described', value: 'https://e.example/g' },
    ])
  })

  it('that is only mentioned is skipped as a stub, one without a title is not', async () => {
    const found = await written(`e:1 a dcat:Dataset ; dct:title "one" ; dct:relation e:2 .
      e:2 a dcat:Dataset . e:3 a dcat:Dataset ; dcat:keyword "untitled" .`)
    expect(idsOf(found)).toEqual(['https://e.example/1', 'https://e.example/3'])
    expect(found.skipped).toEqual(['https://e.example/2 stub'])
    expect([found.end?.kind, found.offered]).toEqual(['complete', 2])
  })

  it('that a page mentions and a later one describes is no stub', async () => {
    const portal = await show({ paging: 'next' })
    const mention = `\n<https://data.city.example/set/a> dct:relation <https://data.city.example/set/e> .
      <https://data.city.example/set/e> a dcat:Dataset .`
    portal.faults.at(1, { kind: 'edited', edit: (text) => text + mention })
    const found = await run(portal)
    expect([found.records.length, found.skipped, found.end?.kind]).toEqual([5, [], 'complete'])
  })

  it.each([
    ['a distribution', 'dcat:distribution [ dcat:accessURL e:x ]', 'The record has no title.'],
    ['a description', 'dct:description "words"', 'The record has no title.'],
    ['a label', 'rdfs:label "Named"@en', 'rdfs:label stands in for the title: Named'],
    ['a blank title', 'dct:title " " ; dct:description "words"', 'The record has no title.'],
  ])('with %s is one, whoever mentions it, and has a finding', async (_, says, detail) => {
    const found = await written(
      `e:d a dcat:Dataset ; ${says} . e:s a dcat:DataService ; dcat:servesDataset e:d .`,
    )
    expect(idsOf(found)).toEqual(['https://e.example/d'])
    expect(found.records[0]?.findings).toEqual([{ slug: 'no-title', detail }])
    expect(found.skipped).toEqual([])
  })

  it('has its label as a title, in the same language, where it has none of its own', async () => {
    const found = await written(`e:1 a dcat:Dataset ; rdfs:label "Rivers"@en , "Flüsse"@de .
      e:2 a dcat:Dataset ; dct:title "own" ; rdfs:label "other" .`)
    const titles = found.records.map(({ text }) => text.match(/terms\/title> .*(?= \.)/g))
    expect(titles).toEqual([
      ['terms/title> "Flüsse"@de', 'terms/title> "Rivers"@en'],
      ['terms/title> "own"'],
    ])
    expect(found.records[1]?.findings).toEqual([])
  })

  it('without an identifier is told with its title, its place and its line', async () => {
    const found = await written(`
      e:1 a dcat:Dataset ; dct:title "one" .

      [] a dcat:Dataset ; dct:title "Air quality" .`)
    expect(found.refused.map(({ problem }) => problem.detail)).toEqual([
      'The record has no identifier. "Air quality", record 2 of the run, line 6.',
    ])
    expect(found.refused[0]?.problem.errors).toMatchObject([{ line: 6 }])
  })

  it('without any name is refused, and so is the second with the same; the import stays complete', async () => {
    const found = await written(`[] a dcat:Dataset ; dct:title "nameless" .
      [] a dcat:Dataset ; dct:identifier "x" . [] a dcat:Dataset ; dct:identifier "x" ; dct:title "2" .
      e:1 a dcat:Dataset ; dct:identifier "x" . e:2 a dcat:Dataset ; dct:identifier "x" .`)
    const problems = found.refused.map(({ problem }) => problem.kind)
    expect(problems.sort()).toEqual(['item-duplicate', 'item-no-identifier'])
    expect([found.records.length, found.end?.kind]).toEqual([3, 'complete'])
  })

  it('tells what was repaired in it; without repair the document is malformed', async () => {
    const turtle = `e:1 a dcat:Dataset ; dct:title "x" ; dcat:landingPage <https://e.example/a b> .
      e:2 a dcat:Dataset ; dct:title "y" .`
    const [one, two] = (await written(turtle)).records
    expect(one?.findings.map(({ slug }) => slug)).toEqual(['repaired-iri'])
    expect(one?.text).toContain('<https://e.example/a%20b>')
    expect(two?.findings).toEqual([])
    expect((await written(turtle, { preProcessing: false })).problem).toBe('source-malformed')
  })

  it('has mail addresses that the source wrote without mailto:', async () => {
    const turtle = `@prefix vcard: <http://www.w3.org/2006/vcard/ns#> .
      e:1 a dcat:Dataset ; dct:title "x" ; dcat:contactPoint [ vcard:hasEmail <a@city.example> ] .
      e:2 a dcat:Dataset ; dct:title "y" ; dcat:landingPage <b@city.example> ;
        dcat:contactPoint [ vcard:hasEmail <https://people.example/a@city.example>, <mailto:c@city.example> ] .`
    const [one, two] = (await written(turtle)).records
    expect(one?.text).toContain('vcard/ns#hasEmail> <mailto:a@city.example> .')
    expect(one?.findings).toEqual([
      {
        slug: 'repaired-iri',
        detail: 'a@city.example became mailto:a@city.example',
        value: 'a@city.example',
      },
    ])
    expect(two?.text).toContain('<https://people.example/a@city.example>')
    expect(two?.text).toContain('/b@city.example>')
    expect(two?.findings).toEqual([])
    const untouched = await written(turtle, { preProcessing: false })
    expect(untouched.records[0]?.text).toContain('/a@city.example>')
  })

  it('has the same hash whatever its blank nodes are called and in which order it stands', async () => {
    const hashOf = async (turtle: string) => (await written(turtle)).records[0]?.sourceHash
    const one = `e:1 a dcat:Dataset ; dct:publisher _:a . _:a dct:title "A" ; dct:type _:b . _:b dct:title "B" .`
    const other = `_:y dct:title "B" . _:x dct:type _:y ; dct:title "A" . e:1 dct:publisher _:x ; a dcat:Dataset .`
    expect(await hashOf(one)).toBe(await hashOf(other))
    expect(await hashOf(one)).not.toBe(await hashOf(one.replace('"B"', '"C"')))
  })
})
