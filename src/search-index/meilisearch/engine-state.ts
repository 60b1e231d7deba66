/**
 * Generations of each index on the server. The facts about a generation are stored in the settings of its index, as an entry of
 * `displayedAttributes`, so that they move with the documents when two indices are swapped.
 *
 *     (no index)           uid is created ──finish──▶ uid is complete
 *     (changed settings)   uid_next is created beside uid ──finish──▶ swap; uid is complete; uid_next is dropped
 */

import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type IndexName, type IndexSettings, signatureOf } from '../index-settings.ts'
import { notReady } from '../remote/answers.ts'
import {
  type EngineGeneration,
  generationOfNote,
  generationNote,
  type SearchedGeneration,
} from '../remote/generation.ts'
import { termAttributes } from '../remote/term-rows.ts'
import type { Uids } from './attributes.ts'
import type { EngineIndices } from './engine-indices.ts'
import {
  dictionarySettings,
  type EngineSettings,
  recordSettings,
  seedOf,
} from './stored-document.ts'

/** Version of the layout of documents; indices of another layout are filled again. */
const layoutNumber = 3

type StateContext = {
  readonly uids: Uids
  readonly indices: EngineIndices
  readonly languages: readonly string[]
}

/** Known state of the indices on the server. It is read again after a call with unknown outcome. */
export class EngineState {
  /** Searched generations by index; empty before the first `configure`. */
  searched: ReadonlyMap<IndexName, SearchedGeneration> = new Map()
  readonly #context: StateContext
  /** Whether a call has failed that the server may have carried out. */
  #isUncertain = false
  #failure: unknown

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
    const { uids, indices } = this.#context
    await indices.ensure(uids.terms, dictionarySettings(...termAttributes))
    await indices.ensure(uids.facetValues, dictionarySettings('facet'))
    const stored = await this.#read()
    const counts = await indices.counts()
    if (counts.has(uids.formerState)) await indices.drop(uids.formerState)
    this.#isUncertain = this.searched.size > 0
    for (const index of stored.keys())
      if (!allSettings.some((settings) => settings.index === index)) await this.#drop(index)
    // Without the index of tokens, searches with wildcards would find too little.
    const isLost = (counts.get(uids.terms) ?? 0) === 0
    for (const settings of allSettings) {
      const { index } = settings
      const isEmpty = (counts.get(uids.searched(index)) ?? 0) === 0
      const isOld = refill.includes(index) || (isLost && !isEmpty)
      await this.#prepare(settings, { own: stored.get(index), isEmpty, isOld })
    }
    const generations = await this.#read()
    this.searched = new Map(allSettings.flatMap(({ index }) => entryOf(generations, index)))
    this.#isUncertain = false
    return allSettings.flatMap(({ index }) => (this.fillingGeneration(index) ? [index] : []))
  }

  /** Takes over which generations another process has configured, and repairs nothing; for processes that only read. */
  async attach(): Promise<void> {
    const generations = await this.#stored()
    this.searched = new Map(
      [...generations.values()].flatMap((generation) => {
        const found = this.#searchedOf(generation, generations)
        if (!found) return []
        // The writer completes a `finish` that was interrupted; until then the documents are those of a complete generation.
        const { isSuperseded, next, ...facts } = found
        return [
          [
            generation.settings.index,
            isSuperseded ? { ...facts, isComplete: true } : { ...facts, ...(next && { next }) },
          ],
        ]
      }),
    )
  }

  /** Makes the generation that is being filled the searched one; does nothing if there is none. */
  async finish(index: IndexName): Promise<void> {
    await this.resolveUncertainty()
    const searched = this.searched.get(index)
    const filling = this.fillingGeneration(index)
    if (!searched || !filling) return
    const { uids, indices } = this.#context
    this.#isUncertain = true
    if (searched.next) await indices.swap(uids.searched(index), uids.next(index))
    const completed = await this.#markComplete(filling, uids.searched(index))
    this.searched = new Map([...this.searched, [index, completed]])
    if (searched.next) await indices.drop(uids.next(index))
    this.#isUncertain = false
  }

  /** Reads the state again after a call with unknown outcome. Rejects before `configure`. */
  async resolveUncertainty(): Promise<void> {
    this.requireConfigured()
    if (!this.#isUncertain) return
    const stored = await this.#read()
    this.searched = new Map([...this.searched.keys()].flatMap((index) => entryOf(stored, index)))
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

  /** Reads the state of the server and completes a `finish` that was interrupted. */
  async #read(): Promise<ReadonlyMap<IndexName, SearchedGeneration>> {
    const { indices } = this.#context
    await indices.waitForSwaps()
    const generations = await this.#stored()
    const searchedByIndex = new Map<IndexName, SearchedGeneration>()
    for (const generation of generations.values()) {
      const found = this.#searchedOf(generation, generations)
      if (!found) continue
      const { isSuperseded, next, ...own } = found
      const searched = isSuperseded ? await this.#markComplete(own, own.uid) : own
      if (isSuperseded && next) await indices.drop(next.uid)
      searchedByIndex.set(own.settings.index, {
        ...searched,
        ...(next && !isSuperseded && { next }),
      })
    }
    return searchedByIndex
  }

  /** Generations on the server by uid. */
  async #stored(): Promise<ReadonlyMap<string, EngineGeneration>> {
    const { uids, indices } = this.#context
    const generations = new Map<string, EngineGeneration>()
    for (const uid of (await indices.counts()).keys()) {
      const generation = uids.isOfPlatform(uid) && generationOf(uid, await indices.settings(uid))
      if (generation) generations.set(uid, generation)
    }
    return generations
  }

  /** The generation with the one beside it, if it is a searched one. `isSuperseded`: the other is older, it was swapped and not dropped. */
  #searchedOf(generation: EngineGeneration, all: ReadonlyMap<string, EngineGeneration>) {
    const { uids } = this.#context
    const { uid, settings, number } = generation
    if (uid !== uids.searched(settings.index)) return undefined
    const next = all.get(uids.next(settings.index))
    return { ...generation, next, isSuperseded: next !== undefined && next.number < number }
  }

  /** Stores that a generation is complete, under its present uid. */
  async #markComplete(generation: EngineGeneration, uid: string): Promise<EngineGeneration> {
    const complete = { ...generation, uid, isComplete: true }
    await this.#context.indices.ensure(uid, settingsOf(complete))
    return complete
  }

  async #drop(index: IndexName): Promise<void> {
    const { uids, indices } = this.#context
    await indices.drop(uids.next(index))
    await indices.drop(uids.searched(index))
    await indices.drop(uids.vectors(index))
  }

  /**
   * Updates the newest generation of an index, or creates one. `isOld` means that the present documents must be replaced even if their
   * signature is equal.
   */
  async #prepare(
    settings: IndexSettings,
    {
      own,
      isEmpty,
      isOld,
    }: { own: SearchedGeneration | undefined; isEmpty: boolean; isOld: boolean },
  ): Promise<void> {
    const { uids, indices, languages } = this.#context
    const { index } = settings
    const signature = signatureOf(layoutNumber, settings, languages)
    const newest = own?.next ?? own
    if (newest?.signature === signature && !isOld)
      return indices.ensure(newest.uid, settingsOf({ ...newest, settings, languages }))
    // The searched generation was written to under other settings while `next` was filled, so that its signature is not valid any more.
    const isBeside = own !== undefined && !isEmpty
    const uid = isBeside ? uids.next(index) : uids.searched(index)
    if (!isBeside) await indices.drop(uids.next(index))
    const number = (own?.number ?? 0) + 1
    const instance = randomUUID()
    const facts = { number, signature, settings, languages, layout: layoutNumber }
    const generation = { uid, instance, ...facts, isComplete: false }
    await indices.make(uid, settingsOf(generation), seedOf(settings, languages))
  }
}

const entryOf = (generations: ReadonlyMap<IndexName, SearchedGeneration>, index: IndexName) => {
  const generation = generations.get(index)
  return generation ? [[index, generation] as const] : []
}

const notePrefix = '_gen '

function settingsOf(generation: EngineGeneration): EngineSettings {
  const { settings, languages } = generation
  return recordSettings(settings, languages, notePrefix + generationNote(generation))
}

function generationOf(
  uid: string,
  settings: EngineSettings | undefined,
): EngineGeneration | undefined {
  const displayed = z.array(z.string()).safeParse(settings?.['displayedAttributes']).data ?? []
  const note = displayed.find((name) => name.startsWith(notePrefix))
  if (note === undefined) return undefined
  return generationOfNote(uid, note.slice(notePrefix.length))
}
