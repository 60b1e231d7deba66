/** Profiles of other houses: a national variant of DCAT-AP, and one that adds types of records of its own. */

import { describe, expect, test } from 'vitest'
import type { Field } from '../../../src/profile/profile.ts'
import { loadProfile } from '../../../src/profile/load-profile.ts'

const national = await loadProfile('test/profile/foreign/national')
const custom = await loadProfile('test/profile/foreign/custom')
const builtIn = await loadProfile()

/** `name: Class`, `[]` behind what is an array, `!` behind what is mandatory; nested fields dotted. */
const outline = (fields: readonly Field[], inside = ''): string[] =>
  fields.flatMap(({ name, mapping, single, required, children }) => [
    `${inside}${name}: ${mapping}${single ? '' : '[]'}${required ? '!' : ''}`,
    ...outline(children, `${inside}${name}.`),
  ])

describe('a national variant', () => {
  test('loads without a warning, with what it says about itself', () => {
    expect(national).toMatchObject({
      id: 'dcat-ap-land',
      title: 'DCAT-AP.land',
      maker: 'Landesamt für Daten',
      versionInfo: '2.3-land',
      resources: [],
      warnings: [],
    })
  })

  test('gives the fields that it names', () => {
    expect(outline(national.catalogue.fields)).toEqual([
      'id: StandardText',
      'resource: StandardKeyword',
      'titel: SimpleMultiLangTitle[]!',
      'beschreibung: SimpleMultiLang[]!',
      'ressort: Agent!',
      'homepage: StandardDisabled',
      'gebiet: SpatialResource[]',
      'country: SpatialResource',
    ])
    const dataset = outline(national.dataset.fields)
    expect(dataset).toHaveLength(43)
    expect(dataset).toEqual(
      expect.arrayContaining([
        'titel: TrimmedMultiLangTitle[]!',
        'herausgeber: AgentMultiLang!',
        'turnus: FrequencyMultiLang',
        'ressourcen: Nested[]',
        'ressourcen.adresse: StandardDisabled[]!',
        'ressourcen.dienst.titel: TrimmedMultiLangTitle[]!',
        'catalog.id: StandardText!',
        'catalog_record.modified: DateTime',
      ]),
    )
  })

  test('reads a field from every path of an alternative, in a property shape with a name too', () => {
    const paths = (name: string) =>
      national.dataset.fields.find((field) => field.name === name)?.paths
    expect(paths('titel')).toEqual(['http://purl.org/dc/terms/title', 'http://schema.org/name'])
    expect(paths('kennung')).toHaveLength(3)
  })

  test('its concepts are those of the platform', () => {
    expect(national.concept).toEqual(builtIn.concept)
    expect(national.shapes).toContain('Vocable_Shape')
  })
})

describe('custom resource types', () => {
  test('stand beside the platform’s datasets and catalogues', () => {
    expect(custom.dataset).toEqual(builtIn.dataset)
    expect(custom.catalogue).toEqual(builtIn.catalogue)
    expect(custom.entries).toEqual(builtIn.entries)
    expect(custom.resources.map(({ id, inCatalogue }) => [id, inCatalogue])).toEqual([
      ['station', true],
      ['Show-Case-2', false],
    ])
    expect(custom.resources[0]).toMatchObject({
      name: 'Gauging station',
      typeUri: 'https://water.example/def#Station',
      search: {
        facetSize: 100,
        window: 10_000,
        facets: [
          { name: 'river', title: 'Rivers', path: 'river' },
          { path: 'operator.name' },
          { path: 'distributions.format' },
        ],
      },
    })
    expect(custom.resources[1]?.search).toMatchObject({ facetSize: 50, window: 2000 })
  })

  test('give the fields that their shapes name, in other files and among the platform’s', () => {
    const [station, showcase] = custom.resources.map(({ shape }) => outline(shape.fields))
    expect(station).toEqual(
      expect.arrayContaining([
        'title: SimpleMultiLangTitle[]!',
        'river: Nested',
        'river.label: SimpleMultiLang[]',
        'observes: Nested[]',
        'observes.resource: StandardKeyword',
        'distributions.access_service.license: License',
        'catalog.id: StandardText!',
      ]),
    )
    expect(showcase).toEqual([
      'id: StandardText',
      'title: MultiLangTitle[]!',
      'kind: Nested[]',
      'kind.id: StandardText',
      'kind.label: SimpleMultiLang[]',
      'kind.resource: StandardKeyword',
      'author: AgentMultiLang[]',
      'page: Page[]',
      'uses: StandardResourceKeyword[]',
    ])
  })

  test('a label that only an enrichment can fill is told', () => {
    expect(custom.warnings).toEqual([
      'concept.ttl:10, shape <https://water.example/shapes#ConceptShape>, property label: has no sh:path and nothing else fills it',
    ])
  })

  test('the shapes that are shown are the platform’s and the profile’s', () => {
    for (const name of ['StationShape', 'ConceptShape', 'Dataset_Shape', 'Vocable_Shape'])
      expect(custom.shapes).toContain(name)
  })
})
