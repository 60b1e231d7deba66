/** Records by id: one of them, or all of them in order. */

import { z } from 'zod'
import { compareCodePoints } from '../../text/code-points.ts'
import type { Entry } from '../search-index.ts'
import type { IndexName } from '../index-settings.ts'
import { attributes, keyOf } from './attributes.ts'
import { textOf } from './condition.ts'
import { isBehind } from './filter-conditions.ts'
import { fetched, type Reading } from './documents.ts'

const recordRow = z.object({ i: z.string(), r: z.string() })
const entryRow = z.object({ i: z.string(), version: z.number(), hash: z.string() })

export async function recordOf(
  reading: Reading,
  index: IndexName,
  id: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const answering = reading.answering(index)
  if (!answering) return undefined
  const what = { ids: [keyOf(id)], row: recordRow, limit: 1 }
  const { results } = await fetched(reading, answering.uid, what, signal)
  return results.find(({ i }) => i === id)?.r
}

/** Of two versions of one record the one that answers counts. */
export async function entriesOf(
  reading: Reading,
  index: IndexName,
  { after, limit }: { readonly after: string; readonly limit: number },
  signal?: AbortSignal,
): Promise<readonly Entry[]> {
  const answering = reading.answering(index)
  if (!answering) return []
  const all = new Map<string, Entry>()
  for (const uid of [answering.next?.uid, answering.uid]) {
    if (uid === undefined) continue
    const what = {
      ...(after !== '' && { filter: textOf(isBehind(after)) }),
      row: entryRow,
      sort: [`${attributes.orderedId}:asc`],
      limit,
    }
    const { results } = await fetched(reading, uid, what, signal)
    for (const { i, version, hash } of results) all.set(i, { id: i, version, hash })
  }
  const inOrder = [...all.values()].sort((a, b) => compareCodePoints(a.id, b.id))
  return inOrder.slice(0, limit)
}
