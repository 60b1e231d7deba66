/** Read actions of CKAN besides those in `ckan.ts`: organizations are catalogues, groups are themes, tags are keywords. */

import type { z } from 'zod'
import { Failure } from '../../errors.ts'
import type { Answer } from '../../search-index/search-index.ts'
import { textAt } from '../../text/json.ts'
import { inOwnTurn } from '../../workers/event-loop.ts'
import { datasetCounts, datasetRecord, catalogueRecord } from '../record-routes.ts'
import { textInLanguage, allRecords, valuesAtPath, recordFields } from '../record-values.ts'
import { parametersOf } from '../request/search-parameters.ts'
import { planSearch } from '../request/search-request.ts'
import type { SearchAppContext } from '../search-service-context.ts'
import { actions, parseCall, type RawParameters } from './ckan-calls.ts'
import { packageOf } from './ckan-packages.ts'

/** Dependencies of the actions. */
export type CkanContext = SearchAppContext & {
  /** Name of the portal, and its address with a trailing slash. */
  readonly site: { readonly title: string; readonly url: string }
}

/**
 * Yields the JSON text of a result in pieces. Throws `invalid-parameter`, failures for missing records, and those of the engine.
 */
export type CkanHandler = (
  context: CkanContext,
  raw: RawParameters,
  signal: AbortSignal,
) => AsyncGenerator<string>

/** Packages written at once before yielding to other work. */
const packagesPerPiece = 50

/** Yields the packages of hits, separated by commas. */
export async function* packageTexts(hits: Answer['hits']): AsyncGenerator<string> {
  for (let from = 0; from < hits.length; from += packagesPerPiece) {
    const packages: string[] = []
    for (const { record } of hits.slice(from, from + packagesPerPiece))
      packages.push(JSON.stringify(packageOf(recordFields(await inOwnTurn(record)))))
    yield (from === 0 ? '' : ',') + packages.join(',')
  }
}

/** Maximum number of entries of a list. */
const maxEntries = 1000

type Entry = { readonly id: string; readonly title: string; readonly count: number }

const sortKeys: Readonly<Record<string, (a: Entry, b: Entry) => number>> = {
  name: (a, b) => (a.id < b.id ? -1 : 1),
  title: (a, b) => a.title.localeCompare(b.title),
  package_count: (a, b) => a.count - b.count,
  packages: (a, b) => a.count - b.count,
}

/** Sorts by `title desc` and the like; by name when the key is unknown, the default of CKAN. */
function sortEntries(entries: readonly Entry[], sort = 'name asc'): readonly Entry[] {
  const [key = '', direction] = sort.trim().split(/\s+/)
  const compare = (Object.hasOwn(sortKeys, key) && sortKeys[key]) || sortKeys['name']
  const ascending = entries.toSorted(compare)
  return direction === 'desc' ? ascending.toReversed() : ascending
}

const organizationOf = ({ id, title, count }: Entry) => ({
  id,
  name: id,
  title,
  display_name: title,
  type: 'organization',
  is_organization: true,
  state: 'active',
  package_count: count,
})

const groupOf = (entry: Entry) => ({
  ...organizationOf(entry),
  type: 'group',
  is_organization: false,
})

const titleIn = (record: unknown, id: string): string =>
  textInLanguage(record, 'title', 'en')?.text ?? id

/** Lists catalogues with their titles, including those without datasets. */
async function organizations(
  { index }: CkanContext,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const request = { ...allRecords('catalogue'), limit: maxEntries, include: ['id', 'title'] }
  const [{ hits }, counts] = await Promise.all([
    index.search(request, signal),
    datasetCounts(index, signal),
  ])
  return hits.map(({ id, record }) => {
    return { id, title: titleIn(recordFields(record), id), count: counts.get(id) ?? 0 }
  })
}

async function valuesOf(
  { index }: CkanContext,
  facet: string,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const items = await index.facetValues('dataset', facet, signal)
  return items.map(({ id, title, count }) => ({ id, title, count }))
}

