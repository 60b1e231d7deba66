/** Answers a page of any list, in any of its value types, with the addresses of the pages around it. */

import { type Failure, invalidParameter } from '../../errors.ts'
import type { AppContext } from '../../http/app.ts'
import { sendPieces, longAnswer } from '../../http/long-answers.ts'
import { toLines } from '../../rdf/lines.ts'
import { hydra, rdf, xsd } from '../../rdf/namespaces.ts'
import { literal, namedNode, quad } from '../../rdf/terms.ts'
import type { Part } from '../../rdf/writing/document.ts'
import type { RepositoryContext } from '../repository-context.ts'
import { answerDocument } from '../endpoints/responses.ts'

/** Returns the value of each id in the answer; resources that were deleted meanwhile have none. */
type Values<T> = (ids: readonly string[], signal: AbortSignal) => Promise<readonly T[]>

/** List of any kind of resources: the parts that differ by kind. */
export type ResourceList = {
  /** Path of the list below the service: `/catalogues/water/datasets`. */
  readonly path: string
  /** Parameters that belong to the list and not to its pages: `{ catalogue: 'water' }`. */
  readonly within?: Readonly<Record<string, string>>
  /** Lists all ids, ascending. Fails when the parent of the list does not exist. */
  readonly ids: (signal: AbortSignal) => Promise<readonly string[]>
  /** Called at the end of a long answer: fails when the parent of the list was deleted meanwhile. */
  readonly requireOwner?: (signal: AbortSignal) => Promise<void>
  readonly uriRefs: Values<string>
  /** Absent where original ids are not unique. */
  readonly originalIds?: Values<string>
  /** True when original ids are answered all at once unless a page is requested. */
  readonly allOriginalIds?: boolean
  /** Resources themselves, with blank nodes, in the order of the ids. */
  readonly described: Values<Part>
  /** Number of resources described together; default 100. */
  readonly batchSize?: number
}

/** Yields all ids of a list in batches; changes meanwhile do not shift the others. */
export async function* idBatches(
  list: Pick<ResourceList, 'ids'>,
  size: number,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const ids = [...(await list.ids(signal))]
  for (let at = 0; at < ids.length; at += size) yield ids.slice(at, at + size)
}

/** Parameters of a list request. */
type ListQuery = {
  readonly valueType: 'uriRefs' | 'identifiers' | 'originalIds' | 'metadata'
  readonly offset?: number
  readonly limit?: number
  readonly hydra: boolean
  readonly graphs: boolean
  readonly usePagedCollection: boolean
  /** Requested kinds of resources; absent = all. */
  readonly resourceTypes?: readonly string[]
}

const usualLimit = 100

/** Resources that are read, written and sent together: the memory bound of a long answer. */
const usualBatch = 100
const originsAtOnce = 1000

/**
 * Answers 200 with strings or RDF and the `Link` header; fails as the list does. Pages larger than usual take a slot for long
 * answers.
 */
export function answerList(
  c: AppContext,
  context: RepositoryContext,
  list: ResourceList,
  query: ListQuery,
): Promise<Response> {
  const { limit = isUnpaged(list, query) ? Infinity : usualLimit } = query
  const answer = () => answerPage(c, context, list, query)
  return limit > usualLimit ? longAnswer(c, answer) : answer()
}

/** Tells whether all original ids are requested at once. */
const isUnpaged = (list: ResourceList, { valueType, limit, offset }: ListQuery): boolean =>
  valueType === 'originalIds' &&
  list.allOriginalIds === true &&
  limit === undefined &&
  offset === undefined

/** Answers the requested page in its value type. Ids are read once, so that total and page are consistent. */
async function answerPage(
  c: AppContext,
  context: RepositoryContext,
  list: ResourceList,
  query: ListQuery,
): Promise<Response> {
  const signal = c.get('signal')
  const { valueType, offset = 0 } = query
  if (valueType === 'originalIds' && !list.originalIds) throw needsCatalogue()
  const found = await list.ids(signal)
  const all = includesDatasets(query) ? found : []
  const whole = isUnpaged(list, query)
  const limit = whole ? undefined : (query.limit ?? usualLimit)
  const page = { offset, limit }
  const address = c.get('address')
  const paging: ListPaging = { address, parameters: parametersOf(query), page, total: all.length }
  const addresses = addressesOf(list, paging)
  c.header('Link', linkHeader(addresses))
  if (whole && all.length > 0) return answerOriginalIds(c, context, list)
  const ids = all.slice(offset, offset + (limit ?? 0))
  if (valueType === 'metadata') {
    const node = pagingNode(addresses, paging, query.usePagedCollection)
    const parts = described(list, ids, query.hydra ? [node] : [], signal)
    return answerDocument(c, context, parts, { keepsGraphs: query.graphs })
  }
  if (valueType === 'uriRefs') return c.json(await list.uriRefs(ids, signal))
  const isOriginal = valueType === 'originalIds' && list.originalIds
  return c.json(isOriginal ? await isOriginal(ids, signal) : ids)
}

/** A list of another kind of resources is an empty list of datasets. */
const includesDatasets = ({ resourceTypes }: ListQuery): boolean =>
  resourceTypes === undefined || resourceTypes.some((type) => type.toLowerCase() === 'dataset')

