/** The only writer of our indices: what is written is searchable when its promise resolves. */

import { Failure } from '../../errors.ts'
import { Semaphore } from '../../workers/semaphore.ts'
import { WriteQueue } from '../write-queue.ts'
import { away } from './engine-failures.ts'
import type { IndexChange } from '../search-index.ts'
import type { IndexName } from '../index-settings.ts'
import { attributes, keyOf, type Uids } from './attributes.ts'
import { type Told, type Words, wordsSeen } from './stored-document.ts'
import type { Answering, IndexTarget } from './engine-state.ts'
import type { Tasks, Wire } from './engine-client.ts'
import { type ValueDictionary, valueDictionary, type Terms, termsOf } from './dictionaries.ts'
import {
  largest,
  Plan,
  planned,
  type Post,
  postOf,
  sent,
  type StoredVersions,
  storedVersionsOf,
  touched,
} from './write-plan.ts'

type Deps = {
  readonly wire: Wire
  readonly tasks: Tasks
  readonly uids: Uids
  readonly answering: () => ReadonlyMap<IndexName, Answering>
  /**
   * Told the keys of what is about to be written or removed where searches are answered from, for those who still read what
   * was there; what it answers is called when that has happened or failed.
   */
  readonly before: (uid: string, keys: readonly string[]) => Promise<() => void>
}

export class EngineWriter {
  readonly versions: StoredVersions
  readonly #deps: Deps
  readonly #terms: Terms
  readonly #values: ValueDictionary
  readonly #words: Words = wordsSeen()
  readonly #told: Told = {
    learn: (word) => this.#terms.learn(word),
    value: (...value) => this.#values.note(...value),
  }
  /** The last number that was given; found out before the first one. */
  #last: number | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.versions = storedVersionsOf(deps.wire)
    this.#terms = termsOf(deps.wire, deps.uids.terms)
    this.#values = valueDictionary(deps.wire, deps.uids.facetValues)
  }

  /** As one: reads what is stored, tells the dictionaries, writes the records. Not beside another call. */
  async write(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void> {
    const { wire, answering } = this.#deps
    const plans = await this.#plans(changes, signal)
    this.#last ??= await largest(wire, allUids(answering()), attributes.number)
    try {
      const making = { words: this.#words, told: this.#told, next: () => this.#next() }
      const posts = plans.map((plan) => postOf(plan, making))
      await this.#tellDictionaries(signal)
      await this.#send(plans, posts, signal)
    } catch (error) {
      this.#terms.forget()
      this.#values.forget()
      throw error
    }
    for (const plan of plans) this.#remember(plan)
  }

  async #plans(changes: readonly IndexChange[], signal?: AbortSignal): Promise<readonly Plan[]> {
    const find = (change: IndexChange) => this.#find(change)
    const reads = [...touched(changes, find)].map(async ([held, ids]) => {
      const versions = await this.versions.read(held, ids, signal)
      return [held, new Plan(held, versions)] as const
    })
    const plans = new Map<IndexTarget, Plan>(await Promise.all(reads))
    for (const change of changes) {
      const target = find(change)
      const answering = plans.get(target)
      if (!answering) throw new Failure('internal', 'An index changed while it was written to.')
      const next = target.next && plans.get(target.next)
      planned(change, { answering, next, isWhole: target.isWhole })
    }
    return [...plans.values()].filter(({ finals }) => finals.size > 0)
  }

  #find(change: IndexChange): Answering {
    const { index } = 'put' in change ? change.put : change.remove
    const found = this.#deps.answering().get(index)
    if (!found) throw new Failure('internal', `The index ${index} is not configured.`)
    return found
  }

  #next(): number {
    this.#last = (this.#last ?? 0) + 1
    return this.#last
  }

  async #tellDictionaries(signal?: AbortSignal): Promise<void> {
    const begun = await Promise.all([this.#terms.post(signal), this.#values.post(signal)])
    await this.#deps.tasks.done(begun.flat(), signal)
    this.#terms.keep()
    this.#values.keep()
  }

  async #send(plans: readonly Plan[], posts: readonly Post[], signal?: AbortSignal): Promise<void> {
    const { wire, tasks, answering, before } = this.#deps
    const read = new Set([...answering().values()].map(({ uid }) => uid))
    const seen = plans.filter(({ held }) => read.has(held.uid))
    const told = seen.map(({ held, finals }) => before(held.uid, [...finals.keys()].map(keyOf)))
    const after = await Promise.all(told)
    try {
      const begun = await Promise.all(posts.map((post) => sent(wire, post, signal)))
      await tasks.done(begun.flat(), signal)
    } finally {
      for (const tell of after) tell()
    }
  }

  /** So that an older write that comes late does not bring back what went. */
  #remember({ held, finals }: Plan): void {
    for (const [id, final] of finals) {
      if ('removed' in final) this.versions.removed(held, id, final.removed)
      else this.versions.present(held, id)
    }
  }
}

/** Everything that records are in. */
export const allUids = (answering: ReadonlyMap<IndexName, Answering>): string[] =>
  [...answering.values()].flatMap(({ uid, next }) => (next ? [uid, next.uid] : [uid]))

/** Changes that go out together. */
const mostChanges = 5000

type Write = (changes: readonly IndexChange[], signal: AbortSignal) => Promise<void>

/** Group commit; nothing is written while an index is made or swapped. */
export class EngineQueue {
  readonly #write: Write
  readonly #queue: WriteQueue<readonly IndexChange[]>
  readonly #turn = new Semaphore(1)
  readonly #closing = new AbortController()

  constructor(write: Write) {
    this.#write = write
    this.#queue = new WriteQueue({
      most: mostChanges,
      commit: (batches) => this.alone(() => this.#commit(batches)),
    })
  }

  add(changes: readonly IndexChange[], signal?: AbortSignal): Promise<void> {
    return this.#queue.write(changes, signal)
  }

  /** Does `work` while nothing is written. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#turn.run(work)
  }

  /** What was sent lands without us. */
  async close(): Promise<void> {
    this.#closing.abort(away('The search engine is closed.'))
    await this.#queue.close()
    await this.alone(() => Promise.resolve())
  }

  /** A batch that the engine refuses does not take its neighbours with it: then each is written by itself. */
  async #commit(batches: readonly (readonly IndexChange[])[]): Promise<readonly unknown[]> {
    try {
      await this.#write(batches.flat(), this.#closing.signal)
      return []
    } catch (error) {
      const isRefused = error instanceof Failure && error.kind === 'internal'
      if (batches.length === 1 || !isRefused) throw error
    }
    const errors: unknown[] = []
    for (const batch of batches)
      errors.push(
        await this.#commit([batch]).then(
          () => undefined,
          (error: unknown) => error,
        ),
      )
    return errors
  }
}
