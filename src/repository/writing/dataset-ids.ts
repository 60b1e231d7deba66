/** Chooses platform ids: unique over all catalogues, stable, and never given to two creates at once. */

import { setImmediate } from 'node:timers/promises'
import { Failure } from '../../errors.ts'
import { platformId } from '../../rdf/ids.ts'
import type { Tombstones } from '../deleting/tombstones.ts'
import { findByOrigins, type StoreAndNames, type Origin, type Sought } from './find-datasets.ts'

/** The id that a dataset has or shall have, and what is known about it. */
export type DatasetTarget = {
  readonly id: string
  readonly origin: Origin
  /** The graph (N-Triples) of the deleted dataset that comes back with this write. */
  readonly former?: string
}

type Target = DatasetTarget | Failure

/** Original ids, all different, of one catalogue. */
type SoughtIds = { readonly catalogue: string; readonly originalIds: readonly string[] }

export type DatasetIds = ReturnType<typeof idChooser>

type IdContext = StoreAndNames & {
  readonly tombstones: Pick<Tombstones, 'find' | 'ofOrigin' | 'remains'>
}

/** A clash gets `~~1`, `~~2`, …; this many are tried before giving up. */
const mostClashes = 1000
/** Characters of an id before its suffix: with it, it must still be an id. */
const longest = 245

export function idChooser(context: IdContext) {
  const reserved = new Set<string>()
  const look = sharedLookUp(context)
  return {
    /**
     * Runs `work` with the targets of original ids in their order; a failure in the place of an id that cannot be had
     * (`invalid-parameter` when nothing is left of it, `conflict` when too many share it). New ids are reserved until `work` has
     * ended. Fails with `unknown-catalogue`.
     */
    withIds: async <T>(
      { catalogue, originalIds }: SoughtIds,
      work: (targets: readonly Target[]) => Promise<T>,
      signal: AbortSignal,
    ): Promise<T> => {
      const search = new IdSearch(context.tombstones, reserved, catalogue)
      try {
        return await work(await search.targets(originalIds, look, signal))
      } finally {
        search.release()
      }
    },
  }
}

type LookUp = (catalogue: string, sought: readonly Sought[]) => Promise<readonly Origin[]>
type Waiting = PromiseWithResolvers<readonly Origin[]> & { readonly sought: readonly Sought[] }

/** Writers whose ids are looked up in one query. */
const mostTogether = 500

/**
 * One query at a time for each catalogue; who asks meanwhile goes into the next one (decision 0022), so that each answer is
 * younger than its question. It goes on for the others when one of them leaves.
 */
function sharedLookUp(context: StoreAndNames): LookUp {
  const queues = new Map<string, Waiting[]>()
  const run = async (catalogue: string, queue: Waiting[]) => {
    while (queue.length > 0) {
      // What comes in with the same turn goes along.
      await setImmediate()
      const batch = queue.splice(0, mostTogether)
      const all = batch.flatMap(({ sought }) => sought)
      try {
        const origins = [...(await findByOrigins(context, catalogue, all))]
        for (const { sought, resolve } of batch) resolve(origins.splice(0, sought.length))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    queues.delete(catalogue)
  }
  return (catalogue, sought) => {
    const one = { ...Promise.withResolvers<readonly Origin[]>(), sought }
    const queue = queues.get(catalogue)
    if (queue) queue.push(one)
    else {
      const fresh = [one]
      queues.set(catalogue, fresh)
      void run(catalogue, fresh)
    }
    return one.promise
  }
}

/** One search for the ids of a catalogue; what it has reserved is its own until `release`. */
class IdSearch {
  readonly #tombstones: IdContext['tombstones']
  readonly #reserved: Set<string>
  readonly #catalogue: string
  readonly #held = new Set<string>()
  /** Plain id → the suffix to be tried next: what is before it is taken. */
  readonly #clashes = new Map<string, number>()

  constructor(tombstones: IdContext['tombstones'], reserved: Set<string>, catalogue: string) {
    this.#tombstones = tombstones
    this.#reserved = reserved
    this.#catalogue = catalogue
  }

  /**
   * In each round those that are not found yet propose a candidate, and one look-up tells about all of them. Ids that become the
   * same take turns, so that the earlier one gets the lower suffix, as if they had come one by one.
   */
  async targets(
    originalIds: readonly string[],
    look: LookUp,
    signal: AbortSignal,
  ): Promise<readonly Target[]> {
    const found = new Map<string, Target>()
    const queues = Map.groupBy(originalIds, platformId)
    while (queues.size > 0) {
      const proposed = [...queues].flatMap(([plain, queue]) => {
        const candidate = this.#propose(plain)
        if (typeof candidate === 'string')
          return [{ plain, queue, candidate, originalId: queue[0] ?? '' }]
        for (const originalId of queue) found.set(originalId, candidate)
        queues.delete(plain)
        return []
      })
      const origins = proposed.length === 0 ? [] : await look(this.#catalogue, proposed)
      signal.throwIfAborted()
      for (const [at, one] of proposed.entries()) {
        const target = origins[at] && this.#settle(one, origins[at])
        if (!target) continue
        found.set(one.originalId, target)
        one.queue.shift()
        if (one.queue.length === 0) queues.delete(one.plain)
      }
    }
    return originalIds.map((id) => found.get(id) ?? tooManyClashes(id))
  }

  /**
   * Reserves the next candidate before anybody looks whether it is free: whoever took it earlier has landed by then and is
   * seen, and nobody takes it afterwards.
   */
  #propose(plain: string): string | Failure {
    if (plain === '') return nothingLeft()
    for (let clash = this.#clashes.get(plain) ?? 0; clash <= mostClashes; clash += 1) {
      this.#clashes.set(plain, clash)
      const candidate = clash === 0 ? plain : `${plain.slice(0, longest)}~~${clash}`
      if (this.#reserve(candidate)) return candidate
    }
    return tooManyClashes(plain)
  }

  /** The target of an original id; `undefined` when the candidate is taken and the next suffix is to be tried. */
  #settle(
    { originalId, plain, candidate }: Sought & { readonly plain: string },
    origin: Origin,
  ): DatasetTarget | undefined {
    if (origin.record) {
      this.#free(candidate)
      return { id: origin.record.id, origin }
    }
    const former = this.#tombstones.ofOrigin(this.#catalogue, originalId)
    if (former && (former.id === candidate ? !origin.taken : this.#reserve(former.id))) {
      if (former.id !== candidate) this.#free(candidate)
      const { content = '' } = this.#tombstones.remains('dataset', former.id) ?? {}
      return { id: former.id, origin, former: content }
    }
    if (!origin.taken && !this.#tombstones.find('dataset', candidate))
      return { id: candidate, origin }
    this.#free(candidate)
    this.#clashes.set(plain, (this.#clashes.get(plain) ?? 0) + 1)
    return undefined
  }

  release(): void {
    for (const id of this.#held) this.#free(id)
  }

  #reserve(id: string): boolean {
    if (this.#reserved.has(id)) return false
    this.#reserved.add(id)
    this.#held.add(id)
    return true
  }

  #free(id: string): void {
    if (this.#held.delete(id)) this.#reserved.delete(id)
  }
}

const tooManyClashes = (id: string) =>
  new Failure('conflict', `more than ${mostClashes} datasets share the id "${id}"`)

const nothingLeft = () =>
  new Failure('invalid-parameter', 'nothing is left of the original id once it is made an id', {
    errors: [
      { parameter: 'originalId', detail: 'must contain at least one letter, digit or separator' },
    ],
  })
