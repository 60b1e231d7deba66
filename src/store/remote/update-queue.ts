/** Lands groups of edits, as many in one request as the dialect takes: writers that wait for each other share a request. */

import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { systemGraph } from '../../rdf/namespaces.ts'
import type { Dialect, StoreEndpoint, Edit, Size } from './dialect.ts'
import { isDoubtful } from './starting.ts'
import { editsSize, sumOf, together } from './edits.ts'

type Group = PromiseWithResolvers<void> & Omit<Packable, 'idle'> & { idle: Packable['idle'] }

/** Lines that go from the system graph, and nothing else. */
const isIdle = (edits: readonly Edit[]) =>
  edits.every(({ graph, clear, add }) => graph === systemGraph && !clear && add.size === 0)

type Settings = { readonly dialect: Dialect; readonly endpoint: StoreEndpoint; readonly log: Log }

export class UpdateQueue {
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
      size: editsSize(edits),
      idle: isLate && 'waits',
    }
    this.#waiting = [...this.#waiting, group]
    void (isLate ? this.#pumpLater(group) : this.#pump())
    return group.promise
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
    await this.#settings.endpoint.pause(this.#settings.dialect.idleMs ?? 0)
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

  async #landOne({ edits, resolve, reject }: Group): Promise<void> {
    const { dialect, endpoint } = this.#settings
    try {
      await dialect.land(edits, endpoint)
      resolve()
    } catch (error) {
      reject(error)
    }
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

// Which of the groups that wait share the next request.

export type Packable = {
  readonly edits: readonly Edit[]
  readonly size: Size
  /** `waits` = nobody sees when it lands, and it may still wait for company; `ripe` = it has waited long enough. */
  readonly idle: false | 'waits' | 'ripe'
}

/** Whether `one` brings a line of the system graph that `idle` takes away. */
function brings({ edits }: Packable, idle: Packable): boolean {
  const [mine, gone] = [edits, idle.edits].map((all) =>
    all.filter(({ graph }) => graph === systemGraph),
  )
  return (mine ?? []).some(({ add }) =>
    (gone ?? []).some(({ remove }) => [...remove].some((line) => add.has(line))),
  )
}

/** Whether `later` may not land before `earlier`. */
function follows(later: Packable, earlier: Packable): boolean {
  if (later.idle && earlier.idle) return false
  if (earlier.idle) return brings(later, earlier)
  return later.idle ? brings(earlier, later) : true
}

/** The first one that must not wait; behind what it would undo. */
function leadOf<One extends Packable>(waiting: readonly One[]): One | undefined {
  const at = waiting.findIndex(({ idle }) => idle !== 'waits')
  const lead = waiting[at]
  return lead && (waiting.slice(0, at).find((idle) => follows(lead, idle)) ?? lead)
}

/**
 * The groups of the next request, in their order; none when nothing has to be sent yet. Groups keep their order, but for those
 * that are idle: they fill a request up, and let others pass that they do not fit together with.
 */
export function packOf<One extends Packable>(
  waiting: readonly One[],
  fits: (size: Size) => boolean,
): readonly One[] {
  const lead = leadOf(waiting)
  if (!lead) return []
  const pack = new Set([lead])
  let { size } = lead
  const left: One[] = []
  for (const one of waiting) {
    if (one === lead) continue
    const sum = together(size, one.size)
    const isBehind = left.some((other) => follows(one, other))
    if (isBehind || !fits(sum)) left.push(one)
    else {
      pack.add(one)
      size = sum
    }
  }
  return waiting.filter((one) => pack.has(one))
}
