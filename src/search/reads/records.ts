/** Single records by id, whole and current. */

import { Failure } from '../../errors.ts'
import type { SearchIndex } from '../../search-index/search-index.ts'
import { extended, member } from '../envelope.ts'
import { datasetCounts } from './lists.ts'

export type StoredRecord = {
  /** JSON text. */
  readonly text: string
  /** When the platform last wrote it, as the record says it; absent when it does not. */
  readonly modified?: Date
}

/** The dataset with the present record of its catalogue in place of the stored copy. Throws `unknown-dataset`. */
export async function dataset(
  index: SearchIndex,
  id: string,
  signal?: AbortSignal,
): Promise<StoredRecord> {
  const text = await index.get('dataset', id, signal)
  if (text === undefined) throw new Failure('unknown-dataset', `there is no dataset ${id}`)
  const record: unknown = JSON.parse(text)
  const catalogueId = memberOf(memberOf(record, 'catalog'), 'id')
  const catalogue =
    typeof catalogueId === 'string' ? await index.get('catalogue', catalogueId, signal) : undefined
  const whole =
    catalogue === undefined
      ? text
      : JSON.stringify({ ...Object(record), catalog: JSON.parse(catalogue) })
  const modified = modifiedOf(record)
  return { text: whole, ...(modified && { modified }) }
}

/** The catalogue with `count`, the number of its datasets. Throws `unknown-catalogue`. */
export async function catalogue(
  index: SearchIndex,
  id: string,
  signal?: AbortSignal,
): Promise<StoredRecord> {
  const [text, counts] = await Promise.all([
    index.get('catalogue', id, signal),
    datasetCounts(index, signal),
  ])
  if (text === undefined) throw new Failure('unknown-catalogue', `there is no catalogue ${id}`)
  return { text: extended(text, [member('count', counts.get(id) ?? 0)]) }
}

/** When the catalogue record says that the platform last wrote a record. */
export const modifiedOf = (record: unknown): Date | undefined =>
  dateOf(memberOf(memberOf(record, 'catalog_record'), 'modified'))

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}

function dateOf(value: unknown): Date | undefined {
  const date = typeof value === 'string' ? new Date(value) : undefined
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date
}
