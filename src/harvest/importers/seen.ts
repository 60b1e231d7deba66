/** Which records a run has met, and whether the ones of one pass over the source are as many as it declared. */

import { keyHash } from '../importing/cutting/key-hash.ts'

// A set of whole numbers in sixteen bytes each, so that millions of ids can be told apart in little memory.

/** Open addressing with linear probing over doubles; the table is at most half full. */
export class NumberSet {
  #table: Float64Array
  #size = 0
  #hasZero = false

  constructor(capacity = 512) {
    this.#table = new Float64Array(capacity)
  }

  get size(): number {
    return this.#size + (this.#hasZero ? 1 : 0)
  }

  /** Whether the number is new. */
  add(value: number): boolean {
    if (value === 0) {
      const isNew = !this.#hasZero
      this.#hasZero = true
      return isNew
    }
    if (this.#size * 2 >= this.#table.length) this.#grow()
    const at = placeOf(this.#table, value)
    if (this.#table[at] === value) return false
    this.#table[at] = value
    this.#size += 1
    return true
  }

  has(value: number): boolean {
    return value === 0 ? this.#hasZero : this.#table[placeOf(this.#table, value)] === value
  }

  #grow(): void {
    const larger = new Float64Array(this.#table.length * 2)
    for (const value of this.#table) if (value !== 0) larger[placeOf(larger, value)] = value
    this.#table = larger
  }
}

/** Where a number stands, or the free place where it would. The length is a power of two. */
function placeOf(table: Float64Array, value: number): number {
  const last = table.length - 1
  let at = (value % 4_294_967_291) & last
  while (table[at] !== 0 && table[at] !== value) at = (at + 1) & last
  return at
}

/** `new`: first of its id · `same`: met before with the same content · `other`: another record with a known id. */
type Acquaintance = 'new' | 'same' | 'other'

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
