/** A run that writes nothing: says of each record what would be sent, and what of it. */

import { Failure } from '../../errors.ts'
import type { RecordMessage } from '../../pipe/message.ts'
import type { Account } from './account/account.ts'
import { identityOf } from './account/identity.ts'
import { datasetOf } from './writing/graph.ts'
import { lose } from './writing/landing.ts'

/** The item has the state that the record would get, as far as that can be told, and its text. */
export function tellDry(account: Account, message: RecordMessage): void {
  const { mediaType, text, sourceId, sourceUrl, findings } = message
  const identity = identityOf(account, message)
  if ('problem' in identity) {
    lose(account, message, identity.problem)
    return
  }
  if (mediaType === 'application/n-triples' && datasetOf(mediaType, text) === undefined) {
    const detail = 'The record is not plain N-Triples about one dataset.'
    lose(account, message, new Failure('item-malformed', detail), identity.originalId)
    return
  }
  const { originalId, row } = identity
  const isThere = account.isPresent(row, originalId)
  account.context.sink.item({
    sourceId,
    originalId,
    stage: 'export',
    state: isThere ? 'updated' : 'created',
    note: 'dry run: nothing was written',
    excerpt: text,
    ...(sourceUrl !== undefined && { sourceUrl }),
    ...(findings.length > 0 && { findings }),
    ...(row?.platformId !== undefined && { platformId: row.platformId }),
  })
}
