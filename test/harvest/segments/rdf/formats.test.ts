/** RDF importer: one document in every format and wrapping. */

import { afterEach, describe, expect, it } from 'vitest'
import { importerSegment } from '../../../../src/harvest/importers/importer.ts'
import { rdfImporter } from '../../../../src/harvest/importers/rdf.ts'
import { formats, type Format } from '../../../../src/rdf/media-types.ts'
import {
  rdfPortal,
  type RdfPortal,
  type RdfPortalOptions,
} from '../../../support/portals/rdf-portal.ts'
import { importOf, type Run } from '../import-run.ts'

const three = ['a', 'b', 'c'].map((id) => ({ id, title: `Title of ${id}` }))
const open: RdfPortal[] = []
const show = async (options: RdfPortalOptions) => {
  const made = await rdfPortal(three, options)
  open.push(made)
  return made
}
const run = (portal: RdfPortal, config: Run['config'] = {}, more: Partial<Run> = {}) =>
  importOf({
    kind: (deps) => importerSegment(rdfImporter, deps),
    config: { address: portal.address, ...config },
    ...more,
  })

afterEach(async () => {
  for (const portal of open.splice(0)) await portal.close()
})

const dcat = 'http://www.w3.org/ns/dcat#'
const title = '<http://purl.org/dc/terms/title>'
const isDataset = `<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${dcat}Dataset>`
const isSeries = isDataset.replace(/Dataset>$/, 'DatasetSeries>')
const graph = '<https://e.example/g>'
const inContext = (document: object) =>
  JSON.stringify({
    '@context': { dcat, dct: 'http://purl.org/dc/terms/', dataset: 'dcat:dataset' },
    ...document,
  })
const air = { '@type': 'dcat:Dataset', 'dct:title': 'Air' }
const named = { '@id': 'https://e.example/1', ...air }

describe('a record without identifier', () => {
  const toldOf = async (format: Format, text: string, maxPageBytes?: number) => {
    const portal = await show({ format })
    portal.faults.from(1, { kind: 'edited', edit: () => text })
    const limits = maxPageBytes === undefined ? {} : { limits: { maxPageBytes } }
    const { refused } = await run(portal, {}, limits)
    expect(refused.map(({ problem }) => problem.kind)).toEqual(['item-no-identifier'])
    const [{ problem } = { problem: undefined }] = refused
    const [place] = problem?.errors ?? []
    return [
      problem?.detail.replace('The record has no identifier. ', ''),
      place?.line ?? place?.pointer,
    ]
  }

  it.each([
    ['ntriples', `<urn:a> ${isDataset} .\n_:b ${title} "Air" .\n_:b ${isDataset} .\n`, 3],
    [
      'ntriples',
      `# all of it\n\n<urn:a> ${isDataset} .\n_:b ${isDataset} .\n_:b ${title} "Air" .`,
      4,
    ],
    ['ntriples', `<urn:a> ${isDataset} .\n_:b ${isSeries} .\n_:b ${title} "Air" .\n`, 2],
    [
      'nquads',
      `<urn:a> ${isDataset} ${graph} .\n_:b ${title} "Air" ${graph} .\n_:b ${isDataset} ${graph} .\n`,
      3,
    ],
    ['nquads', `\n<urn:a> ${isDataset} .\n_:b ${isDataset} .\n_:b ${title} "Air" .`, 3],
  ] as const)('in %s is told with its title and its line: %#', async (format, text, line) => {
    expect(await toldOf(format, text)).toEqual([`"Air", record 2 of the run, line ${line}.`, line])
  })

  it.each([
    [{ '@graph': [named, air] }, '/@graph/1'],
    [{ '@id': 'https://e.example/', 'dcat:dataset': [named, air] }, '/dcat:dataset/1'],
    [{ '@id': 'https://e.example/', dataset: [named, air] }, '/dataset/1'],
    [{ '@graph': [named, { '@id': '_:air', ...air }] }, '/@graph/1'],
  ])('in JSON-LD is told with its title and its place: %#', async (document, pointer) => {
    const text = inContext(document)
    const expected = [`"Air", record 2 of the run, ${pointer}.`, pointer]
    expect(await toldOf('jsonld', text)).toEqual(expected)
    // Too large for memory, it is read member by member.
    expect(await toldOf('jsonld', text, 100)).toEqual(expected)
  })

  it('in JSON-LD that is a list is told by its number in it', async () => {
    const text = JSON.stringify([named, air].map((one) => JSON.parse(inContext(one))))
    const expected = ['"Air", record 2 of the run, /1.', '/1']
    expect(await toldOf('jsonld', text)).toEqual(expected)
    expect(await toldOf('jsonld', text, 100)).toEqual(expected)
  })
})

