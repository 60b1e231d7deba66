/** SPARQL importer: own queries, endpoints that cut their answers, files and fragments. */

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { importerSegment } from '../../../../src/harvest/importers/importer.ts'
import { sparqlImporter } from '../../../../src/harvest/importers/sparql.ts'
import { rdfPortal } from '../../../support/portals/rdf-portal.ts'
import { sparqlPortal, type SparqlPortalOptions } from '../../../support/portals/sparql-portal.ts'
import { importOf, type Run } from '../import-run.ts'

const seven = 'abcdefg'.split('').map((id) => ({ id, title: `Title of ${id}` }))
const open: { close(): Promise<void> }[] = []
const show = async (options: SparqlPortalOptions = {}) => {
  const made = await sparqlPortal(seven, options)
  open.push(made)
  return made
}
const run = (address: string, config: Run['config'] = {}, more: Partial<Run> = {}) =>
  importOf({
    kind: (deps) => importerSegment(sparqlImporter, deps),
    config: { address, ...config },
    ...more,
  })

afterEach(async () => {
  for (const portal of open.splice(0)) await portal.close()
})

const dcat = 'PREFIX dcat: <http://www.w3.org/ns/dcat#> PREFIX dct: <http://purl.org/dc/terms/> '

describe('an endpoint', () => {
  it('is asked by POST of a form, which every endpoint takes', async () => {
    const portal = await show()
    const found = await run(portal.address)
    expect(found.records).toHaveLength(7)
    expect(portal.requests.every(({ method }) => method === 'POST')).toBe(true)
  })

  it.each(['status', 'header'] as const)(
    'that says by %s that it cut an answer is asked for less, until answers are whole',
    async (telling) => {
      const portal = await show({ rowLimit: 20, telling })
      const found = await run(portal.address)
      expect([found.records.length, found.end?.kind]).toEqual([7, 'complete'])
    },
  )

  it('that silently drops datasets never makes the import complete', async () => {
    const portal = await show({ rowLimit: 12 })
    const found = await run(portal.address)
    expect(found.refused.every(({ sourceId }) => sourceId !== undefined)).toBe(true)
    expect(found.offered).toBe(7)
  })

  it('may be asked for one of its graphs alone', async () => {
    const portal = await show()
    const graph = 'https://data.city.example/graph'
    portal.load(
      `<https://x.example/1> a <http://www.w3.org/ns/dcat#Dataset> ;
         <http://purl.org/dc/terms/title> "one" .`,
      graph,
    )
    const found = await run(portal.address, { graph })
    expect(found.records.map(({ sourceId }) => sourceId)).toEqual(['https://x.example/1'])
  })

  it('with nameless datasets reports each of them', async () => {
    const portal = await show()
    portal.load('[] a <http://www.w3.org/ns/dcat#Dataset> .')
    const found = await run(portal.address)
    expect(found.end?.kind).toBe('complete')
    expect(found.refused.map(({ problem }) => problem.kind)).toEqual(['item-no-identifier'])
  })

  it('goes on behind a key where an interrupted run had stopped, and still vouches for the whole', async () => {
    const portal = await show()
    const first = await run(portal.address, { pageSize: 2 })
    const [, second] = first.pages
    const context = second?.cursor === undefined ? {} : { resumeFrom: second.cursor }
    const rest = await run(portal.address, { pageSize: 2 }, { context })
    expect(rest.records).toHaveLength(3)
    expect(rest.end?.kind).toBe('complete')
  })
})

describe('services', () => {
  const services = (names: readonly string[]) =>
    names.map((name) => `<https://s.example/${name}> a <http://www.w3.org/ns/dcat#DataService> .`)

  it.each([
    ['by the built-in queries', {}],
    ['by GET', { method: 'get' }],
    ['by a query for everything', { query: 'CONSTRUCT WHERE { ?s ?p ?o }' }],
    [
      'by a query page by page',
      {
        query: 'CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o } ORDER BY ?s LIMIT $limit OFFSET $offset',
      },
    ],
  ])('alone are told, %s: nothing disappears without a word', async (_, config) => {
    const portal = await sparqlPortal([])
    open.push(portal)
    portal.load(services(['c', 'a', 'b']).join('\n'))
    const found = await run(portal.address, config, { owns: true })
    expect(found.findings).toEqual([
      'services-not-harvested 3: https://s.example/a, https://s.example/b, https://s.example/c',
    ])
    expect([found.records.length, found.problem]).toEqual([0, 'source-empty'])
  })

  it('beside datasets are told, unless a distribution names them', async () => {
    const portal = await show()
    const names = Array.from({ length: 13 }, (_one, at) => `s${10 + at}`)
    portal.load(`${services(names).join('\n')}
      <https://x.example/csv> <http://www.w3.org/ns/dcat#accessService> <https://s.example/s10> .`)
    const found = await run(portal.address)
    expect([found.records.length, found.end?.kind]).toEqual([7, 'complete'])
    const first = names.slice(1, 11).map((name) => `https://s.example/${name}`)
    expect(found.findings).toEqual([`services-not-harvested 12: ${first.join(', ')}, …`])
  })

  it('in other graphs than the wanted one are not of the source', async () => {
    const portal = await show()
    portal.load(services(['a']).join('\n'))
    const found = await run(portal.address, { graph: 'https://data.city.example/graph' })
    expect(found.findings).toEqual([])
  })

  it('that cannot be counted are told as such, and take nothing from the datasets', async () => {
    const portal = await show()
    const isCount = ({ url }: Request) => url.includes('DataService')
    portal.faults.when(isCount, { kind: 'status', status: 400 })
    const found = await run(portal.address, { method: 'get', attempts: 1 })
    expect([found.records.length, found.end?.kind]).toEqual([7, 'complete'])
    expect(found.findings).toEqual([
      expect.stringMatching(/^services-not-harvested their number is not known: .*400/),
    ])
  })
})

