/** Records with dates, numbers, areas and what the platform itself knows. */

import { eu, type Expected } from './record.ts'

const law = '<http://data.europa.eu/eli/reg_impl/2023/138/oj>'
const score = (name: string, value: string) =>
  `[ dqv:isMeasurementOf pv:${name} ; dqv:computedOn d:x ; dqv:value ${value} ]`

export const valueRecords: readonly Expected[] = [
  {
    name: 'dates with a zone, without one, and without a day',
    kind: 'dataset',
    turtle: `d:x dct:issued "2024-11"^^xsd:gYearMonth ; dct:modified "2024-11-05T09:30:15.5+01:00"^^xsd:dateTime .`,
    record: { issued: '2024-11-01T00:00:00Z', modified: '2024-11-05T08:30:15Z' },
  },
  {
    name: 'dates that are none, and several where one is wanted',
    kind: 'dataset',
    turtle:
      'd:x dct:issued "spring 2023", "2024-02-30"^^xsd:date, "" ; dct:modified "2023", "2024/05/06" .',
    record: { modified: '2024-05-06T00:00:00Z' },
    leftOut: [
      'issued bad-date spring 2023',
      'issued bad-date 2024-02-30',
      'modified too-many-values 2023-01-01T00:00:00Z',
    ],
  },
  {
    name: 'periods in four spellings',
    kind: 'dataset',
    turtle: `d:x dct:temporal [ a dct:PeriodOfTime ; dcat:startDate "2020-01-01"^^xsd:date ; dcat:endDate "2021-06-22"^^xsd:date ],
      "2018/2019", "start=2017-01-01; end=2017-12-31;", [ schema:startDate "2022" ],
      [ time:hasBeginning [ time:inXSDDate "2016-01-01"^^xsd:date ] ; time:hasEnd [ time:inXSDDate "2016-02-01"^^xsd:date ] ] .`,
    record: {
      temporal: [
        { gte: '2016-01-01T00:00:00Z', lte: '2016-02-01T00:00:00Z' },
        { gte: '2017-01-01T00:00:00Z', lte: '2017-12-31T00:00:00Z' },
        { gte: '2018-01-01T00:00:00Z', lte: '2019-01-01T00:00:00Z' },
        { gte: '2020-01-01T00:00:00Z', lte: '2021-06-22T00:00:00Z' },
        { gte: '2022-01-01T00:00:00Z' },
      ],
    },
  },
  {
    name: 'periods that end before they begin, or half readable',
    kind: 'dataset',
    turtle: `d:x dct:temporal [ dcat:startDate "2024-12-31" ; dcat:endDate "2024-01-01" ],
      [ dcat:startDate "2020" ; dcat:endDate "soon" ] .`,
    record: { temporal: [{ gte: '2020-01-01T00:00:00Z' }] },
    leftOut: ['temporal bad-range 2024-12-31/2024-01-01', 'temporal bad-date soon'],
  },
  {
    name: 'numbers, and what only looks like them',
    kind: 'dataset',
    turtle: `d:x stat:numSeries "12 series" ; dcat:spatialResolutionInMeters "30.5"^^xsd:decimal ;
      dcat:distribution s:a, s:b . s:a dcat:byteSize "1.5E3" . s:b dcat:byteSize "12 MB" .`,
    record: {
      spatial_resolution_in_meters: 30.5,
      distributions: [
        { id: 'b', byte_size: 12_000_000 },
        { id: 'a', byte_size: 1500 },
      ],
    },
    leftOut: ['num_series bad-number 12 series', 'distributions.byte_size bad-number 12 MB'],
  },
  {
    name: 'areas in WKT, GeoJSON and GML',
    kind: 'dataset',
    turtle: `d:x dct:spatial [ dcat:bbox "POLYGON((11 47,12 47,12 48,11 48,11 47))"^^geo:wktLiteral ],
      [ locn:geometry "{\\"type\\":\\"Point\\",\\"coordinates\\":[9.50,47.1]}"^^geo:geoJSONLiteral ],
      [ geo:hasGeometry [ geo:asWKT "<http://www.opengis.net/def/crs/EPSG/0/4326> POINT(48 16)"^^geo:wktLiteral ] ],
      [ dcat:centroid "<gml:Point xmlns:gml='http://www.opengis.net/gml' srsName='EPSG:4326'><gml:pos>46 8</gml:pos></gml:Point>"^^geo:gmlLiteral ] .`,
    record: {
      spatial: [
        { type: 'Point', coordinates: [16, 48] },
        { type: 'Point', coordinates: [8, 46] },
        { type: 'Point', coordinates: [9.5, 47.1] },
        {
          type: 'Polygon',
          coordinates: [
            [
              [11, 47],
              [12, 47],
              [12, 48],
              [11, 48],
              [11, 47],
            ],
          ],
        },
      ],
    },
  },
  {
    name: 'a place by name, and one out of the world',
    kind: 'dataset',
    turtle: 'd:x dct:spatial "Tyrol", [ dcat:centroid "POINT(200 0)"^^geo:wktLiteral ] .',
    record: { spatial: [], spatial_resource: [{ id: 'tyrol', label: 'Tyrol' }] },
    leftOut: ['spatial bad-geometry POINT(200 0)'],
  },
  {
    name: 'places by IRI, all in one country',
    kind: 'dataset',
    turtle: `d:x dct:spatial country:GRC, <http://data.europa.eu/nuts/code/EL30>, place:GRC_ATH .`,
    record: {
      spatial: [],
      spatial_resource: [
        {
          id: 'el30',
          label: 'EL30',
          resource: 'http://data.europa.eu/nuts/code/EL30',
        },
        { id: 'gr', label: 'Greece', resource: eu('country/GRC') },
        { id: 'grc_ath', label: 'GRC_ATH', resource: eu('place/GRC_ATH') },
      ],
      country: { id: 'gr', label: 'Greece', resource: eu('country/GRC') },
    },
  },
  {
    name: 'the country of the catalogue, whatever the dataset covers',
    kind: 'dataset',
    catalogue: 'c:cat a dcat:Catalog ; dct:title "Cat" ; dct:spatial country:CHE .',
    turtle: 'd:x dct:spatial country:AUT, ex:valley .',
    record: {
      spatial: [],
      spatial_resource: [
        { id: 'at', label: 'Austria', resource: eu('country/AUT') },
        { resource: 'https://a.example/valley' },
      ],
      country: { id: 'ch', label: 'Switzerland', resource: eu('country/CHE') },
    },
  },
  {
    name: 'a high-value dataset',
    kind: 'dataset',
    turtle: `d:x dcatap:applicableLegislation ${law}, ex:law .`,
    record: {
      is_hvd: true,
      applicable_legislation: [
        'http://data.europa.eu/eli/reg_impl/2023/138/oj',
        'https://a.example/law',
      ],
    },
  },
  {
    name: 'scores, one of them no number',
    kind: 'dataset',
    turtle: '',
    metrics: `d:x dqv:hasQualityMeasurement ${score('scoring', '380')}, ${score('findabilityScoring', '80.0')},
      ${score('reusabilityScoring', '"good"')} .`,
    record: { quality_meas: { scoring: 380, findabilityScoring: 80 } },
    leftOut: ['quality_meas.reusabilityScoring bad-number good'],
  },
  {
    name: 'a catalogue record, and a catalogue inside another',
    kind: 'dataset',
    catalogue:
      'c:cat a dcat:Catalog ; dct:title "Cat" ; dct:type "dcat-ap" ; dct:isPartOf c:super .',
    turtle: `r:x a dcat:CatalogRecord ; foaf:primaryTopic d:x ; dct:issued "2024-01-02T03:04:05Z"^^xsd:dateTime ;
      dct:modified "2025-01-02T03:04:05Z"^^xsd:dateTime .`,
    record: {
      catalog_record: { issued: '2024-01-02T03:04:05Z', modified: '2025-01-02T03:04:05Z' },
      catalog: {
        id: 'cat',
        is_part_of: 'http://localhost:8080/id/catalogue/super',
        source_type: 'dcat-ap',
      },
    },
  },
]
