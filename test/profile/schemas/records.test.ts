/** The schemas of records over the documents and answers that records become. */

import { describe, expect, test } from 'vitest'
import type { SearchIndex } from '../../../src/search-index/search-index.ts'
import { loadProfile } from '../../../src/profile/load-profile.ts'
import { recordSchemas } from '../../../src/profile/record-schemas.ts'
import { catalogueRecord, datasetRecord } from '../../../src/search/record-routes.ts'
import {
  builder,
  catalogueOf,
  datasetOf,
  graph,
  hasSamples,
  iris,
  profile,
  renamed,
  sample,
} from '../../projector/built.ts'
import { smallProfile } from '../small.ts'
import { faults } from './faults.ts'

const { roots, components } = recordSchemas(profile)
const national = recordSchemas(await loadProfile('test/profile/foreign/national'))
const custom = recordSchemas(await loadProfile('test/profile/foreign/custom'))

const wrong = (root: string, value: unknown) => faults(components, roots.get(root) ?? '', value)

/** An index with one dataset and its catalogue. */
const indexOf = (records: Readonly<Record<string, unknown>>) =>
  ({
    get: (name: string) => Promise.resolve(JSON.stringify(records[name])),
    facetValues: () => Promise.resolve([{ id: 'alpine-water', title: '', count: 1 }]),
  }) as unknown as SearchIndex

describe.skipIf(!hasSamples)('the worked samples', () => {
  test.each([
    ['worked/dataset.ttl', 'https://example.org/ds/pegel'],
    ['broken/untidy.ttl', 'https://example.org/ds/untidy'],
  ])('%s is what the schemas say, in the index and as an answer', async (file, source) => {
    const context = await graph(
      renamed(
        sample('worked/catalogue.ttl'),
        'https://example.org/catalogue/alpine-water',
        iris.catalogue('alpine-water'),
      ),
    )
    const iri = iris.dataset('x')
    const input = { version: 1, hash: 'h' }
    const built = builder.dataset({
      ...input,
      id: 'x',
      iri,
      graph: await graph(renamed(sample(file), source, iri)),
      catalogue: { id: 'alpine-water', graph: context },
    })
    const around = builder.catalogue({
      ...input,
      id: 'alpine-water',
      iri: iris.catalogue('alpine-water'),
      graph: context,
    })
    const missing = built.reports
      .filter(({ problem, field }) => problem === 'missing-mandatory' && !field.includes('.'))
      .map(({ field }) => field)
    const told = missing.map((field) => `missing ${field}`)
    expect(wrong('dataset_hit', built.document.record)).toEqual(told)
    const index = indexOf({ dataset: built.document.record, catalogue: around.document.record })
    const { text } = await datasetRecord(index, 'x')
    expect(wrong('dataset', JSON.parse(text))).toEqual(told)
    const answered = await catalogueRecord(index, 'alpine-water')
    expect(JSON.parse(answered.text)).toHaveProperty('count', 1)
    expect(wrong('catalogue', JSON.parse(answered.text))).toEqual([])
  })
})

describe('what a schema requires', () => {
  test('is what the platform always fills: what the profile calls mandatory may be missing', async () => {
    const { document, reports } = await datasetOf('d:x a dcat:Dataset .')
    expect(reports.map(({ field }) => field)).toEqual(['title', 'description'])
    expect(wrong('dataset_hit', document.record)).toEqual([])
    expect(components[roots.get('dataset') ?? '']?.['required']).toEqual([
      'id',
      'resource',
      'distributions',
      'translation_meta',
      'is_hvd',
      'catalog',
    ])
    const bare = await catalogueOf('c:cat a dcat:Catalog .')
    expect(wrong('catalogue', bare.document.record)).toEqual([])
  })

  test('another type of a value, and a key that nobody declared, are found', async () => {
    const { record } = (
      await datasetOf('d:x a dcat:Dataset ; dct:title "x" ; dct:description "y" .')
    ).document
    expect(wrong('dataset_hit', record)).toEqual([])
    expect(wrong('dataset_hit', { ...record, title: ['x'] })).not.toEqual([])
    expect(wrong('dataset_hit', { ...record, issued: 2024 })).not.toEqual([])
    expect(wrong('dataset_hit', { ...record, publisher: [{ type: 'Agent' }] })).not.toEqual([])
    expect(wrong('dataset_hit', { ...record, licence: 'x' })).toEqual([
      expect.stringContaining('"licence"'),
    ])
    expect(wrong('dataset_hit', { ...record, distributions: [{ size: 1 }] })).toEqual([
      expect.stringContaining('distributions: '),
    ])
  })
})

