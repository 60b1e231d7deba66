/** What is in a catalogue: its datasets and its resources of declared types. */

import { literal, namedNode } from '../../rdf/terms.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { bind, loadQuery, paged } from '../../store/queries.ts'
import { page, type Users } from './cascades.ts'

const query = loadQuery('catalogue-members-after')

/** Members per query: each has all the members behind it put in order, and some stores do not sort more. */
const most = 5000

/** Keeps what it has read of one catalogue for the next pages. What goes meanwhile may still be named. */
export function members(store: GraphStore): Users {
  let [of, waiting, isAll]: [string, readonly string[], boolean] = ['', [], false]

  const read = async (resource: string, after: string, signal: AbortSignal) => {
    const bound = bind(query, { catalogue: namedNode(resource), after: literal(after) })
    const rows = await store.select(paged(bound, { limit: most }), signal)
    return rows.flatMap((row) => row['resource']?.value ?? [])
  }
  return {
    page: async (mark, after, signal) => {
      const key = `${mark.version} ${mark.resource}`
      const at = waiting.indexOf(after)
      if (of !== key || at < 0) [of, waiting, isAll] = [key, [], false]
      else waiting = waiting.slice(at + 1)
      if (waiting.length < page && !isAll) {
        const more = await read(mark.resource, waiting.at(-1) ?? after, signal)
        isAll = more.length < most
        waiting = [...waiting, ...more]
      }
      return waiting.slice(0, page)
    },
  }
}
