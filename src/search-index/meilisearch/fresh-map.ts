/** What was read a moment ago and can still be believed. */

import type { Reading } from './documents.ts'

/** Milliseconds after which another process may have written. */
const freshMs = 2_000

/** A map that is empty again after every write of this process, after a moment, and when it holds more than `most`. */
export function fresh<Value>(
  { changes, now }: Pick<Reading, 'changes' | 'now'>,
  most: number,
): () => Map<string, Value> {
  let known = new Map<string, Value>()
  let since = { changes: -1, at: 0 }
  return () => {
    if (since.changes !== changes() || now() - since.at > freshMs || known.size > most) {
      // Whoever still reads puts what was found into the old one.
      known = new Map()
      since = { changes: changes(), at: now() }
    }
    return known
  }
}
