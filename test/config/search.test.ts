/** The configuration of the search: enrichment, facets, weights, bounds, and a problem for every mistake. */

import { describe, expect, it } from 'vitest'
import { parseConfig, type Config } from '../../src/config/config.ts'
import { defaultFacets } from '../../src/projector/building/facets.ts'

const read = (value: unknown) =>
  parseConfig({ PLATFORM_SEARCH_CONFIG: JSON.stringify(value) }, defaultFacets)

function searchOf(value: unknown): Config['search'] {
  const result = read(value)
  if (!result.ok) throw new Error(result.message)
  return result.config.search
}

describe('the configuration of the search', () => {
  it('says which fields a vocabulary fills, in its order', () => {
    const publishers = { fields: ['publisher'], replacements: ['name:pref_label.en', 'id: id'] }
    const licences = {
      fields: ['license'],
      replacements: ['label:pref_label'],
      documentTypes: ['resource_service-x'],
    }
    expect(searchOf({ vocabulary: { publishers, licences } }).vocabulary).toEqual([
      {
        vocabulary: 'publishers',
        fields: ['publisher'],
        replacements: [
          { target: 'name', source: 'pref_label.en' },
          { target: 'id', source: 'id' },
        ],
        documents: ['dataset', 'catalogue'],
      },
      {
        vocabulary: 'licences',
        fields: ['license'],
        replacements: [{ target: 'label', source: 'pref_label' }],
        documents: ['resource_service-x'],
      },
    ])
  })

  it('chooses and orders facets; a name stands for a default one', () => {
    const own = {
      name: 'theme',
      path: 'categories',
      indices: ['dataset', 'resource_x'],
      aggregation_term: '',
    }
    const { facets } = searchOf({ facets: ['keywords', own, 'country'] })
    expect(facets?.map(({ id }) => id)).toEqual(['keywords', 'theme', 'country'])
    expect(facets?.[1]).toEqual({
      id: 'theme',
      title: 'theme',
      path: 'categories',
      indices: ['dataset', 'resource_x'],
      term: '',
    })
    expect(facets?.[2]).toMatchObject({ title: 'Countries', path: 'country' })
  })

  it('reads an object with the name of a default facet as that facet with other words', () => {
    const facets = [
      { name: 'catalog', title: 'Portals', path: 'catalog' },
      { name: 'superCatalog' },
      { name: 'scoring', title: 'Stars' },
      { name: 'publisher', title: 'Publishers', path: 'publisher', aggregation_term: 'name.raw' },
      { name: 'country', path: 'categories', aggregation_term: 'raw' },
    ]
    expect(searchOf({ facets }).facets).toMatchObject([
      { id: 'catalog', title: 'Portals', kind: 'catalogue', indices: ['dataset'] },
      { id: 'superCatalog', title: 'Super catalogues', path: 'is_part_of', kind: 'parent' },
      {
        id: 'scoring',
        title: 'Stars',
        kind: 'bands',
        bands: [{ id: 'excellentScoring' }, {}, {}, {}],
      },
      { id: 'publisher', term: 'name' },
      { id: 'country', title: 'country', path: 'categories', indices: ['dataset'], term: '' },
    ])
  })

  it('needs the path of a facet that is none of the default ones, and bands for bands alone', () => {
    const bands = [{ id: 'a', title: 'A', from: 1, to: 2 }]
    const result = read({ facets: [{ name: 'x' }, { name: 'y', path: 'y', bands }] })
    expect(result.ok ? '' : result.message).toMatch(
      /facets\.0\.path .* it is missing\n.*facets\.1\.bands belongs to/,
    )
  })

  it('weighs fields and bounds facets and pages', () => {
    const config = { boost: { title: 5, 'title.en': 0 }, maxAggSize: 7, maxResultWindow: 100 }
    const pages = { sitemapHours: 1, reconcileHours: 0, portal: 'https://portal.example/open/' }
    const limited = { nonCountries: ['eu', 'un'], scoreField: 'quality_meas.reuse' }
    const dateType = { dataset: 'modified', resource_x: 'temporal' }
    expect(searchOf({ ...config, ...pages, ...limited, dateType })).toEqual({
      ...limited,
      dateTypes: dateType,
      vocabulary: [],
      boosts: { title: 5, 'title.en': 0 },
      facetSize: 7,
      window: 100,
      ...pages,
    })
  })

  it('has a problem for each mistake, with the place and what would be right', () => {
    const given = {
      boosts: {},
      boost: { title: -1 },
      maxAggSize: 0,
      portal: 'portal.example',
      dateType: { dataset: 'created', theme: 'issued' },
      nonCountries: 'eu',
      scoreField: 'a b',
      vocabulary: {
        x: { fields: 'publisher', replacements: ['name'] },
        y: 3,
        z: { fields: ['a'], replacements: ['name'], documentTypes: ['vocabulary'], field: [] },
      },
      facets: ['countr', { name: '1', path: 'a b' }, { name: 'b', path: 'b', kind: 'bands' }, 5],
    }
    const result = read(given)
    const message = result.ok ? '' : result.message
    const lines = message.split('\n').slice(1)
    expect(lines.every((line) => line.startsWith('  PLATFORM_SEARCH_CONFIG: '))).toBe(true)
    expect(lines.map((line) => line.slice('  PLATFORM_SEARCH_CONFIG: '.length))).toEqual([
      'boosts is not read (did you mean boost?)',
      'facets.1.name must be letters, digits, _ and -, a letter first, got 1',
      'facets.1.path must be a field of the profile such as "distributions.format", got a b',
      'facets.2.bands must be an array such as [{"id":"good","title":"Good","from":221,"to":350}]; it is missing',
      'facets.3 must be the name of a default facet or an object such as {"name","title","path"}, got 5',
      'portal must be an http(s) address that ends in /, got portal.example',
      'dateType.dataset must be issued, modified or temporal, got created',
      'dateType.theme must be an index such as dataset, and issued, modified or temporal, got issued',
      'nonCountries must be an array of country ids such as ["eu","io"], got eu',
      'scoreField must be the path of a number such as quality_meas.scoring, got a b',
      'vocabulary.x.fields must be an array of field names such as ["publisher"], got publisher',
      'vocabulary.x.replacements.0 must be "target:source", a key of the field and a path in the concept, got name',
      'vocabulary.y must be {"fields":["publisher"],"replacements":["name:pref_label.en"],"documentTypes":["dataset"]}, got 3',
      'vocabulary.z.field is not read (did you mean fields?)',
      'vocabulary.z.replacements.0 must be "target:source", a key of the field and a path in the concept, got name',
      'vocabulary.z.documentTypes must be an array of dataset, catalogue, resource_<type>, got ["vocabulary"]',
      'boost.title must be a number of at least 0, got -1',
      'maxAggSize must be a whole number 1..10000, got 0',
      'facets names countr, which is no default facet (did you mean country?)',
    ])
  })

  it('that is no JSON object is a problem', () => {
    for (const text of ['[]', '"x"', '{']) {
      const result = parseConfig({ PLATFORM_SEARCH_CONFIG: text })
      expect(result.ok ? '' : result.message).toMatch(/PLATFORM_SEARCH_CONFIG: /)
    }
  })
})
