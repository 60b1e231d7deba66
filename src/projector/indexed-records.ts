/**
 * State of the records of each index according to the store: the ids that should be indexed, the hash of each, and the catalogues
 * that datasets embed. Filling and comparing an index use the same lists.
 */

import type { Profile, ResourceType } from '../profile/profile.ts'
import { isHiddenCatalogue } from '../rdf/catalogue-visibility.ts'
import { fromLines } from '../rdf/lines.ts'
import type { Names } from '../rdf/names.ts'
import { dct } from '../rdf/namespaces.ts'
import { type Graph, graphOf } from '../rdf/read.ts'
import { literal, namedNode, quad } from '../rdf/terms.ts'
import type { IndexName } from '../search-index/index-settings.ts'
import type { GraphStore, Row } from '../store/graph-store.ts'
import { bind, loadQuery } from '../store/queries.ts'
import { BoundedCache } from '../workers/bounded-cache.ts'

const queries = {
  catalogues: loadQuery('catalogue-handles'),
  vocabularies: loadQuery('vocabulary-handles'),
  members: loadQuery('member-ids'),
  hashes: loadQuery('dataset-hashes'),
  datasetCatalogues: loadQuery('dataset-catalogues'),
  typed: loadQuery('resource-ids'),
  facts: loadQuery('resource-facts'),
  catalogueHash: loadQuery('catalogue-hash'),
  parents: loadQuery('catalogue-parents'),
}

/**
 * Values by id or IRI of a record: hashes (`''` for a record without one), or IRIs of catalogues. A missing record has no key; a
 * record has several values where the store holds contradictory statements.
 */
type ValueSets = ReadonlyMap<string, ReadonlySet<string>>

/** Access to the stored records of one index. */
export type RecordSource = {
  readonly index: IndexName
  /** Lists the ids of all records that should be indexed, ascending; of declared types also those in hidden catalogues. */
  readonly ids: (signal: AbortSignal) => Promise<readonly string[]>
  /** Reads the current hashes of records that should be indexed; absent where a record becomes many documents. */
  readonly hashes?: (ids: readonly string[], signal: AbortSignal) => Promise<ValueSets>
  /** Returns the IRI of a record. */
  readonly resource: (id: string) => string
}

type RecordsContext = {
  readonly store: GraphStore
  readonly names: Names
  readonly profile: Pick<Profile, 'resources'>
  /** Cache of this filling or comparison only: that of the projector may be older than a write by another program. */
  readonly catalogueCache: EmbeddedCatalogues
}

/** Creates the access to the records of all indices; catalogues come before the records that embed them. */
export const recordSources = (context: RecordsContext): readonly RecordSource[] => [
  catalogues(context),
  datasets(context),
  vocabularies(context),
  ...context.profile.resources.map((type) => typedResources(context, type)),
]

const distinct = (ids: readonly string[]): readonly string[] => [...new Set(ids)].sort()

/** Returns the ids of the records of a kind in the result of a query. */
const idsIn = (rows: readonly Row[], kind: 'catalogue' | 'vocabulary', names: Names) =>
  distinct(rows.flatMap((row) => names.idOf(kind, row['resource']?.value ?? '') ?? []))

/** Returns the ids in the column `ids`, which holds several in each row. */
const splitIds = (rows: readonly Row[]): readonly string[] =>
  rows.flatMap((row) => row['ids']?.value.split(' ').filter(Boolean) ?? [])

/** Lists the ids of all catalogues, ascending. */
export async function storedCatalogues(
  { store, names }: Pick<RecordsContext, 'store' | 'names'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const query = bind(queries.catalogues, { prefix: literal(names.catalogue('')) })
  return idsIn(await store.select(query, signal), 'catalogue', names)
}

/** Lists the ids of catalogues that searches may find, ascending. */
async function visibleCatalogues(context: RecordsContext, signal: AbortSignal) {
  const visible: string[] = []
  for (const id of await storedCatalogues(context, signal)) {
    const catalogue = await context.catalogueCache.get(id, signal)
    if (catalogue && !catalogue.isHidden) visible.push(id)
  }
  return visible
}

