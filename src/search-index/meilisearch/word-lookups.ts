/** Lookups of word forms in the index of terms of Meilisearch. */

import { z } from 'zod'
import { parseAnswer } from '../remote/answers.ts'
import type { FindTerms, TermQuery } from '../remote/word-targets.ts'
import type { Uids } from './attributes.ts'
import { quoted } from './condition.ts'
import type { EngineClient } from './engine-client.ts'

const termHit = z.object({
  term: z.string(),
  bucket: z.string().optional(),
  stems: z.array(z.string()).default([]),
})
const hitsAnswer = z.object({ results: z.array(z.object({ hits: z.array(termHit) })) })

/** Makes the function that finds rows of the index of terms, by one call for all queries. */
export const termFinder =
  ({ client, uids }: { readonly client: EngineClient; readonly uids: Uids }): FindTerms =>
  async (queries, signal) => {
    const attributesToRetrieve = Object.keys(termHit.shape)
    const body = {
      queries: queries.map((query) => {
        const { limit } = query
        return { indexUid: uids.terms, filter: filterOf(query), limit, attributesToRetrieve }
      }),
    }
    const answer = await client.post('/multi-search', body, signal)
    return parseAnswer(hitsAnswer, answer).results.map(({ hits }) => hits)
  }

function filterOf({ attribute, values, beginning = '', buckets }: TermQuery): string {
  const condition = values
    ? isOneOf(attribute, values)
    : beginning === ''
      ? `${attribute} EXISTS`
      : `${attribute} STARTS WITH ${quoted(beginning)}`
  return buckets ? `${isOneOf('bucket', buckets)} AND ${condition}` : condition
}

const isOneOf = (attribute: string, values: readonly string[]): string =>
  `${attribute} IN [${values.map(quoted).join(', ')}]`
