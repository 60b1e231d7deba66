/**
 * What the store says of the records of each index: which there should be, and the hash of each. Filling an index and comparing
 * it with the store begin with the same list.
 */

import type { Profile, ResourceType } from '../profile/profile.ts'
import type { Names } from '../rdf/names.ts'
import { literal, namedNode } from '../rdf/terms.ts'
import type { IndexName } from '../search-index/index-settings.ts'
import type { GraphStore, Row } from '../store/graph-store.ts'
import { bind, loadQuery } from '../store/queries.ts'
import type { CatalogueContexts } from './gathering/catalogue-contexts.ts'

const queries = {
  catalogues: loadQuery('catalogue-handles'),
  vocabularies: loadQuery('vocabulary-handles'),
  members: loadQuery('member-ids'),
  hashes: loadQuery('dataset-hashes'),
  homes: loadQuery('dataset-catalogues'),
  typed: loadQuery('resource-ids'),
  facts: loadQuery('resource-facts'),
}

/** Id → its hashes, `''` for a record that has none; what is not there is an absent key. */
export type Hashes = ReadonlyMap<string, ReadonlySet<string>>

/** The records of one index. */
export type Records = {
  readonly index: IndexName
  /** Of all records that should be found, ascending. */
  readonly ids: (signal: AbortSignal) => Promise<readonly string[]>
  /** As they are now; absent where a record becomes many documents. */
  readonly hashes?: (ids: readonly string[], signal: AbortSignal) => Promise<Hashes>
  /** The IRI of a record. */
  readonly resource: (id: string) => string
}

export type RecordsContext = {
  readonly store: GraphStore
  readonly names: Names
  readonly profile: Pick<Profile, 'resources'>
  /** Of this comparison alone: what the projector remembers may be what a direct writer has changed. */
  readonly contexts: CatalogueContexts
}

/** The records of all indices of a profile, those first that others embed. */
export const recordsOf = (context: RecordsContext): readonly Records[] => [
  catalogues(context),
  datasets(context),
  vocabularies(context),
  ...context.profile.resources.map((type) => typed(context, type)),
]

const resourceIn = (rows: readonly Row[]) => rows.flatMap((row) => row['resource']?.value ?? [])

/** All catalogues, by id, ascending. */
export async function storedCatalogues(
  { store, names }: Pick<RecordsContext, 'store' | 'names'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const query = bind(queries.catalogues, { prefix: literal(names.catalogue('')) })
  const iris = resourceIn(await store.select(query, signal))
  return distinct(iris.flatMap((iri) => names.idOf('catalogue', iri) ?? []))
}

/** Catalogues that searches may find, ascending. */
async function visibleCatalogues(context: RecordsContext, signal: AbortSignal) {
  const visible: string[] = []
  for (const id of await storedCatalogues(context, signal)) {
    const catalogue = await context.contexts.get(id, signal)
    if (catalogue && !catalogue.hidden) visible.push(id)
  }
  return visible
}

const catalogues = (context: RecordsContext): Records => ({
  index: 'catalogue',
  resource: (id) => context.names.catalogue(id),
  ids: (signal) => visibleCatalogues(context, signal),
  hashes: async (ids, signal) => {
    const found = new Map<string, Set<string>>()
    for (const id of ids) {
      context.contexts.forget(id)
      const catalogue = await context.contexts.get(id, signal)
      if (catalogue && !catalogue.hidden) found.set(id, new Set([catalogue.hash]))
    }
    return found
  },
})

const vocabularies = ({ store, names }: RecordsContext): Records => ({
  index: 'vocabulary',
  resource: (id) => names.vocabulary(id),
  ids: async (signal) => {
    const iris = resourceIn(await store.select(bind(queries.vocabularies, {}), signal))
    return distinct(iris.flatMap((iri) => names.idOf('vocabulary', iri) ?? []))
  },
})

function datasets(context: RecordsContext): Records {
  const { store, names } = context
  const prefix = literal(names.dataset(''))
  return {
    index: 'dataset',
    resource: (id) => names.dataset(id),
    ids: async (signal) => {
      const all: string[] = []
      for (const id of await visibleCatalogues(context, signal)) {
        const catalogue = namedNode(names.catalogue(id))
        const rows = await store.select(bind(queries.members, { catalogue, prefix }), signal)
        for (const one of unpacked(rows)) all.push(one)
      }
      return distinct(all)
    },
    hashes: async (ids, signal) => {
      const iris = ids.map((id) => names.dataset(id))
      const dataset = ids.map((id) => [namedNode(names.dataset(id)), namedNode(names.record(id))])
      const [homes, rows] = await Promise.all([
        cataloguesOf(store, iris, signal),
        store.select(bind(queries.hashes, { dataset }), signal),
      ])
      const visible = new Set<string>()
      for (const [iri, home] of homes) if (await isVisible(context, home, signal)) visible.add(iri)
      const known = grouped(rows, 'dataset', 'hash')
      return present(context, { ids, visible, known, iri: names.dataset }, signal)
    },
  }
}

function typed(context: RecordsContext, { id: type, inCatalogue }: ResourceType): Records {
  const { store, names } = context
  const iri = (id: string) => names.resource(type, id)
  const query = bind(queries.typed, { type: literal(type), prefix: literal(iri('')) })
  return {
    index: `resource_${type}`,
    resource: iri,
    ids: async (signal) => distinct(unpacked(await store.select(query, signal))),
    hashes: async (ids, signal) => {
      const facts = await typedFacts(store, ids.map(iri), signal)
      const visible = new Set<string>()
      for (const one of facts.resourceType.keys())
        if (!inCatalogue || (await isVisible(context, facts.catalogue.get(one) ?? [], signal)))
          visible.add(one)
      return present(context, { ids, visible, known: facts.hash, iri }, signal)
    },
  }
}

async function isVisible(
  { names, contexts }: RecordsContext,
  homes: Iterable<string>,
  signal: AbortSignal,
): Promise<boolean> {
  for (const home of homes) {
    const id = names.idOf('catalogue', home)
    const catalogue = id === undefined ? undefined : await contexts.get(id, signal)
    if (catalogue && !catalogue.hidden) return true
  }
  return false
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
  { store }: RecordsContext,
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

// Facts about some records, by the IRI of the record.

/** The graphs that name datasets as theirs. */
export async function cataloguesOf(
  store: GraphStore,
  iris: readonly string[],
  signal: AbortSignal,
): Promise<Hashes> {
  if (iris.length === 0) return new Map()
  const dataset = iris.map((iri) => namedNode(iri))
  const rows = await store.select(bind(queries.homes, { dataset }), signal)
  return grouped(rows, 'dataset', 'catalogue')
}

/** What the platform keeps about resources of declared types. */
export async function typedFacts(store: GraphStore, iris: readonly string[], signal: AbortSignal) {
  const resource = iris.map((iri) => namedNode(iri))
  const rows =
    iris.length === 0 ? [] : await store.select(bind(queries.facts, { resource }), signal)
  const saying = (name: string) =>
    grouped(
      rows.filter(({ property }) => property?.value.endsWith(`#${name}`)),
      'resource',
      'value',
    )
  return {
    hash: saying('hash'),
    catalogue: saying('catalogue'),
    resourceType: saying('resourceType'),
  }
}

function grouped(rows: readonly Row[], key: string, value: string): Hashes {
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