it('statements of an answer that nobody can read are told', async () => {
  const portal = await show()
  const broken = `<https://x.example/1> <http://purl.org/dc/terms/relation> <urn:${'x'.repeat(70_000)}> .\n`
  portal.faults.when(({ url }) => url.includes('CONSTRUCT'), {
    kind: 'edited',
    edit: (text) => text + broken,
  })
  const found = await run(portal.address, { method: 'get', preProcessing: true })
  expect(found.findings).toEqual([
    expect.stringMatching(/^dropped-statement line \d+: iri urn:xxx/),
  ])
})

describe('an own query', () => {
  it('of one variable lists the datasets', async () => {
    const portal = await show()
    const query = `${dcat}SELECT ?d WHERE { ?d dct:title ?t FILTER(?t != "Title of a"@en) }`
    expect((await run(portal.address, { query })).records).toHaveLength(6)
  })

  it('with $dataset is asked for each dataset', async () => {
    const portal = await show()
    const query = `${dcat}CONSTRUCT { $dataset a dcat:Dataset ; dct:title ?t } WHERE { $dataset dct:title ?t }`
    const found = await run(portal.address, { query })
    expect(found.records).toHaveLength(7)
    expect(found.records[0]?.text).not.toContain('distribution')
  })

  it('with $limit and $offset is asked page by page', async () => {
    const portal = await show()
    const query = `${dcat}CONSTRUCT { ?d a dcat:Dataset ; dct:title ?t } WHERE { ?d a dcat:Dataset ; dct:title ?t }
      ORDER BY ?d LIMIT $limit OFFSET $offset`
    const found = await run(portal.address, { query, pageSize: 3 })
    expect([found.records.length, found.pages.length]).toEqual([7, 3])
  })

  it('without a parameter is one document', async () => {
    const portal = await show()
    const found = await run(portal.address, { query: 'CONSTRUCT WHERE { ?s ?p ?o }' })
    expect([found.records.length, found.pages.length]).toEqual([7, 1])
  })

  it.each([
    ['ASK { ?s ?p ?o }', 'CONSTRUCT'],
    ['SELECT ?a ?b WHERE { ?a ?p ?b }', 'one variable'],
    ['CONSTRUCT WHERE { ?s ?p ?o } LIMIT $limit OFFSET $offset', 'ORDER BY'],
    [{ file: '../secret.rq' }, '.rq'],
  ] as const)('%j is refused before a run: needs %s', async (query, words) => {
    await expect(run('http://127.0.0.1:9/sparql', { query })).rejects.toThrow(words)
  })
})

it('[T6] a query is a file beside the pipe, and no link leads out of there', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'queries-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  mkdirSync(join(directory, 'sparql'))
  const text = `${dcat} SELECT ?d WHERE { ?d a dcat:Dataset }`
  writeFileSync(join(directory, 'secret.rq'), text)
  writeFileSync(join(directory, 'sparql', 'all.rq'), text)
  symlinkSync(join(directory, 'secret.rq'), join(directory, 'sparql', 'l.rq'))
  const portal = await show()
  const asked = (file: string) =>
    run(portal.address, { query: { file } }, { place: { trust: 'trusted', directory } })
  expect((await asked('all.rq')).records).toHaveLength(7)
  await expect(asked('l.rq')).rejects.toThrow('no readable file sparql/l.rq')
})

describe('a source without an endpoint', () => {
  it('is queried from here: a file', async () => {
    const portal = await rdfPortal(seven)
    open.push(portal)
    const found = await run(portal.address, { source: 'file' })
    expect(found.problem).toBeUndefined()
    expect(found.records).toHaveLength(7)
    expect(portal.requests).toHaveLength(1)
  }, 30_000)
})

describe('a file, without the optional package', () => {
  it('fails with how to install it', async () => {
    vi.doMock('@comunica/query-sparql', () => {
      throw new Error('Cannot find package')
    })
    onTestFinished(() => vi.doUnmock('@comunica/query-sparql'))
    const { failure } = await run('http://127.0.0.1:9/data.ttl', { source: 'file' })
    expect(failure?.detail).toContain('npm install --no-save @comunica/query-sparql@')
  })
})
