/** Records with distributions and data services. */

import { geospatialLabels } from '../hvd-labels.ts'
import { eu, type Expected } from './record.ts'

const csv = { id: 'CSV', label: 'CSV', resource: eu('file-type/CSV') }
const ccBy = {
  id: 'CC_BY_4_0',
  label: 'Creative Commons Attribution 4.0 International',
  resource: 'http://creativecommons.org/licenses/by/4.0/',
}

export const distributionRecords: readonly Expected[] = [
  {
    name: 'a distribution as most are',
    kind: 'dataset',
    turtle: `d:x dcat:distribution s:a . s:a a dcat:Distribution ; dct:title " File "@en ; dct:description "Text"@de ;
      dcat:accessURL ex:2, ex:1 ; dcat:downloadURL "https://a.example/f.csv" ; dct:format file:CSV ;
      dcat:mediaType <https://www.iana.org/assignments/media-types/text/csv> ;
      dct:license <https://creativecommons.org/licenses/by/4.0/deed.de> ; dct:rights [ rdfs:label "Ask"@en ] ;
      dcat:byteSize "48213"^^xsd:decimal ; dct:issued "2024-01-01"^^xsd:date ; dct:modified "2024-02-01"^^xsd:date ;
      spdx:checksum [ spdx:algorithm spdx:checksumAlgorithm_sha256 ; spdx:checksumValue "b5bb" ] ;
      dct:language lang:DEU ; dct:conformsTo ex:gts ; foaf:page ex:doc .`,
    record: {
      distributions: [
        {
          id: 'a',
          title: { en: 'File' },
          description: { de: 'Text' },
          access_url: ['https://a.example/1', 'https://a.example/2'],
          download_url: ['https://a.example/f.csv'],
          format: csv,
          media_type: 'text/csv',
          license: ccBy,
          rights: { label: 'Ask' },
          byte_size: 48213,
          checksum: { algorithm: 'sha256', checksum_value: 'b5bb' },
          issued: '2024-01-01T00:00:00Z',
          modified: '2024-02-01T00:00:00Z',
          language: [{ id: 'de', label: 'German', resource: eu('language/DEU') }],
          conforms_to: [{ resource: 'https://a.example/gts' }],
          page: [{ resource: 'https://a.example/doc' }],
        },
      ],
    },
  },
  {
    name: 'a distribution with what DCAT-AP 3 added',
    kind: 'dataset',
    turtle: `d:x dcat:distribution s:a . s:a adms:status <http://purl.org/adms/status/Completed> ;
      dcatap:availability <${eu('planned-availability/STABLE')}> ; odrl:hasPolicy ex:policy ;
      dcat:compressFormat <https://www.iana.org/assignments/media-types/application/zip> ; dcat:packageFormat "tar" ;
      dct:type <${eu('distribution-type/DOWNLOADABLE_FILE')}> ; dcat:temporalResolution "PT1H"^^xsd:duration ;
      dcat:spatialResolutionInMeters 10 ; dcatap:applicableLegislation ex:law .`,
    record: {
      distributions: [
        {
          id: 'a',
          status: { label: 'Completed', resource: 'http://purl.org/adms/status/Completed' },
          availability: { label: 'stable', resource: eu('planned-availability/STABLE') },
          has_policy: 'https://a.example/policy',
          compress_format: {
            label: 'application/zip',
            resource: 'https://www.iana.org/assignments/media-types/application/zip',
          },
          package_format: { label: 'TAR', resource: eu('file-type/TAR') },
          type: {
            id: 'DOWNLOADABLE_FILE',
            label: 'Downloadable file',
            resource: eu('distribution-type/DOWNLOADABLE_FILE'),
          },
          temporal_resolution: 'PT1H',
          spatial_resolution_in_meters: 10,
          applicable_legislation: ['https://a.example/law'],
        },
      ],
    },
  },
  {
    name: 'a distribution in which nothing fits, and one that is a text',
    kind: 'dataset',
    turtle: `d:x dcat:distribution s:a, "file.csv", [ ] . s:a dct:title <urn:x:t> ; dcat:accessURL [ ] ; dct:format [ ] ;
      dcat:mediaType [ ] ; dct:license [ ] ; spdx:checksum "b5bb", [ spdx:algorithm spdx:checksumAlgorithm_md5 ] ;
      adms:status [ ] ; dct:type "mine" ; dct:issued "later" ; foaf:page "page 3" ; dcat:packageFormat [ ] .`,
    record: { distributions: [{ id: 'a', type: { id: 'mine', label: 'mine' } }] },
    leftOut: [
      'distributions not-an-iri file.csv',
      'distributions.title not-a-literal urn:x:t',
      'distributions.access_url not-an-iri []',
      'distributions.format not-an-iri []',
      'distributions.media_type bad-media-type []',
      'distributions.license unknown-concept []',
      'distributions.checksum not-an-iri b5bb',
      'distributions.checksum not-a-literal []',
      'distributions.issued bad-date later',
      'distributions.page not-an-iri page 3',
      'distributions.status unknown-concept []',
      'distributions.package_format unknown-concept []',
      'distributions.type unknown-concept mine',
    ],
  },
  {
    name: 'licences in many words',
    kind: 'dataset',
    turtle: `d:x dcat:distribution s:a, s:b, s:c, s:d, s:e . s:a dct:license lic:CC_BY_4_0 . s:b dct:license "CC-BY 4.0" .
      s:c dct:license ex:terms . s:d dct:license "Free for all!" .
      s:e dct:license [ a dct:LicenseDocument ; dct:title "City terms"@en ; dct:description "Ask first" ] .`,
    record: {
      distributions: [
        { id: 'a', license: ccBy },
        { id: 'b', license: ccBy },
        {
          id: 'e',
          license: { id: 'city-terms', label: 'City terms', description: 'Ask first' },
        },
        { id: 'd', license: { id: 'free-for-all', label: 'Free for all!' } },
        {
          id: 'c',
          license: {
            id: 'https://a.example/terms',
            label: 'https://a.example/terms',
            resource: 'https://a.example/terms',
          },
        },
      ],
    },
    leftOut: ['distributions.license unknown-concept Free for all!'],
  },
  {
    name: 'licence and rights of the dataset, for distributions that say nothing themselves',
    kind: 'dataset',
    turtle: `d:x dct:license lic:CC_BY_4_0 ; dct:rights "Free to use"@en ; dcat:distribution s:a, s:b, s:c .
      s:a dct:title "A"@en . s:b dct:title "B"@en ; dct:license "notspecified" ; dct:rights ex:own .
      s:c dct:title "C"@en ; dct:license ex:terms .`,
    record: {
      license: ccBy,
      rights: { label: 'Free to use' },
      distributions: [
        {
          id: 'a',
          title: { en: 'A' },
          license: { ...ccBy, inherited: true },
          rights: { label: 'Free to use', inherited: true },
        },
        {
          id: 'b',
          title: { en: 'B' },
          license: { ...ccBy, inherited: true },
          rights: { resource: 'https://a.example/own' },
        },
        {
          id: 'c',
          title: { en: 'C' },
          license: {
            id: 'https://a.example/terms',
            label: 'https://a.example/terms',
            resource: 'https://a.example/terms',
          },
          rights: { label: 'Free to use', inherited: true },
        },
      ],
    },
    leftOut: ['distributions.license unknown-concept notspecified'],
  },
  {
    name: 'sizes as people write them, and one that is none',
    kind: 'dataset',
    turtle: `d:x dcat:distribution s:a, s:b, s:c, s:d . s:a dct:title "A"@en ; dcat:byteSize "-1"^^xsd:integer .
      s:b dct:title "B"@en ; dcat:byteSize "15.8 MB" . s:c dct:title "C"@en ; dcat:byteSize "1.234.567" .
      s:d dct:title "D"@en ; dcat:byteSize "0"^^xsd:nonNegativeInteger .`,
    record: {
      distributions: [
        { id: 'a', title: { en: 'A' } },
        { id: 'b', title: { en: 'B' }, byte_size: 15_800_000 },
        { id: 'c', title: { en: 'C' }, byte_size: 1_234_567 },
        { id: 'd', title: { en: 'D' }, byte_size: 0 },
      ],
    },
    leftOut: ['-1', '15.8 MB', '1.234.567'].map(
      (text) => `distributions.byte_size bad-number ${text}`,
    ),
  },
  {
    name: 'formats in many words',
    kind: 'dataset',
    turtle: `d:x dcat:distribution s:a, s:b, s:c, s:d, s:e . s:a dct:format ".csv" . s:b dct:format "text/csv; charset=utf-8" .
      s:c dct:format "Esri Shapefile" . s:d dct:format "Foo Bar" . s:e dct:format ex:custom .`,
    record: {
      distributions: [
        { id: 'a', format: csv },
        { id: 'b', format: csv },
        { id: 'c', format: { id: 'SHP', label: 'Esri Shape', resource: eu('file-type/SHP') } },
        {
          id: 'e',
          format: { id: 'custom', label: 'custom', resource: 'https://a.example/custom' },
        },
        { id: 'd', format: { id: 'foo-bar', label: 'Foo Bar' } },
      ],
    },
    leftOut: ['distributions.format unknown-concept Foo Bar'],
  },
  {
    name: 'distributions by format, title and the rest, whatever their IRIs are',
    kind: 'dataset',
    turtle: `d:x dcat:distribution s:a, s:b, s:c, s:d, s:e . s:e dct:format "PDF" ; dct:title "A"@en . s:d dct:format "CSV" ;
      dct:title "2023"@en . s:c dct:format "CSV" ; dct:title "2022"@en ; dcat:byteSize 9 . s:b dct:format "CSV" ;
      dct:title "2022"@en ; dcat:byteSize 10 . s:a dct:title "A"@en .`,
    record: {
      distributions: [
        { id: 'b', format: csv, title: { en: '2022' }, byte_size: 10 },
        { id: 'c', format: csv, title: { en: '2022' }, byte_size: 9 },
        { id: 'd', format: csv, title: { en: '2023' } },
        {
          id: 'e',
          format: { id: 'PDF', label: 'PDF', resource: eu('file-type/PDF') },
          title: { en: 'A' },
        },
        { id: 'a', title: { en: 'A' } },
      ],
    },
  },
  {
    name: 'a distribution behind a data service',
    kind: 'dataset',
    turtle: `d:x dcat:distribution s:a . s:a dcat:accessService ex:api . ex:api a dcat:DataService ; dct:title "API"@en ;
      dct:description "Ask it"@en ; dcat:endpointURL <https://api.example/> ; dcat:endpointDescription ex:openapi ;
      dcat:servesDataset d:x, "this" ; dct:license lic:CC_BY_4_0 ; dct:accessRights right:PUBLIC ;
      dct:rights ex:rights ; dcat:contactPoint [ vcard:fn "Desk" ] ; foaf:page ex:docs ;
      dcatap:hvdCategory <http://data.europa.eu/bna/c_ac64a52d>, ex:cat ; dcatap:applicableLegislation ex:law .`,
    record: {
      distributions: [
        {
          id: 'a',
          access_service: [
            {
              title: { en: 'API' },
              description: { en: 'Ask it' },
              endpoint_url: ['https://api.example/'],
              endpoint_description: ['https://a.example/openapi'],
              serves_dataset: ['http://localhost:8080/set/data/x'],
              license: ccBy,
              access_right: { label: 'public', resource: eu('access-right/PUBLIC') },
              rights: [{ resource: 'https://a.example/rights' }],
              contact_point: [{ type: 'Kind', name: 'Desk' }],
              page: [{ resource: 'https://a.example/docs' }],
              hvd_category: [
                {
                  id: 'c_ac64a52d',
                  label: geospatialLabels,
                  resource: 'http://data.europa.eu/bna/c_ac64a52d',
                },
                { resource: 'https://a.example/cat' },
              ],
              applicable_legislation: ['https://a.example/law'],
            },
          ],
        },
      ],
    },
    leftOut: [
      'distributions.access_service.serves_dataset not-an-iri this',
      'distributions.access_service.hvd_category unknown-concept https://a.example/cat',
    ],
  },
]
