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

/** Function that reads the values of ids, in their order; resources that were deleted meanwhile may have none. */
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
  readonly parts: Values<Part>
  /** Number of resources described together; default 100. */
  readonly batchSize?: number
}

/** Yields the ids of a list in batches of `size`; the list is read once, so that changes meanwhile do not shift ids. */
export async function* idBatches(
  list: Pick<ResourceList, 'ids'>,
  size: number,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const ids = [...(await list.ids(signal))]
  for (let at = 0; at < ids.length; at += size) yield ids.slice(at, at + size)
}

/** Query parameters of a list request, which `endpoints/parameters.ts` describes. */
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

/** Number of resources of a page when the client names none. */
const defaultLimit = 100

/** Number of resources, and of original ids, that are read and sent together: the memory bound of a long answer. */
const defaultBatchSize = 100
const originalIdBatchSize = 1000

/**
 * Answers 200 with strings or RDF and the `Link` header; fails as the list does, and with `invalid-parameter` for original ids
 * that are not unique. Pages larger than usual take a slot for long answers.
 */
export function answerList(
  c: AppContext,
  context: RepositoryContext,
  list: ResourceList,
  query: ListQuery,
): Promise<Response> {
  const { limit = isUnpaged(list, query) ? Infinity : defaultLimit } = query
  const answer = () => answerPage(c, context, list, query)
  return limit > defaultLimit ? longAnswer(c, answer) : answer()
}

/** Tells whether all original ids are requested at once. */
const isUnpaged = (list: ResourceList, { valueType, limit, offset }: ListQuery): boolean =>
  valueType === 'originalIds' &&
  list.allOriginalIds === true &&
  limit === undefined &&
  offset === undefined

/** Answers the requested page in its value type. Ids of a page are read once, so that total and page are consistent. */
async function answerPage(
  c: AppContext,
  context: RepositoryContext,
  list: ResourceList,
  query: ListQuery,
): Promise<Response> {
  const signal = c.get('signal')
  const { valueType, offset = 0 } = query
  if (valueType === 'originalIds' && !list.originalIds) throw needsCatalogue()
  const listedIds = await list.ids(signal)
  const allIds = includesDatasets(query) ? listedIds : []
  const isWholeList = isUnpaged(list, query)
  const limit = isWholeList ? undefined : (query.limit ?? defaultLimit)
  const page = { offset, limit }
  const address = c.get('address')
  const paging: ListPaging = {
    address,
    parameters: parametersOf(query),
    page,
    total: allIds.length,
  }
  const addresses = addressesOf(list, paging)
  c.header('Link', linkHeader(addresses))
  if (isWholeList && allIds.length > 0) return answerOriginalIds(c, context, list)
  const ids = allIds.slice(offset, offset + (limit ?? 0))
  if (valueType === 'metadata') {
    const node = pagingNode(addresses, paging, query.usePagedCollection)
    const parts = resourceParts(list, ids, query.hydra ? [node] : [], signal)
    return answerDocument(c, context, parts, { keepsGraphs: query.graphs })
  }
  if (valueType === 'uriRefs') return c.json(await list.uriRefs(ids, signal))
  const originalIds = valueType === 'originalIds' && list.originalIds
  return c.json(originalIds ? await originalIds(ids, signal) : ids)
}

/** False when `resourceTypes` names only other kinds of resources; the answer is an empty list then. */
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
    for await (const batch of idBatches(list, originalIdBatchSize, signal)) {
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
async function* resourceParts(
  list: ResourceList,
  ids: readonly string[],
  first: readonly Part[],
  signal: AbortSignal,
): AsyncGenerator<readonly Part[]> {
  const { batchSize = defaultBatchSize } = list
  yield [...first, ...(await list.parts(ids.slice(0, batchSize), signal))]
  for (let at = batchSize; at < ids.length; at += batchSize) {
    yield await list.parts(ids.slice(at, at + batchSize), signal)
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
  const addressAt = (start: number) => {
    const pageParameters: Record<string, string> =
      limit === undefined ? {} : { limit: String(limit), offset: String(start) }
    return withQuery(address + list.path, { ...list.within, ...parameters, ...pageParameters })
  }
  const step = limit ?? Math.max(1, total)
  const last = total === 0 ? 0 : Math.floor((total - 1) / step) * step
  return {
    list: withQuery(address + list.path, { ...list.within }),
    page: addressAt(offset),
    first: addressAt(0),
    previous: offset > 0 ? addressAt(Math.max(0, Math.min(offset - step, last))) : undefined,
    next: offset + step < total ? addressAt(offset + step) : undefined,
    last: addressAt(last),
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

/** The paging node as its own part of the default graph; `isLegacy` = `hydra:PagedCollection` of early drafts of Hydra. */
function pagingNode(
  addresses: PageAddresses,
  { page, total }: ListPaging,
  isLegacy: boolean,
): Part {
  const [node, collection] = [namedNode(addresses.page), namedNode(addresses.list)]
  const count = (name: string, value: number) =>
    quad(node, hydra(name), literal(String(value), xsd('integer')))
  const links = (['first', 'previous', 'next', 'last'] as const).flatMap((name) => {
    const target = addresses[name]
    const property = isLegacy ? `${name}Page` : name
    return target === undefined ? [] : quad(node, hydra(property), namedNode(target))
  })
  const type = isLegacy ? 'PagedCollection' : 'PartialCollectionView'
  const statements = [quad(node, rdf('type'), hydra(type)), count('totalItems', total), ...links]
  if (isLegacy)
    return { lines: toLines([...statements, count('itemsPerPage', page.limit ?? total)]) }
  return {
    lines: toLines([
      ...statements,
      quad(collection, rdf('type'), hydra('Collection')),
      quad(collection, hydra('totalItems'), literal(String(total), xsd('integer'))),
      quad(collection, hydra('view'), node),
    ]),
  }
}
