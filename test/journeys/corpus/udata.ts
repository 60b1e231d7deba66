/** Answers in the shapes of real uData portals. */

import { both, json, missing, type More, type Sample } from './sample.ts'

const udata = (name: string, fields: object, { answers = {}, ...more }: More = {}): Sample => {
  const dataset = {
    id: `${name}-id`,
    slug: name,
    title: 'Title',
    description: 'About **it**',
    page: `https://data.city.example/datasets/${name}/`,
    private: false,
    archived: null,
    deleted: null,
    resources: [],
    ...fields,
  }
  const page = { page: 1, page_size: 100, total: 1, next_page: null, previous_page: null }
  return {
    name,
    importer: 'udata',
    answers: {
      ...answers,
      '/api/1/datasets/licenses/': json([
        {
          id: 'lov2',
          title: 'Licence Ouverte / Open Licence version 2.0',
          url: 'https://www.etalab.gouv.fr/licence-ouverte-open-licence/',
        },
      ]),
      '/api/1/datasets/?page=1&': json({ data: [dataset], ...page }),
      '/': missing,
      ...answers,
    },
    addresses: [`landingPage https://data.city.example/datasets/${name}/`],
    findings: [],
    ...more,
  }
}
const udataPage = (name: string) => `landingPage https://data.city.example/datasets/${name}/`
const upload = (url: string | null, more: object = {}) => ({
  id: '0c1d2e3f-0000-4000-8000-000000000001',
  title: 'File',
  type: 'main',
  url,
  ...more,
})

export const udataAnswers: readonly Sample[] = [
  udata(
    'udata-upload',
    {
      license: 'lov2',
      resources: [
        upload('https://static.city.example/resources/trees/20240102-030405/Trees%20(1).csv', {
          latest: 'https://data.city.example/datasets/r/0c1d2e3f-0000-4000-8000-000000000001',
          format: 'csv',
          mime: 'text/csv',
          filesize: 1024,
          checksum: { type: 'sha1', value: 'a'.repeat(40) },
        }),
      ],
    },
    {
      addresses: [
        'accessURL https://data.city.example/datasets/r/0c1d2e3f-0000-4000-8000-000000000001',
        'downloadURL https://static.city.example/resources/trees/20240102-030405/Trees%20(1).csv',
        udataPage('udata-upload'),
      ],
    },
  ),
  udata(
    'udata-service',
    {
      resources: [
        upload('https://geo.city.example/wfs?SERVICE=WFS&REQUEST=GetCapabilities#x', {
          type: 'api',
          format: 'wfs',
        }),
        upload('https://data.city.example/guide.pdf', { type: 'documentation' }),
      ],
    },
    {
      addresses: [
        'accessURL https://geo.city.example/wfs?SERVICE=WFS&REQUEST=GetCapabilities#x',
        udataPage('udata-service'),
      ],
    },
  ),
  udata(
    'udata-blank',
    { resources: [upload('https://static.city.example/Données 2024.csv', { format: 'csv' })] },
    {
      addresses: [
        ...both('https://static.city.example/Données%202024.csv'),
        udataPage('udata-blank'),
      ],
      findings: [
        'repaired-iri dcat:accessURL: https://static.city.example/Données 2024.csv (became https://static.city.example/Données%202024.csv)',
        'repaired-iri dcat:downloadURL: https://static.city.example/Données 2024.csv (became https://static.city.example/Données%202024.csv)',
      ],
    },
  ),
  udata(
    'udata-archived',
    { archived: '2025-01-02T03:04:05+00:00' },
    {
      addresses: [],
      lost: ['skipped udata-archived-id archived'],
      findings: ['entry-left-out udata-archived-id archived'],
    },
  ),
  udata(
    'udata-odd',
    {
      access_type: 'by appointment',
      last_modified: 'soon',
      resources: [upload(null)],
      contact_points: [{ name: 'A. Clerk', email: 'at the office', role: 'janitor' }],
    },
    {
      findings: [
        'dropped-url foaf:mbox: at the office',
        'invalid-date dct:modified: soon',
        'unmapped-value dcat:distribution: File (it has no address)',
        'unmapped-value dcat:hadRole: janitor',
        'unmapped-value dct:accessRights: by appointment',
      ],
    },
  ),
  udata(
    'udata-cut',
    {},
    {
      answers: {
        '/api/1/datasets/?page=1&': json({
          data: [
            {
              id: 'udata-cut-id',
              title: 'T',
              page: 'https://data.city.example/datasets/udata-cut/',
            },
          ],
          page: 1,
          page_size: 100,
          total: 101,
          next_page: '{portal}/api/1/datasets/?page=2&page_size=100',
        }),
      },
      problem: 'total-mismatch',
    },
  ),
]
