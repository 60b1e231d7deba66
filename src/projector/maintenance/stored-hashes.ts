/** What the store says of the records of an index: which there should be, and the hash of each. */

import type { IndexName } from '../../search-index/index-settings.ts'
import type { Profile, ResourceType } from '../../profile/profile.ts'
import type { Names } from '../../rdf/names.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import type { GraphStore, Row } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { CatalogueContexts } from '../gathering/catalogue-contexts.ts'

const queries = {
  handles: loadQuery('catalogue-handles'),
  members: loadQuery('member-ids'),
  hashes: loadQuery('dataset-hashes'),
  homes: loadQuery('dataset-catalogues'),
  typed: loadQuery('resource-ids'),
  facts: loadQuery('resource-facts'),
}

/** Id → its hashes, `''` for a record that has none; what is not there is an absent key. */
export type Hashes = ReadonlyMap<string, ReadonlySet<string>>

export type Side = {
  readonly index: IndexName
  /** Of all records that should be found, ascending. */
  ids(signal: AbortSignal): Promise<readonly string[]>
  /** As they are now. */
  hashes(ids: readonly string[], signal: AbortSignal): Promise<Hashes>
  /** The IRI of a record. */
  resource(id: string): string
}

export type SideDeps = {
  readonly store: GraphStore
  readonly names: Names
  readonly profile: Pick<Profile, 'resources'>
  /** Of this comparison alone: what the projector remembers may be what a direct writer has changed. */
  readonly contexts: CatalogueContexts
}

/** The sides of all indices whose documents are one record each. */
export const sides = (deps: SideDeps): readonly Side[] => [
  catalogueSide(deps),
  datasetSide(deps),
  ...deps.profile.resources.map((type) => typedSide(deps, type)),
]

/** Catalogues that searches may find, ascending. */
async function visibleCatalogues(
  { store, names, contexts }: SideDeps,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const prefix = literal(names.catalogue(''))
  const rows = await store.select(bind(queries.handles, { prefix }), signal)
  const ids = rows.flatMap((row) => names.idOf('catalogue', row['resource']?.value ?? '') ?? [])
  const visible: string[] = []
  for (const id of [...new Set(ids)].sort()) {
    const context = await contexts.get(id, signal)
    if (context && !context.hidden) visible.push(id)
  }
  return visible
}

const catalogueSide = (deps: SideDeps): Side => ({
  index: 'catalogue',
  resource: (id) => deps.names.catalogue(id),
  ids: (signal) => visibleCatalogues(deps, signal),
  hashes: async (ids, signal) => {
    const found = new Map<string, Set<string>>()
    for (const id of ids) {
      deps.contexts.forget(id)
      const context = await deps.contexts.get(id, signal)
      if (context && !context.hidden) found.set(id, new Set([context.hash]))
    }
    return found
  },
})

function datasetSide(deps: SideDeps): Side {
  const { store, names } = deps
  const prefix = literal(names.dataset(''))
  return {
    index: 'dataset',
    resource: (id) => names.dataset(id),
    ids: async (signal) => {
      const all: string[] = []
      for (const id of await visibleCatalogues(deps, signal)) {
        const catalogue = namedNode(names.catalogue(id))
        const rows = await store.select(bind(queries.members, { catalogue, prefix }), signal)
        for (const one of unpacked(rows)) all.push(one)
      }
      return distinct(all)
    },
    hashes: async (ids, signal) => {
      const iris = ids.map((id) => namedNode(names.dataset(id)))
      const dataset = ids.map((id) => [namedNode(names.dataset(id)), namedNode(names.record(id))])
      const [homes, hashes] = await Promise.all([
        store.select(bind(queries.homes, { dataset: iris }), signal),
        store.select(bind(queries.hashes, { dataset }), signal),
      ])
      const visible = new Set<string>()
      for (const { dataset: one, catalogue } of homes)
        if (one && (await isVisible(deps, catalogue?.value, signal))) visible.add(one.value)
      const known = grouped(hashes, 'dataset', 'hash')
      return present(deps, { ids, visible, known, iri: names.dataset }, signal)
    },
  }
}

function typedSide(deps: SideDeps, { id: type, inCatalogue }: ResourceType): Side {
  const { store, names } = deps
  const iri = (id: string) => names.resource(type, id)
  const parameters = { type: literal(type), prefix: literal(iri('')) }
  return {
    index: `resource_${type}`,
    resource: iri,
    ids: async (signal) =>
      distinct(unpacked(await store.select(bind(queries.typed, parameters), signal))),
    hashes: async (ids, signal) => {
      const resource = ids.map((id) => namedNode(iri(id)))
      const rows = await store.select(bind(queries.facts, { resource }), signal)
      const says = (name: string) =>
        grouped(
          rows.filter(({ property }) => property?.value.endsWith(`#${name}`)),
          'resource',
          'value',
        )
      const [hashes, homes, types] = [says('hash'), says('catalogue'), says('resourceType')]
      const visible = new Set<string>()
      for (const one of types.keys()) {
        const [home] = homes.get(one) ?? []
        if (!inCatalogue || (await isVisible(deps, home, signal))) visible.add(one)
      }
      return present(deps, { ids, visible, known: hashes, iri }, signal)
    },
  }
}

async function isVisible(
  { names, contexts }: SideDeps,
  catalogue: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const id = names.idOf('catalogue', catalogue ?? '')
  const context = id === undefined ? undefined : await contexts.get(id, signal)
  return context !== undefined && !context.hidden
}

type Looked = {
  readonly ids: readonly string[]
  /** IRIs of those that are in a catalogue that may be found. */
  readonly visible: ReadonlySet<string>
  /** IRI → hashes. */
  readonly known: Hashes
  readonly iri: (id: string) => string
}

/** A record that is linked and has no hash may have no content either: those few are read. */
async function present(
  { store }: SideDeps,
  { ids, visible, known, iri }: Looked,
  signal: AbortSignal,
): Promise<Hashes> {
  const linked = ids.filter((id) => visible.has(iri(id)))
  const bare = linked.map(iri).filter((one) => !known.has(one))
  const texts = bare.length === 0 ? new Map() : await store.readAll(bare, {}, signal)
  return new Map(
    linked.flatMap((id) => {
      const hashes = known.get(iri(id))
      if (hashes) return [[id, hashes] as const]
      return texts.has(iri(id)) ? [[id, new Set([''])] as const] : []
    }),
  )
}

function grouped(rows: readonly Row[], key: string, value: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const row of rows) {
    const [one, said] = [row[key]?.value, row[value]?.value]
    if (one === undefined || said === undefined) continue
    found.set(one, (found.get(one) ?? new Set()).add(said))
  }
  return found
}

const unpacked = (rows: readonly Row[]): readonly string[] =>
  rows.flatMap((row) => row['ids']?.value.split(' ').filter(Boolean) ?? [])

const distinct = (ids: readonly string[]): readonly string[] => [...new Set(ids)].sort()
