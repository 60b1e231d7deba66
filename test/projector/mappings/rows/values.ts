/** Dates, numbers and small structures: rows of the mapping table. */

import type { Rows } from '../mapped.ts'

export const valueRows: Rows = {
  DateTime: [
    ['"2024-11-05T09:30:00+01:00"^^xsd:dateTime', '2024-11-05T08:30:00Z', [], 1],
    ['"2024-11-05 09:30"', '2024-11-05T09:30:00Z', [], 1],
    ['"2024-11-05T09:30:15.123-0230"', '2024-11-05T12:00:15Z', [], 1],
    ['"2024-11-05T24:00:00Z"', '2024-11-06T00:00:00Z', [], 1],
    ['"2024-11-05+14:00"^^xsd:date', '2024-11-05T00:00:00Z', [], 1],
    ['"2024/11/05"', '2024-11-05T00:00:00Z', [], 1],
    ['"2024-11"^^xsd:gYearMonth', '2024-11-01T00:00:00Z', [], 1],
    ['"2024"^^xsd:gYear', '2024-01-01T00:00:00Z', [], 1],
    ['"0001-01-01"', '0001-01-01T00:00:00Z', [], 1],
    ['"2023", "2024"', '2024-01-01T00:00:00Z', ['too-many-values: 2023'], 1],
    ['"2024", "2023"', ['2023-01-01T00:00:00Z', '2024-01-01T00:00:00Z']],
    ['"2024-02-30"', undefined, ['bad-date: 2024-02-30'], 1],
    ['"spring 2023"', undefined, ['bad-date: spring 2023'], 1],
    ['"05.11.2024"', undefined, ['bad-date: 05.11.2024'], 1],
    ['"20241105"', '2024-11-05T00:00:00Z', [], 1],
    ['"31.12.2024"', '2024-12-31T00:00:00Z', [], 1],
    ['"0000-01-01", "9999-12-31T23:00:00-05:00"', undefined, ['bad-date', 'bad-date'], 1],
    ['"2024-01-01T25:00:00Z", "2024-01-01T10:00:00+99:00"', undefined, ['bad-date', 'bad-date'], 1],
    ['<https://a.example/x>', undefined, ['bad-date'], 1],
  ],
  DateRange: [
    [
      '[ dcat:startDate "2020-01-01"^^xsd:date ; dcat:endDate "2021-06-22"^^xsd:date ]',
      [{ gte: '2020-01-01T00:00:00Z', lte: '2021-06-22T00:00:00Z' }],
    ],
    ['"2019-01-01/2020-12-31"', [{ gte: '2019-01-01T00:00:00Z', lte: '2020-12-31T00:00:00Z' }]],
    ['"2019/.."', [{ gte: '2019-01-01T00:00:00Z' }]],
    [
      '"start=2019-01-01; end=2020-01-01; scheme=W3C-DTF;"',
      [{ gte: '2019-01-01T00:00:00Z', lte: '2020-01-01T00:00:00Z' }],
    ],
    ['[ schema:endDate "2021" ]', [{ lte: '2021-01-01T00:00:00Z' }]],
    [
      '[ time:hasBeginning [ time:inXSDDate "2018-05-01"^^xsd:date ] ; time:hasEnd [ time:inXSDgYear "2019"^^xsd:gYear ] ]',
      [{ gte: '2018-05-01T00:00:00Z', lte: '2019-01-01T00:00:00Z' }],
    ],
    [
      '[ dcat:startDate "2020" ; dcat:endDate "soon" ]',
      [{ gte: '2020-01-01T00:00:00Z' }],
      ['bad-date: soon'],
    ],
    [
      '[ dcat:startDate "2024-12-31" ; dcat:endDate "2024-01-01" ]',
      undefined,
      ['bad-range: 2024-12-31/2024-01-01'],
    ],
    ['"2018"', [{ gte: '2018-01-01T00:00:00Z', lte: '2018-01-01T00:00:00Z' }]],
    ['"03/2020"', [{ gte: '2020-03-01T00:00:00Z', lte: '2020-03-01T00:00:00Z' }]],
    ['"2019-01-01/P1Y"', [{ gte: '2019-01-01T00:00:00Z', lte: '2019-12-31T00:00:00Z' }]],
    ['"P1Y/2019-12-31"', [{ gte: '2019-01-01T00:00:00Z', lte: '2019-12-31T00:00:00Z' }]],
    [
      '[ dcat:startDate "2020-06" ; dcat:endDate "2020" ]',
      [{ gte: '2020-06-01T00:00:00Z', lte: '2020-01-01T00:00:00Z' }],
    ],
    ['"20190101/20191231"', [{ gte: '2019-01-01T00:00:00Z', lte: '2019-12-31T00:00:00Z' }]],
    ['"2020-W05"', [{ gte: '2020-01-27T00:00:00Z', lte: '2020-02-02T00:00:00Z' }]],
    ['[ rdfs:label "2019/2020" ]', [{ gte: '2019-01-01T00:00:00Z', lte: '2020-01-01T00:00:00Z' }]],
    ['"n/a"', undefined, ['bad-date: n/a']],
    ['"R/P1D"', undefined, ['bad-date: R/P1D']],
    ['[ ]', undefined, ['bad-date']],
    ['"soon"', undefined, ['bad-date: soon']],
    [
      '"2024-01-01/2024-02-01", [ dcat:startDate "2024-01-01" ; dcat:endDate "2024-02-01T00:00:00Z" ]',
      [{ gte: '2024-01-01T00:00:00Z', lte: '2024-02-01T00:00:00Z' }],
    ],
  ],
  Integer: [
    ['"48213"^^xsd:decimal', 48213, [], 1],
    ['"1234.0"', 1234, [], 1],
    ['1.5E3', 1500, [], 1],
    ['"12 MB"', undefined, ['bad-number: 12 MB'], 1],
    ['"NaN"^^xsd:double', undefined, ['bad-number: NaN'], 1],
    ['"90071992547409930"', undefined, ['bad-number'], 1],
  ],
  Numeric: [
    ['"4.5"^^xsd:decimal', 4.5, [], 1],
    ['3, 2, 2.0', [2, 3]],
    ['3, 2', 2, ['too-many-values: 3'], 1],
    ['<https://a.example/x>', undefined, ['bad-number'], 1],
  ],
  Boolean: [
    ['"1"^^xsd:boolean', true, [], 1],
    ['false', false, [], 1],
    ['true, false', false, ['too-many-values: true'], 1],
    ['"yes"', undefined, ['bad-boolean: yes'], 1],
  ],
  Checksum: [
    [
      '[ spdx:algorithm spdx:checksumAlgorithm_sha256 ; spdx:checksumValue "b5bb" ]',
      { algorithm: 'sha256', checksum_value: 'b5bb' },
      [],
      1,
    ],
    ['[ spdx:checksumValue "b5bb" ]', { checksum_value: 'b5bb' }, [], 1],
    ['[ spdx:algorithm spdx:checksumAlgorithm_md5 ]', undefined, ['not-a-literal'], 1],
    ['"b5bb"', undefined, ['not-an-iri: b5bb'], 1],
  ],
  AdmsIdentifier: [
    [
      '<https://doi.org/10.1/x> . <https://doi.org/10.1/x> skos:notation "10.1/x"^^<http://purl.org/spar/datacite/doi>',
      [
        {
          resource: 'https://doi.org/10.1/x',
          identifier: '10.1/x',
          scheme: 'http://purl.org/spar/datacite/doi',
        },
      ],
    ],
    ['"10.1/x"', [{ identifier: '10.1/x' }]],
    ['[ skos:notation "a", "b" ]', [{ identifier: 'a' }]],
    ['[ ], [ skos:notation " " ]', undefined, ['not-a-literal', 'not-a-literal']],
  ],
  QualifiedRelation: [
    [
      '[ dct:relation <https://a.example/o> ; dcat:hadRole <https://r.example/original> ]',
      [{ relation: ['https://a.example/o'], had_role: ['https://r.example/original'] }],
    ],
    [
      '[ dcat:hadRole <https://r.example/b>, <https://r.example/a> ]',
      [{ had_role: ['https://r.example/a', 'https://r.example/b'] }],
    ],
    ['[ dct:relation "o" ]', undefined, ['not-an-iri']],
  ],
  MetadataExtension: [
    ['[ dext:isUsedBy <https://a.example/app> ]', { is_used_by: ['https://a.example/app'] }, [], 1],
    [
      '[ dext:isUsedBy "https://a.example/app"^^xsd:anyURI ]',
      { is_used_by: ['https://a.example/app'] },
      [],
      1,
    ],
    ['"x"', undefined, ['not-an-iri: x'], 1],
  ],
  Page: [
    ['<https://a.example/about>', [{ resource: 'https://a.example/about' }]],
    [
      '<https://a.example/about> . <https://a.example/about> dct:title "About"@en ; dct:format "pdf"',
      [
        {
          resource: 'https://a.example/about',
          title: { en: 'About' },
          format: {
            id: 'PDF',
            label: 'PDF',
            resource: 'http://publications.europa.eu/resource/authority/file-type/PDF',
          },
        },
      ],
    ],
    ['"https://a.example/x"', [{ resource: 'https://a.example/x' }]],
    [
      '[ rdfs:label "Handbook"@en ; foaf:page <https://a.example/handbook> ], [ rdfs:label "Notes"@en ]',
      [
        { resource: 'https://a.example/handbook', title: { en: 'Handbook' } },
        { title: { en: 'Notes' } },
      ],
    ],
    ['"not a url"', undefined, ['not-an-iri: not a url']],
    ['[ ]', undefined, ['not-an-iri']],
  ],
}
