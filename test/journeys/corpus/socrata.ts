/** Answers in the shapes of real Socrata domains. */

import { both, json, missing, type More, type Sample } from './sample.ts'

type Asset = {
  readonly type?: string
  /** What `/api/views/{id}.json` answers. */
  readonly view?: object
  readonly resource?: object
  readonly metadata?: object
}

/** Socrata is asked by host: each sample has one of its own. */
const socrata = (
  name: string,
  { type = 'dataset', view, resource, ...fields }: Asset,
  { answers = {}, ...more }: More,
): Sample => {
  const id = 'abcd-0001'
  const asset = {
    classification: { categories: [], tags: [], domain_tags: ['city'], domain_metadata: [] },
    metadata: { domain: '{host}' },
    permalink: `https://data.city.example/d/${id}`,
    link: `https://data.city.example/City/Title/${id}`,
    owner: { id: 'abcd-0002', display_name: 'City Office' },
    ...fields,
    resource: {
      id,
      type,
      name: 'Title',
      description: 'About it',
      parent_fxf: [],
      createdAt: '2020-02-03T04:05:06.000Z',
      updatedAt: '2026-01-02T03:04:05.000Z',
      page_views: { page_views_total: 77 },
      columns_datatype: ['Text', 'Number'],
      ...resource,
    },
  }
  const only = `only=${type}&published=true&audience=public&limit=`
  return {
    name,
    importer: 'socrata',
    ownHost: true,
    answers: {
      ...answers,
      [`${only}1&`]: json({ results: [asset], resultSetSize: 1, timings: { serviceMillis: 3 } }),
      [`${only}100&scroll_id=${id}`]: json({ results: [], resultSetSize: 1 }),
      [`${only}100&`]: json({ results: [asset], resultSetSize: 1 }),
      '/api/catalog/v1': json({ results: [], resultSetSize: 0 }),
      ...(view && { [`/api/views/${id}.json`]: json(view) }),
      '/': missing,
    },
    addresses: [`landingPage https://data.city.example/d/${id}`],
    findings: [],
    ...more,
  }
}
const socrataPage = 'landingPage https://data.city.example/d/abcd-0001'

export const socrataAnswers: readonly Sample[] = [
  socrata(
    'socrata-table',
    { resource: { columns_datatype: ['Text', 'Point'], attribution: 'Harbour Office' } },
    {
      addresses: [
        ...both('{portal}/api/views/abcd-0001/rows.csv?accessType=DOWNLOAD'),
        'accessURL {portal}/resource/abcd-0001.json',
        ...both('{portal}/resource/abcd-0001.geojson'),
        socrataPage,
      ],
    },
  ),
  socrata(
    'socrata-file',
    { type: 'file', resource: { blob_mime_type: 'application/pdf; charset=binary' } },
    { addresses: [...both('{portal}/download/abcd-0001/application%2Fpdf'), socrataPage] },
  ),
  socrata(
    'socrata-link',
    {
      type: 'href',
      view: {
        metadata: {
          accessPoints: {
            'text/csv': 'https://gis.example/x.csv?a=1&b=2',
            'text/html': 'gis.example/x',
          },
          additionalAccessPoints: [{ title: 'More', urls: { 'application/json': '/x.json' } }],
          attachments: [{ filename: 'Read me.pdf', assetId: 'A-1', name: 'Read me' }],
        },
      },
    },
    {
      addresses: [
        'accessURL https://gis.example/x.csv?a=1&b=2',
        'accessURL https://gis.example/x',
        'accessURL {portal}/x.json',
        ...both('{portal}/api/views/abcd-0001/files/A-1?filename=Read%20me.pdf'),
        socrataPage,
      ],
      findings: ['repaired-iri dcat:accessURL: gis.example/x (became https://gis.example/x)'],
    },
  ),
  socrata(
    'socrata-odd',
    {
      type: 'file',
      resource: { blob_mime_type: null, data_updated_at: 'yesterday', publication_date: 'soon' },
      metadata: { domain: '{host}', license: 'Public Domain' },
    },
    {
      addresses: [...both('{portal}/download/abcd-0001/application%2Foctet-stream'), socrataPage],
      findings: ['invalid-date dct:issued: soon', 'invalid-date dct:modified: yesterday'],
    },
  ),
  socrata(
    'socrata-derived',
    { resource: { parent_fxf: ['abcd-0009'] } },
    {
      addresses: [],
      lost: ['skipped abcd-0001 is derived from another asset'],
    },
  ),
  socrata(
    'socrata-foreign',
    { metadata: { domain: 'data.region.example' } },
    {
      addresses: [],
      lost: ['skipped abcd-0001 belongs to another domain'],
    },
  ),
]
