/** Sends records in loads, a few at once, and lets checkpoints pass when everything before them is written. */

import { Failure } from '../../../errors.ts'
import type { Message, RecordMessage } from '../../../pipe/message.ts'
import type { Account } from '../account/account.ts'
import { datasetOf } from './graph.ts'
import { land, lose } from './landing.ts'
import { bulkOf, type Bulk, type Bulky } from './put-many.ts'
import { putOne } from './put-one.ts'
import { claim, release, type Ready } from './ready.ts'
import type { Verdict } from './verdict.ts'

/** Loads on their way at the same time. */
const atOnce = 4
const mostRecords = 100
const mostCharacters = 2 * 2 ** 20

type Load = { readonly ready: Ready[]; characters: number }
/** A message that waits for the loads before it. */
type Gate = { readonly message: Message; readonly after: Set<Promise<void>> }

const empty = (): Load => ({ ready: [], characters: 0 })

export class Writer {
  readonly #account: Account
  readonly #signal: AbortSignal
  readonly #flying = new Set<Promise<void>>()
  readonly #gates: Gate[] = []
  #bulk: Bulk | undefined
  #load = empty()
  #failure: { readonly error: unknown } | undefined

  /** `bulk`: absent when the repository takes records one by one. */
  constructor(account: Account, bulk: Bulk | undefined, signal: AbortSignal) {
    this.#account = account
    this.#bulk = bulk
    this.#signal = signal
  }

  static async open(account: Account, signal: AbortSignal): Promise<Writer> {
    return new Writer(account, await bulkOf(account, signal), signal)
  }

  /** Resolves when there is room for another one; throws what ended the sending. */
  async take(message: RecordMessage): Promise<void> {
    this.#check()
    const ready = claim(this.#account, message)
    if (ready instanceof Failure) {
      lose(this.#account, message, ready)
      return
    }
    const load = this.#load
    load.ready.push(ready)
    load.characters += message.text.length
    if (load.ready.length >= mostRecords || load.characters >= mostCharacters) await this.flush()
  }

  /** Whether something has gathered. */
  get waits(): boolean {
    return this.#load.ready.length > 0
  }

  /** Sends what has gathered, when there is room. */
  async flush(): Promise<void> {
    await this.#account.door.calm()
    while (this.#flying.size >= atOnce) await Promise.race(this.#flying)
    this.#check()
    const { ready } = this.#load
    if (ready.length === 0) return
    this.#load = empty()
    const flight = this.#fly(ready).finally(() => this.#flying.delete(flight))
    this.#flying.add(flight)
  }

  /** The message comes out of `passed` when everything taken so far is written. */
  hold(message: Message): void {
    this.#gates.push({ message, after: new Set(this.#flying) })
  }

  /** Messages whose time has come, in their order. */
  *passed(): Iterable<Message> {
    for (;;) {
      const [gate] = this.#gates
      if (!gate || [...gate.after].some((flight) => this.#flying.has(flight))) return
      this.#gates.shift()
      yield gate.message
    }
  }

  /** Everything taken is answered, or what ended the sending is thrown. */
  async end(): Promise<void> {
    await this.flush()
    await this.settle()
    this.#check()
  }

  /** Waits for what is on its way; what has not gone out is let go. */
  async settle(): Promise<void> {
    for (const ready of this.#load.ready) release(this.#account, ready)
    this.#load = empty()
    await Promise.all(this.#flying)
  }

  #check(): void {
    this.#signal.throwIfAborted()
    if (this.#failure) throw this.#failure.error
  }

  async #fly(ready: readonly Ready[]): Promise<void> {
    try {
      await this.#send(ready)
    } catch (error) {
      this.#failure ??= { error }
    } finally {
      for (const one of ready) release(this.#account, one)
    }
  }

  async #send(ready: readonly Ready[]): Promise<void> {
    const { bulky, alone } = this.#sorted(ready)
    alone.push(...(await this.#sendTogether(bulky)))
    for (const one of alone) {
      const verdict = await putOne(this.#account, one, this.#signal)
      land(this.#account, [{ one, verdict }])
    }
  }

  /** What has to go by itself after all. */
  async #sendTogether(bulky: readonly Bulky[]): Promise<readonly Ready[]> {
    const bulk = this.#bulk
    if (!bulk || bulky.length < 2) return bulky
    const verdicts = await bulk(bulky, this.#signal)
    if (verdicts === 'unknown') {
      this.#bulk = undefined
      return bulky
    }
    const answered = bulky.flatMap((one, at) => {
      const verdict: Verdict | undefined = verdicts[at]
      return verdict ? [{ one, verdict }] : []
    })
    land(this.#account, answered)
    return bulky.filter((_, at) => !verdicts[at])
  }

  /** A node may be described once in a body. */
  #sorted(ready: readonly Ready[]): { readonly bulky: Bulky[]; readonly alone: Ready[] } {
    const bulky: Bulky[] = []
    const alone: Ready[] = []
    const nodes = new Set<string>()
    for (const one of ready) {
      const { mediaType, text } = one.message
      const node = this.#bulk ? datasetOf(mediaType, text) : undefined
      if (node === undefined || nodes.has(node)) alone.push(one)
      else {
        nodes.add(node)
        bulky.push({ ...one, node })
      }
    }
    return { bulky, alone }
  }
}
