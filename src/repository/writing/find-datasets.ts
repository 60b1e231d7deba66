/** Finds datasets in the store by original ids and by platform ids, and the catalogues that they are in. */

import { Failure } from '../../errors.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import type { Names } from '../../rdf/names.ts'
import type { SelectStore, Row } from '../../store/graph-store.ts'
import { bind, loadQuery, type Query } from '../../store/queries.ts'
import type { DatasetRecord } from '../content/catalogue-record.ts'

const originQuery = loadQuery('find-datasets')
const fewOriginsQuery = loadQuery('find-few-datasets')
const recordQuery = loadQuery('dataset-record')
const originsQuery = loadQuery('dataset-origins')
const placesQuery = loadQuery('dataset-places')
const cataloguesQuery = loadQuery('dataset-catalogues')

/** Dependencies of look-ups in the store. */
export type StoreAndNames = { readonly store: SelectStore; readonly names: Names }

/** Record with the id of its catalogue. */
export type LocatedDataset = DatasetRecord & { readonly catalogue: string }

/** Facts of the store about an id at the origin. */
export type Origin = {
  /** Record with the original id; of several, which other programs may leave, that with the candidate's id, else the oldest. */
  readonly record: DatasetRecord | undefined
  /** Further records with the same original id, which the next write that changes the dataset removes. */
  readonly duplicates: readonly DatasetRecord[]
  /** True when a resource with the candidate's IRI exists. */
  readonly isIdTaken: boolean
}

/** `candidate` is the platform id that the original id would get. */
export type OriginQuery = { readonly originalId: string; readonly candidate: string }

/** Most original ids for which `findFew` is faster than `findMany`. */
const maxFew = 4

/** Reads the facts about each original id, in their order. Fails with `unknown-catalogue`. */
export async function findByOrigins(
  context: StoreAndNames,
  catalogue: string,
  queries: readonly OriginQuery[],
  signal?: AbortSignal,
): Promise<readonly Origin[]> {
  const few =
    queries.length <= maxFew ? await findFew(context, catalogue, queries, signal) : undefined
  return few ?? findMany(context, catalogue, queries, signal)
}

/** IRIs of wished datasets, without repetition. */
const candidatesOf = (names: Names, queries: readonly OriginQuery[]) => [
  ...new Set(queries.map(({ candidate }) => names.dataset(candidate))),
]

/** Finds records that have the wished IRIs; `undefined` when other records, which need `findMany`, have one of the ids. */
async function findFew(
  { store, names }: StoreAndNames,
  catalogue: string,
  queries: readonly OriginQuery[],
  signal?: AbortSignal,
): Promise<readonly Origin[] | undefined> {
  const pairs = queries.map(({ candidate }) => [names.dataset(candidate), names.record(candidate)])
  const query = bind(fewOriginsQuery, {
    catalogue: namedNode(names.catalogue(catalogue)),
    originalId: queries.map(({ originalId }) => literal(originalId)),
    taken: candidatesOf(names, queries).map(namedNode),
    linked: pairs.map(([, record = '']) => namedNode(record)),
    dataset: pairs.map((pair) => pair.map(namedNode)),
  })
  const rows = await store.select(query, signal)
  if (!rows.some((row) => row['exists'])) throw unknownCatalogue(catalogue)
  const valuesOf = (name: string) => new Set(rows.flatMap((row) => row[name]?.value ?? []))
  const [takenIris, linkedIris] = [valuesOf('taken'), valuesOf('linked')]
  const origins: Origin[] = []
  for (const [at, { originalId, candidate }] of queries.entries()) {
    const [dataset = '', record = ''] = pairs[at] ?? []
    const found = rows.filter((row) => row['originalId']?.value === originalId)
    const isWished = (row: Row) =>
      row['dataset']?.value === dataset && row['record']?.value === record
    if (!found.every(isWished)) return undefined
    const facts = rows.filter((row) => isWished(row) && row['hash'])
    // `findMany` chooses among several records of a dataset, which other programs may leave.
    if (facts.length > 1) return undefined
    const isMember = found.length > 0 && linkedIris.has(record)
    origins.push({
      record: isMember
        ? recordIn({ ...facts[0], originalId: literal(originalId) }, names)
        : undefined,
      duplicates: [],
      isIdTaken: takenIris.has(names.dataset(candidate)),
    })
  }
  return origins
}

