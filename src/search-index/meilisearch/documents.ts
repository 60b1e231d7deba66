/** What every reader of Meilisearch stands on. */

import { z } from 'zod'
import type { Log } from '../../log.ts'
import type { IndexName } from '../index-settings.ts'
import type { Uids } from './attributes.ts'
import type { Answering } from './engine-state.ts'
import type { Wire } from './engine-client.ts'

export type ReadContext = {
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
export type IndexPart = Answering & { readonly index: IndexName }

/** The indices of a request, each once; those that do not exist hold nothing. */
export const partsOf = (
  indices: readonly IndexName[],
  reading: ReadContext,
): readonly IndexPart[] =>
  [...new Set(indices)].flatMap((index) => {
    const answering = reading.answering(index)
    return answering ? [{ ...answering, index }] : []
  })

/** Rows of a call: their attributes are what is asked for. */
export type Rows<Row> = z.ZodType<Row> & { readonly shape: Readonly<Record<string, unknown>> }

type Fetching<Row> = {
  readonly row: Rows<Row>
  /** Further attributes, for rows that are loose. */
  readonly more?: readonly string[]
  readonly filter?: string | undefined
  readonly ids?: readonly string[]
  readonly sort?: readonly string[]
  readonly offset?: number
  readonly limit: number
}

/** Attributes to ask for. */
export const fieldsOf = <Row>(row: Rows<Row>): readonly string[] => Object.keys(row.shape)

/** Documents as they are stored, and how many there are in all. */
export async function fetched<Row>(
  { wire }: Pick<ReadContext, 'wire'>,
  uid: string,
  { row, more = [], ...what }: Fetching<Row>,
  signal?: AbortSignal,
): Promise<{ readonly results: readonly Row[]; readonly total: number }> {
  const body = { ...what, fields: [...fieldsOf(row), ...more] }
  const answer = await wire.post(`/indexes/${uid}/documents/fetch`, body, signal)
  return z.object({ results: z.array(row), total: z.number() }).parse(answer)
}
