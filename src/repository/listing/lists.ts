/** Lists of resources: one page of IRIs, platform ids or ids at the origin, ordered by id. */

import { Failure } from '../../errors.ts'
import type { Names } from '../../rdf/names.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import type { GraphStore, Row } from '../../store/graph-store.ts'
import { paged } from '../../store/paged.ts'
import { bind, loadQuery, type Values } from '../../store/queries.ts'

type Page = {
  readonly valueType: 'uriRefs' | 'identifiers' | 'originalIds'
  readonly offset: number
  /** Absent: 100, but all of them for the original ids of a catalogue. */
  readonly limit?: number | undefined
}

export type Lists = {
  catalogues(page: Page, signal: AbortSignal): Promise<string[]>
  /** Of one catalogue (which must exist), or of all. */
  datasets(catalogue: string | undefined, page: Page, signal: AbortSignal): Promise<string[]>
  vocabularies(page: Page, signal: AbortSignal): Promise<string[]>
}

const usual = 100
const everything = 2 ** 31 - 1

const queries = {
  catalogues: loadQuery('catalogues'),
  datasets: loadQuery('datasets'),
  members: loadQuery('catalogue-datasets'),
  originalIds: loadQuery('catalogue-original-ids'),
  vocabularies: loadQuery('vocabularies'),
}

export function lists(store: GraphStore, names: Names): Lists {
  const rows = (query: keyof typeof queries, page: Page, values: Values, signal: AbortSignal) => {
    const { limit = usual, offset } = page
    return store.select(paged(bind(queries[query], values), { limit, offset }), signal)
  }
  const prefix = literal(names.catalogue(''))

  const originalIds = async (catalogue: string | undefined, page: Page, signal: AbortSignal) => {
    if (catalogue === undefined) throw needsCatalogue()
    // Exporters compare these with their source to find what is gone: half a list would delete good data.
    const whole = page.limit === undefined && page.offset === 0
    const asked = whole ? { ...page, limit: everything } : page
    const within = { catalogue: namedNode(names.catalogue(catalogue)) }
    const found = await rows('originalIds', asked, within, signal)
    return found.flatMap((row) => row['originalId']?.value ?? [])
  }

  return {
    catalogues: async (page, signal) => {
      const found = await rows('catalogues', page, { prefix }, signal)
      return page.valueType === 'uriRefs'
        ? iris(found)
        : ids(found, (iri) => names.idOf('catalogue', iri))
    },
    datasets: async (catalogue, page, signal) => {
      if (page.valueType === 'originalIds') return originalIds(catalogue, page, signal)
      const within =
        catalogue === undefined ? { prefix } : { catalogue: namedNode(names.catalogue(catalogue)) }
      const found = await rows(
        catalogue === undefined ? 'datasets' : 'members',
        page,
        within,
        signal,
      )
      return page.valueType === 'uriRefs'
        ? iris(found)
        : ids(found, (iri) => names.idOf('dataset', iri))
    },
    vocabularies: async (page, signal) => {
      const found = await rows('vocabularies', page, {}, signal)
      if (page.valueType === 'uriRefs') return found.flatMap((row) => row['scheme']?.value ?? [])
      return ids(found, (iri) => names.idOf('vocabulary', iri))
    },
  }
}

const iris = (rows: readonly Row[]) => rows.flatMap((row) => row['resource']?.value ?? [])

const ids = (rows: readonly Row[], idOf: (iri: string) => string | undefined) =>
  iris(rows).flatMap((iri) => idOf(iri) ?? [])

function needsCatalogue(): Failure {
  const detail = 'originalIds are unique inside one catalogue only: add catalogue=<id>'
  return new Failure('invalid-parameter', detail, { errors: [{ parameter: 'valueType', detail }] })
}
