/** Numbers of documents that meet a condition, which decide how much a word of a query counts. */

import { z } from 'zod'
import { parseAnswer } from '../remote/answers.ts'
import { StateCache } from '../remote/state-cache.ts'
import { type Condition, filterText } from './condition.ts'
import type { EngineClient } from './engine-client.ts'

/** Documents to count: those of an index that meet a condition. */
export type CountRequest = {
  readonly uid: string
  readonly condition: () => Condition
  /** Name of the condition, by which its count is cached; equal names are equal conditions. */
  readonly name: string
}

/** Most counts that are cached. */
const maxCached = 2_000

const countsAnswer = z.object({ results: z.array(z.object({ estimatedTotalHits: z.number() })) })

/** Counts documents. Counts are cached until something is written. */
export class DocumentCounts {
  readonly #client: EngineClient
  readonly #cache: StateCache<number>

  constructor(client: EngineClient, changes: () => number) {
    this.#client = client
    this.#cache = new StateCache('search-counts', maxCached, changes)
  }

  /** Counts of each request; unknown ones are requested in one call. */
  async countsOf(
    requests: readonly CountRequest[],
    signal?: AbortSignal,
  ): Promise<readonly number[]> {
    const state = this.#cache.state()
    const keyOf = ({ uid, name }: CountRequest) => `${uid} ${name}`
    const counts = new Map(requests.map((each) => [keyOf(each), this.#cache.get(keyOf(each))]))
    const unknown = requests.filter((each) => counts.get(keyOf(each)) === undefined)
    const queries = unknown.map(({ uid, condition }) => {
      return { indexUid: uid, filter: filterText(condition()), limit: 0 }
    })
    const answer =
      queries.length > 0 ? await this.#client.post('/multi-search', { queries }, signal) : undefined
    const { results } = answer === undefined ? { results: [] } : parseAnswer(countsAnswer, answer)
    for (const [i, { estimatedTotalHits }] of results.entries()) {
      const request = unknown[i]
      if (!request) continue
      counts.set(keyOf(request), estimatedTotalHits)
      this.#cache.set(keyOf(request), estimatedTotalHits, state)
    }
    return requests.map((each) => counts.get(keyOf(each)) ?? 0)
  }
}
