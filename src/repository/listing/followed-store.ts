/** The store, with an ear for the writes that change which resources there are. */

import { ctl, dcat, systemGraph } from '../../rdf/namespaces.ts'
import type { Names } from '../../rdf/names.ts'
import type { Change, GraphStore } from '../../store/graph-store.ts'
import { homes, type Homes } from './homes.ts'
import { cataloguesOf } from './lookup.ts'
import { rosters, type Rosters } from './rosters.ts'

/** Names of the rosters that are kept. */
export const rosterNames = {
  catalogues: 'catalogues',
  vocabularies: 'vocabularies',
  datasets: 'datasets',
  members: (catalogue: string) => `datasets of ${catalogue}`,
  resources: (type: string) => `resources ${type}`,
} as const

/** What is remembered of the store for a moment. */
export type Kept = { readonly rosters: Rosters; readonly homes: Homes }

/**
 * The same store, for all who write, and what hears of their writes: it is told what lands, and forgets where it is not known
 * what did. `now` in milliseconds of any clock.
 */
export function followed(
  store: GraphStore,
  names: Names,
  now: () => number,
): { readonly store: GraphStore; readonly kept: Kept } {
  const find = (ids: readonly string[]) => cataloguesOf({ store, names }, ids)
  const kept = { rosters: rosters({ now }), homes: homes({ now, find }) }
  return { store: { ...store, ...writers(store, hearing(names, kept)) }, kept }
}

function writers(
  store: GraphStore,
  { landed, unsure }: ReturnType<typeof hearing>,
): Pick<GraphStore, 'write' | 'writeEach' | 'replaceStreamed'> {
  return {
    replaceStreamed: async (graph, lines, others, signal) => {
      try {
        await store.replaceStreamed(graph, lines, others, signal)
        landed(others)
      } catch (error) {
        unsure(others)
        throw error
      }
    },
    write: async (changes, signal) => {
      try {
        const written = await store.write(changes, signal)
        landed(changes)
        return written
      } catch (error) {
        unsure(changes)
        throw error
      }
    },
    writeEach: async (groups, signal) => {
      try {
        const landings = await store.writeEach(groups, signal)
        landings.forEach((landing, at) => {
          const changes = groups[at] ?? []
          if ('written' in landing) landed(changes)
          else unsure(changes)
        })
        return landings
      } catch (error) {
        unsure(groups.flat())
        throw error
      }
    },
  }
}

function hearing(names: Names, { rosters, homes }: Kept) {
  const forget = (catalogue: string) => {
    rosters.forget(rosterNames.catalogues)
    rosters.forget(rosterNames.datasets)
    rosters.forget(rosterNames.members(catalogue))
  }
  const each = (
    lines: readonly string[] | undefined,
    catalogue: string,
    tell: 'add' | 'remove',
  ): void => {
    const start = `<${names.catalogue(catalogue)}> <${dcat('dataset').value}> <`
    for (const line of lines ?? []) {
      if (!line.startsWith(start)) continue
      const id = names.idOf('dataset', line.slice(start.length, line.indexOf('>', start.length)))
      if (id === undefined) continue
      rosters[tell](rosterNames.members(catalogue), id)
      rosters[tell](rosterNames.datasets, id)
      if (tell === 'add') homes.enter(id, catalogue)
      else homes.leave(id)
    }
  }
  const visit = (change: Change, certain: boolean): void => {
    if (change.graph === systemGraph) {
      const lines = [...(change.add ?? []), ...(change.remove ?? [])]
      if (lines.some((line) => line.includes(schemeFact))) rosters.forget(rosterNames.vocabularies)
      for (const line of lines) {
        const typed = line.includes(typeFact) ? typedIn(names, line) : undefined
        if (typed) rosters.forget(rosterNames.resources(typed.type))
      }
      return
    }
    const catalogue = names.idOf('catalogue', change.graph)
    if (catalogue === undefined) return
    if (change.drop || change.content !== undefined || !certain) return forget(catalogue)
    each(change.remove, catalogue, 'remove')
    each(change.add, catalogue, 'add')
  }
  return {
    landed: (changes: readonly Change[]) => changes.forEach((change) => visit(change, true)),
    unsure: (changes: readonly Change[]) => changes.forEach((change) => visit(change, false)),
  }
}

const schemeFact = `> <${ctl('scheme').value}> <`
const typeFact = `> <${ctl('resourceType').value}> "`

const typedIn = (names: Names, line: string) => names.typedIdOf(line.slice(1, line.indexOf('>')))
