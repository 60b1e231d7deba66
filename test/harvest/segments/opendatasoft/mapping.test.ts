/** OpenDataSoft importer: from a dataset to DCAT-AP. */

import '../../../support/seed.ts'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fieldsOf } from '../../../../src/vocabularies/loose-values.ts'
import { disturbed, faultsOf } from '../any-json.ts'
import { brokenShapes, canonicalLines, expectedIn, hasShapes, sampleIn } from '../golden-check.ts'
import { readDataset } from './golden.ts'

const sample = sampleIn('opendatasoft')
const mapped = async (fields = sample, config: object = {}) =>
  (await readDataset(config)).map(fields)
const textOf = async (fields = sample, config: object = {}) =>
  (await mapped(fields, config)).toRecord({ sourceId: 'x' }).text
const withMetas = (name: string, metas: object) => ({
  ...sample,
  metas: { ...fieldsOf(sample['metas']), [name]: metas },
})

describe('a dataset', () => {
  it('becomes what the golden file says', async () => {
    expect(await canonicalLines((await mapped()).quads())).toEqual(await expectedIn('opendatasoft'))
  })

  it('becomes the same text twice', async () => {
    expect(await textOf()).toBe(await textOf(structuredClone(sample)))
  })

  it.skipIf(!hasShapes)('keeps to DCAT-AP', async () => {
    expect(await brokenShapes((await mapped()).quads())).toEqual([])
  })

  it('is known by its unique id, and by the id in its address as well', async () => {
    const { read } = await readDataset()
    expect(read(sample)).toMatchObject({ sourceId: 'da_6kvv9v', aliases: ['arbres-remarquables'] })
    const { read: other } = await readDataset({ identifier: 'dataset_id' })
    expect(other(sample)).toMatchObject({ sourceId: 'arbres-remarquables', aliases: ['da_6kvv9v'] })
    expect(read({ dataset_id: 'only' })).toMatchObject({ sourceId: 'only', aliases: [] })
  })

  it('never tells where its files are inside the platform', async () => {
    expect(await textOf()).not.toContain('odsfile')
  })

  it('has the formats that the pipe names instead of the usual ones', async () => {
    const text = await textOf(sample, { formats: 'parquet, ttl' })
    const names = [...text.matchAll(/downloadURL> <[^>]*\/exports\/(\w+)>/g)].map(([, one]) => one)
    expect(new Set(names)).toEqual(new Set(['parquet', 'ttl']))
  })

  it('without records has its files alone', async () => {
    const text = await textOf({ ...sample, has_records: false })
    expect(text).not.toContain('/exports/')
    expect(text).toContain('/attachments/notice_pdf')
  })

  it.each([
    ['one text', 'Jardins'],
    ['a list', ['Jardins']],
  ])('has metas that are %s', async (_, creator) => {
    expect(await textOf(withMetas('dcat', { creator }))).toContain('"Jardins"@fr')
  })

  it('whose metas are null or missing has none of them', async () => {
    expect(await textOf(withMetas('dcat', {}))).toContain('dc/terms/identifier> "da_6kvv9v"')
    expect(await textOf({ ...sample, metas: { default: null, dcat: null } })).toContain('Dataset')
  })

  it('has the language tag of what it was asked for in', async () => {
    expect(await textOf(sample, { filters: { lang: 'en' } })).toContain('"Arbres remarquables"@en')
  })
})

describe('a dataset is not for us', () => {
  const skipped = async (fields: object, config: object = {}) =>
    (await readDataset(config)).read(fieldsOf(fields)).skipReason

  it('when it has neither records nor files', async () => {
    const bare = { dataset_uid: 'x', has_records: false, metas: { default: {} } }
    expect(await skipped(bare)).toBe('has neither records nor files')
    expect(await skipped({ ...bare, attachments: [{}] })).toBeUndefined()
    expect(await skipped({ ...bare, metas: { default: { references: 'x' } } })).toBeUndefined()
  })

  it('when it comes from another domain and the pipe does not want those', async () => {
    expect(await skipped(sample)).toBeUndefined()
    expect(await skipped(sample, { federated: false })).toBe('comes from another domain')
  })
})

describe('whatever stands in a dataset', () => {
  it('is mapped without an invalid IRI or a quad outside the record, or refused', async () => {
    const { map, find } = await readDataset()
    fc.assert(
      fc.property(disturbed(sample), (fields) => {
        expect(faultsOf(map(fields).quads())).toEqual([])
        expect(['record', 'refused', 'skipped']).toContain(find(fields).kind)
      }),
      { numRuns: 150 },
    )
  })

  it('nesting without end is refused, with its id', async () => {
    const deep: unknown = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
    const { find } = await readDataset()
    const found = find({ ...sample, fields: deep }, 'source')
    expect(found).toMatchObject({ kind: 'refused', sourceId: 'da_6kvv9v' })
  })
})
