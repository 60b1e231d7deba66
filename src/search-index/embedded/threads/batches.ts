/** Changes as they are sent to the writer. */

import type { IndexChange } from '../../search-index.ts'
import type { Batch, Indexed, Sent } from './messages.ts'

export const batchOf = (changes: readonly IndexChange[]): Batch => changes.map(sent)

function sent(change: IndexChange): Sent {
  if (!('put' in change)) return change.remove
  const { index, id, version, hash, record, ...rest } = change.put
  const indexed: Indexed = rest
  const put = { hash, indexed: JSON.stringify(indexed), record: JSON.stringify(record) }
  return { index, id, version, put, ...(change.filling && { filling: true }) }
}
