/** The reading half of the engine. */

import type { CursorLimits } from '../cursors.ts'
import type { SearchIndex } from '../search-index.ts'
import { MeilisearchCursors } from './meilisearch-cursors.ts'
import type { Keeping } from './replaced-versions.ts'
import { entriesOf, recordOf } from './record-reads.ts'
import { facetValues } from './facet-distribution.ts'
import { fresh } from './fresh-map.ts'
import type { Reading } from './documents.ts'
import { search } from './search-answer.ts'
import { valuesOf } from './facet-listing.ts'

export type Reads = Pick<SearchIndex, 'search' | 'get' | 'entries' | 'values' | 'open' | 'page'> & {
  readonly keeping: Keeping
}

/** Queries whose words, or whose phrases, are remembered for a moment. */
const mostQueries = 200

export function reads(given: Reading & { readonly cursors: CursorLimits }): Reads {
  const reading: Reading = {
    ...given,
    remembered: fresh(given, mostQueries),
    ruledOut: fresh(given, mostQueries),
  }
  const tools = { reading, values: facetValues(reading) }
  const cursors = new MeilisearchCursors(tools, given.cursors)
  return {
    search: (request, signal) => search(request, tools, signal),
    get: (index, id, signal) => recordOf(reading, index, id, signal),
    entries: (index, after, limit, signal) => entriesOf(reading, index, { after, limit }, signal),
    values: (index, facet, signal) => valuesOf(index, facet, tools, signal),
    open: (request, signal) => cursors.open(request, signal),
    page: (cursor, wish, signal) => cursors.page(cursor, wish, signal),
    keeping: cursors,
  }
}
