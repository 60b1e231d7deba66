/** A DKAN of the tests: version 1 with the accent of its action API, version 2 with search and `data.json`. */

import { hash } from 'node:crypto'
import { json, portal, type Portal } from './portal.ts'
import type { FaultRule } from './faults.ts'

export type DkanRecord = { readonly id: string; readonly title: string }

export type DkanPortalOptions = {
  readonly version?: 1 | 2
  /** Version 2 publishes one document with everything. */
  readonly dataJson?: boolean
  /** Of `data.json`: ETag and 304. */
  readonly conditional?: boolean
  /** Version 1 wraps its lists in another list. */
  readonly nested?: boolean
  /** Ids that the search of version 2 counts and no longer gives. */
  readonly ghosts?: number
}

export type DkanPortal = Portal & {
  readonly address: string
  show(records: readonly DkanRecord[]): void
  /** Datasets as they are: POD for version 2, packages for version 1. */
  load(datasets: readonly unknown[]): void
  declare(total: ((page: number) => number) | undefined): void
}

export const podOf = ({ id, title }: DkanRecord) => ({
  '@type': 'dcat:Dataset',
  identifier: id,
  title,
  description: `About ${id}`,
  accessLevel: 'public',
  keyword: ['water'],
  modified: '2024-02-03',
  publisher: { '@type': 'org:Organization', name: 'City of Valdoro' },
  contactPoint: { '@type': 'vcard:Contact', fn: 'Office', hasEmail: 'mailto:office@city.example' },
  distribution: [
    {
      '@type': 'dcat:Distribution',
      downloadURL: `https://data.city.example/${id}.csv`,
      mediaType: 'text/csv',
      format: 'csv',
      title: 'Data',
    },
  ],
})

const oldPackageOf = ({ id, title }: DkanRecord) => ({
  id,
  name: `set-${id}`,
  title,
  notes: `<p>About ${id}</p>`,
  state: 'Active',
  private: 'Published',
  metadata_created: 'Tue, 04/18/2017 - 10:25',
  metadata_modified: 'Wed, 05/03/2017 - 09:00',
  type: 'Dataset',
  tags: [{ id: '1', vocabulary_id: '2', name: 'water' }],
  resources: [
    {
      id: `${id}-r`,
      name: 'Data',
      url: `https://data.city.example/${id}.csv`,
      size: '12.5 KB',
      format: 'csv',
    },
  ],
})

export async function dkanPortal(
  records: readonly DkanRecord[] = [],
  options: DkanPortalOptions = {},
  rules: readonly FaultRule[] = [],
): Promise<DkanPortal> {
  const { version = 2 } = options
  const made: (record: DkanRecord) => unknown = version === 2 ? podOf : oldPackageOf
  let datasets: readonly unknown[] = records.map(made)
  let declared: ((page: number) => number) | undefined
  let lists = 0
  const site = await portal((request) => {
    const url = new URL(request.url)
    if (url.pathname.endsWith('/package_list')) lists += 1
    const page = Number(url.searchParams.get('page') ?? lists)
    const total = declared?.(page) ?? datasets.length + (options.ghosts ?? 0)
    const answer = (version === 2 ? answerTwo : answerOne)(url, { ...options, datasets, total })
    const isAsked = options.conditional === true && url.pathname === '/data.json'
    return isAsked ? conditional(request, answer) : answer
  }, rules)
  return {
    ...site,
    address: `${site.url}/`,
    show: (shown) => {
      datasets = shown.map(made)
    },
    load: (loaded) => {
      datasets = loaded
    },
    declare: (total) => {
      declared = total
    },
  }
}

type State = DkanPortalOptions & { readonly datasets: readonly unknown[]; readonly total: number }

async function conditional(request: Request, answer: Response): Promise<Response> {
  const body = await answer.text()
  const ETag = `"${hash('sha256', body).slice(0, 12)}"`
  if (request.headers.get('if-none-match') === ETag) return new Response(null, { status: 304 })
  return new Response(body, { headers: { 'Content-Type': 'application/json', ETag } })
}

const missing = () => Response.json({ message: 'Not found' }, { status: 404 })
const idOf = (value: unknown) => String((Object(value) as { identifier?: unknown }).identifier)

function answerTwo(url: URL, { datasets, total, dataJson }: State): Response {
  const whole = {
    conformsTo: 'https://project-open-data.cio.gov/v1.1/schema',
    dataset: datasets,
  }
  if (url.pathname === '/data.json' && dataJson === true) return json(whole)
  if (url.pathname !== '/api/1/search') return missing()
  const size = Math.min(Number(url.searchParams.get('page-size') ?? 10), 100)
  const page = Number(url.searchParams.get('page') ?? 1)
  const shown = datasets.slice((page - 1) * size, page * size)
  const found = Object.fromEntries(shown.map((one) => [`dkan_dataset/${idOf(one)}`, one]))
  return json({ total, results: shown.length === 0 ? [] : found, facets: [] })
}

function answerOne(url: URL, { datasets, total, nested }: State): Response {
  const wrapped = (list: readonly unknown[]) =>
    json({ help: '', success: true, result: nested === true && list.length > 0 ? [list] : list })
  const action = /\/api\/3\/action\/(\w+)$/.exec(url.pathname)?.[1]
  if (action === 'package_list')
    return json({ success: true, result: Array.from({ length: total }, (_, at) => `name-${at}`) })
  if (action !== 'current_package_list_with_resources') return missing()
  const offset = Number(url.searchParams.get('offset') ?? 0)
  return wrapped(datasets.slice(offset, offset + Number(url.searchParams.get('limit') ?? 10)))
}
