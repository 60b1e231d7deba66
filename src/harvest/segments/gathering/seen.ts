/** Which records a run has met, and whether the ones of one pass over the source are as many as it declared. */
import { keyHash } from '../../importing/cutting/key-hash.ts'
import { NumberSet } from './number-set.ts'

/** `new`: first of its id · `same`: met before with the same content · `other`: another record with a known id. */
export type Acquaintance = 'new' | 'same' | 'other'

export class Seen {
  readonly #ids = new NumberSet()
  readonly #records = new NumberSet()
  #pass: NumberSet
  #nameless = 0
  #fresh = 0
  #onPage = 0

  constructor() {
    this.#pass = this.#records
  }

  /** A record with its id and a digest of its content. */
  meet(id: string, content: string): Acquaintance {
    const record = keyHash(`${id}\n${content}`)
    const isNewId = this.#ids.add(keyHash(id))
    const isNewRecord = this.#records.add(record)
    this.#count(this.#pass === this.#records ? isNewRecord : this.#pass.add(record))
    if (isNewId) return 'new'
    return isNewRecord ? 'other' : 'same'
  }

  /** A record without any id. */
  nameless(): void {
    this.#nameless += 1
    this.#count(true)
  }

  /** Distinct records of the present pass. */
  get distinct(): number {
    return this.#pass.size + this.#nameless
  }

  /** Whether the page that ends here had records and none that this pass had not met before. */
  turnPage(): boolean {
    const isRepeated = this.#onPage > 0 && this.#fresh === 0
    this.#fresh = 0
    this.#onPage = 0
    return isRepeated
  }

  /** Another pass over the same source: what was handed on stays known, the counting begins anew. */
  startAgain(): void {
    this.#pass = new NumberSet()
    this.#nameless = 0
    this.#fresh = 0
    this.#onPage = 0
  }

  #count(isFresh: boolean): void {
    this.#onPage += 1
    if (isFresh) this.#fresh += 1
  }
}
