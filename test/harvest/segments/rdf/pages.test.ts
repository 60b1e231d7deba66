/** RDF importer: next pages, records, repairs, and what has not changed. */

import { afterEach, describe, expect, it } from 'vitest'
import { importerSegment } from '../../../../src/harvest/segments/importer.ts'
import { rdfImporter } from '../../../../src/harvest/segments/importing/rdf/rdf.ts'
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
    expect((await run(portal)).problem).toBe('total-mismatch')
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

describe('a record', () => {
  it('is named by its identifier, by its IRI if that is wished, and without prefix', async () => {
    const turtle = `e:1 a dcat:Dataset ; dct:title "x" ; dct:identifier "https://e.example/id/77" .`
    expect(idsOf(await written(turtle))).toEqual(['https://e.example/id/77'])
    expect(idsOf(await written(turtle, { precedenceUriRef: true }))).toEqual([
      'https://e.example/1',
    ])
    const short = await written(turtle, { removePrefix: true })
    expect(idsOf(short)).toEqual(['77'])
    expect(short.records[0]?.aliases).toContain('https://e.example/id/77')
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

  it('that is only mentioned is passed over, one without a title is not', async () => {
    const found = await written(`e:1 a dcat:Dataset ; dct:title "one" ; dct:relation e:2 .
      e:2 a dcat:Dataset . e:3 a dcat:Dataset ; dcat:keyword "untitled" .`)
    expect(idsOf(found)).toEqual(['https://e.example/1', 'https://e.example/3'])
  })

  it('without any name is refused, and so is the second with the same; the import stays complete', async () => {
    const found = await written(`[] a dcat:Dataset ; dct:title "nameless" .
      e:1 a dcat:Dataset ; dct:identifier "x" . e:2 a dcat:Dataset ; dct:identifier "x" .`)
    const problems = found.refused.map(({ problem }) => problem.kind)
    expect(problems.sort()).toEqual(['item-duplicate', 'item-no-identifier'])
    expect([found.records.length, found.end?.kind]).toEqual([1, 'complete'])
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

  it('has the same hash whatever its blank nodes are called and in which order it stands', async () => {
    const hashOf = async (turtle: string) => (await written(turtle)).records[0]?.sourceHash
    const one = `e:1 a dcat:Dataset ; dct:publisher _:a . _:a dct:title "A" ; dct:type _:b . _:b dct:title "B" .`
    const other = `_:y dct:title "B" . _:x dct:type _:y ; dct:title "A" . e:1 dct:publisher _:x ; a dcat:Dataset .`
    expect(await hashOf(one)).toBe(await hashOf(other))
    expect(await hashOf(one)).not.toBe(await hashOf(one.replace('"B"', '"C"')))
  })

  it('in bytes that are no text is read, and says so', async () => {
    const portal = await show()
    const edit = (text: string) => Buffer.from(text.replace('Title of a', 'Stra\u00dfe'), 'latin1')
    portal.faults.at(1, { kind: 'edited', edit })
    const found = await run(portal)
    expect(found.records).toHaveLength(5)
    expect(found.records[0]?.findings.map(({ slug }) => slug)).toEqual(['invalid-text'])
  })
})
