/** The search of DKAN 2, page by page. */
import type { Found } from '../../found.ts'
import { fieldsOf } from '../../../../vocabularies/loose-values.ts'
import { countOf, envelopeFailure } from '../documents/envelope.ts'
import { foundDataset } from '../documents/data-json.ts'
import { podSource, type Site } from './site.ts'

/** What the search gives at most. */
const largestPage = 100
/** Empty pages in a row that are passed over. */
const patience = 10

/**
 * A page may be shorter than asked for with more behind it: records that are in the search and no longer in the
 * metastore are dropped on the way. So the total alone says when the end is reached.
 */
export async function* searchPages(site: Site): AsyncGenerator<Found, void> {
  const { config, source } = site
  const size = Math.min(config.pageSize, largestPage)
  const pods = podSource(site)
  let empty = 0
  for (let page = 1; ; page += 1) {
    const { value, url } = await source.json(addressOf(site, size, page))
    const { total, results } = fieldsOf(value)
    const count = countOf(total)
    if (count === undefined || typeof results !== 'object') throw envelopeFailure(value, url)
    // Without results there is a list in place of an object.
    const found = Object.entries(fieldsOf(results))
    const isEmpty = found.length === 0
    if (!isEmpty || page === 1) yield { kind: 'total', total: count }
    for (const [key, one] of found)
      yield foundDataset(one, pods, { key: key.replace(/^[^/]*\//, '') })
    yield { kind: 'page' }
    const isWhole = page * size >= count
    // A full page may have one behind it that the total does not know of.
    if (isWhole && found.length < size) return
    empty = isEmpty ? empty + 1 : 0
    // What the total promises further back is for the count to miss.
    if (empty > patience) return
  }
}

const addressOf = ({ root, config }: Site, size: number, page: number) => {
  const own = Object.entries(config.filters ?? {}).map(
    ([key, value]) => `&${encodeURIComponent(key)}=${encodeURIComponent(value)}`,
  )
  // Facets over the whole index would be counted for every page.
  return `${root}/api/1/search?page-size=${size}&page=${page}&sort=title&sort-order=asc&facets=0${own.join('')}`
}