const catalogues = (context: RecordsContext): RecordSource => ({
  index: 'catalogue',
  resource: (id) => context.names.catalogue(id),
  ids: (signal) => visibleCatalogues(context, signal),
  hashes: async (ids, signal) => {
    const hashes = new Map<string, ReadonlySet<string>>()
    for (const id of ids) {
      context.catalogueCache.forget(id)
      const catalogue = await context.catalogueCache.get(id, signal)
      if (catalogue && !catalogue.isHidden) hashes.set(id, new Set([catalogue.hash]))
    }
    return hashes
  },
})

const vocabularies = ({ store, names }: RecordsContext): RecordSource => ({
  index: 'vocabulary',
  resource: (id) => names.vocabulary(id),
  ids: async (signal) =>
    idsIn(await store.select(bind(queries.vocabularies, {}), signal), 'vocabulary', names),
})

function datasets(context: RecordsContext): RecordSource {
  const { store, names } = context
  const prefix = literal(names.dataset(''))
  return {
    index: 'dataset',
    resource: names.dataset,
    ids: async (signal) => {
      const idsByCatalogue: (readonly string[])[] = []
      for (const id of await visibleCatalogues(context, signal)) {
        const catalogue = namedNode(names.catalogue(id))
        const rows = await store.select(bind(queries.members, { catalogue, prefix }), signal)
        idsByCatalogue.push(splitIds(rows))
      }
      return distinct(idsByCatalogue.flat())
    },
    hashes: async (ids, signal) => {
      const dataset = ids.map((id) => [namedNode(names.dataset(id)), namedNode(names.record(id))])
      const [catalogues, rows] = await Promise.all([
        cataloguesOf(store, ids.map(names.dataset), signal),
        store.select(bind(queries.hashes, { dataset }), signal),
      ])
      const facts = { catalogues, hashes: groupValues(rows, 'dataset', 'hash'), iri: names.dataset }
      return presentHashes(context, ids, facts, signal)
    },
  }
}

function typedResources(
  context: RecordsContext,
  { id: type, inCatalogue }: ResourceType,
): RecordSource {
  const { store, names } = context
  const iri = (id: string) => names.resource(type, id)
  const query = bind(queries.typed, { type: literal(type), prefix: literal(iri('')) })
  return {
    index: `resource_${type}`,
    resource: iri,
    ids: async (signal) => distinct(splitIds(await store.select(query, signal))),
    hashes: async (ids, signal) => {
      const facts = await resourceFacts(store, ids.map(iri), signal)
      const { hash: hashes, catalogue, resourceType } = facts
      const storedIds = ids.filter((id) => resourceType.has(iri(id)))
      const catalogues = inCatalogue ? catalogue : undefined
      return presentHashes(context, storedIds, { catalogues, hashes, iri }, signal)
    },
  }
}

type RecordFacts = {
  /** IRIs of catalogues by IRI of the record; `undefined` where records are in none. */
  readonly catalogues: ValueSets | undefined
  /** Hashes by IRI. */
  readonly hashes: ValueSets
  readonly iri: (id: string) => string
}

/**
 * Returns the hashes of the records in visible catalogues, or of all without `catalogues`. A record without a hash may have no
 * content either; those few are read.
 */
async function presentHashes(
  { store, names, catalogueCache }: RecordsContext,
  ids: readonly string[],
  { catalogues, hashes, iri }: RecordFacts,
  signal: AbortSignal,
): Promise<ValueSets> {
  const isVisible = async (catalogueIri: string) => {
    const id = names.idOf('catalogue', catalogueIri)
    const catalogue = id === undefined ? undefined : await catalogueCache.get(id, signal)
    return catalogue !== undefined && !catalogue.isHidden
  }
  const visible: string[] = []
  for (const id of ids) {
    const visibilities = await Promise.all([...(catalogues?.get(iri(id)) ?? [])].map(isVisible))
    if (!catalogues || visibilities.includes(true)) visible.push(id)
  }
  const unhashed = visible.map(iri).filter((iriOfRecord) => !hashes.has(iriOfRecord))
  const texts = unhashed.length === 0 ? new Map() : await store.readAll(unhashed, {}, signal)
  const hashesById = new Map<string, ReadonlySet<string>>()
  for (const id of visible) {
    const recordHashes = hashes.get(iri(id)) ?? (texts.has(iri(id)) ? new Set(['']) : undefined)
    if (recordHashes) hashesById.set(id, recordHashes)
  }
  return hashesById
}

