/** Reads what is too long for one answer of a store that cuts answers without a word. */

import { Failure } from '../../errors.ts'
import type { Door } from './dialect.ts'
import { linesOf } from './values/respell.ts'

type Paging = { readonly page: number; readonly signal?: AbortSignal | undefined }

const tries = 3

/** `CONSTRUCT { template } WHERE { pattern }` of ours, which stands in the pages' sub-select. */
function partsOf(query: string) {
  const at = query.indexOf('WHERE {')
  return { template: query.slice(0, at), pattern: query.slice(at + 'WHERE '.length) }
}

const variables = '?s ?p ?o ?note ?staging'

// The limit stands outside: Virtuoso sorts any number of rows, but no more than 10,000 beside a limit.
function pageOf(query: string, limit: number, offset: number): string {
  const { template, pattern } = partsOf(query)
  const ordered = `SELECT ${variables} WHERE ${pattern} ORDER BY ${variables}`
  return `${template} WHERE { { ${ordered} } } LIMIT ${limit} OFFSET ${offset}`
}

async function countOf(query: string, { door, signal }: { door: Door } & Paging): Promise<number> {
  const count = `SELECT (COUNT(*) AS ?n) WHERE ${partsOf(query).pattern}`
  const [row] = await door.select(count, signal)
  return Number(row?.['n']?.value)
}

/**
 * All lines of one of our graph queries, page by page. They are complete when there are as many as the store counts before
 * and after; a graph that changes all the time is store-unavailable.
 */
export async function pagedGraph(
  query: string,
  door: Door,
  { page, signal }: Paging,
): Promise<ReadonlySet<string>> {
  for (let left = tries; left > 0; left -= 1) {
    const before = await countOf(query, { door, page, signal })
    const lines = new Set<string>()
    for (let offset = 0; offset < before; offset += page) {
      for (const line of linesOf(await door.construct(pageOf(query, page, offset), signal))) {
        lines.add(line)
      }
    }
    const after = await countOf(query, { door, page, signal })
    if (before === after && lines.size === after) return lines
  }
  throw new Failure('store-unavailable', 'The graph changes while it is read.', { retryAfter: 1 })
}
