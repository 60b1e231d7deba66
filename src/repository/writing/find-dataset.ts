/** Looks up the records of datasets, by their ids at the origin or by a platform id. */

import { Failure } from '../../errors.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import type { Names } from '../../rdf/names.ts'
import type { GraphStore, Row } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { DatasetRecord } from '../content/record.ts'

const byOrigin = loadQuery('find-datasets')
const byId = loadQuery('dataset-record')

export type Located = DatasetRecord & { readonly catalogue: string }

export type Origin = {
  /** The record that carries the original id; the oldest when direct writers left several. */
  readonly record: DatasetRecord | undefined
  /** Further records with the same original id: drift, removed by the next write. */
  readonly doubles: readonly DatasetRecord[]
  /** Whether a resource under the candidate's IRI exists. */
  readonly taken: boolean
}

/** `candidate` is the platform id that is wished for. */
export type Sought = { readonly originalId: string; readonly candidate: string }

/** What is known about each original id, in one look-up and in their order. Fails with `unknown-catalogue`. */
export async function findByOrigins(
  { store, names }: { readonly store: GraphStore; readonly names: Names },
  catalogue: string,
  sought: readonly Sought[],
  signal?: AbortSignal,
): Promise<readonly Origin[]> {
  const candidates = new Set(sought.map(({ candidate }) => names.dataset(candidate)))
  const query = bind(byOrigin, {
    catalogue: namedNode(names.catalogue(catalogue)),
    originalId: sought.map(({ originalId }) => literal(originalId)),
    taken: [...candidates].map(namedNode),
  })
  const rows = await store.select(query, signal)
  if (!rows.some((row) => row['exists'])) throw unknownCatalogue(catalogue)
  const taken = new Set(rows.flatMap((row) => row['taken']?.value ?? []))
  const records = recordsByOrigin(rows, names)
  return sought.map(({ originalId, candidate }) => {
    const rank = (record: DatasetRecord) => (record.id === candidate ? 0 : 1)
    const [record, ...doubles] = (records.get(originalId) ?? []).sort(
      (a, b) => rank(a) - rank(b) || (a.issued < b.issued ? -1 : 1),
    )
    return { record, doubles, taken: taken.has(names.dataset(candidate)) }
  })
}

function recordsByOrigin(rows: readonly Row[], names: Names): Map<string, DatasetRecord[]> {
  const found = new Map<string, DatasetRecord[]>()
  for (const row of rows) {
    const record = recordOf(row, names)
    if (!record) continue
    const known = found.get(record.originalId)
    if (known) known.push(record)
    else found.set(record.originalId, [record])
  }
  return found
}

/** What is known about one original id. Fails with `unknown-catalogue`. */
export async function findByOrigin(
  store: GraphStore,
  names: Names,
  { catalogue, ...sought }: Sought & { readonly catalogue: string },
  signal: AbortSignal,
): Promise<Origin> {
  const [origin] = await findByOrigins({ store, names }, catalogue, [sought], signal)
  return origin ?? { record: undefined, doubles: [], taken: false }
}

/** The record of a dataset and the id of its catalogue; fails with `unknown-dataset`. */
export async function findById(
  store: GraphStore,
  names: Names,
  id: string,
  signal: AbortSignal,
): Promise<Located> {
  const values = { dataset: namedNode(names.dataset(id)), record: namedNode(names.record(id)) }
  const rows = await store.select(bind(byId, values), signal)
  for (const row of rows) {
    const catalogue = names.idOf('catalogue', row['catalogue']?.value ?? '')
    const record = recordOf({ ...row, dataset: namedNode(names.dataset(id)) }, names)
    if (record && catalogue !== undefined) return { ...record, catalogue }
  }
  throw unknownDataset(id)
}

function recordOf(row: Row, names: Names): DatasetRecord | undefined {
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

export const unknownCatalogue = (id: string) =>
  new Failure(
    'unknown-catalogue',
    `there is no catalogue "${id}"; PUT /catalogues/${id} creates it`,
  )

export const unknownDataset = (id: string) =>
  new Failure('unknown-dataset', `there is no dataset "${id}"`)
