/** Agents, contact points, objects, areas and what the platform computes: rows of the mapping table. */

import type { Rows } from '../mapped.ts'

const point = { type: 'Point', coordinates: [11, 47.5] }
const score = (name: string, value: string, more = '') =>
  `"" . ex:record dqv:hasQualityMeasurement [ dqv:isMeasurementOf <https://piveau.eu/ns/voc#${name}> ; dqv:value ${value} ${more} ]`

export const structureRows: Rows = {
  Agent: [
    [
      '[ a foaf:Organization ; foaf:name "City"@en ]',
      { type: 'Organization', name: 'City' },
      [],
      1,
    ],
    ['"City of Example"', { type: 'Agent', name: 'City of Example' }, [], 1],
    ['<https://a.example/x>', { type: 'Agent', resource: 'https://a.example/x' }, [], 1],
    [
      'ex:a . ex:a a schema:Person ; schema:name "Ada" ; schema:email "ada@a.example" ; schema:url "https://ada.example/"',
      {
        type: 'Person',
        name: 'Ada',
        email: 'mailto:ada@a.example',
        homepage: 'https://ada.example/',
        resource: 'https://a.example/a',
      },
      [],
      1,
    ],
    [
      '[ foaf:name "Stadt"@de, "Ville"@fr ]',
      { type: 'Agent', name: 'Stadt', name_translated: { de: 'Stadt', fr: 'Ville' } },
      [],
      1,
    ],
    [
      '[ a vcard:Individual ; vcard:fn "Bo" ; vcard:hasEmail [ vcard:hasValue <mailto:b@a.example> ] ]',
      { type: 'Person', name: 'Bo', email: 'mailto:b@a.example' },
      [],
      1,
    ],
    [
      'ex:a . ex:a a org:Organization ; rdfs:label "Board"@en ; foaf:workplaceHomepage <https://b.example/>',
      {
        type: 'Organization',
        name: 'Board',
        homepage: 'https://b.example/',
        resource: 'https://a.example/a',
      },
      [],
      1,
    ],
    [
      'ex:b, ex:a',
      { type: 'Agent', resource: 'https://a.example/a' },
      ['too-many-values: https://a.example/b'],
      1,
    ],
    [
      '[ foaf:name "City" ; foaf:homepage "www.city.example", "" ]',
      { type: 'Agent', name: 'City' },
      ['field.homepage not-an-iri: www.city.example'],
      1,
    ],
    ['[ ]', undefined],
    ['" "', undefined],
  ],
  AgentMultiLang: [
    [
      '[ a foaf:Organization ; foaf:name "City"@en, "Stadt"@de ]',
      { type: 'Organization', name: { de: 'Stadt', en: 'City' } },
      [],
      1,
    ],
    ['"Ville"', [{ type: 'Agent', name: { en: 'Ville' } }]],
    ['<https://a.example/x>', [{ type: 'Agent', resource: 'https://a.example/x' }]],
    [
      '[ foaf:name "City" ; foaf:homepage <mailto:c@a.example> ]',
      [{ type: 'Agent', name: { en: 'City' } }],
      ['field.homepage not-an-iri: mailto:c@a.example'],
    ],
  ],
  ContactPoint: [
    [
      '[ a vcard:Individual ; vcard:given-name "Ada" ; vcard:family-name "L" ; vcard:hasAddress "Uferweg 3" ]',
      [{ type: 'Individual', name: 'Ada L', address: 'Uferweg 3' }],
    ],
    [
      '[ a vcard:Kind, vcard:Group ; vcard:fn "Desk" ; vcard:tel "+43 512" ; vcard:url <https://a.example/>, "x" ]',
      [{ type: 'Group', name: 'Desk', telephone: '+43 512', url: ['https://a.example/'] }],
    ],
    [
      '[ a foaf:Organization ; foaf:name "Office" ; foaf:mbox <mailto:o@a.example> ]',
      [{ type: 'Organization', name: 'Office', email: 'mailto:o@a.example' }],
    ],
    [
      '<https://a.example/c>, "call us", ""',
      [
        { type: 'Kind', name: 'call us' },
        { type: 'Kind', resource: 'https://a.example/c' },
      ],
    ],
    ['[ ]', undefined, ['not-an-iri']],
    ['"desk@a.example"', [{ type: 'Kind', email: 'mailto:desk@a.example' }]],
    [
      '"Jane Doe <jane@a.example>"',
      [{ type: 'Kind', name: 'Jane Doe', email: 'mailto:jane@a.example' }],
    ],
    [
      '<mailto:desk@a.example>, <tel:+49301234>, "https://a.example/form"',
      [
        { type: 'Kind', url: ['https://a.example/form'] },
        { type: 'Kind', email: 'mailto:desk@a.example', resource: 'mailto:desk@a.example' },
        { type: 'Kind', telephone: 'tel:+49301234', resource: 'tel:+49301234' },
      ],
    ],
    [
      '[ a vcard:Kind ; vcard:hasEmail "desk@a.example" ]',
      [{ type: 'Kind', email: 'mailto:desk@a.example' }],
    ],
  ],
  Nested: [
    [
      'ex:b, ex:a . ex:a dct:title "A"@en . ex:b dcat:byteSize 3',
      [
        { id: 'a', title: { en: 'A' } },
        { id: 'b', size: 3 },
      ],
    ],
    ['[ dct:title "T" ]', { title: { en: 'T' } }, [], 1],
    ['ex:undescribed', [{ id: 'undescribed' }]],
    ['[ ]', undefined],
    ['"text", ""', undefined, ['not-an-iri: text']],
    [
      '[ dcat:byteSize "large" ; dct:title "T" ]',
      [{ title: { en: 'T' } }],
      ['field.size bad-number: large'],
    ],
  ],
  Metrics: [
    [score('scoring', '380'), { scoring: 380 }],
    [
      `${score('scoring', '100')} , [ dqv:isMeasurementOf <https://piveau.eu/ns/voc#findabilityScoring> ; dqv:value "80.0" ]`,
      { scoring: 100, findabilityScoring: 80 },
    ],
    [score('other', '1'), undefined],
    [score('scoring', '"high"'), undefined, ['field.scoring bad-number: high']],
  ],
  Spatial: [
    ['[ dcat:centroid "POINT(11 47.5)"^^geo:wktLiteral ]', [point]],
    ['"POINT(11 47.5)"^^geo:wktLiteral', [point]],
    [
      '[ locn:geometry "{\\"type\\":\\"Point\\",\\"coordinates\\":[11,47.50]}"^^geo:geoJSONLiteral ; dcat:bbox "POINT(1 1)" ]',
      [point],
    ],
    [
      '[ geo:hasGeometry [ geo:asWKT "<http://www.opengis.net/def/crs/EPSG/0/4326> POINT(47.5 11)" ] ]',
      [point],
    ],
    ['<https://a.example/place>', []],
    ['"Tyrol"', []],
    ['"POINT(200 0)"', [], ['bad-geometry: POINT(200 0)']],
  ],
  TranslationMeta: [
    [
      '"Wasser"@de, "Agua"@es-t-de-t0-mtec',
      {
        full_available_languages: ['de', 'es'],
        details: {
          de: { machine_translated: false },
          es: { machine_translated: true, original_language: 'de' },
        },
        status: 'unknown',
      },
    ],
    [
      '"a"@de-AT, "b"@de-CH, "c"',
      {
        full_available_languages: ['de', 'en'],
        details: { de: { machine_translated: false }, en: { machine_translated: false } },
        status: 'unknown',
      },
    ],
    [
      '[ ], <https://a.example/x>',
      { full_available_languages: [], details: {}, status: 'unknown' },
    ],
  ],
}
