/** RDF importer: one document in every format and wrapping. */

import { afterEach, describe, expect, it } from 'vitest'
import { importerSegment } from '../../../../src/harvest/segments/importer.ts'
import { rdfImporter } from '../../../../src/harvest/segments/importing/rdf/rdf.ts'
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

describe('a document of records', () => {
  const names = Object.keys(formats) as Format[]

  it.each(names)('is read as %s by its type', async (format) => {
    const found = await run(await show({ format }))
    expect(found.end?.kind).toBe('complete')
    expect(found.records.map(({ sourceId }) => sourceId).sort()).toEqual(['a', 'b', 'c'])
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
