/** What records become under foreign profiles, and that the schemas of these profiles describe it. */

import { describe, expect, test } from 'vitest'
import type { Profile } from '../../../src/profile/profile.ts'
import { loadProfile } from '../../../src/profile/load-profile.ts'
import { recordSchemas } from '../../../src/profile/record-schemas.ts'
import { documentBuilder } from '../../../src/projector/building/document.ts'
import { concepts, graph, iris } from '../../projector/built.ts'
import { faults } from '../schemas/faults.ts'

const national = await loadProfile('test/profile/foreign/national')
const custom = await loadProfile('test/profile/foreign/custom')

const builderOf = (profile: Profile) => documentBuilder({ profile, concepts, names: iris })
const about = { version: 1, hash: 'h' }

function wrong(profile: Profile, root: string, record: unknown) {
  const { roots, components } = recordSchemas(profile)
  return faults(components, roots.get(root) ?? '', record)
}

const catalogue = `c:cat a dcat:Catalog ; dct:title "Umwelt"@de ; dct:description "Daten der Umwelt"@de ;
  dct:publisher [ a foaf:Organization ; foaf:name "Umweltamt"@de ] ; dct:language eu:language\\/DEU ;
  dct:spatial eu:country\\/AUT .`

describe('a national variant', () => {
  test('makes datasets with its own fields', async () => {
    const dataset = await graph(`@prefix schema: <http://schema.org/> .
      @prefix dcatde: <http://dcat-ap.de/def/dcatde/> .
      d:x a dcat:Dataset ; schema:name "Pegel"@de ; dct:description "Stände"@de ;
        schema:identifier "p-1" ; dct:identifier "p-2" ; dcat:theme eu:data-theme\\/ENVI ;
        dct:publisher [ a foaf:Organization ; foaf:name "Wasserwerk"@de, "Water works"@en ] ;
        dct:temporal "2020-01-01/2020-12-31" ; dcatde:contributorID <https://a.example/org> ;
        dct:accrualPeriodicity eu:frequency\\/ANNUAL ;
        dcat:distribution s:1 .
      s:1 a dcat:Distribution ; dcat:downloadURL <https://a.example/csv> ; dcat:byteSize 12.5 ;
        dcat:accessService [ a dcat:DataService ; dct:title "WMS" ] .`)
    const { document, reports } = builderOf(national).dataset({
      ...about,
      id: 'x',
      iri: iris.dataset('x'),
      graph: dataset,
      catalogue: { id: 'cat', graph: await graph(catalogue) },
    })
    expect(reports).toEqual([])
    expect(document.record).toMatchObject({
      id: 'x',
      titel: { de: 'Pegel' },
      kennung: ['p-1', 'p-2'],
      kategorie: [{ id: 'ENVI' }],
      herausgeber: { type: 'Organization', name: { de: 'Wasserwerk', en: 'Water works' } },
      turnus: { id: 'ANNUAL' },
      datenbereitsteller: ['https://a.example/org'],
      ressourcen: [
        {
          id: '1',
          adresse: ['https://a.example/csv'],
          groesse: 12.5,
          dienst: [{ titel: { de: 'WMS' } }],
        },
      ],
      country: { id: 'at' },
      catalog: { id: 'cat' },
    })
    expect(wrong(national, 'dataset_hit', document.record)).toEqual([])
  })

  test('makes catalogues with its own fields', async () => {
    const { document } = builderOf(national).catalogue({
      ...about,
      id: 'cat',
      iri: iris.catalogue('cat'),
      graph: await graph(catalogue),
    })
    expect(document.record).toMatchObject({
      titel: { de: 'Umwelt' },
      ressort: { type: 'Organization', name: 'Umweltamt' },
      gebiet: [{ id: 'at' }],
    })
    expect(wrong(national, 'catalogue', document.record)).toEqual([])
  })
})

describe('custom resource types', () => {
  const [station, showcase] = custom.resources
  if (!station || !showcase) throw new Error('the profile has two types')
  const builder = builderOf(custom)

  test('become documents of their own index', async () => {
    const iri = 'http://localhost:8080/set/resource/station/ibk'
    const { document, reports } = builder.resource(station, {
      ...about,
      id: 'ibk',
      iri,
      graph: await graph(`@prefix w: <https://water.example/def#> .
        <${iri}> a w:Station ; <http://www.w3.org/2000/01/rdf-schema#label> "Innsbruck"@de ;
          w:river <https://v.example/inn> ; w:observes <https://v.example/level>, <https://v.example/flow> ;
          w:operator [ a foaf:Organization ; foaf:name "Wasserwerk" ] ; w:zero 565.3 ; w:since "1951" .`),
      catalogue: { id: 'cat', graph: await graph(catalogue) },
    })
    expect(reports).toEqual([])
    expect(document).toMatchObject({
      index: 'resource_station',
      facets: { operator: [{ id: 'Wasserwerk' }] },
    })
    expect(document.record).toEqual({
      id: 'ibk',
      resource: iri,
      title: { de: 'Innsbruck' },
      river: { id: 'inn', resource: 'https://v.example/inn' },
      observes: [
        { id: 'flow', resource: 'https://v.example/flow' },
        { id: 'level', resource: 'https://v.example/level' },
      ],
      operator: { type: 'Organization', name: 'Wasserwerk' },
      zero: 565.3,
      since: '1951-01-01T00:00:00Z',
      catalog: { id: 'cat' },
    })
    expect(wrong(custom, 'resource_station', document.record)).toEqual([])
  })

  test('without a catalogue too', async () => {
    const iri = 'http://localhost:8080/set/resource/Show-Case-2/app'
    const { document } = builder.resource(showcase, {
      ...about,
      id: 'app',
      iri,
      graph: await graph(`@prefix w: <https://water.example/def#> .
        <${iri}> a w:Showcase ; dct:title "App"@en ; w:kind <https://v.example/mobile> ;
          dct:creator [ foaf:name "Ada" ] ; foaf:page <https://a.example/about> ; w:uses d:x .`),
    })
    expect(document.record).toMatchObject({
      title: { en: 'App' },
      author: [{ name: { en: 'Ada' } }],
      page: [{ resource: 'https://a.example/about' }],
      uses: [iris.dataset('x')],
    })
    expect(document.facets).toMatchObject({ kind: [{ id: 'mobile' }] })
    expect(wrong(custom, 'resource_Show-Case-2', document.record)).toEqual([])
  })
})