describe('a record with an identifier', () => {
  it('says where in its document it stands', async () => {
    const texts = { ntriples: `# all of it\n<urn:a> ${isDataset} .\n`, jsonld: inContext(named) }
    const portal = await show({ format: 'ntriples' })
    portal.faults.from(1, { kind: 'edited', edit: () => texts.ntriples })
    expect((await run(portal)).records).toMatchObject([{ line: 2 }])
    const other = await show({ format: 'jsonld' })
    other.faults.from(1, { kind: 'edited', edit: () => texts.jsonld })
    expect((await run(other)).records).toMatchObject([{ pointer: expect.any(String) }])
  })
})

describe('a document of records', () => {
  const names = Object.keys(formats) as Format[]

  it.each(names)('is read as %s by its type', async (format) => {
    const found = await run(await show({ format }))
    expect(found.end?.kind).toBe('complete')
    expect(found.records.map(({ preferredId = '' }) => preferredId).toSorted()).toEqual([
      'a',
      'b',
      'c',
    ])
  })

  it('gives the same hashes in every format, by way of a file or not', async () => {
    const hashes = async (format: Format, alternativeLoad: boolean) => {
      const { records } = await run(await show({ format }), { alternativeLoad })
      return records.map(({ sourceId, sourceHash }) => `${sourceId} ${sourceHash}`).sort()
    }
    const [first, ...others] = await Promise.all(
      names.flatMap((format) => [hashes(format, false), hashes(format, true)]),
    )
    for (const other of others) expect(other).toEqual(first)
  })

  it.each(['encoding', 'body'] as const)('is unzipped: gzip as %s', async (gzip) => {
    const found = await run(await show({ gzip }))
    expect(found.records).toHaveLength(3)
  })

  it.each([
    ['text/plain', 'ntriples'],
    ['application/octet-stream', 'turtle'],
    ['application/json', 'jsonld'],
    ['text/xml; charset=utf-8', 'rdfxml'],
    ['', 'nquads'],
  ] as const)('is recognised under the type %j as %s', async (contentType, format) => {
    const found = await run(await show({ contentType, format }))
    expect(found.records).toHaveLength(3)
  })

  it('is read in the format that the config names, whatever the type says', async () => {
    const portal = await show({ contentType: 'application/rdf+xml' })
    expect((await run(portal, { inputFormat: 'text/turtle' })).records).toHaveLength(3)
  })

  it('in TriX is refused, and the formats that are read are named', async () => {
    const portal = await show({ contentType: 'application/trix', format: 'rdfxml' })
    const found = await run(portal)
    expect(found.problem).toBe('unsupported-media-type')
    expect(found.failure?.detail).toContain('text/turtle')
  })

  it('in an unknown format fails the run and says what would help', async () => {
    const portal = await show({ contentType: 'application/x-strange' })
    portal.faults.at(1, { kind: 'edited', edit: () => 'what is this' })
    const found = await run(portal)
    expect(found.problem).toBe('source-malformed')
    expect(found.failure?.detail).toContain('inputFormat')
  })

  it('that is not RDF tells line and column', async () => {
    const portal = await show({})
    portal.faults.at(1, { kind: 'edited', edit: (text) => text.replace('a dcat:Dataset', 'a a a') })
    const { failure } = await run(portal)
    expect(failure?.kind).toBe('source-malformed')
    expect(failure?.errors[0]?.line).toBeGreaterThan(1)
  })

  it('in JSON-LD too large for memory is cut at its members', async () => {
    const small = await run(await show({ format: 'jsonld' }))
    const large = await run(await show({ format: 'jsonld' }), {}, { limits: { maxPageBytes: 100 } })
    expect(large.problem).toBeUndefined()
    const facts = (found: typeof small) =>
      found.records.map(({ sourceId, sourceHash }) => `${sourceId} ${sourceHash}`).sort()
    expect(facts(large)).toEqual(facts(small))
  })
})
