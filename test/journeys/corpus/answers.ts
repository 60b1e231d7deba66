/** Answers in the shapes of real portals: CKAN, DKAN 1 and data.json. */

import { both, json, missing, type More, type Sample } from './sample.ts'

const ckan = (name: string, fields: object, more: More = {}): Sample => ({
  name,
  importer: 'ckan',
  answers: {
    '&start=0&': json({
      success: true,
      result: {
        count: 1,
        results: [{ id: `${name}-id`, name, title: 'Title', type: 'dataset', ...fields }],
      },
    }),
    '/api/3/action/package_search': json({ success: true, result: { count: 1, results: [] } }),
    '/': missing,
  },
  addresses: [],
  findings: [],
  ...more,
})
const resource = (url: string, more: object = {}) => ({ id: 'r1', name: 'File', url, ...more })

const page = (name: string) => `landingPage {portal}/dataset/${name}`

const ckanAnswers: readonly Sample[] = [
  ckan(
    'ckan-plain',
    { resources: [resource('https://city.example/a.csv', { format: 'CSV' })] },
    { addresses: [...both('https://city.example/a.csv'), page('ckan-plain')] },
  ),
  ckan(
    'ckan-download',
    {
      url: 'https://city.example/about',
      resources: [
        resource('https://city.example/view', { download_url: 'https://city.example/get?f=1&g=2' }),
      ],
    },
    {
      addresses: [
        'accessURL https://city.example/view',
        'downloadURL https://city.example/get?f=1&g=2',
        'landingPage https://city.example/about',
      ],
    },
  ),
  ckan(
    'ckan-publisher',
    {
      publisher_uri: 'Harbour Office',
      publisher_email: 'a@port.example',
      organization: { title: 'Port', name: 'port' },
      resources: [resource('https://city.example/p.csv')],
    },
    { addresses: [...both('https://city.example/p.csv'), page('ckan-publisher')] },
  ),
  ckan(
    'ckan-no-address',
    { resources: [resource('see the office')] },
    {
      addresses: [page('ckan-no-address')],
      findings: ['dropped-url dcat:accessURL: see the office'],
    },
  ),
  ckan(
    'ckan-upper-case',
    { resources: [resource('HTTPS://City.Example/A b/Ü.CSV')] },
    {
      addresses: [...both('HTTPS://City.Example/A%20b/Ü.CSV'), page('ckan-upper-case')],
      findings: [
        'repaired-iri dcat:accessURL: HTTPS://City.Example/A b/Ü.CSV (became HTTPS://City.Example/A%20b/Ü.CSV)',
        'repaired-iri dcat:downloadURL: HTTPS://City.Example/A b/Ü.CSV (became HTTPS://City.Example/A%20b/Ü.CSV)',
      ],
    },
  ),
  ckan(
    'ckan-group',
    { groups: [{ title: 'Economy', name: 'economy' }], resources: [] },
    { addresses: [page('ckan-group')] },
  ),
  ckan(
    'ckan-licence',
    {
      license_title: '<p>See <a href="https://creativecommons.org/licenses/by/4.0/">here</a></p>',
      resources: [resource('https://city.example/l.csv')],
    },
    { addresses: [...both('https://city.example/l.csv'), page('ckan-licence')] },
  ),
  ckan(
    'ckan-html',
    {
      notes: '<p>&Oacute;rg&atilde;o &scaron; <b title="a > b">x</b></p>',
      resources: [resource('https://city.example/h.csv', { description: '<i>h</i>' })],
    },
    { addresses: [...both('https://city.example/h.csv'), page('ckan-html')] },
  ),
  ckan(
    'ckan-dates',
    { metadata_modified: 'soon', metadata_created: '2024-01-02T03:04:05', resources: [] },
    { addresses: [page('ckan-dates')], findings: ['invalid-date dct:modified: soon'] },
  ),
  ckan(
    'ckan-untitled',
    { title: '', resources: [resource('https://city.example/u.csv')] },
    {
      addresses: [...both('https://city.example/u.csv'), page('ckan-untitled')],
      findings: ['no-title The record has no title.'],
    },
  ),
  ckan(
    'ckan-place',
    {
      resources: [],
      spatial: '{"type":"Polygon","coordinates":[[[1,2],[3,2],[3,4],[1,4],[1,2]]]}',
    },
    { addresses: [page('ckan-place')] },
  ),
]

