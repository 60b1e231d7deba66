/** Records of custom types: documents, facets, settings, and what they follow from. */

import { describe, expect, test } from 'vitest'
import type { Field, Profile } from '../../src/profile/profile.ts'
import {
  defaultFacets,
  unservedFacets,
  type FacetConfig,
} from '../../src/projector/building/facets.ts'
import { documentBuilder } from '../../src/projector/building/document.ts'
import { indexNames, indexSettings } from '../../src/projector/building/index-settings.ts'
import { graphOf } from '../../src/rdf/read.ts'
import { concepts, iris, profile } from './built.ts'
import { field } from './mappings/mapped.ts'
import { builder, quadsOf, thing, withThings } from './records/record.ts'

const turtle = `t:x ex:title "Tower"@en ; ex:open true ; ex:checked freq:ANNUAL ; ex:height 4 ;
  ex:owner [ a foaf:Organization ; foaf:name "City"@en, "Stadt"@de ], ex:other .`

async function thingOf(text: string, catalogue?: string) {
  const around = catalogue && { id: 'cat', graph: graphOf(await quadsOf(catalogue)) }
  return builder.resource(thing, {
    id: 'x',
    iri: iris.resource('thing', 'x'),
    version: 3,
    hash: 'h',
    graph: graphOf(await quadsOf(text)),
    ...(around && { catalogue: around }),
  })
}

describe('a resource of a custom type', () => {
  test('has an index of its own, with facets from the settings of its type', async () => {
    const { document } = await thingOf(turtle, 'c:cat dct:title "Katalog"@de .')
    expect(document).toMatchObject({ index: 'resource_thing', id: 'x', version: 3, hash: 'h' })
    expect(document.facets).toEqual({
      checked: [{ id: 'ANNUAL', title: 'annual' }],
      home: [{ id: 'cat', title: 'Katalog' }],
      open: [{ id: 'true', title: 'true' }],
      owner: [
        { id: 'https://a.example/other', title: 'https://a.example/other' },
        { id: 'City', title: 'City' },
      ],
    })
    expect(document.numbers).toEqual({ height: 4 })
    expect(document.flags).toMatchObject({ open: true })
    expect(document.text['title']).toEqual({ en: ['Tower'] })
  })

  test('may stand in no catalogue, and has English as its default language then', async () => {
    const { document, reports } = await thingOf('t:x ex:title "Tower" .')
    expect(document.record).toEqual({
      id: 'x',
      title: { en: 'Tower' },
      meta: expect.objectContaining({ full_available_languages: ['en'] }),
    })
    expect(document.facets).toEqual({})
    expect(reports).toEqual([])
  })
})

describe('the settings', () => {
  const settings = indexSettings(withThings)
  const things = settings.find(({ index }) => index === 'resource_thing')

  test('are one per index, custom types last', () => {
    expect(settings.map(({ index }) => index)).toEqual(indexNames(withThings))
    expect(indexNames(withThings)).toEqual(['dataset', 'catalogue', 'vocabulary', 'resource_thing'])
  })

  test('name the columns of a custom type', () => {
    expect(things).toMatchObject({
      facets: ['owner', 'checked', 'open', 'home'].map((id) => expect.objectContaining({ id })),
      numbers: ['height'],
      flags: ['open'],
      boxes: false,
    })
    expect(things?.orders).toContain('title')
  })

  test('leave out facets without a field, and these are named', () => {
    expect(unservedFacets(withThings)).toEqual([
      { id: 'lost', index: 'resource_thing', path: 'nowhere' },
    ])
  })

  test('have an order of facets that a deployment may change', () => {
    const chosen: readonly FacetConfig[] = [
      { id: 'theme', title: 'Themes', indices: ['dataset'], path: 'categories.id' },
      { id: 'owner', title: 'Owners', indices: ['dataset'], path: 'publisher.name.raw' },
      { id: 'standard', title: 'Standards', indices: ['dataset'], path: 'conforms_to' },
      { id: 'bad', title: 'Bad', indices: ['dataset'], path: 'publisher.name.first.letter' },
    ]
    const [settings] = indexSettings(profile, chosen)
    const shown = settings?.facets.filter(({ hidden }) => hidden !== true)
    expect(shown?.map(({ id }) => id)).toEqual(['theme', 'owner', 'standard'])
  })
})

