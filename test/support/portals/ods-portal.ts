/** An OpenDataSoft domain: the list of datasets in both generations of the API, and the export of the whole list. */

import { json, portal, type Portal } from './portal.ts'
import type { FaultRule } from './faults.ts'

export type OdsRecord = {
  readonly id: string
  readonly title: string
  /** In place of the id. */
  readonly slug?: string
  /** Members that differ from those of an ordinary dataset; `undefined` leaves one out. */
  readonly more?: Readonly<Record<string, unknown>>
  readonly metas?: Readonly<Record<string, unknown>>
}

export type OdsPortalOptions = {
  /** `2.0`: the newer API answers 404. */
  readonly generation?: '2.1' | '2.0'
}

export type OdsPortal = Portal & {
  show(records: readonly OdsRecord[]): void
  /** What `total_count` says; the truth when undefined. */
  declare(total: (() => number) | undefined): void
}

export async function odsPortal(
  records: readonly OdsRecord[],
  { generation = '2.1' }: OdsPortalOptions = {},
  rules: readonly FaultRule[] = [],
): Promise<OdsPortal> {
  let shown = records
  let declared: (() => number) | undefined
  const site = await portal(({ url }) => {
    const { pathname, searchParams: query, origin } = new URL(url)
    const [api, size, from] =
      generation === '2.1' ? ['/api/explore/v2.1', 'limit', 'offset'] : ['/api/v2', 'rows', 'start']
    if (pathname === `${api}/catalog/exports/json`) return json(sorted(shown).map(datasetOf))
    if (pathname !== `${api}/catalog/datasets`) return new Response('nothing here', { status: 404 })
    const limit = Number(query.get(size ?? '') ?? 10)
    const offset = Number(query.get(from ?? '') ?? 0)
    const fault = faultIn(query, limit, offset)
    if (fault !== undefined)
      return Response.json({ error_code: 'ODSQLError', message: fault }, { status: 400 })
    const total = declared?.() ?? shown.length
    const page = sorted(shown)
      .slice(offset, offset + limit)
      .map(datasetOf)
    if (generation === '2.1') return json({ total_count: total, results: page })
    query.set('start', String(offset + limit))
    const next = { rel: 'next', href: `${origin}${pathname}?${query.toString()}` }
    const links = offset + limit < shown.length ? [next] : []
    const datasets = page.map((dataset) => ({ dataset, links: [] }))
    return json({ total_count: total, datasets, links })
  }, rules)
  return {
    ...site,
    show: (published) => {
      shown = published
    },
    declare: (total) => {
      declared = total
    },
  }
}

function faultIn(query: URLSearchParams, limit: number, offset: number): string | undefined {
  if (!query.has('order_by')) return 'the order is unstable'
  if (!(limit >= 0 && limit <= 100))
    return 'Invalid value for limit API parameter: 0..100 expected.'
  if (offset + limit >= 10_000) return 'Invalid value for offset + limit: must be below 10000.'
  return undefined
}

const sorted = (records: readonly OdsRecord[]) =>
  records.toSorted((a, b) => ((a.slug ?? a.id) < (b.slug ?? b.id) ? -1 : 1))

const datasetOf = ({ id, title, slug = id, more = {}, metas = {} }: OdsRecord) => ({
  dataset_id: slug,
  dataset_uid: `da_${id}`,
  has_records: true,
  data_visible: true,
  features: [],
  attachments: [],
  alternative_exports: [],
  fields: [{ name: 'name', type: 'text', label: 'Name' }],
  metas: {
    default: {
      title,
      description: `<p>About ${title}</p>`,
      keyword: ['city'],
      language: 'en',
      publisher: 'Auenfeld',
      modified: '2026-03-01T10:00:00+00:00',
      records_count: 12,
      ...metas,
    },
  },
  ...more,
})
