/** Which concept is broader than which, over any number of steps: as numbers, because a vocabulary may be large. */

import { hash } from 'node:crypto'
import type { SubjectFacts } from './subject-facts.ts'

/** The first 52 bits of SHA-256: a number that JavaScript holds exactly. Of a million IRIs two are alike once in 10,000 times. */
const numberOf = (iri: string): number =>
  Number.parseInt(hash('sha256', iri, 'hex').slice(0, 13), 16)

/** Links that are kept, 16 bytes each; of what is beyond nothing is known. */
const most = 8_000_000

/** Pairs of numbers, found by the first once they are sorted. */
class Pairs {
  #values = new Float64Array(1024)
  #sorted: Float64Array | undefined
  #order: Uint32Array = new Uint32Array()
  length = 0

  add(from: number, to: number): void {
    if (this.length >= most) return
    if (2 * this.length === this.#values.length) {
      const larger = new Float64Array(this.#values.length * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[2 * this.length] = from
    this.#values[2 * this.length + 1] = to
    this.length += 1
  }

  close(): void {
    const values = this.#values
    this.#order = new Uint32Array(this.length).map((_, at) => at)
    this.#order.sort((one, other) => (values[2 * one] ?? 0) - (values[2 * other] ?? 0))
    this.#sorted = Float64Array.from(this.#order, (at) => values[2 * at] ?? 0)
  }

  *of(from: number): Generator<number> {
    const sorted = this.#sorted ?? new Float64Array()
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sorted[middle] ?? 0) < from) low = middle + 1
      else high = middle
    }
    for (let at = low; sorted[at] === from; at += 1) {
      yield this.#values[2 * (this.#order[at] ?? 0) + 1] ?? 0
    }
  }
}

/** Steps upwards, and concepts that are looked at above one: cycles end there too. */
const [deepest, widest] = [32, 2000]

export class Hierarchy {
  readonly #broader = new Pairs()
  readonly #related = new Pairs()

  take({ resource, links }: SubjectFacts): void {
    const { broader, broaderTransitive, narrower, narrowerTransitive, related } = links
    const size = broader.size + broaderTransitive.size + narrower.size + narrowerTransitive.size
    if (size + related.size === 0) return
    const own = numberOf(resource)
    for (const some of [broader, broaderTransitive]) {
      for (const other of some) this.#broader.add(own, numberOf(other))
    }
    for (const some of [narrower, narrowerTransitive]) {
      for (const other of some) this.#broader.add(numberOf(other), own)
    }
    for (const other of related) this.#related.add(own, numberOf(other))
  }

  /** To be called when all is taken; false when nothing can be broader and related at the same time. */
  close(): boolean {
    if (this.#broader.length === 0 || this.#related.length === 0) return false
    this.#broader.close()
    this.#related.close()
    return true
  }

  isRelated(one: string, other: string): boolean {
    const wanted = numberOf(other)
    for (const found of this.#related.of(numberOf(one))) if (found === wanted) return true
    return false
  }

  /** Whether `other` is broader than `one`, over at most 32 steps. */
  isBroader(one: string, other: string): boolean {
    const wanted = numberOf(other)
    const seen = new Set<number>()
    let level = [numberOf(one)]
    for (let depth = 0; depth < deepest && level.length > 0; depth += 1) {
      const above: number[] = []
      for (const concept of level) {
        for (const broader of this.#broader.of(concept)) {
          if (broader === wanted) return true
          if (seen.has(broader) || seen.size >= widest) continue
          seen.add(broader)
          above.push(broader)
        }
      }
      level = above
    }
    return false
  }
}