/** Finds all records that have the ids. */
async function findMany(
  { store, names }: StoreAndNames,
  catalogue: string,
  queries: readonly OriginQuery[],
  signal?: AbortSignal,
): Promise<readonly Origin[]> {
  const query = bind(originQuery, {
    catalogue: namedNode(names.catalogue(catalogue)),
    originalId: queries.map(({ originalId }) => literal(originalId)),
    taken: candidatesOf(names, queries).map(namedNode),
  })
  const rows = await store.select(query, signal)
  if (!rows.some((row) => row['exists'])) throw unknownCatalogue(catalogue)
  const takenIris = new Set(rows.flatMap((row) => row['taken']?.value ?? []))
  const records = Map.groupBy(
    rows.flatMap((row) => recordIn(row, names) ?? []),
    ({ originalId }) => originalId,
  )
  return queries.map(({ originalId, candidate }) => {
    const rank = ({ id }: DatasetRecord) => (id === candidate ? 0 : 1)
    const [record, ...duplicates] = (records.get(originalId) ?? []).sort(
      (a, b) => rank(a) - rank(b) || (a.issued < b.issued ? -1 : 1),
    )
    return { record, duplicates, isIdTaken: takenIris.has(names.dataset(candidate)) }
  })
}

/** Returns the record of a dataset and the id of its catalogue; fails with `unknown-dataset`, also when it is in no catalogue. */
export async function findById(
  { store, names }: StoreAndNames,
  id: string,
  signal: AbortSignal,
): Promise<LocatedDataset> {
  const dataset = namedNode(names.dataset(id))
  const query = bind(recordQuery, { dataset, record: namedNode(names.record(id)) })
  for (const row of await store.select(query, signal)) {
    const catalogue = names.idOf('catalogue', row['catalogue']?.value ?? '')
    const record = recordIn({ ...row, dataset }, names)
    if (record && catalogue !== undefined) return { ...record, catalogue }
  }
  throw unknownDataset(id)
}

/** Reads a record from a row; incomplete ones, which other programs may leave, count as none. */
function recordIn(row: Row, names: Names): DatasetRecord | undefined {
  const { dataset, originalId, hash, issued, modified } = row
  const id = dataset && names.idOf('dataset', dataset.value)
  if (id === undefined || !originalId || !hash || !issued || !modified) return undefined
  return {
    id,
    originalId: originalId.value,
    hash: hash.value,
    issued: issued.value,
    modified: modified.value,
  }
}

/** Most resources that one query is about. */
const batchSize = 500

/** Reads the rows about all of some resources, in batches. */
export async function rowsInBatches<T>(
  { store }: StoreAndNames,
  query: (batch: readonly T[]) => string,
  resources: readonly T[],
  signal?: AbortSignal,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let at = 0; at < resources.length; at += batchSize)
    rows.push(...(await store.select(query(resources.slice(at, at + batchSize)), signal)))
  return rows
}

/** Reads rows about some datasets, by the id of the dataset; `query` takes pairs of dataset and record. */
async function datasetRows(
  context: StoreAndNames,
  query: Query,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly Row[]>> {
  const { names } = context
  const boundQuery = (batch: readonly string[]) =>
    bind(query, {
      dataset: batch.map((id) => [namedNode(names.dataset(id)), namedNode(names.record(id))]),
    })
  const rows = await rowsInBatches(context, boundQuery, ids, signal)
  return Map.groupBy(rows, ({ dataset }) => names.idOf('dataset', dataset?.value ?? '') ?? '')
}

/** Returns the id at the origin by dataset, the smallest of several; absent without a record. */
export async function originalIdsOf(
  context: StoreAndNames,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const rows = await datasetRows(context, originsQuery, ids, signal)
  const smallest = (group: readonly Row[]) =>
    group.map(({ originalId }) => originalId?.value ?? '').sort()[0] ?? ''
  return new Map([...rows].map(([id, group]) => [id, smallest(group)]))
}

/** Returns catalogue and id at the origin by dataset; absent for one that does not exist, has no record or is in no catalogue. */
export async function datasetPlaces(
  context: StoreAndNames,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Pick<LocatedDataset, 'id' | 'catalogue' | 'originalId'>>> {
  const rows = await datasetRows(context, placesQuery, ids, signal)
  return new Map(
    [...rows].flatMap(([id, [row]]) => {
      const catalogue = context.names.idOf('catalogue', row?.['catalogue']?.value ?? '')
      const originalId = row?.['originalId']?.value
      if (catalogue === undefined || originalId === undefined) return []
      return [[id, { id, catalogue, originalId }] as const]
    }),
  )
}

/** Returns the id of the catalogue that a dataset is in, with or without a record. */
export async function catalogueOfDataset(
  context: StoreAndNames,
  id: string,
): Promise<string | undefined> {
  const dataset = [namedNode(context.names.dataset(id))]
  const [row] = await context.store.select(bind(cataloguesQuery, { dataset }))
  return context.names.idOf('catalogue', row?.['catalogue']?.value ?? '')
}

/** Makes the failure `unknown-catalogue`. */
export const unknownCatalogue = (id: string) =>
  new Failure(
    'unknown-catalogue',
    `there is no catalogue "${id}"; PUT /catalogues/${id} creates it`,
  )

/** Makes the failure `unknown-dataset`. */
export const unknownDataset = (id: string) =>
  new Failure('unknown-dataset', `there is no dataset "${id}"`)
