/** Fields that the platform fills although the profile gives a path. */

import { describe, expect, test } from 'vitest'
import { loadProfile } from '../../src/profile/load-profile.ts'
import { smallProfile } from './small.ts'

const field = (name: string, mapping: string, more = '') =>
  `sh:property [ sh:path dct:source ; sh:maxCount 1 ; m:mappingName "${name}" ; m:mappingClass "${mapping}" ${more} ] ;`

/** The dataset and the catalogue of the small profile with one more property. */
async function withField(shape: 'Dataset' | 'Catalog', text: string) {
  const head = `ex:${shape} a sh:NodeShape ; sh:targetClass dcat:${shape} ;`
  return loadProfile(await smallProfile(head, `${head} ${text}`))
}

const told = (warnings: readonly string[]) =>
  warnings.filter((line) => line.includes('its sh:path has no effect'))

describe('a reserved name wins over sh:path', () => {
  test('as identifier and IRI of a record', async () => {
    const { dataset, warnings } = await withField('Dataset', field('resource', 'StandardKeyword'))
    expect(dataset.fields[0]).toMatchObject({ name: 'resource', paths: [] })
    expect(warnings).toEqual([
      'tiny.ttl:10, shape <https://example.org/shapes#Dataset>, property resource: is filled by the platform; its sh:path has no effect',
    ])
  })

  test('as identifier inside another field', async () => {
    const nested = field(
      'part',
      'Nested',
      `; m:mappingProperty [ sh:path dct:identifier ; m:mappingName "id" ; m:mappingClass "StandardText" ]`,
    )
    const { dataset, warnings } = await withField('Dataset', nested)
    expect(dataset.fields[0]?.paths).toHaveLength(1)
    expect(dataset.fields[0]?.children[0]?.paths).toEqual([])
    expect(told(warnings)).toHaveLength(1)
  })

  test.each([
    ['country', 'SpatialResource'],
    ['translation_meta', 'TranslationMeta'],
  ] as const)('as %s', async (name, mapping) => {
    const { catalogue, warnings } = await withField('Catalog', field(name, mapping))
    expect(catalogue.fields[0]).toMatchObject({ name, paths: [] })
    expect(told(warnings)).toHaveLength(1)
  })

  test('as the catalogue of a dataset', async () => {
    const to = 'sh:path dct:isPartOf ; m:mappingName "catalog" ;'
    const profile = await loadProfile(await smallProfile('m:mappingName "catalog" ;', to))
    const own = await loadProfile(await smallProfile())
    expect(profile.dataset).toEqual(own.dataset)
    expect(told(profile.warnings)).toHaveLength(1)
  })
})

describe('a path stays', () => {
  test.each([
    ['issued', 'DateTime'],
    ['modified', 'DateTime'],
    ['catalog', 'StandardKeyword'],
    ['country', 'StandardText'],
  ] as const)('for %s of a catalogue with class %s', async (name, mapping) => {
    const { catalogue, warnings } = await withField('Catalog', field(name, mapping))
    expect(catalogue.fields[0]).toMatchObject({ name, paths: ['http://purl.org/dc/terms/source'] })
    expect(warnings).toEqual([])
  })

  test('for the record of a dataset', async () => {
    const to = 'sh:path dct:source ; m:mappingName "catalog_record" ;'
    const profile = await loadProfile(await smallProfile('m:mappingName "catalog_record" ;', to))
    const record = profile.dataset.fields.find(({ name }) => name === 'catalog_record')
    expect(record?.paths).toHaveLength(1)
    expect(profile.warnings).toEqual([])
  })
})
