/** The ids of a list of datasets in ascending order, each once, whatever comes and goes meanwhile. */

import { Failure } from '../../errors.ts'
import { got, type FeedDoor } from './door.ts'

export type IdList = {
  /** How many there were at the beginning. */
  readonly total: number
  /** Page by page. */
  readonly pages: AsyncIterable<readonly string[]>
}

const pageSize = 1000

/**
 * The datasets of a catalogue, or all; those behind the id `after` only. Throws `unknown-catalogue`, and
 * `store-unavailable` when the repository does not answer.
 */
export async function idList(
  door: FeedDoor,
  catalogue: string | undefined,
  after: string | undefined,
  signal: AbortSignal,
): Promise<IdList> {
  const path =
    catalogue === undefined ? '/datasets' : `/catalogues/${encodeURIComponent(catalogue)}/datasets`
  const ask = (offset: number, limit: number) => page(door, path, { offset, limit }, signal)
  const { total } = await ask(0, 1)
  return { total, pages: pagesOf(ask, after) }
}

/** How many datasets a catalogue has. Throws as `idList` does. */
export async function datasetCount(
  door: FeedDoor,
  catalogue: string,
  signal: AbortSignal,
): Promise<number> {
  return (await idList(door, catalogue, undefined, signal)).total
}

/** `total` is exact where `limit` is 1. */
type Ask = (
  offset: number,
  limit: number,
) => Promise<{ readonly ids: readonly string[]; readonly total: number }>

/** Each page is asked for with the last id of the one before: when that is not there, the place has moved and is looked for. */
async function* pagesOf(ask: Ask, after: string | undefined): AsyncGenerator<readonly string[]> {
  let last = after
  let offset = last === undefined ? 0 : await placeBehind(ask, last)
  for (;;) {
    const overlap = last !== undefined && offset > 0 ? 1 : 0
    const { ids } = await ask(offset - overlap, pageSize)
    if (overlap === 1 && ids[0] !== last && last !== undefined) {
      const moved = await placeBehind(ask, last)
      if (moved !== offset) {
        offset = moved
        continue
      }
    }
    const found = ids.filter((id) => last === undefined || id > last)
    if (found.length === 0) return
    yield found
    last = found.at(-1)
    offset += found.length
  }
}

/** How many ids are not behind `last`. */
async function placeBehind(ask: Ask, last: string): Promise<number> {
  let low = 0
  let high = (await ask(0, 1)).total
  while (low < high) {
    const middle = (low + high) >>> 1
    const [id] = (await ask(middle, 1)).ids
    if (id !== undefined && id <= last) low = middle + 1
    else high = middle
  }
  return low
}

async function page(
  door: FeedDoor,
  path: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
  signal: AbortSignal,
): ReturnType<Ask> {
  const query = `?valueType=identifiers&offset=${offset}&limit=${limit}`
  const answer = await got(door, path + query, signal)
  const text = await answer.text()
  if (answer.status === 404 || answer.status === 410)
    throw new Failure('unknown-catalogue', `there is nothing at ${path}`)
  const ids: unknown = answer.status === 200 ? JSON.parse(text) : undefined
  if (!Array.isArray(ids))
    throw new Failure('store-unavailable', `the list of datasets answered ${answer.status}`)
  const strings = ids.filter((id) => typeof id === 'string')
  const isEmpty = offset === 0 && ids.length === 0
  return { ids: strings, total: isEmpty ? 0 : lastOf(answer.headers.get('link') ?? '') + limit }
}

/** Where the last page begins. */
function lastOf(link: string): number {
  const last = /<([^>]*)>; rel="last"/.exec(link)?.[1] ?? ''
  return Number(URL.parse(last)?.searchParams.get('offset') ?? 0)
}
