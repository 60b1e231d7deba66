/** No more records than were asked for, whatever the importer does. */

import type { SegmentFunction } from '../../segment.ts'

/** Ends the import at the record after the last one that is wanted; such a run is incomplete. */
export const limited = (limit: number): SegmentFunction =>
  async function* (input) {
    let records = 0
    for await (const message of input) {
      if (message.kind === 'record') records += 1
      if (records > limit) break
      yield message
      if (message.kind === 'end') return
    }
    yield { kind: 'end', completeness: { kind: 'incomplete' } }
  }
