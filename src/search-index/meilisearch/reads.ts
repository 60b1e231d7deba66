/** The reading half of the engine. */

import type { CursorLimits } from '../cursors.ts'
import type { SearchIndex } from '../search-index.ts'
import { MeilisearchCursors } from './meilisearch-cursors.ts'
import type { Keeping } from './replaced-versions.ts'
import { entriesOf, recordOf } from './record-reads.ts'
import { facetValues } from './facet-distribution.ts'
import type { Reading } from './documents.ts'
import { search } from './search-answer.ts'
import { valuesOf } from './facet-listing.ts'

type Reads = Pick<SearchIndex, 'search' | 'get' | 'entries' | 'values' | 'open' | 'page'> & {
  readonly keeping: Keeping
}

export function reads(reading: Reading, limits: CursorLimits): Reads {
  const tools = { reading, values: facetValues(reading) }
  const cursors = new MeilisearchCursors(tools, limits)
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
