/** All records of an index, read once through a snapshot. */

import type { Hit, SearchIndex } from '../../search-index/search-index.ts'
import type { IndexName } from '../../search-index/index-settings.ts'

/** What is written of so many records at once keeps nobody waiting. */
const step = 500

/** Ascending by id, so many at once; whatever is written meanwhile, each record comes once. */
export async function* everyRecord(
  index: SearchIndex,
  name: IndexName,
  include: readonly string[],
): AsyncGenerator<readonly Hit[]> {
  // Without words every record is equally relevant, so that the order is that of the ids.
  let page = await index.open({
    indices: [name],
    tree: { kind: 'all' },
    filter: {},
    order: [{ by: 'relevance', direction: 'desc' }],
    boosts: {},
    limit: step,
    include,
    score: false,
    client: 'sitemap',
    note: '',
  })
  while (page.hits.length > 0) {
    yield page.hits
    if (page.hits.length < step) return
    page = await index.page(page.cursor)
  }
}
