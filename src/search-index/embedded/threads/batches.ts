/** Changes as they are sent to the writer. */

import type { Amendment, Document, IndexChange } from '../../search-index.ts'
import type { Amended, Batch, Indexed, Sent } from './messages.ts'

export const batchOf = (changes: readonly IndexChange[]): Batch => changes.map(sent)

export const amendingBatch = (amendments: readonly Amendment[]): Batch =>
  amendments.map(({ index, id, version, ...rest }): Sent => {
    const amended: Amended = rest
    return { index, id, version, amend: JSON.stringify(amended) }
  })

function sent(change: IndexChange): Sent {
  if (!('put' in change)) return change.remove
  const { index, id, version, hash, record, amendable, ...rest } = change.put
  const indexed: Indexed = rest
  const put = { hash, indexed: JSON.stringify(indexed), ...textsOf(record, amendable) }
  return { index, id, version, put, ...(change.filling && { filling: true }) }
}

/** What amendments change stands beside the rest, so that they need not touch it. */
function textsOf(record: Document['record'], amendable: readonly string[] = []) {
  if (amendable.length === 0) return { record: JSON.stringify(record) }
  const rest: Record<string, unknown> = { ...record }
  const parts: Record<string, unknown> = {}
  for (const name of amendable) {
    parts[name] = record[name] ?? null
    rest[name] = undefined
  }
  return { record: JSON.stringify(rest), parts: JSON.stringify(parts) }
}
