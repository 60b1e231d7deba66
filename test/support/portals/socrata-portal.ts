/** A Socrata domain: the discovery API with its deep scroll, descriptions of assets, and the lists of sites without it. */

import { json, portal, type Portal } from './portal.ts'
import type { FaultRule } from './faults.ts'

export type SocrataRecord = {
  /** Made into a 4x4 id when it is none. */
  readonly id: string
  readonly title: string
  readonly type?: string
  readonly resource?: Readonly<Record<string, unknown>>
  /** Members beside `resource` that differ from those of an ordinary asset. */
  readonly more?: Readonly<Record<string, unknown>>
  /** What `/api/views/{id}.json` answers. */
  readonly view?: unknown
}

export type SocrataPortalOptions = {
  /** Below this path instead of the root: another host's API. */
  readonly discovery?: string
  readonly lists?: 'discovery' | 'data.json' | 'metadata'
}

export type SocrataPortal = Portal & {
  show(records: readonly SocrataRecord[]): void
  /** What `resultSetSize` says; the truth when undefined. */
  declare(total: (() => number) | undefined): void
}

/** The id of a record as the portal tells it. */
const fourByFour = (id: string): string =>
  /^[a-z0-9]{4}-[a-z0-9]{4}$/.test(id) ? id : `${id.padEnd(4, 'x').slice(0, 4)}-0000`

export async function socrataPortal(
  records: readonly SocrataRecord[],
  { discovery = '', lists = 'discovery' }: SocrataPortalOptions = {},
  rules: readonly FaultRule[] = [],
): Promise<SocrataPortal> {
  let shown = records
  let declared: (() => number) | undefined
  const site = await portal(({ url }) => {
    const { pathname, searchParams: query, host } = new URL(url)
    const assets = shown.map((record) => assetOf(record, host))
    if (lists === 'discovery' && pathname === `${discovery}/api/catalog/v1`) return page()
    if (lists === 'data.json' && pathname === '/data.json') return json(podOf(shown, host))
    if (lists === 'metadata' && pathname === '/api/views/metadata/v1') return plainPage()
    const found = shown.find(({ id }) => pathname === `/api/views/${fourByFour(id)}.json`)
    if (found?.view !== undefined) return json(found.view)
    return new Response('nothing here', { status: 404 })

    function page(): Response {
      if (query.get('domains') !== host || query.get('search_context') !== host)
        return Response.json({ error: 'Domain not found' }, { status: 400 })
      const wanted = assets
        .filter(({ resource }) => resource.type === query.get('only'))
        .toSorted((a, b) => (a.resource.id < b.resource.id ? -1 : 1))
      const after = query.get('scroll_id') ?? ''
      const limit = Number(query.get('limit') ?? 100)
      const results = wanted.filter(({ resource }) => resource.id > after).slice(0, limit)
      const resultSetSize = declared?.() ?? wanted.length
      return json({ results, resultSetSize, timings: { serviceMillis: 3, searchMillis: [1, 2] } })
    }

    function plainPage(): Response {
      const [number, size] = [Number(query.get('page')), Number(query.get('limit'))]
      const views = assets.map(({ resource }) => ({ id: resource.id, name: resource.name }))
      return json(views.slice((number - 1) * size, number * size))
    }
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

function assetOf(
  { id, title, type = 'dataset', resource = {}, more = {} }: SocrataRecord,
  host: string,
) {
  const name = fourByFour(id)
  return {
    resource: {
      id: name,
      name: title,
      description: `About ${title}`,
      type,
      parent_fxf: [],
      createdAt: '2020-02-03T04:05:06.000Z',
      updatedAt: '2026-01-02T03:04:05.000Z',
      page_views: { page_views_total: 77 },
      columns_datatype: ['Text', 'Number'],
      ...resource,
    },
    classification: { categories: [], tags: [], domain_tags: ['city'], domain_metadata: [] },
    metadata: { domain: host },
    permalink: `https://data.city.example/d/${name}`,
    link: `https://data.city.example/x/y/${name}`,
    owner: { id: 'abcd-0001', display_name: 'City Office' },
    creator: { id: 'abcd-0002', display_name: 'A. Clerk' },
    ...more,
  }
}

const podOf = (records: readonly SocrataRecord[], host: string) => ({
  '@context': 'https://project-open-data.cio.gov/v1.1/schema/catalog.jsonld',
  conformsTo: 'https://project-open-data.cio.gov/v1.1/schema',
  dataset: records.map(({ id, title, more = {} }) => ({
    '@type': 'dcat:Dataset',
    identifier: `https://${host}/api/views/${fourByFour(id)}`,
    title,
    accessLevel: 'public',
    ...more,
  })),
})
