/**
 * Generations of each index on a server: an index for each, in which the facts about it are noted. The searched one is the newest that is
 * complete, or the one that an alias points at, on servers with aliases.
 *
 *     (no index)           made and searched ──finish──▶ complete
 *     (changed settings)   made beside the searched one ──finish──▶ complete and searched; the old one is dropped
 */

import { randomBytes } from 'node:crypto'
import { inParallel } from '../../workers/in-parallel.ts'
import { type IndexName, type IndexSettings, signatureOf } from '../index-settings.ts'
import { notReady } from './answers.ts'
import type { EngineGeneration, SearchedGeneration } from './generation.ts'

/** Generation on a server; `isAliased`: it is searched, whether or not it is complete. */
export type StoredGeneration = EngineGeneration & { readonly isAliased: boolean }

/** Indices of a platform on a server. Each call resolves when the server has carried it out. */
export type GenerationIndices = {
  /** Makes the index of a generation; `isSearched`: it is searched at once. */
  make(generation: EngineGeneration, isSearched: boolean): Promise<void>
  /** Notes the facts about a generation; `former` are those that are noted. */
  note(generation: EngineGeneration, former?: EngineGeneration): Promise<void>
  /** Lets the alias point at a generation only, in one step; does nothing on servers without aliases. */
  point(generation: EngineGeneration, old: readonly string[]): Promise<void>
  /** Removes an index if it exists. */
  drop(uid: string): Promise<void>
  /** Makes the dictionaries that are missing; resolves with whether there are no tokens. */
  ensureDictionaries(): Promise<boolean>
  /** Generations on the server. */
  stored(signal?: AbortSignal): Promise<readonly StoredGeneration[]>
  /** Makes everything searchable that was written to an index. */
  refresh(uids: readonly string[], signal?: AbortSignal): Promise<void>
  /** Number of documents in an index. */
  count(uid: string): Promise<number>
}

/** Most indices that are made at once. */
const changesAtOnce = 8

/** Parts of the state: names and calls of the server. */
export type StateContext = {
  readonly names: {
    /** Name of the index of a new generation. */
    readonly generation: (index: IndexName, instance: string) => string
    /** Name of the index of vectors of an index. */
    readonly vectors: (index: IndexName) => string
  }
  readonly indices: GenerationIndices
  readonly languages: readonly string[]
  /** Version of the layout of documents; indices of another layout are filled again. */
  readonly layout: number
  /** Whether a cursor reads an index, so that it is dropped later. */
  readonly isRead: (uid: string) => boolean
}

/** Known state of the indices of the server. It is read again after a call with unknown outcome. */
export class GenerationState {
  /** Searched generations by index; empty before the first `configure`. */
  searched: ReadonlyMap<IndexName, SearchedGeneration> = new Map()
  readonly #context: StateContext
  /** Whether a call has failed that the server may have carried out. */
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
    // Together, because a cluster takes several changes in one step.
    await inParallel(
      allSettings,
      async (settings) => {
        const own = stored.get(settings.index)
        const isOld = refill.includes(settings.index) || (isLost && !(await this.#isEmpty(own)))
        await this.#prepare(settings, own, isOld)
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
        const others = all.filter(
          (one) => one.settings.index === settings.index && one.uid !== own?.uid,
        )
        if (!isPointed && own)
          await indices.point(
            own,
            others.map((one) => one.uid),
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
    const { indices, languages, names, layout } = this.#context
    const { index } = settings
    const signature = signatureOf(layout, settings, languages)
    const newest = own?.next ?? own
    if (newest?.signature === signature && !isOld) {
      const { next: _, ...facts } = { next: undefined, ...newest }
      return indices.note({ ...facts, settings, languages }, facts)
    }
    const isBeside = !(await this.#isEmpty(own))
    const instance = randomBytes(16).toString('hex')
    const number = (newest?.number ?? 0) + 1
    const uid = names.generation(index, instance)
    const facts = { number, signature, settings, languages, layout }
    const generation = { uid, instance, ...facts, isComplete: false }
    await indices.make(generation, own === undefined)
    if (own?.next) await indices.drop(own.next.uid)
    if (!own || isBeside) return
    await indices.point(generation, [own.uid])
    await this.#retire(own.uid)
  }

  async #isEmpty(own: EngineGeneration | undefined): Promise<boolean> {
    return own === undefined || (await this.#context.indices.count(own.uid)) === 0
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
