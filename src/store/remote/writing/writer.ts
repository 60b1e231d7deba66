/** Lands groups of edits, as many in one request as the dialect takes: writers that wait for each other share a request. */

import { Failure } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { systemGraph } from '../../../rdf/namespaces.ts'
import type { Dialect, Door, Edit } from '../dialect.ts'
import { isDoubtful } from '../refusal.ts'
import { packOf, type Packable } from './packing.ts'
import { sizeOf, sumOf } from './sums.ts'

type Group = PromiseWithResolvers<void> &
  Omit<Packable, 'idle' | 'alone'> & {
    idle: Packable['idle']
    /** Lands it in a way of its own. */
    readonly alone?: () => Promise<void>
  }

/** Lines that go from the system graph, and nothing else. */
const isIdle = (edits: readonly Edit[]) =>
  edits.every(({ graph, clear, add }) => graph === systemGraph && !clear && add.size === 0)

type Settings = { readonly dialect: Dialect; readonly door: Door; readonly log: Log }

export class Writer {
  readonly #settings: Settings
  #waiting: readonly Group[] = []
  #running = 0
  #closed: PromiseWithResolvers<void> | undefined

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** Resolves when the group has landed, rejects when it has not or when that is not known (`isDoubtful`). */
  land(edits: readonly Edit[]): Promise<void> {
    if (this.#closed) {
      return Promise.reject(new Failure('store-unavailable', 'The store is closed.'))
    }
    if (edits.length === 0) return Promise.resolve()
    const isLate = this.#settings.dialect.idleMs !== undefined && isIdle(edits)
    const group: Group = {
      ...Promise.withResolvers<void>(),
      edits,
      size: sizeOf(edits),
      idle: isLate && 'waits',
    }
    this.#waiting = [...this.#waiting, group]
    void (isLate ? this.#pumpLater(group) : this.#pump())
    return group.promise
  }

  /** Takes a turn among the requests that write, for one that is sent in another way. */
  landAlone(alone: () => Promise<void>): Promise<void> {
    if (this.#closed) {
      return Promise.reject(new Failure('store-unavailable', 'The store is closed.'))
    }
    const own = { ...Promise.withResolvers<void>(), edits: [], size: sizeOf([]) }
    this.#waiting = [...this.#waiting, { ...own, idle: false, alone }]
    void this.#pump()
    return own.promise
  }

  /** Resolves when everything that was accepted has landed or failed; refuses from now on. */
  close(): Promise<void> {
    this.#closed ??= Promise.withResolvers<void>()
    this.#ripen()
    void this.#pump()
    if (this.#running === 0 && this.#waiting.length === 0) this.#closed.resolve()
    return this.#closed.promise
  }

  // A step later, so that groups that come together go together.
  async #pump(): Promise<void> {
    await Promise.resolve()
    if (this.#waiting.length > 0 && this.#running < this.#settings.dialect.writers)
      await this.#run()
  }

  // Each waits its own time: a steady row of writes takes all of them along, and none needs a request of its own.
  async #pumpLater(group: Group): Promise<void> {
    await this.#settings.door.pause(this.#settings.dialect.idleMs ?? 0)
    if (!this.#waiting.includes(group)) return
    this.#ripen()
    await this.#pump()
  }

  #ripen(): void {
    for (const group of this.#waiting) if (group.idle) group.idle = 'ripe'
  }

  async #run(): Promise<void> {
    this.#running += 1
    for (let pack = this.#take(); pack.length > 0; pack = this.#take()) {
      const [only] = pack
      await (pack.length === 1 && only ? this.#landOne(only) : this.#landPack(pack))
    }
    this.#running -= 1
    if (this.#running === 0) this.#closed?.resolve()
  }

  #take(): readonly Group[] {
    const pack = packOf(this.#waiting, this.#settings.dialect.fits)
    const taken = new Set(pack)
    this.#waiting = this.#waiting.filter((group) => !taken.has(group))
    return pack
  }

  async #landOne({ edits, alone, resolve, reject }: Group): Promise<void> {
    const { dialect, door } = this.#settings
    try {
      await (alone ? alone() : dialect.land(edits, door))
      resolve()
    } catch (error) {
      reject(error)
    }
  }

  async #landPack(pack: readonly Group[]): Promise<void> {
    const { dialect, door, log } = this.#settings
    try {
      await dialect.land(sumOf(pack.map(({ edits }) => edits)), door)
      for (const { resolve } of pack) resolve()
    } catch (error) {
      // Where nothing is known of the pack, asking for its groups one by one would only take as long as there are groups.
      if (isDoubtful(error)) for (const { reject } of pack) reject(error)
      else {
        log.warn({ error, groups: pack.length }, 'store.pack-refused')
        for (const group of pack) await this.#landOne(group)
      }
    }
  }
}