describe('a facet of a deployment', () => {
  const idsAt = async (path: string) => {
    const facets: readonly FacetConfig[] = [{ id: 'f', title: 'F', indices: ['dataset'], path }]
    const own =
      await quadsOf(`d:x dct:publisher [ a foaf:Organization ; foaf:name "City"@en ] ; dct:title "T"@de ;
      dct:conformsTo ex:norm, [ dct:title "Own" ] ; dct:identifier "7" ; dct:type kind:STATISTICAL ;
      dcat:qualifiedRelation [ dct:relation ex:b, ex:a ] ; dcat:distribution s:a, s:b .
      s:a dcat:mediaType "text/csv" . s:b dcat:mediaType "text/csv" .`)
    const { document } = documentBuilder({ profile, concepts, names: iris, facets }).dataset({
      id: 'x',
      iri: iris.dataset('x'),
      version: 1,
      hash: 'h',
      graph: graphOf(own),
      catalogue: { id: 'cat', graph: graphOf([]) },
    })
    return document.facets['f']?.map(({ id, title }) => (id === title ? id : `${id} ${title}`))
  }

  test.each([
    ['identifier', ['7']],
    ['publisher', ['City']],
    ['publisher.name', ['City']],
    ['publisher.name.raw', ['City']],
    ['publisher.type', ['Organization']],
    ['conforms_to', ['Own', 'https://a.example/norm']],
    ['conforms_to.label', ['Own']],
    ['type', ['STATISTICAL Statistical data']],
    ['type.id', ['STATISTICAL Statistical data']],
    ['distributions.media_type', ['text/csv']],
    ['distributions.id', ['a', 'b']],
    ['qualified_relation.relation', ['https://a.example/a', 'https://a.example/b']],
    ['translation_meta.full_available_languages', ['de']],
    ['publisher.age', undefined],
    ['nowhere', undefined],
  ])('at %s counts %j', async (path, ids) => {
    expect(await idsAt(path)).toEqual(ids)
  })
})

describe('the basis of an index', () => {
  const bases = (of: Profile, ...more: [(readonly FacetConfig[])?, (readonly unknown[])?]) =>
    new Map(indexSettings(of, ...more).map(({ index, basis }) => [index, basis]))
  const before = bases(withThings)
  const changed = (after: ReadonlyMap<string, string>) =>
    [...before].filter(([index, basis]) => after.get(index) !== basis).map(([index]) => index)
  const withField = (name: 'dataset' | 'catalogue' | 'concept', one: Field): Profile => ({
    ...withThings,
    [name]: { ...withThings[name], fields: [...withThings[name].fields, one] },
  })

  test('stays as long as nothing changes that documents follow from', () => {
    expect(changed(bases({ ...withThings, title: 'Other', description: 'Other' }))).toEqual([])
    const retitled = defaultFacets.map((facet) => ({ ...facet, title: `${facet.title}!` }))
    expect(changed(bases(withThings, retitled))).toEqual([])
  })

  test('is another one for the indices that a field stands in', () => {
    const more = field('more', 'StandardText', { paths: ['urn:x:more'] })
    expect(changed(bases(withField('dataset', more)))).toEqual(['dataset'])
    expect(changed(bases(withField('concept', more)))).toEqual(['vocabulary'])
    expect(changed(bases(withField('catalogue', more)))).toEqual([
      'dataset',
      'catalogue',
      'resource_thing',
    ])
  })

  test('is another one when a field is read from elsewhere, though the columns stay', () => {
    const fields = withThings.dataset.fields.map((one) =>
      one.name === 'identifier' ? { ...one, paths: ['urn:x:id'] } : one,
    )
    const other = { ...withThings, dataset: { ...withThings.dataset, fields } }
    expect(changed(bases(other))).toEqual(['dataset'])
  })

  test('is another one with other facets or other rules of enrichment', () => {
    const fewer = defaultFacets.filter(({ id }) => id !== 'keywords')
    expect(changed(bases(withThings, fewer))).toEqual(['dataset'])
    expect(changed(bases(withThings, undefined, [{ vocabulary: 'v' }]))).toEqual([
      'dataset',
      'catalogue',
      'resource_thing',
    ])
  })
})
