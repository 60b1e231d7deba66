/** Values that are looked up in vocabularies: rows of the mapping table. */

import { earthLabels, geospatialLabels } from '../../hvd-labels.ts'
import type { Rows } from '../mapped.ts'

const eu = (path: string) => `http://publications.europa.eu/resource/authority/${path}`
const csv = { id: 'CSV', label: 'CSV', resource: eu('file-type/CSV') }
const german = { id: 'de', label: 'German', resource: eu('language/DEU') }
const ccBy = {
  id: 'CC_BY_4_0',
  label: 'Creative Commons Attribution 4.0 International',
  resource: 'http://creativecommons.org/licenses/by/4.0/',
}
const iri = 'https://a.example/x'
const unknown = [`unknown-concept: ${iri}`]

const environment = {
  id: 'c_dd313021',
  label: earthLabels,
  resource: 'http://data.europa.eu/bna/c_dd313021',
}

const rows: Rows = {
  Theme: [
    ['<http://data.europa.eu/bna/c_dd313021>', [environment]],
    ['<https://data.europa.eu/bna/c_dd313021/>', environment, [], 1],
    ['"Kites"', [{ id: 'kites', label: { en: 'Kites' } }], ['unknown-concept: Kites']],
    ['"n/a"', undefined, ['unknown-concept: n/a']],
    [
      '[ skos:prefLabel "Drachen"@de, "Kites"@en ]',
      [{ id: 'kites', label: { de: 'Drachen', en: 'Kites' } }],
      ['unknown-concept: Kites'],
    ],
    [`<${iri}>`, [{ id: iri, label: { en: 'x' }, resource: iri }], unknown],
  ],
  Language: [
    ['eu:language\\/DEU', [german]],
    ['"deu"', [german]],
    ['"DE"', [german]],
    [
      '<http://id.loc.gov/vocabulary/iso639-1/de>',
      [{ ...german, resource: 'http://id.loc.gov/vocabulary/iso639-1/de' }],
    ],
    [
      '<http://id.loc.gov/vocabulary/iso639-2/ger>',
      [{ ...german, resource: 'http://id.loc.gov/vocabulary/iso639-2/ger' }],
    ],
    [
      '<http://lexvo.org/id/iso639-3/deu>',
      [{ ...german, resource: 'http://lexvo.org/id/iso639-3/deu' }],
    ],
    ['eu:language\\/SWA', [{ id: 'sw', label: 'Swahili', resource: eu('language/SWA') }]],
    ['"sw"', [{ id: 'sw', label: 'Swahili', resource: eu('language/SWA') }]],
    ['"ZH"', [{ id: 'zh', label: 'Chinese', resource: eu('language/ZHO') }]],
    ['"German"', [german]],
    ['"Deutsch"', [german]],
    ['"de-AT"', [german]],
    ['[ rdfs:label "German" ]', [german]],
    ['[ skos:notation "ger" ; rdfs:label "Allemand" ]', [german]],
    ['"xx"', [{ id: 'xx', label: 'xx' }], ['unknown-concept: xx']],
    [`<${iri}>`, [{ resource: iri }], unknown],
  ],
  SpatialResource: [
    ['eu:country\\/CHE', [{ id: 'ch', label: 'Switzerland', resource: eu('country/CHE') }]],
    ['eu:country\\/GRC', [{ id: 'gr', label: 'Greece', resource: eu('country/GRC') }]],
    ['eu:country\\/GBR', [{ id: 'gb', label: 'United Kingdom', resource: eu('country/GBR') }]],
    ['eu:continent\\/EUROPE', [{ id: 'eu', label: 'Europe', resource: eu('continent/EUROPE') }]],
    [
      '<http://data.europa.eu/nuts/code/DE21>',
      [{ id: 'de21', label: 'DE21', resource: 'http://data.europa.eu/nuts/code/DE21' }],
    ],
    ['eu:place\\/DEU_BER', [{ id: 'deu_ber', label: 'DEU_BER', resource: eu('place/DEU_BER') }]],
    [`<${iri}>, "Tyrol", [ ]`, [{ id: 'tyrol', label: 'Tyrol' }, { resource: iri }]],
    ['"Deutschland"', [{ id: 'de', label: 'Germany', resource: eu('country/DEU') }]],
    ['"POINT(8 50)", "8,50,9,51", "n/a"', undefined],
    [
      '[ a dct:Location ; dct:identifier eu:country\\/CHE ]',
      [{ id: 'ch', label: 'Switzerland', resource: eu('country/CHE') }],
    ],
    [
      '[ skos:notation "AT130" ; skos:prefLabel "Wien" ]',
      [{ id: 'at130', label: 'AT130', resource: 'http://data.europa.eu/nuts/code/AT130' }],
    ],
    [
      `ex:p . ex:p rdfs:label "Old town"`,
      [{ id: 'old-town', label: 'Old town', resource: 'https://a.example/p' }],
    ],
    ['[ rdfs:seeAlso <https://a.example/lake> ]', [{ resource: 'https://a.example/lake' }]],
    [
      'eu:country\\/CHE, eu:country\\/AUT',
      { id: 'at', label: 'Austria', resource: eu('country/AUT') },
      [`too-many-values: ${eu('country/CHE')}`],
      1,
    ],
  ],
  License: [
    ['<https://creativecommons.org/licenses/by/4.0/deed.de>', [ccBy]],
    ['<https://www.creativecommons.org/licenses/by/4.0/legalcode>', [ccBy]],
    ['"CC-BY 4.0"', [ccBy]],
    [
      '[ a dct:LicenseDocument ; skos:exactMatch <http://creativecommons.org/licenses/by/4.0/> ]',
      [ccBy],
    ],
    [
      '[ dct:title "City terms"@en ; dct:description "Ask first" ]',
      [{ id: 'city-terms', label: 'City terms', description: 'Ask first' }],
    ],
    [
      'ex:l . ex:l dct:identifier "L-1" ; rdfs:label "Terms"',
      [{ id: 'L-1', label: 'Terms', resource: 'https://a.example/l' }],
    ],
    [`<${iri}>`, [{ id: iri, label: iri, resource: iri }]],
    [
      '"Free for all!"',
      [{ id: 'free-for-all', label: 'Free for all!' }],
      ['unknown-concept: Free for all!'],
    ],
    ['"CC BY 4.0"', [ccBy]],
    ['[ dct:type <https://creativecommons.org/licenses/by/4.0/> ]', [ccBy]],
    ['[ rdfs:seeAlso <http://spdx.org/licenses/CC-BY-4.0.html> ]', [ccBy]],
    ['[ rdf:value "cc-by-4.0" ]', [ccBy]],
    ['ex:l . ex:l rdfs:label "CC BY 4.0"@en', [ccBy]],
    [
      '"notspecified", "k.A.", [ rdfs:label "Unknown" ], <http://www.opendefinition.org/licenses/notspecified>',
      undefined,
      ['unknown-concept', 'unknown-concept', 'unknown-concept', 'unknown-concept'],
    ],
    ['[ ]', undefined, ['unknown-concept']],
  ],
  Format: [
    ['eu:file-type\\/CSV', [csv]],
    ['<https://publications.europa.eu/resource/authority/file-type/CSV/>', [csv]],
    ['".csv"', [csv]],
    ['<https://www.iana.org/assignments/media-types/text/csv>', [csv]],
    ['"text/csv; charset=utf-8"', [csv]],
    ['"application/xml"', [{ id: 'XML', label: 'XML', resource: eu('file-type/XML') }]],
    ['"audio/unheard-of"', [{ id: 'audio/unheard-of', label: 'audio/unheard-of' }]],
    ['"Esri Shapefile"', [{ id: 'SHP', label: 'Esri Shape', resource: eu('file-type/SHP') }]],
    ['"json"', [{ id: 'JSON', label: 'JSON', resource: eu('file-type/JSON') }]],
    ['"Foo Bar"', [{ id: 'foo-bar', label: 'Foo Bar' }], ['unknown-concept: Foo Bar']],
    ['[ a dct:MediaTypeOrExtent ; rdfs:label "CSV" ]', [csv]],
    ['[ a dct:IMT ; rdf:value "text/csv" ]', [csv]],
    ['[ skos:exactMatch <http://publications.europa.eu/resource/authority/file-type/csv> ]', [csv]],
    ['ex:f . ex:f dct:title "CSV"', [csv]],
    [
      '[ skos:prefLabel "Foo Bar" ]',
      [{ id: 'foo-bar', label: 'Foo Bar' }],
      ['unknown-concept: Foo Bar'],
    ],
    [
      '<https://a.example/formats/my%20format>',
      [{ id: 'my format', label: 'my format', resource: 'https://a.example/formats/my%20format' }],
    ],
    ['[ ]', undefined, ['not-an-iri']],
  ],
  AccessRight: [
    [
      'eu:access-right\\/PUBLIC',
      { id: 'PUBLIC', label: 'public', resource: eu('access-right/PUBLIC') },
      [],
      1,
    ],
    ['"public"', { id: 'PUBLIC', label: 'public', resource: eu('access-right/PUBLIC') }, [], 1],
    [
      '"Open Access"',
      { id: 'PUBLIC', label: 'public', resource: eu('access-right/PUBLIC') },
      [],
      1,
    ],
    [
      '[ a dct:RightsStatement ; dct:type eu:access-right\\/PUBLIC ; rdfs:label "For all" ]',
      { id: 'PUBLIC', label: 'public', resource: eu('access-right/PUBLIC') },
      [],
      1,
    ],
    ['"on request"', { id: 'on-request', label: 'on request' }, ['unknown-concept: on request'], 1],
    [
      '[ rdfs:label "on request"@en ]',
      { id: 'on-request', label: 'on request' },
      ['unknown-concept: on request'],
      1,
    ],
    [`<${iri}>`, { resource: iri }, unknown, 1],
  ],
  Frequency: [
    [
      'eu:frequency\\/ANNUAL',
      { id: 'ANNUAL', label: 'annual', resource: eu('frequency/ANNUAL') },
      [],
      1,
    ],
    ['"annual"', { id: 'ANNUAL', label: 'annual', resource: eu('frequency/ANNUAL') }, [], 1],
    ['"R/P1Y"', { id: 'ANNUAL', label: 'annual', resource: eu('frequency/ANNUAL') }, [], 1],
    [
      '<http://purl.org/cld/freq/annual>',
      { id: 'ANNUAL', label: 'annual', resource: eu('frequency/ANNUAL') },
      [],
      1,
    ],
    [
      '[ a dct:Frequency ; rdfs:label "jährlich"@de ]',
      { id: 'ANNUAL', label: 'annual', resource: eu('frequency/ANNUAL') },
      [],
      1,
    ],
    [`<${iri}>`, { resource: iri }, unknown, 1],
  ],
  DatasetType: [
    [
      'eu:dataset-type\\/STATISTICAL',
      { id: 'STATISTICAL', label: 'Statistical data', resource: eu('dataset-type/STATISTICAL') },
      [],
      1,
    ],
    [
      '"statistical data"',
      { id: 'STATISTICAL', label: 'Statistical data', resource: eu('dataset-type/STATISTICAL') },
      [],
      1,
    ],
    [
      '"statistics of mine"',
      { id: 'statistics-of-mine', label: 'statistics of mine' },
      ['unknown-concept: statistics of mine'],
      1,
    ],
    [`<${iri}>`, { resource: iri }, unknown, 1],
  ],
  DistributionType: [
    [
      'eu:distribution-type\\/WEB_SERVICE',
      {
        id: 'WEB_SERVICE',
        label: 'Web service/API',
        resource: eu('distribution-type/WEB_SERVICE'),
      },
      [],
      1,
    ],
    [
      '"web_service"',
      {
        id: 'WEB_SERVICE',
        label: 'Web service/API',
        resource: eu('distribution-type/WEB_SERVICE'),
      },
      [],
      1,
    ],
    ['"other"', { id: 'other', label: 'other' }, ['unknown-concept: other'], 1],
  ],
  HvdCategory: [
    [
      '<http://data.europa.eu/bna/c_ac64a52d>',
      [
        {
          id: 'c_ac64a52d',
          label: geospatialLabels,
          resource: 'http://data.europa.eu/bna/c_ac64a52d',
        },
      ],
    ],
    [`<${iri}>`, [{ resource: iri }], unknown],
    ['"Kites"', [{ id: 'kites', label: { en: 'Kites' } }], ['unknown-concept: Kites']],
  ],
  EuroVoc: [
    [
      '<http://eurovoc.europa.eu/1754>',
      [{ resource: 'http://eurovoc.europa.eu/1754' }],
      ['unknown-concept'],
    ],
    ['"water"', [{ id: 'water', label: { en: 'water' } }], ['unknown-concept: water']],
    ['[ ]', undefined, ['unknown-concept']],
  ],
  AdmsSkos: [
    [
      '<http://purl.org/adms/status/Completed>',
      { label: 'Completed', resource: 'http://purl.org/adms/status/Completed' },
      [],
      1,
    ],
    ['"done"', { label: 'done' }, [], 1],
    [
      '[ rdfs:label "Draft" ; rdfs:seeAlso ex:draft ]',
      { label: 'Draft', resource: 'https://a.example/draft' },
      [],
      1,
    ],
    ['[ ]', undefined, ['unknown-concept'], 1],
  ],
  LabeledResource: [
    ['<https://s.example/gts>', [{ resource: 'https://s.example/gts' }]],
    ['ex:gts . ex:gts rdfs:label "GTS"', [{ label: 'GTS', resource: 'https://a.example/gts' }]],
    ['[ a dct:RightsStatement ; dct:description "Ask first"@en ]', [{ label: 'Ask first' }]],
    ['[ rdf:value "ISO 19115" ]', [{ label: 'ISO 19115' }]],
    ['[ dct:title "Norm"@de, "Standard"@en ], [ ]', [{ label: 'Standard' }], ['unknown-concept']],
  ],
  Document: [
    [
      '<https://www.iana.org/assignments/media-types/application/zip>',
      {
        label: 'application/zip',
        resource: 'https://www.iana.org/assignments/media-types/application/zip',
      },
      [],
      1,
    ],
    ['eu:file-type\\/ZIP', { label: 'ZIP', resource: eu('file-type/ZIP') }, [], 1],
    ['"zip"', { label: 'ZIP', resource: eu('file-type/ZIP') }, [], 1],
    ['[ rdf:value "application/zip" ]', { label: 'ZIP', resource: eu('file-type/ZIP') }, [], 1],
    ['"parcel"', { label: 'parcel' }, [], 1],
    ['[ ]', undefined, ['unknown-concept'], 1],
  ],
}

const alike: Rows = {
  FrequencyMultiLang: [
    ['[ ]', undefined, ['unknown-concept']],
    ['"on Sundays"', [{ id: 'on-sundays', label: { en: 'on Sundays' } }], ['unknown-concept']],
    [`<${iri}>`, { resource: iri }, unknown, 1],
  ],
  GenericSkosMultiLang: rows.HvdCategory ?? [],
}

export const conceptRows: Rows = { ...rows, ...alike }
