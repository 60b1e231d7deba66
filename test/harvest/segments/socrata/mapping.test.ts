/** Socrata importer: from an asset to DCAT-AP. */

import '../../../support/seed.ts'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fieldsOf } from '../../../../src/vocabularies/loose-values.ts'
import { disturbed, faultsOf } from '../any-json.ts'
import { brokenShapes, canonicalLines, expectedIn, hasShapes, sampleIn } from '../golden-check.ts'
import { readAsset } from './golden.ts'

const sample = sampleIn('socrata')
const mapped = async (fields = sample, config: object = {}) => (await readAsset(config)).map(fields)
const textOf = async (fields = sample, config: object = {}) =>
  (await mapped(fields, config)).toRecord({ sourceId: 'x' }).text
const withAsset = (more: object, beside: object = {}) => ({
  ...sample,
  resource: { ...fieldsOf(sample['resource']), ...more },
  ...beside,
})
const addressesIn = (text: string) =>
  [...text.matchAll(/accessURL> <([^>]*)>/g)].map(([, address]) => address)

describe('an asset', () => {
  it('becomes what the golden file says', async () => {
    expect(await canonicalLines((await mapped()).quads())).toEqual(await expectedIn('socrata'))
  })

  it.skipIf(!hasShapes)('keeps to DCAT-AP', async () => {
    expect(await brokenShapes((await mapped()).quads())).toEqual([])
  })

  it('without a column of places has no GeoJSON', async () => {
    const text = await textOf(withAsset({ columns_datatype: ['Text', 'Checkbox'] }))
    expect(addressesIn(text)).toHaveLength(2)
  })

  it('that is a file has that file with its type', async () => {
    const text = await textOf(withAsset({ type: 'file', blob_mime_type: 'application/zip; x=y' }))
    expect(addressesIn(text)).toEqual([
      'https://data.rivers.example/download/k7qm-2x9d/application%2Fzip',
    ])
    expect(text).toContain('file-type/ZIP')
  })

  it('that is a link has the places it leads to, made whole', async () => {
    const metadata = {
      accessPoints: {
        'text/csv': 'gis.rivers.example/x.csv',
        'application/zip': '//gis.rivers.example/x.zip',
      },
      additionalAccessPoints: [
        { title: 'Map', urls: { 'text/html': '/maps/1' } },
        { title: 'Bad', urls: { 'text/html': 'javascript:alert(1)' } },
      ],
      attachments: [
        { assetId: 'AB-1', filename: 'read me.pdf', name: 'Notes' },
        { blobId: 'CD-2', filename: 'x.txt' },
        { filename: 'lost.txt' },
      ],
    }
    const text = await textOf(withAsset({ type: 'href' }, { view: { metadata } }))
    expect(new Set(addressesIn(text))).toEqual(
      new Set([
        'https://data.rivers.example/api/assets/CD-2?download=true',
        'https://data.rivers.example/api/views/k7qm-2x9d/files/AB-1?filename=read%20me.pdf',
        'https://data.rivers.example/maps/1',
        'https://gis.rivers.example/x.csv',
        'https://gis.rivers.example/x.zip',
      ]),
    )
    expect(text).toContain('"Notes"')
  })

  it('of another type has no distributions', async () => {
    expect(addressesIn(await textOf(withAsset({ type: 'map' })))).toEqual([])
  })

  it('has its owner as publisher when nobody is named', async () => {
    expect(await textOf(withAsset({ attribution: null }))).toContain('"J. Doe"')
  })

  it('has the meanings that the pipe gives to fields of the portal', async () => {
    const text = await textOf(sample, { fields: { Internal_Ticket: 'keyword' } })
    expect(text).toContain('dcat#keyword> "OD-17"')
    expect(await textOf()).not.toContain('OD-17')
  })

  it('with a licence by name that nobody knows has that name and nothing else', async () => {
    const text = await textOf({ ...sample, metadata: { license: 'City Terms' } })
    expect(text).toContain('"City Terms"')
    expect(text).not.toMatch(/license> <http/)
  })

  it('keeps its hash when only the number of visitors changes', async () => {
    const { find } = await readAsset()
    const hashed = (fields: unknown) => {
      const found = find(fields)
      return found.kind === 'record' ? found.hashed : undefined
    }
    expect(hashed(withAsset({ page_views: { page_views_total: 1 }, download_count: 2 }))).toBe(
      hashed(sample),
    )
    expect(hashed(withAsset({ name: 'Other' }))).not.toBe(hashed(sample))
  })
})

describe('an asset is not for us', () => {
  it.each([
    ['when it belongs to another domain', { metadata: { domain: 'x.example' } }, {}, true],
    ['when it is derived from another', withAsset({ parent_fxf: ['aaaa-bbbb'] }), {}, true],
    ['unless derived ones are wanted', withAsset({ parent_fxf: ['a'] }), { derived: true }, false],
  ])('%s', async (_, fields, config, isSkipped) => {
    const { read } = await readAsset(config)
    expect(read(fieldsOf({ ...sample, ...fields })).skipReason !== undefined).toBe(isSkipped)
  })

  it('and cannot be read when it has no name', async () => {
    const { find } = await readAsset()
    const found = find(withAsset({ name: ' ' }), 'source')
    expect(found).toMatchObject({ kind: 'refused', sourceId: 'k7qm-2x9d' })
  })
})

describe('whatever stands in an asset', () => {
  it('is mapped without an invalid IRI or a quad outside the record, or refused', async () => {
    const { map, find } = await readAsset()
    const link = withAsset(
      { type: 'href' },
      {
        view: {
          metadata: {
            accessPoints: { 'text/csv': 'x' },
            additionalAccessPoints: [{ title: 'a', urls: { b: 'c' } }],
            attachments: [{ assetId: 'a', filename: 'b', name: 'c' }],
          },
        },
      },
    )
    const either = fc.oneof(disturbed(sample), disturbed(fieldsOf(link)))
    fc.assert(
      fc.property(either, (fields) => {
        expect(faultsOf(map(fields).quads())).toEqual([])
        expect(['record', 'refused', 'skipped']).toContain(find(fields).kind)
      }),
      { numRuns: 200 },
    )
  })
})