type Listing = {
  readonly all_fields: boolean
  readonly sort?: string
  readonly limit: number
  readonly offset: number
}

function listText(
  entries: readonly Entry[],
  { all_fields: hasAllFields, sort, limit, offset }: Listing,
  entryOf: (entry: Entry) => unknown,
): string {
  const page = sortEntries(entries, sort).slice(offset, offset + Math.min(limit, maxEntries))
  return JSON.stringify(page.map((entry) => (hasAllFields ? entryOf(entry) : entry.id)))
}

async function* organizationList(...[context, raw, signal]: Parameters<CkanHandler>) {
  const call = parseCall(actions.organization_list.parameters, raw)
  yield listText(await organizations(context, signal), call, organizationOf)
}

async function* groupList(...[context, raw, signal]: Parameters<CkanHandler>) {
  const call = parseCall(actions.group_list.parameters, raw)
  yield listText(await valuesOf(context, 'categories', signal), call, groupOf)
}

/** Shows an organization. Throws `unknown-catalogue`. */
async function* organizationShow(...[context, raw, signal]: Parameters<CkanHandler>) {
  const call = parseCall(actions.organization_show.parameters, raw)
  const record = recordFields((await catalogueRecord(context.index, call.id, signal)).text)
  const entry = { id: call.id, title: titleIn(record, call.id), count: Number(record['count']) }
  const organization = {
    ...organizationOf(entry),
    description: textInLanguage(record, 'description', 'en')?.text ?? null,
    created: textAt(record, 'issued') ?? null,
    users: [],
    extras: [],
  }
  yield* withPackages(context, organization, { facet: 'catalog', ...call }, signal)
}

/** Shows a group. Throws `not-found`. */
async function* groupShow(...[context, raw, signal]: Parameters<CkanHandler>) {
  const call = parseCall(actions.group_show.parameters, raw)
  const entry = (await valuesOf(context, 'categories', signal)).find(({ id }) => id === call.id)
  if (!entry) throw new Failure('not-found', `there is no group ${call.id}`)
  yield* withPackages(context, groupOf(entry), { facet: 'categories', ...call }, signal)
}

type GroupCall = { readonly facet: string; readonly id: string; readonly include_datasets: boolean }

/** Adds the first packages to a group, when requested. */
async function* withPackages(
  { index }: CkanContext,
  group: object,
  { facet, id, include_datasets: hasDatasets }: GroupCall,
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (!hasDatasets) {
    yield JSON.stringify(group)
    return
  }
  const groups = [{ facet, values: [id] }]
  const filter = { facets: { groups, operator: 'OR', groupOperator: 'AND' } } as const
  const request = { ...allRecords('dataset'), filter, limit: maxEntries }
  yield `${JSON.stringify(group).slice(0, -1)},"packages":[`
  yield* packageTexts((await index.search(request, signal)).hits)
  yield ']}'
}

async function* tagList(...[context, raw, signal]: Parameters<CkanHandler>) {
  const { query = '', all_fields: hasAllFields } = parseCall(actions.tag_list.parameters, raw)
  const text = query.toLowerCase()
  const tags = (await valuesOf(context, 'keywords', signal)).filter(
    ({ id, title }) => id.toLowerCase().includes(text) || title.toLowerCase().includes(text),
  )
  const entries = tags.slice(0, 10 * maxEntries).map(({ id, title }) => {
    return hasAllFields ? { id, name: id, display_name: title, vocabulary_id: null } : id
  })
  yield JSON.stringify(entries)
}

async function* licenceList(...[context, raw, signal]: Parameters<CkanHandler>) {
  parseCall(actions.license_list.parameters, raw)
  const licences = await valuesOf(context, 'license', signal)
  const entries = licences.map(({ id, title }) => ({ id, title, status: 'active', url: null }))
  yield JSON.stringify(entries)
}