test('concepts are what the schema of the concept shape says', async () => {
  const { schemes, turtle } = {
    schemes: 'https://v.example/',
    turtle: `<https://v.example/> a skos:ConceptScheme . <https://v.example/a> a skos:Concept ;
      skos:inScheme <https://v.example/> ; skos:prefLabel "A"@en, "Ah"@de ; skos:altLabel "B"@en ;
      foaf:homepage <https://a.example/> .`,
  }
  const input = { vocabulary: 'v', scheme: schemes, version: 1, hash: 'h' }
  const built = builder.concepts({ ...input, graph: await graph(turtle) })
  expect(built).toHaveLength(1)
  for (const { document } of built) expect(wrong('concept', document.record)).toEqual([])
})

describe('components', () => {
  test('are named by the entries, the shapes and the mapping classes', () => {
    expect(Object.fromEntries(roots)).toEqual({
      dataset: 'Dataset',
      dataset_hit: 'DatasetDocument',
      catalogue: 'Catalogue',
      concept: 'Vocable',
    })
    expect(Object.fromEntries(national.roots)).toMatchObject({
      dataset: 'Datensatz',
      catalogue: 'Katalog',
    })
    expect(Object.fromEntries(custom.roots)).toMatchObject({
      dataset: 'Dataset',
      resource_station: 'GaugingStation',
      'resource_Show-Case-2': 'Showcase',
    })
    expect(Object.keys(components)).toEqual(
      expect.arrayContaining(['Distribution', 'DataService', 'CatalogRecord', 'Agent', 'Spatial']),
    )
    expect(Object.keys(custom.components).filter((name) => name.startsWith('Concept'))).toEqual([
      'Concept',
    ])
  })

  test('refer to components only that are there', () => {
    for (const { components: all } of [recordSchemas(profile), national, custom]) {
      const referred = JSON.stringify(all).matchAll(/"#\/components\/schemas\/([^"]+)"/g)
      for (const [, name = ''] of referred) expect(Object.keys(all)).toContain(name)
      for (const name of Object.keys(all)) expect(name).toMatch(/^[A-Za-z0-9._-]+$/)
    }
  })

  test('end where a shape would contain itself', async () => {
    const circle = await smallProfile(
      '[ sh:path dcat:accessURL ;',
      '[ sh:path dct:relation ; m:mappingName "others" ; m:mappingClass "Nested" ; m:mappingLink ex:Distribution ] ; sh:property [ sh:path dcat:accessURL ;',
    )
    const { components: all } = recordSchemas(await loadProfile(circle))
    expect(all['Distribution']).toMatchObject({
      properties: {
        others: {
          type: 'array',
          items: {
            properties: {
              id: expect.anything() as unknown,
              resource: expect.anything() as unknown,
            },
          },
        },
      },
    })
    expect(Object.keys(all).filter((name) => name.startsWith('Distribution'))).toHaveLength(1)
  })

  test('carry the descriptions of the shapes, else their names', () => {
    const { properties } = national.components['Datensatz'] as {
      properties: Record<string, { description?: string }>
    }
    expect(properties['titel']?.description).toBe('Name of the dataset')
    expect(properties['beschreibung']?.description).toBe('Beschreibung')
    expect(properties['catalog']).toMatchObject({ $ref: '#/components/schemas/Katalog' })
  })
})
