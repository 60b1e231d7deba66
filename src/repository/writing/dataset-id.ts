/** Chooses platform ids: unique over all catalogues, stable, and never given to two creates at once. */

import { Failure } from '../../errors.ts'
import { platformId } from '../../rdf/ids.ts'
import type { Names } from '../../rdf/names.ts'
import type { GraphStore } from '../../store/graph-store.ts'
import type { Tombstones } from '../deleting/tombstones.ts'
import type { Origin } from './find-dataset.ts'
import { originLookup, type OriginLookup } from './origin-lookup.ts'

/** The id that a dataset has or shall have, and what is known about it. */
export type Target = {
  readonly id: string
  readonly origin: Origin
  /** The graph (N-Triples) of the deleted dataset that comes back with this write. */
  readonly former?: string
}

export type DatasetIds = {
  /**
   * Runs `work` with the target of an original id. A new id is reserved until `work` has ended. Fails with
   * `unknown-catalogue`, `invalid-parameter` when nothing is left of the id, `conflict` when too many share it.
   */
  withId<T>(
    sought: { readonly catalogue: string; readonly originalId: string },
    work: (target: Target) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>
  /**
   * The same for many original ids, all different, with as few look-ups as possible: targets come in the order of the ids,
   * a failure in the place of an id that cannot be had.
   */
  withIds<T>(
    sought: { readonly catalogue: string; readonly originalIds: readonly string[] },
    work: (targets: readonly (Target | Failure)[]) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>
}

export type DatasetIdDeps = {
  readonly store: GraphStore
  readonly names: Names
  readonly tombstones: Pick<Tombstones, 'find' | 'ofOrigin' | 'content'>
}

/** A clash gets `~~1`, `~~2`, …; this many are tried before giving up. */
const mostClashes = 1000
/** Characters of an id before its suffix: with it, it must still be an id. */
const longest = 245

export function datasetIds(deps: DatasetIdDeps): DatasetIds {
  const reserved = new Set<string>()
  const look = originLookup(deps)

  const withIds: DatasetIds['withIds'] = async (sought, work, signal) => {
    const search = new Search({ ...deps, look }, reserved, sought.catalogue)
    try {
      return await work(await search.targets(sought.originalIds, signal))
    } finally {
      search.release()
    }
  }

  return {
    withIds,
    withId: ({ catalogue, originalId }, work, signal) =>
      withIds(
        { catalogue, originalIds: [originalId] },
        ([target]) => {
          if (target instanceof Failure) throw target
          if (!target) throw new Error('a target for every id')
          return work(target)
        },
        signal,
      ),
  }
}

/** An original id on its way to a platform id. */
type Seeker = {
  readonly originalId: string
  readonly plain: string
  candidate: string
}

type SearchDeps = DatasetIdDeps & { readonly look: OriginLookup }

/** One search; what it has reserved is its own until `release`. */
class Search {
  readonly #deps: SearchDeps
  readonly #reserved: Set<string>
  readonly #catalogue: string
  readonly #held = new Set<string>()
  /** Plain id → the suffix to be tried next: what is before it is taken. */
  readonly #clashes = new Map<string, number>()
  readonly #found = new Map<string, Target | Failure>()

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
  ): Promise<readonly (Target | Failure)[]> {
    let seekers: readonly Seeker[] = originalIds.map((originalId) => {
      return { originalId, plain: platformId(originalId), candidate: '' }
    })
    while (seekers.length > 0) {
      const firsts = new Map(seekers.toReversed().map((seeker) => [seeker.plain, seeker]))
      const proposing = seekers.filter(
        (seeker) => firsts.get(seeker.plain) === seeker && this.#propose(seeker),
      )
      const origins =
        proposing.length === 0 ? [] : await this.#deps.look(this.#catalogue, proposing, signal)
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
      const content = tombstones.content(former.id) ?? ''
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
