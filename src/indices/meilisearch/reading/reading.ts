/** What every reader of Meilisearch stands on. */

import type { Log } from '../../../log.ts'
import type { IndexName } from '../../settings.ts'
import type { Uids } from '../layout/names.ts'
import type { Answering } from '../settings/answering.ts'
import type { Wire } from '../wire/wire.ts'

export type Reading = {
  readonly wire: Wire
  readonly uids: Uids
  /** `undefined` for an index that is not configured. */
  readonly answering: (index: IndexName) => Answering | undefined
  /** Grows with every write of this process. */
  readonly changes: () => number
  /** Milliseconds. */
  readonly now: () => number
  /** Terms that one wildcard stands for. */
  readonly wildcardTerms: number
  readonly log: Log
}

/** One index of a request. */
export type Part = Answering & { readonly index: IndexName }

/** The indices of a request, each once; those that do not exist hold nothing. */
export const partsOf = (indices: readonly IndexName[], reading: Reading): readonly Part[] =>
  [...new Set(indices)].flatMap((index) => {
    const answering = reading.answering(index)
    return answering ? [{ ...answering, index }] : []
  })

type Fetching = {
  readonly filter?: string | undefined
  readonly ids?: readonly string[]
  readonly fields: readonly string[]
  readonly sort?: readonly string[]
  readonly offset?: number
  readonly limit: number
}

export type Fetched<Row> = { readonly results: readonly Row[]; readonly total: number }

/** Documents as they are stored. `Row` is what `fields` make of them. */
export async function fetched<Row>(
  { wire }: Reading,
  uid: string,
  what: Fetching,
  signal?: AbortSignal,
): Promise<Fetched<Row>> {
  const answer = await wire.post(`/indexes/${uid}/documents/fetch`, what, signal)
  return answer as Fetched<Row>
}
