/** Reading all hits of a search page by page: `scroll`, and `searchAfter` with its continuations. */

import { Failure, invalidParameter } from '../../errors.ts'
import type { Parameters } from './search-parameters.ts'

/** Where a run of search-after goes on. */
export type PageStart = {
  readonly pitId: string
  /** As it was answered: of the last hit its value and its place. */
  readonly sort: readonly [number, number]
}

export type PageRun =
  | { readonly kind: 'scroll' }
  | { readonly kind: 'search-after'; readonly from?: PageStart }

/** `undefined` for single pages. Throws `invalid-parameter`, `filters-required`. */
export function runOf(parameters: Parameters, named: boolean): PageRun | undefined {
  const { scroll = false, countOnly = false, limit } = parameters
  const from = placeOf(parameters)
  const after = from !== undefined || parameters.searchAfter === true
  if (scroll && after) throw invalidParameter('scroll', 'scroll and searchAfter exclude each other')
  if (after && !named) {
    const detail = 'searchAfter needs at least one index in filters'
    throw new Failure('filters-required', detail, { errors: [{ parameter: 'filters', detail }] })
  }
  if (!scroll && !after) return undefined
  if (limit === 0)
    throw invalidParameter('limit', 'limit must be 1..1000 where pages follow each other')
  if (countOnly) return undefined
  return scroll ? { kind: 'scroll' } : { kind: 'search-after', ...(from && { from }) }
}

const number = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/

/** Two numbers, `1.5,20` or `[1.5,20]`. */
function placeOf({ pitId, searchAfterSort }: Parameters): PageStart | undefined {
  if (pitId === undefined && searchAfterSort === undefined) return undefined
  if (pitId === undefined) throw invalidParameter('pitId', 'searchAfterSort needs pitId')
  if (searchAfterSort === undefined)
    throw invalidParameter('searchAfterSort', 'pitId needs searchAfterSort')
  const texts = searchAfterSort
    .join(',')
    .replace(/^\[|\]$/g, '')
    .split(',')
  const [value = NaN, place = NaN, ...more] = texts.map((text) =>
    number.test(text.trim()) ? Number(text) : NaN,
  )
  const isPlace = Number.isSafeInteger(place) && place >= 0
  if (Number.isFinite(value) && isPlace && more.length === 0) return { pitId, sort: [value, place] }
  throw invalidParameter(
    'searchAfterSort',
    'searchAfterSort must be the two numbers of result.sort',
  )
}
