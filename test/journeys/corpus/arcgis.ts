/** Answers in the shapes of real ArcGIS Hub sites. */

import { both, json, missing, type More, type Sample } from './sample.ts'

const hubContext = {
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
  ftype: 'http://publications.europa.eu/resource/authority/file-type/',
}
const item = '0f6a3b9c2d1e4f5a8b7c6d5e4f3a2b1c'
const records = '/api/search/v1/collections/dataset/items'
const counted = (count: number) =>
  json({
    type: 'FeatureCollection',
    features: [],
    numberMatched: count,
    numberReturned: 0,
    links: [],
  })

const hub = (name: string, entry: object, { answers = {}, ...more }: More = {}): Sample => ({
  name,
  importer: 'arcgis',
  answers: {
    ...answers,
    '/api/feed/dcat-ap/2.1.1.json': json({
      '@context': hubContext,
      '@id': '{portal}',
      '@type': 'dcat:Catalog',
      'dcat:dataset': [
        {
          '@type': 'dcat:Dataset',
          '@id': `https://www.arcgis.com/home/item.html?id=${item}&sublayer=0`,
          'dct:identifier': `https://www.arcgis.com/home/item.html?id=${item}&sublayer=0`,
          'dct:title': 'Flood zones',
          'dct:description': '<p>Where it floods</p>',
          'dct:publisher': 'City GIS',
          'dct:license': 'none',
          'dcat:theme': 'geospatial',
          'dcat:distribution': [],
          ...entry,
        },
      ],
    }),
    [records]: counted(1),
    '/': missing,
    ...answers,
  },
  addresses: [],
  findings: [],
  ...more,
})
const layer = 'https://services.city.example/arcgis/rest/services/Flood/FeatureServer/0'

export const hubAnswers: readonly Sample[] = [
  hub(
    'hub-layer',
    {
      'dcat:distribution': [
        {
          '@type': 'dcat:Distribution',
          'dct:title': 'ArcGIS Hub Dataset',
          'dct:format': 'ftype:HTML',
          'dcat:accessURL': { '@id': `https://hub.city.example/datasets/${item}_0` },
        },
        {
          '@type': 'dcat:Distribution',
          'dct:title': 'ArcGIS GeoService',
          'dct:format': 'ftype:JSON',
          'dcat:accessURL': { '@id': layer },
        },
        {
          '@type': 'dcat:Distribution',
          '@id': `https://hub.city.example/datasets/${item}_0.zip?outSR=%7B%22wkid%22%3A4326%7D`,
          'dct:title': 'Shapefile',
          'dct:format': 'ftype:ZIP',
          'dcat:accessUrl': `https://hub.city.example/datasets/${item}_0.zip?outSR=%7B%22wkid%22%3A4326%7D`,
        },
      ],
    },
    {
      addresses: [
        `landingPage https://hub.city.example/datasets/${item}_0`,
        `accessURL ${layer}`,
        `accessURL https://hub.city.example/datasets/${item}_0.zip?outSR=%7B%22wkid%22%3A4326%7D`,
      ],
    },
  ),
  hub(
    'hub-plain-keys',
    {
      'dct:issued': '{{created:toISO}}',
      'dcat:contactPoint': {
        '@type': 'Contact',
        '@id': 'https://www.arcgis.com/sharing/rest/community/users/gis_1?f=json',
        'vcard:fn': 'gis_1',
        'vcard:hasEmail': 'gis@city.example',
      },
      'dct:accessRights': 'public',
      'dct:provenance': 'Drawn by hand',
      'dcat:distribution': [
        {
          title: 'CSV',
          format: 'CSV',
          accessURL: 'https://city.example/Flood.csv',
          downloadURL: 'https://city.example/Flood.csv?where=1%3D1',
          description: null,
        },
        { title: 'Nowhere', format: 'CSV', accessURL: '' },
      ],
    },
    {
      addresses: [
        'accessURL https://city.example/Flood.csv',
        'downloadURL https://city.example/Flood.csv?where=1%3D1',
      ],
      findings: ['unmapped-value dcat:distribution: Nowhere (it has no address)'],
    },
  ),
  hub(
    'hub-odd',
    {
      'dct:issued': '0001-01-01T00:00:00.000Z',
      'dct:modified': 'soon',
      'dct:description': '\\\\gis\\projects\\flood.mxd',
      'dct:spatial': { '@type': 'dct:Location', 'locn:geometry': 'POLYGON (here)' },
    },
    {
      findings: [
        'invalid-date dct:issued: 0001-01-01T00:00:00.000Z',
        'invalid-date dct:modified: soon',
        'unmapped-value dct:description: \\\\gis\\projects\\flood.mxd',
        'unmapped-value dct:spatial: POLYGON (here)',
      ],
    },
  ),
  hub(
    'hub-us',
    {},
    {
      answers: {
        '/api/feed/dcat-ap/': missing,
        '/api/feed/dcat-us/1.1.json': json({
          conformsTo: 'https://project-open-data.cio.gov/v1.1/schema',
          dataset: [
            {
              '@type': 'dcat:Dataset',
              identifier: `https://www.arcgis.com/home/item.html?id=${item}&sublayer=0`,
              title: 'Flood zones',
              accessLevel: 'public',
              landingPage: `https://hub.city.example/datasets/${item}_0`,
              distribution: [
                {
                  '@type': 'dcat:Distribution',
                  title: 'GeoJSON',
                  mediaType: 'application/vnd.geo+json',
                  accessURL: `https://hub.city.example/datasets/${item}_0.geojson?a=1&b=2`,
                },
              ],
            },
          ],
        }),
      },
      addresses: [
        `landingPage https://hub.city.example/datasets/${item}_0`,
        `accessURL https://hub.city.example/datasets/${item}_0.geojson?a=1&b=2`,
      ],
    },
  ),
  hub(
    'hub-services',
    {},
    {
      answers: {
        '/api/feed/dcat-ap/2.1.1.json': json({
          '@context': hubContext,
          'dcat:dataset': [],
          'dcat:service': [{ '@id': layer, '@type': 'dcat:DataService' }],
        }),
        [records]: counted(0),
      },
      findings: ['services-not-harvested 1'],
    },
  ),
  hub(
    'hub-records',
    {},
    {
      config: { feed: 'records' },
      answers: {
        'startindex=1&': json({
          type: 'FeatureCollection',
          numberMatched: 1,
          numberReturned: 1,
          links: [],
          features: [
            {
              id: `${item}_3`,
              type: 'Feature',
              geometry: null,
              properties: {
                title: 'Flood zones',
                snippet: 'Where it <b>floods</b>',
                tags: ['flood'],
                owner: 'gis_1',
                created: 1_580_702_706_000,
                modified: 1_767_323_045_000,
                licenseInfo: '<p>Ask first.</p>',
                url: layer,
              },
            },
          ],
        }),
      },
      addresses: [
        ...['csv', 'geojson', 'shapefile', 'kml'].flatMap((format) =>
          both(`{portal}/api/download/v1/items/${item}/${format}?layers=3`),
        ),
        `accessURL ${layer}`,
        `landingPage {portal}/datasets/${item}_3`,
      ],
    },
  ),
]
