/** Chooses platform ids: unique over all catalogues, stable, and never given to two creates at once. */

import { setImmediate } from 'node:timers/promises'
import { Failure } from '../../errors.ts'
import { platformId } from '../../rdf/ids.ts'
import type { Names } from '../../rdf/names.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import type { Tombstones } from '../deleting/tombstones.ts'
import { findByOrigins, type Origin, type Sought } from './find-datasets.ts'

/** The id that a dataset has or shall have, and what is known about it. */
export type DatasetTarget = {
  readonly id: string
  readonly origin: Origin
  /** The graph (N-Triples) of the deleted dataset that comes back with this write. */
  readonly former?: string
}

export type DatasetIds = {
  /**
   * Runs `work` with the targets of original ids, all different, in their order; a failure in the place of an id that cannot
   * be had (`invalid-parameter` when nothing is left of it, `conflict` when too many share it). New ids are reserved until
   * `work` has ended. Fails with `unknown-catalogue`.
   */
  withIds<T>(
    sought: { readonly catalogue: string; readonly originalIds: readonly string[] },
    work: (targets: readonly (DatasetTarget | Failure)[]) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>
}

type DatasetIdDeps = {
  readonly store: GraphStore
  readonly names: Names
  readonly tombstones: Pick<Tombstones, 'find' | 'ofOrigin' | 'remains'>
}

/** A clash gets `~~1`, `~~2`, …; this many are tried before giving up. */
const mostClashes = 1000
/** Characters of an id before its suffix: with it, it must still be an id. */
const longest = 245

export function datasetIds(deps: DatasetIdDeps): DatasetIds {
  const reserved = new Set<string>()
  const look = sharedLookUp(deps)
  return {
    withIds: async ({ catalogue, originalIds }, work, signal) => {
      const { tombstones } = deps
      const search = new IdSearch({ tombstones, look }, reserved, catalogue)
      try {
        return await work(await search.targets(originalIds, signal))
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
function sharedLookUp(deps: DatasetIdDeps): LookUp {
  const queues = new Map<string, Waiting[]>()
  const settle = async (catalogue: string, batch: readonly Waiting[]) => {
    try {
      const all = batch.flatMap(({ sought }) => sought)
      const origins = [...(await findByOrigins(deps, catalogue, all))]
      for (const { sought, resolve } of batch) resolve(origins.splice(0, sought.length))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  const run = async (catalogue: string, queue: Waiting[]) => {
    while (queue.length > 0) {
      // What comes in with the same turn goes along.
      await setImmediate()
      await settle(catalogue, queue.splice(0, mostTogether))
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

/** An original id on its way to a platform id. */
type Seeker = {
  readonly originalId: string
  readonly plain: string
  candidate: string
}

type SearchDeps = Pick<DatasetIdDeps, 'tombstones'> & { readonly look: LookUp }

/** One search; what it has reserved is its own until `release`. */
class IdSearch {
  readonly #deps: SearchDeps
  readonly #reserved: Set<string>
  readonly #catalogue: string
  readonly #held = new Set<string>()
  /** Plain id → the suffix to be tried next: what is before it is taken. */
  readonly #clashes = new Map<string, number>()
  readonly #found = new Map<string, DatasetTarget | Failure>()

  constructor(deps: SearchDeps, reserved: Set<string>, catalogue: string) {
    this.#deps = deps
    this.#reserved = reserved
    this.#catalogue = catalogue
  }

  /**
   * In each round those that are not found yet propose a candidate, and one look-up tells about all of them. Ids that become
   * the same take turns, so that the earlier one gets the lower suffix, as if they had come one by one.
   */
  async targets(
    originalIds: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (DatasetTarget | Failure)[]> {
    let seekers: readonly Seeker[] = originalIds.map((originalId) => {
      return { originalId, plain: platformId(originalId), candidate: '' }
    })
    while (seekers.length > 0) {
      const firsts = new Map(seekers.toReversed().map((seeker) => [seeker.plain, seeker]))
      const proposing = seekers.filter(
        (seeker) => firsts.get(seeker.plain) === seeker && this.#propose(seeker),
      )
      const origins =
        proposing.length === 0 ? [] : await this.#deps.look(this.#catalogue, proposing)
      signal.throwIfAborted()
      for (const [at, origin] of origins.entries()) {
        const seeker = proposing[at]
        if (seeker) this.#settle(seeker, origin)
      }
      seekers = seekers.filter(({ originalId }) => !this.#found.has(originalId))
    }
    return originalIds.map((id) => this.#found.get(id) ?? tooManyClashes(id))
  }

  release(): void {
    for (const id of this.#held) this.#reserved.delete(id)
    this.#held.clear()
  }

  /**
   * Reserves the next candidate before anybody looks whether it is free: whoever took it earlier has landed by then and is
   * seen, and nobody takes it afterwards. False when there is none.
   */
  #propose(seeker: Seeker): boolean {
    const { originalId, plain } = seeker
    if (plain === '') {
      this.#found.set(originalId, nothingLeft())
      return false
    }
    for (let clash = this.#clashes.get(plain) ?? 0; clash <= mostClashes; clash += 1) {
      this.#clashes.set(plain, clash)
      const candidate = clash === 0 ? plain : `${plain.slice(0, longest)}~~${clash}`
      if (this.#reserve(candidate)) {
        seeker.candidate = candidate
        return true
      }
    }
    this.#found.set(originalId, tooManyClashes(plain))
    return false
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

  /** Ends the search for this id, or leaves it to the next round with the next suffix. */
  #settle({ originalId, plain, candidate }: Seeker, origin: Origin): void {
    if (origin.record) {
      this.#free(candidate)
      this.#found.set(originalId, { id: origin.record.id, origin })
      return
    }
    const { tombstones } = this.#deps
    const former = tombstones.ofOrigin(this.#catalogue, originalId)
    if (former && (former.id === candidate ? !origin.taken : this.#reserve(former.id))) {
      if (former.id !== candidate) this.#free(candidate)
      const content = tombstones.remains('dataset', former.id)?.content ?? ''
      this.#found.set(originalId, { id: former.id, origin, former: content })
      return
    }
    const isFree = !origin.taken && !tombstones.find('dataset', candidate)
    if (isFree) this.#found.set(originalId, { id: candidate, origin })
    else {
      this.#free(candidate)
      this.#clashes.set(plain, (this.#clashes.get(plain) ?? 0) + 1)
    }
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
