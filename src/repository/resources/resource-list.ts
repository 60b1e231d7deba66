/** The list of the resources of one declared type, of all catalogues or of one. */

import { isId } from '../../rdf/ids.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import type { Row } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { rosterNames } from '../listing/followed-store.ts'
import type { List } from '../listing/list.ts'
import type { ListDeps } from '../listing/lists.ts'
import { graphsOf } from '../listing/lookup.ts'

const allQuery = loadQuery('resource-ids')
const membersQuery = loadQuery('resource-member-ids')

const idsIn = (rows: readonly Row[]): string[] =>
  rows.flatMap((row) => row['ids']?.value.split(' ') ?? []).filter(isId)

/** All resources of a type. */
export function resourceList(deps: ListDeps, type: string): List {
  const { store, names, rosters } = deps
  const iriOf = (id: string) => names.resource(type, id)
  return {
    path: `/customresources/${type}`,
    ids: () =>
      rosters.of(rosterNames.resources(type), async () => {
        const values = { type: literal(type), prefix: literal(names.resource(type, '')) }
        // Nobody's signal: the others who wait for the same roster have not left.
        return idsIn(await store.select(bind(allQuery, values)))
      }),
    uriRefs: async (chosen) => chosen.map(iriOf),
    originalIds: async (chosen) => chosen,
    described: (chosen, signal) => graphsOf(deps, chosen.map(iriOf), signal),
  }
}

/** Those that are in one catalogue; its ids fail with `unknown-catalogue`. */
export function resourceMembers(
  deps: ListDeps,
  { type, catalogue }: { readonly type: string; readonly catalogue: string },
): List {
  const { store, names } = deps
  return {
    ...resourceList(deps, type),
    within: { catalogId: catalogue },
    ids: async (signal) => {
      const query = bind(membersQuery, {
        type: literal(type),
        catalogue: namedNode(names.catalogue(catalogue)),
        prefix: literal(names.resource(type, '')),
      })
      const found = idsIn(await store.select(query, signal)).sort()
      if (found.length === 0) await deps.demand(catalogue, signal)
      return found
    },
    demand: (signal) => deps.demand(catalogue, signal),
  }
}