/**
 * Shows a distribution by its id. The dataset is found through the store, because the index has no ids of distributions. Throws
 * `unknown-distribution`.
 */
async function* resourceShow(...[context, raw, signal]: Parameters<CkanHandler>) {
  const { id } = parseCall(actions.resource_show.parameters, raw)
  const datasetId = await context.ownerOf?.(id, signal)
  const record =
    datasetId && recordFields((await datasetRecord(context.index, datasetId, signal)).text)
  const resources = record ? valuesAtPath(packageOf(record), 'resources') : []
  const resource = resources.find((resource) => textAt(resource, 'id') === id)
  if (!resource) throw new Failure('unknown-distribution', `there is no resource ${id}`)
  yield JSON.stringify(resource)
}

/** Makes a search for datasets as `/search` does. */
function searchFor(
  context: CkanContext,
  q: string,
  options: Readonly<Record<string, string>> = {},
) {
  const parameters = parametersOf(new URLSearchParams({ q, filters: 'dataset', ...options }))
  return planSearch(parameters, { ...context, settings: context.settings() }).request
}

async function* packageAutocomplete(...[context, raw, signal]: Parameters<CkanHandler>) {
  const { q, limit } = parseCall(actions.package_autocomplete.parameters, raw)
  const request = searchFor(context, q, { autocomplete: 'true', aggregation: 'false' })
  const { hits } = await context.index.search({ ...request, limit: Math.min(limit, 100) }, signal)
  const entries = hits.map(({ id, record }) => {
    const title = titleIn(recordFields(record), id)
    return { name: id, title, match_field: 'title', match_displayed: title }
  })
  yield JSON.stringify(entries)
}

async function* currentPackages(...[context, raw, signal]: Parameters<CkanHandler>) {
  const { limit, offset } = parseCall(actions.current_package_list_with_resources.parameters, raw)
  const request = {
    ...searchFor(context, '', { sort: 'modified desc', aggregation: 'false' }),
    offset,
  }
  const isReachable = offset <= (context.window ?? 10_000)
  const { hits } = isReachable
    ? await context.index.search({ ...request, limit: Math.min(limit, maxEntries) }, signal)
    : { hits: [] }
  yield '['
  yield* packageTexts(hits)
  yield ']'
}

/** Version of CKAN whose calls are implemented; some clients check it. */
const ckanVersion = '2.11.0'

async function* statusShow({ site: { title, url } }: CkanContext) {
  yield JSON.stringify({
    ckan_version: ckanVersion,
    site_title: title,
    site_description: '',
    site_url: url.replace(/\/$/, ''),
    error_emails_to: null,
    locale_default: 'en',
    extensions: [],
  })
}

async function* siteRead() {
  yield 'true'
}

/** Describes an action. Throws `not-found`. */
async function* helpShow(_context: CkanContext, raw: RawParameters) {
  const { name } = parseCall(actions.help_show.parameters, raw)
  const action = Object.entries(actions).find(([actionName]) => actionName === name)?.[1]
  if (!action) throw new Failure('not-found', `there is no action ${name}`)
  const shape: Readonly<Record<string, z.ZodType>> = action.parameters.shape
  const parameters = Object.entries(shape).map(
    ([parameterName, type]) => `:param ${parameterName}: ${type.meta()?.description ?? ''}`,
  )
  yield JSON.stringify([action.summary, ...parameters].join('\n'))
}

/** Handlers of the read actions by name, except `package_list`, `package_show` and `package_search`. */
export const ckanReads = {
  organization_list: organizationList,
  organization_show: organizationShow,
  group_list: groupList,
  group_show: groupShow,
  tag_list: tagList,
  license_list: licenceList,
  resource_show: resourceShow,
  status_show: statusShow,
  site_read: siteRead,
  help_show: helpShow,
  current_package_list_with_resources: currentPackages,
  package_autocomplete: packageAutocomplete,
} as const satisfies Readonly<Record<string, CkanHandler>>
