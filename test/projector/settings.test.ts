/** Index settings: derived from the same tree as the documents, so that no document holds what they do not name. */

import { describe, expect, test } from 'vitest'
import { loadProfile } from '../../src/profile/load-profile.ts'
import {
  checkFacets,
  defaultFacets,
  unservedFacets,
  type FacetConfig,
} from '../../src/projector/building/facets.ts'
import { indexSettings } from '../../src/projector/building/index-settings.ts'
import { smallProfile } from '../profile/small.ts'
import { catalogueOf, datasetOf, hasSamples, profile, sample } from './built.ts'

const [dataset, catalogue, vocabulary] = indexSettings(profile)

describe('the default settings', () => {
  test('name the facets in the order of the configuration', () => {
    expect(dataset?.facets.map(({ id }) => id)).toEqual(
      'dataScope is_hvd hvdCategory country catalog superCatalog categories publisher keywords scoring format license subject spatial dataServices'.split(
        ' ',
      ),
    )
    expect(catalogue?.facets.map(({ id }) => id)).toEqual(['country', 'superCatalog'])
    expect(vocabulary?.facets.map(({ id }) => id)).toEqual(['vocabulary'])
    expect(unservedFacets(profile)).toEqual([])
  })

  test('know texts, dates, numbers, flags and orders by dotted names', () => {
    const boosts = dataset?.texts.filter(({ boost, autocomplete }) => boost > 1 || autocomplete)
    expect(boosts).toEqual([
      { name: 'title', boost: 3, autocomplete: true },
      { name: 'keywords', boost: 2, autocomplete: false },
    ])
    expect(dataset?.texts.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'id',
        'description',
        'keywords',
        'distributions.title',
        'distributions.access_service.title',
      ]),
    )
    expect(dataset?.dates).toEqual([
      'distributions.issued',
      'distributions.modified',
      'issued',
      'modified',
      'temporal',
      'catalog_record.issued',
      'catalog_record.modified',
    ])
    expect(dataset?.numbers).toContain('quality_meas.scoring')
    expect(dataset?.flags).toEqual(['countryData', 'dataServices', 'is_hvd'])
    expect(dataset?.orders).toEqual(
      expect.arrayContaining(['title', 'publisher.name', 'country.id']),
    )
    expect([dataset?.boxes, catalogue?.boxes, vocabulary?.boxes]).toEqual([true, true, false])
    expect(vocabulary?.texts.map(({ name }) => name)).toEqual(['id', 'pref_label', 'alt_label'])
    expect(vocabulary?.numbers).toEqual(['resource'])
    expect(vocabulary?.texts[1]).toEqual({ name: 'pref_label', boost: 3, autocomplete: true })
  })

  test('tell where the facets of distributions stand', () => {
    const within = dataset?.facets.flatMap(({ id, within }) => (within ? [[id, within]] : []))
    expect(within).toEqual([
      ['format', { array: 'distributions', value: 'format.id' }],
      ['license', { array: 'distributions', value: 'license.id' }],
    ])
  })

  test.skipIf(!hasSamples)('no document holds a column that they do not name', async () => {
    const built = [
      await datasetOf(
        sample('worked/dataset.ttl').replaceAll(
          'https://example.org/ds/pegel',
          'http://localhost:8080/set/data/x',
        ),
      ),
      await catalogueOf(
        sample('worked/catalogue.ttl').replaceAll(
          'https://example.org/catalogue/alpine-water',
          'http://localhost:8080/id/catalogue/cat',
        ),
      ),
    ]
    for (const { document } of built) {
      const settings = document.index === 'dataset' ? dataset : catalogue
      const within = (names: Iterable<string>, known: readonly string[] = []) =>
        [...names].filter((name) => !known.includes(name))
      expect(
        within(
          Object.keys(document.text),
          settings?.texts.map(({ name }) => name),
        ),
      ).toEqual([])
      expect(
        within(
          Object.keys(document.facets),
          settings?.facets.map(({ id }) => id),
        ),
      ).toEqual([])
      expect(within(Object.keys(document.dates), settings?.dates)).toEqual([])
      expect(within(Object.keys(document.numbers), settings?.numbers)).toEqual([])
      expect(within(Object.keys(document.flags), settings?.flags)).toEqual([])
      const orders = Object.keys(document.order).map((name) => name.replace(/^title\..*/, 'title'))
      expect(within(orders, settings?.orders)).toEqual([])
    }
  })
})

test('a facet that a profile cannot feed is left out and named', async () => {
  const small = await loadProfile(await smallProfile())
  expect(indexSettings(small)[0]?.facets.map(({ id }) => id)).toEqual([
    'dataScope',
    'country',
    'catalog',
    'superCatalog',
    'scoring',
  ])
  expect(unservedFacets(small)).toEqual(
    expect.arrayContaining([
      { id: 'keywords', index: 'dataset', path: 'keywords' },
      { id: 'format', index: 'dataset', path: 'distributions.format' },
      { id: 'country', index: 'catalogue', path: 'country' },
    ]),
  )
  expect(indexSettings(small)[0]?.flags).toEqual(['countryData'])
})

describe('facets of the configuration', () => {
  const own = (facet: Partial<FacetConfig>): FacetConfig => ({
    id: 'own',
    title: 'Own',
    indices: ['dataset'],
    path: 'publisher',
    ...facet,
  })
  const chosen = defaultFacets.filter(({ id }) => id === 'catalog' || id === 'categories')

  test('choose what is shown; whatever the default ones filter by stays', () => {
    const settings = indexSettings(profile, chosen)
    const shown = settings.map(({ facets }) =>
      facets.flatMap((one) => (one.hidden ? [] : [one.id])),
    )
    expect(shown).toEqual([['catalog', 'categories'], [], []])
    const all = indexSettings(profile).map(({ facets }) => facets.map(({ id }) => id).sort())
    expect(settings.map(({ facets }) => facets.map(({ id }) => id).sort())).toEqual(all)
  })

  test('leave the vocabularies alone, whatever is called so elsewhere', () => {
    const [, , concepts] = indexSettings(profile, [own({ id: 'vocabulary' })])
    expect(concepts?.facets).toEqual([{ id: 'vocabulary', title: 'Vocabularies', hidden: true }])
  })

  test.each([
    [
      { path: 'nowhere' },
      'facets.1 (own) cannot be served: the profile has no field nowhere (dataset)',
    ],
    [{ term: 'nothing' }, 'no term "nothing" in it'],
    [{ term: '' }, 'no term "" in it'],
    [{ path: 'title', term: 'id' }, 'no term "id" in it'],
    [{ path: 'theme', indices: ['vocabulary' as const] }, '(vocabulary)'],
  ])('%j cannot be served, and that is an error with its place', (facet, message) => {
    expect(() => checkFacets(profile, [...chosen.slice(1), own(facet)])).toThrow(message)
  })

  test('may name a term of the field, or a default facet that the profile lacks', async () => {
    const small = await loadProfile(await smallProfile())
    expect(() => {
      checkFacets(profile, [own({ term: 'name' }), own({ path: 'distributions.format' })])
      checkFacets(small, defaultFacets)
    }).not.toThrow()
  })
})
