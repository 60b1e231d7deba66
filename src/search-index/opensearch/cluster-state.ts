/**
 * Generations of each index on the cluster: an index for each, whose mapping has the facts about it, and an alias on the one that is
 * searched.
 *
 *     (no index)           made with the alias ──finish──▶ complete
 *     (changed settings)   made beside the searched one ──finish──▶ the alias moves in one step; the old one is dropped
 */

import { randomBytes } from 'node:crypto'
import { inParallel } from '../../workers/in-parallel.ts'
import { type IndexName, type IndexSettings, signatureOf } from '../index-settings.ts'
import { notReady } from '../remote/answers.ts'
import type { EngineGeneration, SearchedGeneration } from '../remote/generation.ts'
import type { ClusterIndices, StoredGeneration } from './cluster-indices.ts'
import { clusterLayout, type ClusterNames } from './cluster-layout.ts'

type StateContext = {
  readonly names: ClusterNames
  readonly indices: ClusterIndices
  readonly languages: readonly string[]
  /** Number of documents in an index. */
  readonly count: (name: string) => Promise<number>
  /** Whether a cursor reads an index, so that it is dropped later. */
  readonly isRead: (name: string) => boolean
}

/** Most indices that are made at once. */
const changesAtOnce = 8

/** Known state of the indices of the cluster. It is read again after a call with unknown outcome. */
export class ClusterState {
  /** Searched generations by index; empty before the first `configure`. */
  searched: ReadonlyMap<IndexName, SearchedGeneration> = new Map()
  readonly #context: StateContext
  /** Whether a call has failed that the cluster may have carried out. */
  #isUncertain = false
  #failure: unknown
  /** Replaced indices that a cursor reads. */
  readonly #retired = new Set<string>()

  constructor(context: StateContext) {
    this.#context = context
  }

  /** Settings of the searched generations. */
  get current(): readonly IndexSettings[] {
    return [...this.searched.values()].map(({ settings }) => settings)
  }

  /** Generation of an index that is being filled; `undefined` if it is complete. */
  fillingGeneration(index: IndexName): EngineGeneration | undefined {
    const generation = this.searched.get(index)
    return generation?.next ?? (generation?.isComplete === false ? generation : undefined)
  }

  /** As `SearchIndex.configure`; returns the indices to fill. */
  async configure(
    allSettings: readonly IndexSettings[],
    refill: readonly IndexName[] = [],
  ): Promise<readonly IndexName[]> {
    const { indices } = this.#context
    this.#isUncertain = this.searched.size > 0
    // Without the index of tokens, words would have no forms.
    const isLost = await indices.ensureDictionaries()
    const stored = await this.#cleaned(allSettings)
    // Together, because the cluster takes several changes in one step.
    await inParallel(
      allSettings,
      (settings) => {
        const isOld = refill.includes(settings.index) || isLost
        return this.#prepare(settings, stored.get(settings.index), isOld)
      },
      { atOnce: changesAtOnce, signal: undefined },
    )
    const generations = searchedOf(await indices.stored())
    this.searched = new Map(allSettings.flatMap(({ index }) => entryOf(generations, index)))
    this.#isUncertain = false
    return allSettings.flatMap(({ index }) => (this.fillingGeneration(index) ? [index] : []))
  }

