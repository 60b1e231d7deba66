/**
 * What this process knows of its indices: made by `configure`, changed by `finish`, found out again when that is in doubt; and what
 * readers and writers must know of an index at this moment.
 */

import type { IndexName, IndexSettings } from '../index-settings.ts'
import type { IndexChange } from '../search-index.ts'
import type { Uids } from './attributes.ts'
import {
  configured,
  finished,
  type Generation,
  isFilled,
  type Known,
  remembered,
} from './engine-generations.ts'
import { away } from './engine-failures.ts'

type Deps = Parameters<typeof configured>[0]

export class State {
  readonly #deps: Deps
  readonly #uids: Uids
  #known: readonly Known[] = []
  #answering: ReadonlyMap<IndexName, Answering> = new Map()
  #isDoubtful = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#uids = deps.uids
  }

  /** By index; empty until the first `configure`. */
  get answering(): ReadonlyMap<IndexName, Answering> {
    return this.#answering
  }

  /** The settings that searches are answered under. */
  get current(): readonly IndexSettings[] {
    return this.#known.map(({ answering }) => answering.settings)
  }

  /** What of an index has to be filled; `undefined` when it is whole. */
  filled(index: IndexName): IndexTarget | undefined {
    const own = this.#answering.get(index)
    return own?.next ?? (own?.isWhole === false ? own : undefined)
  }

  /** The indices that have to be filled. */
  async configure(
    settings: readonly IndexSettings[],
    anew?: readonly IndexName[],
  ): Promise<readonly IndexName[]> {
    await this.#surely(async () => configured(this.#deps, settings, anew))
    return this.#known.filter(isFilled).map(({ index }) => index)
  }

  async finish(index: IndexName): Promise<void> {
    await this.certain()
    const known = this.#known.find((one) => one.index === index)
    if (!known) return
    await this.#surely(async () => {
      const after = await finished(this.#deps, known)
      return this.#known.map((one) => (one === known ? after : one))
    })
  }

  /** The largest version that took a record away, 0 without any. */
  get removed(): number {
    return Math.max(0, ...this.#known.map(({ removed = 0 }) => removed))
  }

  /** Keeps the versions that take records away. Not beside another call that changes something. */
  async remove(changes: readonly IndexChange[]): Promise<void> {
    const noted = this.#known.flatMap((known) => {
      const { index, removed: before = 0 } = known
      const own = changes.flatMap((one) =>
        'remove' in one && one.remove.index === index ? [one.remove.version] : [],
      )
      const removed = own.reduce((last, version) => Math.max(last, version), before)
      return removed > before ? [{ ...known, removed }] : []
    })
    await this.#deps.meta.write(noted)
    this.#known = this.#known.map(
      (known) => noted.find(({ index }) => index === known.index) ?? known,
    )
  }

  /** Rejects while nothing is configured; finds out what holds after a step whose end nobody saw. */
  async certain(): Promise<void> {
    this.check()
    if (this.#isDoubtful) await this.#surely(() => remembered(this.#deps))
  }

  /** Throws while nothing is configured: an empty answer would be a wrong one. */
  check(): void {
    if (this.#known.length === 0) throw away('The search engine is not ready yet.')
  }

  async #surely(step: () => Promise<readonly Known[]>): Promise<void> {
    this.#isDoubtful = this.#known.length > 0
    this.#known = await step()
    this.#answering = new Map(
      this.#known.map((known) => [known.index, answeringOf(known, this.#uids)]),
    )
    this.#isDoubtful = false
  }
}

/** An index of Meilisearch that holds records, and how they were written. */
export type IndexTarget = {
  readonly uid: string
  /** Another one for other documents, whatever the uid. */
  readonly mark: string
  readonly settings: IndexSettings
  /** Languages with a bucket of their own. */
  readonly languages: readonly string[]
}

export type Answering = IndexTarget & {
  /** What is filled beside it, under other settings. */
  readonly next?: IndexTarget
  /** False while it has to be filled itself. */
  readonly isWhole: boolean
}

function answeringOf({ index, answering, next }: Known, uids: Uids): Answering {
  const { isWhole } = answering
  const own = { ...held(answering, uids.of(index)), isWhole }
  return next ? { ...own, next: held(next, uids.next(index)) } : own
}

const held = ({ mark, settings, languages }: Generation, uid: string): IndexTarget => ({
  uid,
  mark,
  settings,
  languages,
})