/** Returns the parameters that the addresses of all pages repeat. */
function parametersOf(query: ListQuery): Record<string, string> {
  const { resourceTypes, valueType, hydra, graphs, usePagedCollection } = query
  return {
    ...(resourceTypes && { resourceTypes: resourceTypes.join(',') }),
    valueType,
    ...(valueType === 'metadata' && !hydra && { hydra: 'false' }),
    ...(valueType === 'metadata' && graphs && { graphs: 'true' }),
    ...(valueType === 'metadata' && usePagedCollection && { usePagedCollection: 'true' }),
  }
}

/**
 * Answers all original ids: exporters compare them with their source to find deleted records, so half a list would delete good
 * data.
 */
function answerOriginalIds(
  c: AppContext,
  { log, limits }: RepositoryContext,
  list: ResourceList,
): Promise<Response> {
  const signal = c.get('signal')
  async function* pieces() {
    let separator = '['
    for await (const batch of idBatches(list, originsAtOnce, signal)) {
      const origins = (await list.originalIds?.(batch, signal)) ?? []
      const text = origins.map((origin) => JSON.stringify(origin)).join(',')
      if (text === '') continue
      yield separator + text
      separator = ','
    }
    await list.requireOwner?.(signal)
    yield separator === '[' ? '[]' : ']'
  }
  const headers = { 'Content-Type': 'application/json' }
  return sendPieces(c, pieces(), { log, pieceMs: limits.requestMs, headers })
}

/** Yields the paging node, then the resources. */
async function* described(
  list: ResourceList,
  ids: readonly string[],
  first: readonly Part[],
  signal: AbortSignal,
): AsyncGenerator<readonly Part[]> {
  const { batchSize = usualBatch } = list
  yield [...first, ...(await list.described(ids.slice(0, batchSize), signal))]
  for (let at = batchSize; at < ids.length; at += batchSize) {
    yield await list.described(ids.slice(at, at + batchSize), signal)
  }
  if (ids.length > 0) await list.requireOwner?.(signal)
}

function needsCatalogue(): Failure {
  const detail = 'originalIds are unique inside one catalogue only: add catalogue=<id>'
  return invalidParameter('valueType', detail)
}

// Pages of a list: their addresses, the `Link` header (RFC 8288) and the Hydra node with the same content in RDF.

/** Requested part of a list; without `limit` all of it. */
type Page = { readonly offset: number; readonly limit: number | undefined }

type PageAddresses = ReturnType<typeof addressesOf>

/** Inputs for the addresses of pages; never `Host`, which clients can forge. */
type ListPaging = {
  /** Public address of the service. */
  readonly address: string
  /** Parameters of every page besides `limit` and `offset`. */
  readonly parameters: Readonly<Record<string, string>>
  readonly page: Page
  readonly total: number
}

/** Makes the absolute addresses around a page. A page after the end links back to the last one. */
export function addressesOf(list: Pick<ResourceList, 'path' | 'within'>, paging: ListPaging) {
  const { address, parameters, page, total } = paging
  const { offset, limit } = page
  const at = (place: number) => {
    const span: Record<string, string> =
      limit === undefined ? {} : { limit: String(limit), offset: String(place) }
    return withQuery(address + list.path, { ...list.within, ...parameters, ...span })
  }
  const step = limit ?? Math.max(1, total)
  const last = total === 0 ? 0 : Math.floor((total - 1) / step) * step
  return {
    list: withQuery(address + list.path, { ...list.within }),
    page: at(offset),
    first: at(0),
    previous: offset > 0 ? at(Math.max(0, Math.min(offset - step, last))) : undefined,
    next: offset + step < total ? at(offset + step) : undefined,
    last: at(last),
  }
}

/** Appends parameters to a path; no question mark without any. */
function withQuery(path: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString()
  return query === '' ? path : `${path}?${query}`
}

/** `<…>; rel="first", <…>; rel="prev", …` */
function linkHeader({ first, previous, next, last }: PageAddresses): string {
  const links = { first, prev: previous, next, last }
  return Object.entries(links)
    .flatMap(([relation, target]) => (target === undefined ? [] : `<${target}>; rel="${relation}"`))
    .join(', ')
}

/** The paging node as its own part of the default graph; `legacy` = `hydra:PagedCollection` of early drafts of Hydra. */
function pagingNode(addresses: PageAddresses, { page, total }: ListPaging, legacy: boolean): Part {
  const [node, collection] = [namedNode(addresses.page), namedNode(addresses.list)]
  const count = (name: string, value: number) =>
    quad(node, hydra(name), literal(String(value), xsd('integer')))
  const links = (['first', 'previous', 'next', 'last'] as const).flatMap((name) => {
    const target = addresses[name]
    const property = legacy ? `${name}Page` : name
    return target === undefined ? [] : quad(node, hydra(property), namedNode(target))
  })
  const type = legacy ? 'PagedCollection' : 'PartialCollectionView'
  const own = [quad(node, rdf('type'), hydra(type)), count('totalItems', total), ...links]
  if (legacy) return { lines: toLines([...own, count('itemsPerPage', page.limit ?? total)]) }
  return {
    lines: toLines([
      ...own,
      quad(collection, rdf('type'), hydra('Collection')),
      quad(collection, hydra('totalItems'), literal(String(total), xsd('integer'))),
      quad(collection, hydra('view'), node),
    ]),
  }
}
