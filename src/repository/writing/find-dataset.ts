/** Looks up the record of a dataset, by its id at the origin or by its platform id. */

import { Failure } from '../../errors.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import type { Names } from '../../rdf/names.ts'
import type { GraphStore, Row } from '../../store/graph-store.ts'
import { bind, loadQuery } from '../../store/queries.ts'
import type { DatasetRecord } from '../content/record.ts'

const byOrigin = loadQuery('find-dataset')
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

export type Sought = {
  readonly catalogue: string
  readonly originalId: string
  readonly candidate: string
}

/** Fails with `unknown-catalogue`. */
export async function findByOrigin(
  store: GraphStore,
  names: Names,
  sought: Sought,
  signal: AbortSignal,
): Promise<Origin> {
  const query = bind(byOrigin, {
    catalogue: namedNode(names.catalogue(sought.catalogue)),
    originalId: literal(sought.originalId),
    candidate: namedNode(names.dataset(sought.candidate)),
  })
  const rows = await store.select(query, signal)
  if (rows.length === 0) throw unknownCatalogue(sought.catalogue)
  const records = rows
    .flatMap((row) => recordOf({ ...row, originalId: literal(sought.originalId) }, names) ?? [])
    .sort(
      (a, b) =>
        rank(a, sought.candidate) - rank(b, sought.candidate) || (a.issued < b.issued ? -1 : 1),
    )
  return {
    record: records[0],
    doubles: records.slice(1),
    taken: rows[0]?.['taken']?.value === 'true',
  }
}

const rank = (record: DatasetRecord, candidate: string) => (record.id === candidate ? 0 : 1)

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
