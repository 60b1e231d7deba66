/** Pages of a list: their addresses, the `Link` header (RFC 8288) and the Hydra node that says the same in RDF. */

import { toLines } from '../../rdf/lines.ts'
import { hydra, rdf, xsd } from '../../rdf/namespaces.ts'
import { literal, namedNode, quad } from '../../rdf/terms.ts'
import type { Part } from '../../rdf/writing/document.ts'
import type { ResourceList } from './lists.ts'

/** What of a list is asked for; without `limit` it is all of it. */
type Page = { readonly offset: number; readonly limit: number | undefined }

/** Absolute addresses. */
type PageAddresses = {
  readonly list: string
  readonly page: string
  readonly first: string
  readonly previous: string | undefined
  readonly next: string | undefined
  readonly last: string
}

export type ListPaging = {
  /** Public address of the service. */
  readonly address: string
  /** Parameters that every page of the list has beside `limit` and `offset`. */
  readonly parameters: Readonly<Record<string, string>>
  readonly page: Page
  readonly total: number
}

/** The addresses around a page. A page behind the end leads back to the last one. */
export function addressesOf(
  list: Pick<ResourceList, 'path' | 'within'>,
  paging: ListPaging,
): PageAddresses {
  const { address, parameters, page, total } = paging
  const { offset, limit } = page
  const at = (place: number) => {
    const span = limit === undefined ? {} : { limit: String(limit), offset: String(place) }
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

function withQuery(path: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString()
  return query === '' ? path : `${path}?${query}`
}

/** `<…>; rel="first", <…>; rel="prev", …` */
export function linkHeader({ first, previous, next, last }: PageAddresses): string {
  const links = { first, prev: previous, next, last }
  return Object.entries(links)
    .flatMap(([relation, target]) => (target === undefined ? [] : `<${target}>; rel="${relation}"`))
    .join(', ')
}

/** The paging node as its own part of the default graph; `legacy` = `hydra:PagedCollection` of early drafts of Hydra. */
export function pagingNode(
  addresses: PageAddresses,
  { page, total }: ListPaging,
  legacy: boolean,
): Part {
  const integer = (value: number) => literal(String(value), xsd('integer'))
  const node = namedNode(addresses.page)
  const say = (name: string, value: string | undefined) =>
    value === undefined ? [] : quad(node, hydra(name), namedNode(value))
  const { first, previous, next, last } = addresses
  const count = quad(node, hydra('totalItems'), integer(total))
  if (legacy) {
    return {
      lines: toLines([
        quad(node, rdf('type'), hydra('PagedCollection')),
        count,
        quad(node, hydra('itemsPerPage'), integer(page.limit ?? total)),
        ...[say('firstPage', first), say('previousPage', previous)].flat(),
        ...[say('nextPage', next), say('lastPage', last)].flat(),
      ]),
    }
  }
  const collection = namedNode(addresses.list)
  return {
    lines: toLines([
      quad(node, rdf('type'), hydra('PartialCollectionView')),
      count,
      ...[say('first', first), say('previous', previous)].flat(),
      ...[say('next', next), say('last', last)].flat(),
      quad(collection, rdf('type'), hydra('Collection')),
      quad(collection, hydra('totalItems'), integer(total)),
      quad(collection, hydra('view'), node),
    ]),
  }
}
