/** Projects catalogues again into the present index, with everything in them. */

import { Failure, shown } from '../../errors.ts'
import type { IndexName } from '../../search-index/index-settings.ts'
import type { Names } from '../../rdf/names.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { page, type Users } from '../loop/cascades.ts'
import { feed, type Feed } from '../loop/feeding.ts'
import type { Records } from '../loop/records.ts'

const handlesQuery = loadQuery('catalogue-handles')
const sizeQuery = loadQuery('catalogue-size')

export type AgainDeps = {
  readonly store: GraphStore
  readonly names: Names
  readonly records: Records
  readonly members: Users
  readonly indices: readonly IndexName[]
  readonly take: Feed['take']
  readonly pause: Feed['pause']
}

export type Progress = (done: number, total?: number) => void

/** No catalogues = everything that any index is made of. How many records; throws `unknown-catalogue`. */
export async function again(
  deps: AgainDeps,
  { catalogues, progress }: { readonly catalogues: readonly string[]; readonly progress: Progress },
  signal: AbortSignal,
): Promise<number> {
  const [pages, total] =
    catalogues.length === 0
      ? await everything(deps, signal)
      : await membersOf(deps, catalogues, signal)
  const { take, pause } = deps
  return feed(pages, { take, pause, progress: (done) => progress(done, total) }, signal)
}

type Work = readonly [pages: AsyncIterable<readonly string[]>, total: number]

async function everything({ records, indices }: AgainDeps, signal: AbortSignal): Promise<Work> {
  const counts = await Promise.all(indices.map((index) => records.count(index, signal)))
  const pages = async function* () {
    for (const index of indices) yield* records.pages(index, signal)
  }
  return [pages(), counts.reduce((sum, count) => sum + count, 0)]
}

async function membersOf(
  { store, names, members }: AgainDeps,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Work> {
  const prefix = literal(names.catalogue(''))
  const rows = await store.select(bind(handlesQuery, { prefix }), signal)
  const known = new Set(rows.map((row) => row['resource']?.value))
  const missing = ids.find((id) => !known.has(names.catalogue(id)))
  if (missing !== undefined)
    throw new Failure('unknown-catalogue', `there is no catalogue ${shown(missing)}`)
  const catalogues = [...new Set(ids)].map((id) => names.catalogue(id))
  let total = catalogues.length
  for (const catalogue of catalogues) {
    const [row] = await store.select(bind(sizeQuery, { catalogue: namedNode(catalogue) }), signal)
    total += Number(row?.['size']?.value ?? 0)
  }
  const pages = async function* () {
    for (const resource of catalogues) {
      yield [resource]
      const mark = { resource, version: 0 }
      for (let after = ''; ;) {
        const found = await members.page(mark, after, signal)
        yield found
        if (found.length < page) break
        after = found.at(-1) ?? after
      }
    }
  }
  return [pages(), total]
}
