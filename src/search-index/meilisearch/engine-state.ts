/**
 * The generations of each index: which one answers, which one is filled beside it, which ones go. What is to be known of one is an
 * entry in the settings of its own index, in `displayedAttributes`, so that it goes with the documents when two are swapped.
 *
 *     (nothing there)      uid is made ──finish──▶ uid is whole
 *     (changed settings)   uid_next is made beside uid ──finish──▶ swap; uid is whole; uid_next is dropped
 */

import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type IndexName, type IndexSettings, signatureOf } from '../index-settings.ts'
import type { Uids } from './attributes.ts'
import { away } from './engine-client.ts'
import type { EngineIndices } from './engine-indices.ts'
import {
  dictionarySettings,
  recordSettings,
  seedOf,
  type EngineSettings,
} from './stored-document.ts'

/** Counts changes of the layout of documents: an index of another one is written anew. */
const layoutNumber = 2

/** An index of Meilisearch that holds records, and how they were written. */
export type Generation = {
  readonly uid: string
  /** Another one for other documents, whatever the uid. */
  readonly mark: string
  /** Larger than that of what answered when it was made. */
  readonly number: number
  readonly signature: string
  readonly settings: IndexSettings
  /** Languages with a bucket of their own. */
  readonly languages: readonly string[]
  /** False while it has to be filled. */
  readonly isWhole: boolean
}

/** Generation that searches are answered from, and the one that is filled beside it with other settings. */
export type Answering = Generation & { readonly next?: Generation }

type StateContext = {
  readonly uids: Uids
  readonly indices: EngineIndices
  readonly languages: readonly string[]
}

/** State of the server as it is known; read again after every step whose outcome is uncertain. */
export class EngineState {
  /** By index; empty until the first `configure`. */
  answering: ReadonlyMap<IndexName, Answering> = new Map()
  readonly #context: StateContext
  /** A step failed whose effect nobody knows. */
  #isUncertain = false

  constructor(context: StateContext) {
    this.#context = context
  }

  /** The settings that searches are answered under. */
  get current(): readonly IndexSettings[] {
    return [...this.answering.values()].map(({ settings }) => settings)
  }

  /** Generation of an index that has to be filled; `undefined` when it is complete. */
  filled(index: IndexName): Generation | undefined {
    const own = this.answering.get(index)
    return own?.next ?? (own?.isWhole === false ? own : undefined)
  }

  /**
   * Makes the settings those of every index; answers which have to be filled. Indices that are not named go, those of `anew` are
   * filled again.
   */
  async configure(
    all: readonly IndexSettings[],
    anew: readonly IndexName[] = [],
  ): Promise<readonly IndexName[]> {
    const { uids, indices } = this.#context
    await indices.ensure(uids.terms, dictionarySettings('term'))
    await indices.ensure(uids.facetValues, dictionarySettings('facet'))
    const before = await this.#read()
    const counts = await indices.counts()
    if (counts.has(uids.former)) await indices.drop(uids.former)
    this.#isUncertain = this.answering.size > 0
    for (const index of before.keys())
      if (!all.some((settings) => settings.index === index)) await this.#drop(index)
    // Without its tokens a search for wildcards would silently find less.
    const isLost = (counts.get(uids.terms) ?? 0) === 0
    for (const settings of all) {
      const { index } = settings
      const isEmpty = (counts.get(uids.of(index)) ?? 0) === 0
      const isOld = anew.includes(index) || (isLost && !isEmpty)
      await this.#prepare(settings, { own: before.get(index), isEmpty, isOld })
    }
    const after = await this.#read()
    this.answering = new Map(all.flatMap(({ index }) => entryOf(after, index)))
    this.#isUncertain = false
    return all.flatMap(({ index }) => (this.filled(index) ? [index] : []))
  }

  /** Makes the filled generation the one that answers; does nothing when none is being filled. */
  async finish(index: IndexName): Promise<void> {
    await this.certain()
    const own = this.answering.get(index)
    const built = this.filled(index)
    if (!own || !built) return
    const { uids, indices } = this.#context
    this.#isUncertain = true
    if (own.next) await indices.swap(uids.of(index), uids.next(index))
    const whole = await this.#whole(built, uids.of(index))
    this.answering = new Map([...this.answering, [index, whole]])
    if (own.next) await indices.drop(uids.next(index))
    this.#isUncertain = false
  }

