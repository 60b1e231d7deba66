/**
 * Commits groups of edits, as many in one request as the dialect allows, so that waiting writers share a request. With one writer
 * groups keep their order, except for deferred ones (finished marks), for which no client waits: they are added to requests of
 * others, or sent when no other write has come for a moment (`defer`).
 */

import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { ctl, systemGraph } from '../../rdf/namespaces.ts'
import type { Dialect, StoreEndpoint, Edit, Size } from './dialect.ts'
import { isOutcomeUnknown } from './starting.ts'
import { editsSize, mergeEdits, addSizes } from './edits.ts'

type Group = PromiseWithResolvers<void> & {
  readonly edits: readonly Edit[]
  readonly size: Size
  isDeferred: boolean
}

const indexedVersion = `<${systemGraph}> <${ctl('indexed').value}> `

/** Whether edits only remove lines of the system graph, such as finished marks, or note the version that is indexed. */
const isDeferrable = (edits: readonly Edit[]) =>
  edits.every(
    ({ graph, clear, add }) =>
      graph === systemGraph && !clear && [...add].every((line) => line.startsWith(indexedVersion)),
  )

/** Whether two groups change the same line of the system graph, so that they must keep their order. */
const haveCommonLines = (first: readonly Edit[], second: readonly Edit[]) => {
  const linesOf = (edits: readonly Edit[]) =>
    edits.flatMap(({ graph, remove, add }) => (graph === systemGraph ? [...remove, ...add] : []))
  const lines = new Set(linesOf(first))
  return lines.size > 0 && linesOf(second).some((line) => lines.has(line))
}

type Settings = { readonly dialect: Dialect; readonly endpoint: StoreEndpoint; readonly log: Log }

/** Queue of groups of edits. */
export class UpdateQueue {
  readonly #settings: Settings
  #waiting: readonly Group[] = []
  #running = 0
  /** Number of groups that were not deferred. */
  #urgent = 0
  /** Whether a deferred group has waited long enough, or the queue closes. */
  #isFlushDue = false
  #closed: PromiseWithResolvers<void> | undefined

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** Adds a group; resolves when it is committed, rejects when it is not or the outcome is unknown (`isOutcomeUnknown`). */
  commit(edits: readonly Edit[]): Promise<void> {
    if (this.#closed) {
      return Promise.reject(new Failure('store-unavailable', 'The store is closed.'))
    }
    if (edits.length === 0) return Promise.resolve()
    const [deferred, others] = [this.#deferred, this.#others]
    const isDeferred =
      this.#settings.dialect.defer !== undefined &&
      isDeferrable(edits) &&
      !others.some((other) => haveCommonLines(other.edits, edits))
    if (!isDeferred) {
      this.#urgent += 1
      // All of them, because they keep their order.
      if (deferred.some((other) => haveCommonLines(edits, other.edits)))
        for (const other of deferred) other.isDeferred = false
    }
    const group = { ...Promise.withResolvers<void>(), edits, size: editsSize(edits), isDeferred }
    this.#waiting = [...this.#waiting, group]
    this.#start(isDeferred ? this.#flushLater(group) : this.#flush())
    return group.promise
  }

  /** Refuses further groups; resolves when all accepted ones are committed or have failed. */
  close(): Promise<void> {
    this.#closed ??= Promise.withResolvers<void>()
    this.#isFlushDue = true
    this.#start(this.#flush())
    if (this.#running === 0 && this.#waiting.length === 0) this.#closed.resolve()
    return this.#closed.promise
  }

  get #deferred(): readonly Group[] {
    return this.#waiting.filter(({ isDeferred }) => isDeferred)
  }

  get #others(): readonly Group[] {
    return this.#waiting.filter(({ isDeferred }) => !isDeferred)
  }

  /** Owns the promise of a flush, whose groups are settled separately. */
  #start(flushing: Promise<void>): void {
    flushing.catch((error: unknown) => this.#settings.log.error({ error }, 'store.queue-failed'))
  }

  // In a microtask, so that simultaneous groups share a request.
  async #flush(): Promise<void> {
    await Promise.resolve()
    if (this.#waiting.length > 0 && this.#running < this.#settings.dialect.writers)
      await this.#run()
  }

  /** Sends a deferred group when no other write has come for `idleMs`, after `mostMs` at the latest. */
  async #flushLater(group: Group): Promise<void> {
    const { idleMs = 0, mostMs = 0 } = this.#settings.dialect.defer ?? {}
    for (
      let waited = 0, urgent = -1;
      waited < mostMs && urgent !== this.#urgent;
      waited += idleMs
    ) {
      urgent = this.#urgent
      // Rejects when the store closes; `close` has then started the flush that sends the group.
      await this.#settings.endpoint.pause(idleMs).catch(() => undefined)
      if (!this.#waiting.includes(group)) return
    }
    this.#isFlushDue = true
    await this.#flush()
  }

  async #run(): Promise<void> {
    this.#running += 1
    for (let pack = this.#nextPack(); pack.length > 0; pack = this.#nextPack()) {
      const [onlyGroup] = pack
      await (pack.length === 1 && onlyGroup ? this.#commitOne(onlyGroup) : this.#commitPack(pack))
    }
    this.#running -= 1
    if (this.#running === 0) this.#closed?.resolve()
  }

  /** Removes and returns the groups of the next request; none when nothing is due. */
  #nextPack(): readonly Group[] {
    const [deferred, others] = [this.#deferred, this.#others]
    if (others.length === 0 && !this.#isFlushDue) return []
    const order = this.#isFlushDue ? [...deferred, ...others] : [...others, ...deferred]
    const packed = new Set(firstPack(order, this.#settings.dialect.fitsOneRequest))
    const pack = this.#waiting.filter((group) => packed.has(group))
    this.#waiting = this.#waiting.filter((group) => !packed.has(group))
    this.#isFlushDue &&=
      this.#closed !== undefined || this.#waiting.some(({ isDeferred }) => isDeferred)
    return pack
  }

  async #commitOne({ edits, resolve, reject }: Group): Promise<void> {
    const { dialect, endpoint } = this.#settings
    await dialect.commit(edits, endpoint).then(resolve, reject)
  }

  async #commitPack(pack: readonly Group[]): Promise<void> {
    const { dialect, endpoint, log } = this.#settings
    try {
      await dialect.commit(mergeEdits(pack.map(({ edits }) => edits)), endpoint)
      for (const { resolve } of pack) resolve()
    } catch (error) {
      // With an unknown outcome, sending the groups one by one would only repeat the delay for each.
      if (isOutcomeUnknown(error)) for (const { reject } of pack) reject(error)
      else {
        log.warn({ error, groups: pack.length }, 'store.pack-refused')
        for (const group of pack) await this.#commitOne(group)
      }
    }
  }
}

/** First groups that fit into one request, at least one. */
function firstPack(groups: readonly Group[], fits: (size: Size) => boolean): readonly Group[] {
  const pack: Group[] = []
  let size: Size | undefined
  for (const group of groups) {
    const sum = size ? addSizes(size, group.size) : group.size
    if (size && !fits(sum)) break
    pack.push(group)
    size = sum
  }
  return pack
}
