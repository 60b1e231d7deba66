/** Catalogues, and resources of a custom type. */

import { expect } from 'vitest'
import { eu, type Expected } from './record.ts'

export const otherRecords: readonly Expected[] = [
  {
    name: 'a catalogue with all its fields',
    kind: 'catalogue',
    turtle: `c:cat a dcat:Catalog ; dct:title "Wasser"@de, "Water"@en ; dct:description "Alles"@de ;
      dct:publisher [ a foaf:Agent ; foaf:name "Board" ] ; dct:creator ex:maker ; dct:language lang:DEU, lang:ENG ;
      dct:license lic:CC0 ; dct:rights "all" ; dct:issued "2020-01-01"^^xsd:date ; dct:modified "2021-01-01"^^xsd:date ;
      dct:spatial country:CHE ; dct:hasPart c:inner ; dct:isPartOf c:outer ; dcat:catalog c:inner ;
      dcat:themeTaxonomy <${eu('data-theme')}> ; foaf:homepage <https://water.example/> ; dct:type "dcat-ap" ;
      dcat:dataset d:x ; dcat:record r:x .`,
    record: {
      title: { de: 'Wasser', en: 'Water' },
      description: { de: 'Alles' },
      publisher: { type: 'Agent', name: 'Board' },
      creator: { type: 'Agent', resource: 'https://a.example/maker' },
      language: [
        { id: 'de', label: 'German', resource: eu('language/DEU') },
        { id: 'en', label: 'English', resource: eu('language/ENG') },
      ],
      license: {
        id: 'CC0',
        label: 'Creative Commons CC0 1.0 Universal',
        resource: 'http://creativecommons.org/publicdomain/zero/1.0/',
      },
      rights: { label: 'all' },
      issued: '2020-01-01T00:00:00Z',
      modified: '2021-01-01T00:00:00Z',
      spatial: [],
      spatial_resource: [{ id: 'ch', label: 'Switzerland', resource: eu('country/CHE') }],
      country: { id: 'ch', label: 'Switzerland', resource: eu('country/CHE') },
      has_part: ['http://localhost:8080/id/catalogue/inner'],
      is_part_of: 'http://localhost:8080/id/catalogue/outer',
      catalog: ['http://localhost:8080/id/catalogue/inner'],
      theme_taxonomy: [eu('data-theme')],
      homepage: 'https://water.example/',
      source_type: 'dcat-ap',
    },
  },
  {
    name: 'a catalogue in which little fits',
    kind: 'catalogue',
    turtle: `c:cat dct:title "Cat", [ ] ; dct:publisher " " ; dct:language "all" ; dct:issued "2020-13-01" ;
      dct:isPartOf [ ] ; foaf:homepage [ ] .`,
    record: { title: { en: 'Cat' }, language: [{ id: 'all', label: 'all' }] },
    leftOut: [
      'title not-a-literal []',
      'description missing-mandatory ',
      'publisher missing-mandatory ',
      'language unknown-concept all',
      'issued bad-date 2020-13-01',
      'is_part_of not-an-iri []',
      'homepage not-an-iri []',
    ],
  },
  {
    name: 'a resource of a custom type',
    kind: 'thing',
    catalogue: 'c:cat a dcat:Catalog ; dct:title "K"@de ; dct:language lang:DEU .',
    turtle: `t:x a ex:Thing ; ex:title "Turm", "Tower"@en ; ex:height "4.5"^^xsd:decimal ; ex:open "1"^^xsd:boolean ;
      ex:owner [ a foaf:Organization ; foaf:name "City"@en, "Stadt"@de ], ex:other ; ex:checked freq:ANNUAL ;
      ex:part ex:b, ex:a .`,
    record: {
      title: { de: 'Turm', en: 'Tower' },
      height: 4.5,
      open: true,
      owner: [
        { type: 'Agent', resource: 'https://a.example/other' },
        { type: 'Organization', name: { de: 'Stadt', en: 'City' } },
      ],
      checked: {
        id: 'ANNUAL',
        label: expect.objectContaining({ de: 'jährlich', en: 'annual' }),
        resource: eu('frequency/ANNUAL'),
      },
      parts: [
        { id: 'a', resource: 'https://a.example/a' },
        { id: 'b', resource: 'https://a.example/b' },
      ],
      meta: {
        full_available_languages: ['de', 'en'],
        details: { de: { machine_translated: false }, en: { machine_translated: false } },
        status: 'unknown',
      },
    },
  },
  {
    name: 'a resource of a custom type in which nothing fits',
    kind: 'thing',
    turtle: `t:x ex:title <urn:x:title> ; ex:height "tall" ; ex:open "yes" ; ex:checked ex:often ; ex:part "none" .`,
    record: {
      checked: { resource: 'https://a.example/often' },
      meta: { full_available_languages: [], details: {}, status: 'unknown' },
    },
    leftOut: [
      'title not-a-literal urn:x:title',
      'title missing-mandatory ',
      'height bad-number tall',
      'open bad-boolean yes',
      'checked unknown-concept https://a.example/often',
      'parts not-an-iri none',
    ],
  },
]