// Facts about some records, by the IRI of the record.

/** Returns the catalogues that list the datasets, by IRI of the dataset. */
export async function cataloguesOf(
  store: GraphStore,
  iris: readonly string[],
  signal: AbortSignal,
): Promise<ValueSets> {
  if (iris.length === 0) return new Map()
  const dataset = iris.map((iri) => namedNode(iri))
  const rows = await store.select(bind(queries.datasetCatalogues, { dataset }), signal)
  return groupValues(rows, 'dataset', 'catalogue')
}

/** Reads the facts that the platform stores about resources of declared types. */
export async function resourceFacts(
  store: GraphStore,
  iris: readonly string[],
  signal: AbortSignal,
) {
  const resource = iris.map((iri) => namedNode(iri))
  const rows =
    iris.length === 0 ? [] : await store.select(bind(queries.facts, { resource }), signal)
  const valuesOf = (name: string) =>
    groupValues(
      rows.filter(({ property }) => property?.value.endsWith(`#${name}`)),
      'resource',
      'value',
    )
  return {
    hash: valuesOf('hash'),
    catalogue: valuesOf('catalogue'),
    resourceType: valuesOf('resourceType'),
  }
}

/** Groups the values of one column by another. */
function groupValues(rows: readonly Row[], key: string, value: string): ValueSets {
  const groups = new Map<string, Set<string>>()
  for (const { [key]: keyTerm, [value]: valueTerm } of rows)
    if (keyTerm && valueTerm)
      groups.set(keyTerm.value, (groups.get(keyTerm.value) ?? new Set()).add(valueTerm.value))
  return groups
}

// Catalogues that datasets embed, cached until they change.

type EmbeddedCatalogue = {
  readonly id: string
  /** Statements without links to datasets; including the catalogue that it is part of, whichever side states it. */
  readonly graph: Graph
  /** Hash of the catalogue as it was sent; '' where the store has none. */
  readonly hash: string
  /** True when the catalogue and its records are not searchable. */
  readonly isHidden: boolean
}

/** Cache of catalogues as datasets embed them. */
export type EmbeddedCatalogues = {
  /** Returns a catalogue; `undefined` when it does not exist. */
  get(id: string, signal: AbortSignal): Promise<EmbeddedCatalogue | undefined>
  /** Drops a catalogue that has changed from the cache. */
  forget(id: string): void
}

/** Maximum number of cached catalogues; they are few, and small without their links. */
const maxCatalogues = 1000

/** Creates a cache that reads catalogues on first use; call `forget` when one changes. */
export function embeddedCatalogues(store: GraphStore, names: Names): EmbeddedCatalogues {
  const cache = new BoundedCache<EmbeddedCatalogue>('catalogues', maxCatalogues)
  const prefix = literal(names.catalogue(''))
  const read = async (id: string, signal: AbortSignal): Promise<EmbeddedCatalogue | undefined> => {
    const iri = names.catalogue(id)
    const catalogue = namedNode(iri)
    const [text, rows, parents] = await Promise.all([
      store.read(iri, { links: false }, signal),
      store.select(bind(queries.catalogueHash, { catalogue }), signal),
      store.select(bind(queries.parents, { catalogue, prefix }), signal),
    ])
    if (text === undefined) return undefined
    const statements = fromLines(text)
    const parentLinks = parents.flatMap(({ parent }) =>
      parent && parent.value !== iri
        ? [quad(catalogue, dct('isPartOf'), namedNode(parent.value))]
        : [],
    )
    const graph = graphOf([...statements, ...parentLinks])
    return {
      id,
      graph,
      hash: rows[0]?.['hash']?.value ?? '',
      isHidden: isHiddenCatalogue(graph, iri),
    }
  }
  return {
    get: async (id, signal) => {
      const cached = cache.get(id)
      if (cached) return cached
      const catalogue = await read(id, signal)
      if (catalogue) cache.set(id, catalogue)
      return catalogue
    },
    forget: (id) => cache.delete(id),
  }
}