  /** Takes over which generations another process has configured; resolves with whether they have changed. */
  async attach(signal?: AbortSignal): Promise<boolean> {
    const searched = searchedOf(await this.#context.indices.stored(signal))
    const isSame = JSON.stringify([...searched]) === JSON.stringify([...this.searched])
    if (!isSame) this.searched = searched
    return !isSame
  }

  /** Makes the generation that is being filled the searched one; does nothing if there is none. */
  async finish(index: IndexName): Promise<void> {
    await this.resolveUncertainty()
    const searched = this.searched.get(index)
    const filling = this.fillingGeneration(index)
    if (!searched || !filling) return
    const { indices } = this.#context
    this.#isUncertain = true
    await indices.refresh([filling.uid])
    const complete = { ...filling, isComplete: true }
    await indices.note(complete)
    if (searched.next) await indices.point(complete, [searched.uid])
    this.searched = new Map([...this.searched, [index, complete]])
    this.#isUncertain = false
    if (searched.next) await this.#retire(searched.uid)
  }

  /** Reads the state again after a call with unknown outcome. Rejects before `configure`. */
  async resolveUncertainty(): Promise<void> {
    this.requireConfigured()
    if (!this.#isUncertain) return
    const generations = searchedOf(await this.#context.indices.stored())
    this.searched = new Map(
      [...this.searched.keys()].flatMap((index) => entryOf(generations, index)),
    )
    this.#isUncertain = false
  }

  /** Keeps why the engine could not be configured, and throws it. */
  readonly keepFailure = (error: unknown): never => {
    this.#failure = error
    throw error
  }

  /** Throws before `configure`, because answers without indices would be wrong. */
  requireConfigured(): void {
    if (this.searched.size === 0) throw notReady(this.#failure)
  }

  /** Drops replaced indices that no cursor reads any more. */
  async dropRetired(): Promise<void> {
    for (const name of this.#retired) {
      if (this.#context.isRead(name)) continue
      this.#retired.delete(name)
      await this.#context.indices.drop(name)
    }
  }

  async #retire(name: string): Promise<void> {
    this.#retired.add(name)
    await this.dropRetired()
  }

  /** Generations by index, after those were dropped that are of no use: of other indices, or replaced by an earlier process. */
  async #cleaned(allSettings: readonly IndexSettings[]) {
    const { indices, names } = this.#context
    const all = await indices.stored()
    const generations = searchedOf(all)
    for (const { uid, settings, isAliased } of all) {
      const own = generations.get(settings.index)
      const isWanted = allSettings.some(({ index }) => index === settings.index)
      if (isWanted && [own?.uid, own?.next?.uid].includes(uid)) {
        // A finish that was interrupted, or an alias that points at two indices.
        const isPointed = isAliased === (uid === own?.uid)
        if (!isPointed && own)
          await indices.point(
            own,
            all
              .map((one) => one.uid)
              .filter(
                (name) => name !== own.uid && name.startsWith(`${names.alias(settings.index)}-`),
              ),
          )
        continue
      }
      if (!this.#retired.has(uid)) await indices.drop(uid)
      if (!isWanted) await indices.drop(names.vectors(settings.index))
    }
    return generations
  }

  /** Updates the newest generation of an index, or makes one. `isOld`: its documents must be replaced even if its signature is equal. */
  async #prepare(
    settings: IndexSettings,
    own: SearchedGeneration | undefined,
    isOld: boolean,
  ): Promise<void> {
    const { indices, languages, names, count } = this.#context
    const { index } = settings
    const signature = signatureOf(clusterLayout, settings, languages)
    const newest = own?.next ?? own
    if (newest?.signature === signature && !isOld) {
      const { next: _, ...facts } = { next: undefined, ...newest }
      const noted = { ...facts, settings, languages }
      if (JSON.stringify(noted) !== JSON.stringify(facts)) await indices.note(noted)
      return
    }
    const isBeside = own !== undefined && (await count(own.uid)) > 0
    const instance = randomBytes(16).toString('hex')
    const number = (newest?.number ?? 0) + 1
    const uid = names.generation(index, instance)
    const facts = { number, signature, settings, languages, layout: clusterLayout }
    const generation = { uid, instance, ...facts, isComplete: false }
    await indices.make(generation, own === undefined)
    if (own?.next) await indices.drop(own.next.uid)
    if (!own || isBeside) return
    await indices.point(generation, [own.uid])
    await this.#retire(own.uid)
  }
}

const entryOf = (generations: ReadonlyMap<IndexName, SearchedGeneration>, index: IndexName) => {
  const generation = generations.get(index)
  return generation ? [[index, generation] as const] : []
}

/**
 * Searched generation of each index: that of the alias, the newest if it points at several, or a complete one that is newer, whose alias
 * is still to be moved. `next` is a newer one that is not complete.
 */
function searchedOf(all: readonly StoredGeneration[]): Map<IndexName, SearchedGeneration> {
  const found = new Map<IndexName, SearchedGeneration>()
  for (const [index, some] of Map.groupBy(all, ({ settings }) => settings.index)) {
    const ordered = some.toSorted((a, b) => b.number - a.number)
    const own = ordered.find(({ isAliased, isComplete }) => isAliased || isComplete)
    if (!own) continue
    const next = ordered.find(({ isComplete, number }) => !isComplete && number > own.number)
    const { isAliased: _, ...facts } = own
    const { isAliased: __, ...following } = next ?? own
    found.set(index, { ...facts, ...(next && { next: following }) })
  }
  return found
}
