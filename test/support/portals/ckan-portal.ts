/** A CKAN of the tests: search, list, single packages and licences of the action API. */

import { json, portal, type Portal } from './portal.ts'
import type { FaultRule } from './faults.ts'

export type CkanRecord = { readonly id: string; readonly title: string }
export type CkanPackage = Readonly<Record<string, unknown>>

export type CkanPortalOptions = {
  /** What the site cuts larger pages to. */
  readonly rowsMax?: number
  /** Sort orders that are refused with 400. */
  readonly refusedSorts?: readonly string[]
  /** From there on the search answers with an error. */
  readonly window?: number
  /** `package_list` and `package_show` are there. */
  readonly lists?: boolean
  readonly licences?: readonly unknown[]
  /** Names whose packages answer with that status. */
  readonly closed?: Readonly<Record<string, number>>
}

export type CkanPortal = Portal & {
  readonly address: string
  show(records: readonly CkanRecord[]): void
  /** Packages as they are. */
  load(packages: readonly unknown[]): void
  /** What `count` says; the truth when undefined. */
  declare(total: ((page: number) => number) | undefined): void
}

export const packageOf = ({ id, title }: CkanRecord): CkanPackage => ({
  id,
  name: `set-${id}`,
  title,
  notes: `About ${id}`,
  state: 'active',
  private: false,
  type: 'dataset',
  metadata_created: '2024-01-02T03:04:05.678901',
  metadata_modified: '2024-02-03T04:05:06.000000',
  tracking_summary: { total: 1, recent: 1 },
  organization: { name: 'city', title: 'City of Valdoro' },
  resources: [
    { id: `${id}-r`, name: 'Data', url: `https://data.city.example/${id}.csv`, format: 'CSV' },
  ],
})

export async function ckanPortal(
  records: readonly CkanRecord[] = [],
  options: CkanPortalOptions = {},
  rules: readonly FaultRule[] = [],
): Promise<CkanPortal> {
  let packages: readonly unknown[] = records.map(packageOf)
  let declared: ((page: number) => number) | undefined
  const site = await portal((request) => {
    const url = new URL(request.url)
    const action = /\/api\/3\/action\/(\w+)$/.exec(url.pathname)?.[1]
    const state = { packages, count: (page: number) => declared?.(page) ?? packages.length }
    return answer(action, url.searchParams, { ...options, ...state })
  }, rules)
  return {
    ...site,
    address: `${site.url}/`,
    show: (shown) => {
      packages = shown.map(packageOf)
    },
    load: (loaded) => {
      packages = loaded
    },
    declare: (total) => {
      declared = total
    },
  }
}

type State = CkanPortalOptions & {
  readonly packages: readonly unknown[]
  readonly count: (page: number) => number
}

const success = (result: unknown) => json({ help: 'https://example', success: true, result })

const failure = (status: number, type: string, message: string) =>
  Response.json({ success: false, error: { __type: type, message } }, { status })

function answer(action: string | undefined, query: URLSearchParams, state: State): Response {
  const missing = failure(404, 'Not Found Error', 'Action name not known')
  switch (action) {
    case 'package_search':
      return search(query, state)
    case 'package_list':
      return state.lists === true ? success(state.packages.map(nameOf)) : missing
    case 'package_show':
      return show(query.get('id') ?? '', state)
    case 'license_list':
      return state.licences ? success(state.licences) : missing
    default:
      return missing
  }
}

const fieldsOf = (value: unknown) => Object(value) as Readonly<Record<string, unknown>>
const nameOf = (value: unknown) => String(fieldsOf(value)['name'])

function search(query: URLSearchParams, state: State): Response {
  const { rowsMax = 1000, refusedSorts = [], window = Infinity } = state
  const sort = query.get('sort') ?? ''
  if (refusedSorts.includes(sort)) return failure(400, 'Search Query Error', 'cannot sort')
  const start = Number(query.get('start') ?? 0)
  const rows = Math.min(Number(query.get('rows') ?? 10), rowsMax)
  if (start + rows > window) return failure(409, 'Search Error', 'result window is too large')
  const key = sort.startsWith('name') ? 'name' : 'id'
  const sorted = state.packages.toSorted((a, b) =>
    String(fieldsOf(a)[key]) < String(fieldsOf(b)[key]) ? -1 : 1,
  )
  const results = sorted.slice(start, start + rows)
  return success({ count: state.count(Math.floor(start / rows) + 1), results, search_facets: {} })
}

function show(name: string, { packages, lists, closed = {} }: State): Response {
  const status = closed[name]
  if (status !== undefined) return failure(status, 'Authorization Error', 'Access denied')
  const found = packages.find((one) => nameOf(one) === name)
  return lists === true && found ? success(found) : failure(404, 'Not Found Error', 'Not found')
}
