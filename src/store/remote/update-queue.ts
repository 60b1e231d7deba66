/**
 * Lands groups of edits, as many in one request as the dialect takes: writers that wait for each other share a request. Groups
 * keep their order, apart from idle ones (marks that are done), which nobody waits for: they fill up the requests of others, or
 * have one of their own after `idleMs`.
 */

import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { systemGraph } from '../../rdf/namespaces.ts'
import type { Dialect, StoreEndpoint, Edit, Size } from './dialect.ts'
import { isDoubtful } from './starting.ts'
import { editsSize, sumOf, together } from './edits.ts'

type Group = PromiseWithResolvers<void> & {
  readonly edits: readonly Edit[]
  readonly size: Size
  isIdle: boolean
}

/** Lines that go from the system graph, and nothing else. */
const mayIdle = (edits: readonly Edit[]) =>
  edits.every(({ graph, clear, add }) => graph === systemGraph && !clear && add.size === 0)

/** Whether `edits` bring a line that `idle` takes away: these must stay in their order. */
const brings = (edits: readonly Edit[], idle: readonly Edit[]) =>
  edits.some(
    ({ graph, add }) =>
      graph === systemGraph && idle.some(({ remove }) => !add.isDisjointFrom(remove)),
  )

type Settings = { readonly dialect: Dialect; readonly endpoint: StoreEndpoint; readonly log: Log }

export class UpdateQueue {
  readonly #settings: Settings
  #waiting: readonly Group[] = []
  #running = 0
  /** An idle group has waited for its time. */
  #isRipe = false
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
    const isIdle =
      this.#settings.dialect.idleMs !== undefined &&
      mayIdle(edits) &&
      !this.#waiting.some((other) => brings(other.edits, edits))
    for (const other of this.#waiting) if (brings(edits, other.edits)) other.isIdle = false
    const group = { ...Promise.withResolvers<void>(), edits, size: editsSize(edits), isIdle }
    this.#waiting = [...this.#waiting, group]
    this.#start(isIdle ? this.#pumpLater(group) : this.#pump())
    return group.promise
  }

  /** Resolves when everything that was accepted has landed or failed; refuses from now on. */
  close(): Promise<void> {
    this.#closed ??= Promise.withResolvers<void>()
    this.#isRipe = true
    this.#start(this.#pump())
    if (this.#running === 0 && this.#waiting.length === 0) this.#closed.resolve()
    return this.#closed.promise
  }

  /** Its groups hear what becomes of them. */
  #start(pumping: Promise<void>): void {
    pumping.catch((error: unknown) => this.#settings.log.error({ error }, 'store.queue-failed'))
  }

  // A step later, so that groups that come together go together.
  async #pump(): Promise<void> {
    await Promise.resolve()
    if (this.#waiting.length > 0 && this.#running < this.#settings.dialect.writers)
      await this.#run()
  }

  async #pumpLater(group: Group): Promise<void> {
    // Rejects when the store is closed, which has sent the group by then.
    await this.#settings.endpoint.pause(this.#settings.dialect.idleMs ?? 0).catch(() => undefined)
    if (!this.#waiting.includes(group)) return
    this.#isRipe = true
    await this.#pump()
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

  /** The groups of the next request; none when nothing has to be sent yet. */
  #take(): readonly Group[] {
    const idle = this.#waiting.filter(({ isIdle }) => isIdle)
    const others = this.#waiting.filter(({ isIdle }) => !isIdle)
    if (others.length === 0 && !this.#isRipe) return []
    const order = this.#isRipe ? [...idle, ...others] : [...others, ...idle]
    const chosen = new Set(packOf(order, this.#settings.dialect.fits))
    const pack = this.#waiting.filter((group) => chosen.has(group))
    this.#waiting = this.#waiting.filter((group) => !chosen.has(group))
    this.#isRipe &&= this.#closed !== undefined || this.#waiting.some(({ isIdle }) => isIdle)
    return pack
  }

  async #landOne({ edits, resolve, reject }: Group): Promise<void> {
    const { dialect, endpoint } = this.#settings
    await dialect.land(edits, endpoint).then(resolve, reject)
  }

  async #landPack(pack: readonly Group[]): Promise<void> {
    const { dialect, endpoint, log } = this.#settings
    try {
      await dialect.land(sumOf(pack.map(({ edits }) => edits)), endpoint)
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

/** As many from the start as fit into one request, and one at least. */
function packOf(groups: readonly Group[], fits: (size: Size) => boolean): readonly Group[] {
  const pack: Group[] = []
  let size: Size | undefined
  for (const group of groups) {
    const sum = size ? together(size, group.size) : group.size
    if (size && !fits(sum)) break
    pack.push(group)
    size = sum
  }
  return pack
}
