/** Rows of the lists as they are told. */

import type { Names } from '../../../rdf/names.ts'
import type { Row } from '../../../sqlite.ts'
import type { BrokenRule, Severity, UnreachableRow, ViolationRow } from '../figures.ts'

/** What is empty in a key of the file is nothing. */
const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

const severityOf = (value: unknown): Severity =>
  value === 'Violation' || value === 'Warning' ? value : 'Info'

const datasetOf = (row: Row, names: Names): ViolationRow['dataset'] => ({
  id: String(row['dataset']),
  iri: names.dataset(String(row['dataset'])),
  titles: JSON.parse(String(row['titles'])),
  languages: JSON.parse(String(row['languages'])),
})

const ruleParts = (row: Row) => ({
  severity: severityOf(row['severity']),
  path: textOf(row['path']),
  component: textOf(row['component']),
  messages: JSON.parse(String(row['messages'])),
})

export const violationOf = (row: Row, names: Names): ViolationRow => ({
  dataset: datasetOf(row, names),
  ...ruleParts(row),
  value: typeof row['value'] === 'string' ? row['value'] : null,
})

export const ruleOf = (row: Row): BrokenRule => ({
  ...ruleParts(row),
  count: Number(row['count']),
  datasets: Number(row['datasets']),
})

export function unreachableOf(row: Row, names: Names): UnreachableRow {
  const iri = String(row['distribution'])
  return {
    dataset: datasetOf(row, names),
    distribution: { id: names.idOf('distribution', iri) ?? iri, iri },
    type: row['type'] === 'accessUrl' ? 'accessUrl' : 'downloadUrl',
    url: textOf(row['url']),
    status: Number(row['status']),
    checked: textOf(row['checked']),
  }
}