const dkan = (name: string, fields: object, more: More = {}): Sample => ({
  name,
  importer: 'dkan',
  config: { version: '1' },
  answers: {
    '/api/3/action/package_list': json({ success: true, result: [name] }),
    '/api/3/action/current_package_list_with_resources?limit=100&offset=0': json({
      success: true,
      result: [[{ id: `${name}-id`, name, title: 'Title', type: 'Dataset', ...fields }]],
    }),
    '/api/3/action/current_package_list_with_resources': json({ success: true, result: [[]] }),
    '/': missing,
  },
  addresses: [],
  findings: [],
  ...more,
})

const dkanAnswers: readonly Sample[] = [
  dkan(
    'dkan-private',
    { private: true, resources: [resource('https://region.example/a.csv')] },
    {
      addresses: [...both('https://region.example/a.csv'), page('dkan-private')],
      findings: ['private-record private, in an answer to anybody'],
    },
  ),
  dkan(
    'dkan-dates',
    {
      metadata_created: 'lun, 04/11/2024 - 08:15',
      metadata_modified: 'Date changed  mer, 13/11/2024 - 02:30',
      groups: [{ title: 'Region North' }],
      resources: [resource('https://region.example/d.csv')],
    },
    { addresses: [...both('https://region.example/d.csv'), page('dkan-dates')] },
  ),
  dkan(
    'dkan-html',
    {
      notes: '<div>Text</div>',
      resources: [resource('https://region.example/h.csv', { description: '<p>more</p>' })],
      extras: [{ key: 'spatial', value: '1,2,3,4' }],
    },
    { addresses: [...both('https://region.example/h.csv'), page('dkan-html')] },
  ),
]

const pod = (name: string, dataset: object, more: More & { readonly catalogue?: object } = {}) => {
  const { catalogue = {}, ...rest } = more
  const sample: Sample = {
    name,
    importer: 'datajson',
    address: '/data.json',
    answers: {
      '/data.json': json({
        conformsTo: 'https://project-open-data.cio.gov/v1.1/schema',
        dataset: [{ identifier: name, title: 'Title', accessLevel: 'public', ...dataset }],
        ...catalogue,
      }),
    },
    addresses: [],
    findings: [],
    ...rest,
  }
  return sample
}

const podAnswers: readonly Sample[] = [
  pod(
    'pod-plain',
    {
      landingPage: 'https://agency.example/about',
      distribution: [
        { downloadURL: 'https://agency.example/a.csv?x=1&y=2', mediaType: 'text/csv' },
        { accessURL: 'https://agency.example/api' },
      ],
    },
    {
      addresses: [
        'landingPage https://agency.example/about',
        'accessURL https://agency.example/a.csv?x=1&y=2',
        'downloadURL https://agency.example/a.csv?x=1&y=2',
        'accessURL https://agency.example/api',
      ],
    },
  ),
  pod(
    'pod-date',
    { modified: 'R/P1Y', issued: 'soon' },
    {
      findings: ['invalid-date dct:issued: soon', 'invalid-date dct:modified: R/P1Y (a frequency)'],
    },
  ),
  pod(
    'pod-three',
    {
      '@id': 'https://agency.example/set/3',
      publisher: { name: 'Agency' },
      distribution: [
        {
          '@id': 'https://agency.example/3.json',
          downloadURL: 'https://agency.example/3.json',
          accessURL: 'https://agency.example/3.json',
        },
      ],
    },
    {
      catalogue: {
        conformsTo: undefined,
        '@context': 'https://resources.data.gov/dcat-us/3.0/context',
      },
      addresses: [
        'accessURL https://agency.example/3.json',
        'downloadURL https://agency.example/3.json',
      ],
    },
  ),
]

export const answers: readonly Sample[] = [...ckanAnswers, ...dkanAnswers, ...podAnswers]
