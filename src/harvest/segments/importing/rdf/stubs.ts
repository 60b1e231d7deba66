/** Datasets that a source mentions and does not describe: told when it is known that no other page describes them. */
import { keyHash } from '../../../importing/cutting/key-hash.ts'
import type { Found } from '../../found.ts'
import { NumberSet } from '../../gathering/number-set.ts'

type Skipped = Extract<Found, { kind: 'skipped' }>

/** Kept until the end; what comes after is told at once. */
const mostKept = 100_000

/** Of one pass over a source. Nodes are N-Triples texts. */
export class Stubs {
  readonly #described = new NumberSet()
  readonly #waiting = new Map<string, string>()

  describe(term: string): void {
    this.#described.add(keyHash(term))
  }

  *meet(term: string, sourceId: string): Iterable<Skipped> {
    if (this.#waiting.size < mostKept) this.#waiting.set(term, sourceId)
    else yield skipped(sourceId)
  }

  /** To be called at the end of the source. */
  *left(): Iterable<Skipped> {
    for (const [term, sourceId] of this.#waiting)
      if (!this.#described.has(keyHash(term))) yield skipped(sourceId)
  }
}

const skipped = (sourceId: string): Skipped => ({
  kind: 'skipped',
  sourceId,
  reason: 'stub',
  isMentioned: true,
})