  /** Rejects while nothing is configured; finds out what holds after a step whose end nobody saw. */
  async certain(): Promise<void> {
    this.check()
    if (!this.#isUncertain) return
    const found = await this.#read()
    this.answering = new Map([...this.answering.keys()].flatMap((index) => entryOf(found, index)))
    this.#isUncertain = false
  }

  /** Throws while nothing is configured: an empty answer would be a wrong one. */
  check(): void {
    if (this.answering.size === 0) throw away('The search engine is not ready yet.')
  }

  /** Reads the state of the server, also when a process or the connection ended in the middle of a swap. */
  async #read(): Promise<ReadonlyMap<IndexName, Answering>> {
    const { uids, indices } = this.#context
    await indices.swapped()
    const found = new Map<string, Generation>()
    for (const uid of (await indices.counts()).keys()) {
      const generation = uids.isOwn(uid) && generationOf(uid, await indices.settings(uid))
      if (generation) found.set(uid, generation)
    }
    const all = new Map<IndexName, Answering>()
    for (const generation of found.values()) {
      const { uid, settings } = generation
      if (uid !== uids.of(settings.index)) continue
      const next = found.get(uids.next(settings.index))
      // The older one was swapped away, and nobody dropped it any more.
      const isLeft = next !== undefined && next.number < generation.number
      const own = isLeft ? await this.#whole(generation, uid) : generation
      if (isLeft) await indices.drop(next.uid)
      all.set(settings.index, { ...own, ...(next && !isLeft && { next }) })
    }
    return all
  }

  /** Notes that a generation is whole, under the uid that it has now. */
  async #whole(generation: Generation, uid: string): Promise<Generation> {
    const whole = { ...generation, uid, isWhole: true }
    await this.#context.indices.ensure(uid, settingsOf(whole))
    return whole
  }

  async #drop(index: IndexName): Promise<void> {
    const { uids, indices } = this.#context
    await indices.drop(uids.next(index))
    await indices.drop(uids.of(index))
  }

  /** `isOld` = what there is does not count, whatever its signature says. */
  async #prepare(
    settings: IndexSettings,
    { own, isEmpty, isOld }: { own: Answering | undefined; isEmpty: boolean; isOld: boolean },
  ): Promise<void> {
    const { uids, indices, languages } = this.#context
    const { index } = settings
    const signature = signatureOf(layoutNumber, settings, languages)
    const newest = own?.next ?? own
    if (newest?.signature === signature && !isOld)
      return indices.ensure(newest.uid, settingsOf({ ...newest, settings, languages }))
    // The one that answers was written to under other settings while `next` was filled: it is not what its signature says.
    const isBeside = own !== undefined && !isEmpty
    const uid = isBeside ? uids.next(index) : uids.of(index)
    if (!isBeside) await indices.drop(uids.next(index))
    const number = (own?.number ?? 0) + 1
    const mark = randomUUID()
    const made = { uid, mark, number, signature, settings, languages, isWhole: false }
    await indices.make(uid, settingsOf(made), seedOf(settings, languages))
  }
}

const entryOf = (found: ReadonlyMap<IndexName, Answering>, index: IndexName) => {
  const own = found.get(index)
  return own ? [[index, own] as const] : []
}

const notePrefix = '_gen '

/** A note as it was written; the settings are those of this platform. */
const storedNote = z.custom<Omit<Generation, 'uid'>>(
  (value) => typeof value === 'object' && value !== null && 'mark' in value && 'settings' in value,
)

function settingsOf(generation: Generation): EngineSettings {
  const { uid: _, ...note } = generation
  return recordSettings(note.settings, note.languages, notePrefix + JSON.stringify(note))
}

function generationOf(uid: string, settings: EngineSettings | undefined): Generation | undefined {
  const displayed = z.array(z.string()).safeParse(settings?.['displayedAttributes']).data ?? []
  const note = displayed.find((name) => name.startsWith(notePrefix))
  if (note === undefined) return undefined
  return { uid, ...storedNote.parse(JSON.parse(note.slice(notePrefix.length))) }
}
