/** Custom resource types in the entry file: what may stand there and what may not. */

import { describe, expect, test } from 'vitest'
import { loadProfile } from '../../../src/profile/load-profile.ts'
import { directoryOf } from '../small.ts'

const shapes = `@prefix m: <urn:cartulary:profile#> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix dct: <http://purl.org/dc/terms/> . @prefix ex: <https://example.org/shapes#> .
ex:Thing a sh:NodeShape ; sh:targetClass ex:T ;
  sh:property [ sh:maxCount 1 ; m:mappingName "id" ; m:mappingClass "StandardText" ] ;
  sh:property [ sh:path dct:title ; m:mappingName "title" ; m:mappingClass "MultiLang" ] ;
  sh:property [ sh:path dct:publisher ; m:mappingName "publisher" ; m:mappingClass "Agent" ] .
ex:Nothing a sh:NodeShape ; sh:targetClass ex:T .
`

const thing = {
  id: 'thing',
  path: 'things.ttl',
  shapeUri: 'https://example.org/shapes#Thing',
  typeUri: 'https://example.org/T',
}

const load = async (...resources: readonly unknown[]) =>
  loadProfile(
    await directoryOf({
      'platform.json': JSON.stringify({ version: '1', id: 'x', resources }, null, 1),
      'things.ttl': shapes,
    }),
  )

test('what an entry may leave out', async () => {
  const { resources, warnings } = await load(thing)
  expect(resources).toEqual([
    {
      ...thing,
      name: '',
      description: '',
      inCatalogue: false,
      shape: expect.objectContaining({ iri: thing.shapeUri }) as unknown,
      search: { facetSize: 50, window: 10_000, facets: [] },
    },
  ])
  expect(warnings).toEqual([])
})

describe('facets', () => {
  const facets = (...paths: readonly string[]) =>
    load({
      ...thing,
      searchSettings: { facets: paths.map((path) => ({ name: path, title: path, path })) },
    })

  test('are fields, or what the class of a field makes', async () => {
    const { resources, warnings } = await facets('title', 'publisher', 'publisher.name')
    expect(resources[0]?.search.facets).toHaveLength(3)
    expect(warnings).toEqual([])
  })

  test('that no field can feed are left out with a warning', async () => {
    const { resources, warnings } = await facets('title', 'theme', 'publisher.age', 'title.de.x')
    expect(resources[0]?.search.facets.map(({ path }) => path)).toEqual(['title'])
    expect(warnings).toEqual(
      ['theme', 'publisher.age', 'title.de.x'].map(
        (path) =>
          `platform.json:10, property resources "thing": facet "${path}" is left out: there is no field ${path}`,
      ),
    )
  })
})

describe('what keeps a type from being used', () => {
  test.each([
    [{ id: 'no good' }, 'platform.json:6, property resources.0.id: an id is up to 64 letters'],
    [{ id: 'catalogue' }, 'platform.json:6, property resources "catalogue": is the id of a core'],
    [{ id: 'Vocabulary' }, 'platform.json:6, property resources "Vocabulary": is the id of a core'],
    [{ typeUri: 'thing' }, 'platform.json:9, property resources "thing": typeUri "thing" is no'],
    [{ typeUri: undefined }, 'platform.json:5, property resources.0.typeUri: Invalid input'],
    [
      { path: '../things.ttl' },
      'platform.json:7, property resources "thing": path "../things.ttl"',
    ],
    [
      { path: 'others.ttl' },
      'platform.json:7, property resources "thing": path "others.ttl" is no',
    ],
    [{ shapeUri: 'ex:Thing' }, 'platform.json:8, property resources "thing": shapeUri "ex:Thing"'],
    [{ inCatalogue: 'yes' }, 'platform.json:10, property resources.0.inCatalogue: Invalid input'],
    [
      { inCatalogue: true },
      'things.ttl:3, shape <https://example.org/shapes#Thing>, property catalog: is missing; it must be there with class Nested',
    ],
    [
      { shapeUri: 'https://example.org/shapes#Nothing' },
      'things.ttl:7, shape <https://example.org/shapes#Nothing>, property id: is missing',
    ],
    [
      { searchSettings: { max_agg_size: 0 } },
      'platform.json:11, property resources.0.searchSettings.max_agg_size: Too small',
    ],
  ])('%j', async (change, message) => {
    await expect(load({ ...thing, ...change })).rejects.toThrow(`\n- ${message}`)
  })

  test('one id for two, whatever the case of its letters', async () => {
    await expect(load(thing, { ...thing, id: 'THING' })).rejects.toThrow(
      '- platform.json:12, property resources "THING": is given twice',
    )
  })

  test('a list that is none', async () => {
    const directory = await directoryOf({
      'platform.json': { version: '1', id: 'x', resources: {} },
    })
    await expect(loadProfile(directory)).rejects.toThrow('property resources: Invalid input')
  })
})
