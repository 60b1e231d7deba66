/** A set of whole numbers in sixteen bytes each, so that millions of ids can be told apart in little memory. */

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
