/** The lists of catalogues, datasets and vocabularies, as the store knows them. */

import type { Term } from '@rdfjs/types'
import { isId } from '../../rdf/ids.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import { rosterNames } from './followed-store.ts'
import { graphsOf, originalIdsOf, schemesOf, type Lookup } from './lookup.ts'
import type { List } from './list.ts'
import type { Roster, Rosters } from './rosters.ts'

const queries = {
  catalogues: loadQuery('catalogue-ids'),
  datasets: loadQuery('dataset-ids'),
  members: loadQuery('member-ids'),
  vocabularies: loadQuery('vocabulary-ids'),
}

export type Lists = {
  readonly catalogues: List
  /** Of all catalogues. */
  readonly datasets: List
  readonly vocabularies: List
  /** Of one catalogue; its ids fail as `demand` does when there is none. */
  readonly members: (catalogue: string) => List
}

export type ListDeps = Lookup & {
  readonly rosters: Rosters
  /** Fails when there is no such catalogue. */
  readonly demand: (catalogue: string, signal: AbortSignal) => Promise<void>
}

export function lists(deps: ListDeps): Lists {
  return {
    catalogues: catalogueList(deps),
    datasets: datasetList(deps),
    members: (catalogue) => memberList(deps, catalogue),
    vocabularies: vocabularyList(deps),
  }
}

type Reading = { readonly query: keyof typeof queries; readonly name: string }

/** The ids that a query packs into its rows. */
function ids(
  { store, rosters }: ListDeps,
  { query, name }: Reading,
  values: Readonly<Record<string, Term>>,
): Promise<Roster> {
  return rosters.of(name, async () => {
    // Nobody's signal: the others who wait for the same roster have not left.
    const rows = await store.select(bind(queries[query], values))
    return rows.flatMap((row) => row['ids']?.value.split(' ') ?? []).filter(isId)
  })
}

function catalogueList(deps: ListDeps): List {
  const { names } = deps
  return {
    path: '/catalogues',
    ids: () => {
      const reading = { query: 'catalogues', name: rosterNames.catalogues } as const
      return ids(deps, reading, { prefix: literal(names.catalogue('')) })
    },
    uriRefs: async (chosen) => chosen.map(names.catalogue),
    originalIds: async (chosen) => chosen,
    described: (chosen, signal) => graphsOf(deps, chosen.map(names.catalogue), signal),
  }
}

function datasetList(deps: ListDeps): List {
  const { names } = deps
  return {
    path: '/datasets',
    ids: () => {
      const reading = { query: 'datasets', name: rosterNames.datasets } as const
      const catalogues = literal(names.catalogue(''))
      return ids(deps, reading, { prefix: literal(names.dataset('')), catalogues })
    },
    uriRefs: async (chosen) => chosen.map(names.dataset),
    described: (chosen, signal) => graphsOf(deps, chosen.map(names.dataset), signal),
  }
}

function memberList(deps: ListDeps, id: string): List {
  const { names } = deps
  return {
    ...datasetList(deps),
    path: `/catalogues/${id}/datasets`,
    ids: async (signal) => {
      const reading = { query: 'members', name: rosterNames.members(id) } as const
      const catalogue = namedNode(names.catalogue(id))
      const found = await ids(deps, reading, { prefix: literal(names.dataset('')), catalogue })
      if (found.length === 0) await deps.demand(id, signal)
      return found
    },
    demand: (signal) => deps.demand(id, signal),
    originalIds: (chosen, signal) => originalIdsOf(deps, chosen, signal),
    allOriginalIds: true,
  }
}

function vocabularyList(deps: ListDeps): List {
  const { names } = deps
  const schemes: List['uriRefs'] = (chosen, signal) => schemesOf(deps, chosen, signal)
  return {
    path: '/vocabularies',
    ids: () => {
      const reading = { query: 'vocabularies', name: rosterNames.vocabularies } as const
      return ids(deps, reading, { prefix: literal(names.vocabulary('')) })
    },
    uriRefs: schemes,
    originalIds: async (chosen) => chosen,
    described: async (chosen, signal) => graphsOf(deps, await schemes(chosen, signal), signal),
    // One of them may be larger than a hundred datasets.
    batchSize: 1,
  }
}
