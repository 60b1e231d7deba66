/** Answers in the shapes of real OpenDataSoft domains. */

import { both, json, missing, type More, type Sample } from './sample.ts'

const ods = (
  name: string,
  { metas = {}, ...fields }: { readonly metas?: object; readonly [key: string]: unknown },
  { answers = {}, ...more }: More = {},
): Sample => {
  const dataset = {
    dataset_id: name,
    dataset_uid: `da_${name}`,
    attachments: [],
    alternative_exports: [],
    has_records: true,
    data_visible: true,
    features: ['analyze'],
    fields: [{ name: 'name', type: 'text', label: 'Name' }],
    ...fields,
    metas: { default: { title: 'Title', language: 'en' }, dcat: {}, custom: {}, ...metas },
  }
  const first = {
    '/api/explore/v2.1/catalog/datasets?': json({ total_count: 1, results: [dataset] }),
  }
  return {
    name,
    importer: 'opendatasoft',
    answers: { ...answers, ...first, '/': missing },
    addresses: [],
    findings: [],
    ...more,
  }
}
const odsPlace = (name: string, api = '/api/explore/v2.1') =>
  `{portal}${api}/catalog/datasets/${name}`
const odsTable = (name: string, formats: readonly string[], api?: string) => [
  ...formats.flatMap((format) => both(`${odsPlace(name, api)}/exports/${format}`)),
  `accessURL ${odsPlace(name, api)}/records`,
  odsPage(name),
]
const odsPage = (name: string) => `landingPage {portal}/explore/dataset/${name}/`
const usual = ['csv', 'json', 'xlsx']

export const odsAnswers: readonly Sample[] = [
  ods(
    'ods-table',
    {
      metas: {
        default: {
          title: 'Street trees',
          description: '<p>&Eacute;very <b>tree</b></p>',
          theme: ['Environment'],
          keyword: ['tree', 'street'],
          license: 'Licence Ouverte v2.0 (Etalab)',
          license_url: 'https://www.etalab.gouv.fr/licence-ouverte-open-licence/',
          language: 'en',
          publisher: 'Auenfeld',
          references: 'https://city.example/trees?a=1&b=2',
          modified: '2026-03-01T10:00:00+00:00',
        },
      },
    },
    { addresses: odsTable('ods-table', usual) },
  ),
  ods(
    'ods-map',
    {
      features: ['analyze', 'geo'],
      metas: {
        default: {
          title: 'Lakes',
          language: 'fr',
          bbox: {
            type: 'Feature',
            geometry: {
              type: 'Polygon',
              coordinates: [
                [
                  [1, 2],
                  [3, 2],
                  [3, 4],
                  [1, 4],
                  [1, 2],
                ],
              ],
            },
            properties: {},
          },
        },
      },
    },
    { addresses: odsTable('ods-map', [...usual, 'geojson', 'shp', 'kml']) },
  ),
  ods(
    'ods-files',
    {
      has_records: false,
      attachments: [
        { id: 'plan_pdf', title: 'Plan', mimetype: 'application/pdf', url: 'odsfile://plan.pdf' },
        { title: 'Draft', mimetype: 'application/pdf', url: 'odsfile://draft.pdf' },
      ],
      alternative_exports: [{ id: 'all_zip', title: 'All', mimetype: 'application/zip' }],
    },
    {
      addresses: [
        ...both(`${odsPlace('ods-files')}/attachments/plan_pdf`),
        ...both(`${odsPlace('ods-files')}/alternative_exports/all_zip`),
        odsPage('ods-files'),
      ],
      findings: ['unmapped-value dcat:distribution: Draft has no id'],
    },
  ),
  ods(
    'ods-empty',
    { has_records: false },
    { lost: ['skipped da_ods-empty has neither records nor files'] },
  ),
  ods(
    'ods-odd',
    {
      metas: {
        default: {
          title: 'Odd',
          language: 'en',
          modified: 'soon',
          references: ['https://city.example/odd', 'see the office'],
          source_domain_address: 'the region',
          bbox: 'here and there',
        },
        dcat: { temporal_coverage_start: '2024-13-01' },
      },
    },
    {
      addresses: odsTable('ods-odd', usual),
      findings: [
        'dropped-url foaf:page: see the office',
        'invalid-date dcat:startDate: 2024-13-01',
        'invalid-date dct:modified: soon',
        'unmapped-value dct:source: the region',
        'unmapped-value dct:spatial: here and there',
      ],
    },
  ),
  ods(
    'ods-older',
    {},
    {
      answers: {
        '/api/explore/': missing,
        '/api/v2/catalog/datasets?': json({
          total_count: 1,
          datasets: [
            {
              links: [],
              dataset: {
                dataset_id: 'ods-older',
                dataset_uid: 'da_older',
                has_records: true,
                metas: { default: { title: 'Older', language: 'en' } },
              },
            },
          ],
          links: [{ rel: 'self', href: '{portal}/api/v2/catalog/datasets' }],
        }),
      },
      addresses: odsTable('ods-older', usual, '/api/v2'),
    },
  ),
]
