/** Cache of what was read from the server until this process, the only writer, changes its indices. */

import { BoundedCache, type CacheName } from '../../workers/bounded-cache.ts'

/** Bounded cache of values of one state of the indices. */
export class StateCache<Value extends {} | null> {
  readonly #changes: () => number
  readonly #values: BoundedCache<Value>
  /** Number of changes (`ReadContext.changes`) to which the values belong. */
  #state = 0

  constructor(name: CacheName, maxEntries: number, changes: () => number) {
    this.#values = new BoundedCache(name, maxEntries)
    this.#changes = changes
  }

  /** Present state; to be read before a value is requested from the server, and given to `set`. */
  state(): number {
    const state = this.#changes()
    if (state !== this.#state) this.#values.clear()
    this.#state = state
    return state
  }

  get(key: string): Value | undefined {
    this.state()
    return this.#values.get(key)
  }

  /** Keeps a value, unless the indices have changed since `state`. */
  set(key: string, value: Value, state: number): void {
    if (this.state() === state) this.#values.set(key, value)
  }
}
