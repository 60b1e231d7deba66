/** A uData of the tests: the plain list of datasets, and the licences. */

import { json, portal, type Portal } from './portal.ts'
import type { FaultRule } from './faults.ts'

export type UdataRecord = { readonly id: string; readonly title: string }

export type UdataPortalOptions = {
  readonly licences?: readonly unknown[]
}

export type UdataPortal = Portal & {
  readonly address: string
  show(records: readonly UdataRecord[]): void
  /** Datasets as they are. */
  load(datasets: readonly unknown[]): void
  declare(total: ((page: number) => number) | undefined): void
}

export const datasetOf = ({ id, title }: UdataRecord) => ({
  id,
  slug: `set-${id}`,
  title,
  description: `About **${id}**`,
  tags: ['water'],
  created_at: '2024-01-02T03:04:05.678000+00:00',
  last_modified: '2024-02-03T04:05:06+00:00',
  frequency: 'annual',
  license: 'lov2',
  metrics: { views: 17 },
  quality: { score: 0.5 },
  organization: { name: 'City of Valdoro', page: 'https://data.city.example/orgs/valdoro' },
  private: false,
  archived: null,
  deleted: null,
  resources: [
    {
      id: `${id}-r`,
      title: 'Data',
      type: 'main',
      url: `https://static.city.example/${id}.csv`,
      latest: `https://data.city.example/r/${id}`,
      format: 'csv',
      mime: 'text/csv',
    },
  ],
})

export async function udataPortal(
  records: readonly UdataRecord[] = [],
  options: UdataPortalOptions = {},
  rules: readonly FaultRule[] = [],
): Promise<UdataPortal> {
  let datasets: readonly unknown[] = records.map(datasetOf)
  let declared: ((page: number) => number) | undefined
  const site = await portal((request) => {
    const url = new URL(request.url)
    const { licences } = options
    if (url.pathname === '/api/1/datasets/licenses/') return licences ? json(licences) : missing()
    if (url.pathname !== '/api/1/datasets/') return missing()
    const page = Number(url.searchParams.get('page') ?? 1)
    const size = Number(url.searchParams.get('page_size') ?? 20)
    const data = datasets.slice((page - 1) * size, page * size)
    if (page > 1 && data.length === 0) return missing()
    const isLast = page * size >= datasets.length
    return json({
      data,
      page,
      page_size: size,
      total: declared?.(page) ?? datasets.length,
      next_page: isLast ? null : `${url.origin}/api/1/datasets/?page=${page + 1}&page_size=${size}`,
      previous_page: null,
    })
  }, rules)
  return {
    ...site,
    address: `${site.url}/`,
    show: (shown) => {
      datasets = shown.map(datasetOf)
    },
    load: (loaded) => {
      datasets = loaded
    },
    declare: (total) => {
      declared = total
    },
  }
}

const missing = () => Response.json({ message: 'Not found' }, { status: 404 })
