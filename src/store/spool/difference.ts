/** What has to go and to come so that one sorted sequence of lines becomes another, in batches and in bounded memory. */

import { hasTwins, prefixOf } from '../lines.ts'

/** Lines without ends. What goes has to go before the rest comes; batches do not depend on each other. */
export type Difference = { readonly removed: readonly string[]; readonly added: readonly string[] }

type Place = 'before' | 'after' | 'both'

/** Every line of either sequence in order, and where it stands. Both are sorted and without doubles. */
function* compared(
  before: Iterable<string>,
  after: Iterable<string>,
): Generator<readonly [line: string, place: Place]> {
  const [olds, news] = [before[Symbol.iterator](), after[Symbol.iterator]()]
  let [old, next] = [olds.next(), news.next()]
  while (old.done !== true || next.done !== true) {
    if (next.done === true || (old.done !== true && old.value < next.value)) {
      yield [old.value, 'before']
      old = olds.next()
    } else if (old.done === true || next.value < old.value) {
      yield [next.value, 'after']
      next = news.next()
    } else {
      yield [old.value, 'both']
      ;[old, next] = [olds.next(), news.next()]
    }
  }
}

const batchSize = 4000

/**
 * Where a store holds two spellings as one triple, deleting the one deletes both: literals that stay and share subject and
 * property with one that goes come in again. `takesAll` tells of lines that a store can only remove together with everything
 * of that subject and property, IRIs too.
 */
class Collector {
  readonly #takesAll: (line: string) => boolean
  #removed: string[] = []
  #added: string[] = []
  /** Literals that stay, of the present subject and property. */
  #kept: string[] = []
  #prefix = ''
  #twins = false
  #all = false

  constructor(takesAll: (line: string) => boolean) {
    this.#takesAll = takesAll
  }

  take(line: string, place: Place): void {
    if (!line.startsWith(this.#prefix) || this.#prefix === '') this.#enter(prefixOf(line))
    const isLiteral = line[this.#prefix.length] === '"'
    if (place === 'before') this.#remove(line)
    else if (place === 'after') this.#added.push(line)
    else if (isLiteral) this.#kept.push(line)
    // Literals stand before IRIs: by now it is known what goes.
    else if (this.#all) this.#added.push(line)
  }

  /** Whether a batch may end before `line`: not among the literals of one subject and property. */
  isFull(line: string): boolean {
    if (this.#removed.length + this.#added.length < batchSize) return false
    return !line.startsWith(this.#prefix) || line[this.#prefix.length] !== '"'
  }

  batch(): Difference {
    this.#settle()
    const batch = { removed: this.#removed, added: this.#added }
    this.#removed = []
    this.#added = []
    return batch
  }

  #enter(prefix: string): void {
    this.#settle()
    this.#prefix = prefix
    this.#twins = false
    this.#all = false
  }

  #remove(line: string): void {
    this.#removed.push(line)
    this.#twins ||= hasTwins(line)
    this.#all ||= this.#takesAll(line)
  }

  #settle(): void {
    if (this.#all) this.#added.push(...this.#kept)
    else if (this.#twins) this.#added.push(...this.#kept.filter(hasTwins))
    this.#kept = []
  }
}

/** The difference of two sequences that are sorted and without doubles. */
export function* differences(
  before: Iterable<string>,
  after: Iterable<string>,
  takesAll: (line: string) => boolean = () => false,
): Generator<Difference> {
  const collector = new Collector(takesAll)
  for (const [line, place] of compared(before, after)) {
    if (collector.isFull(line)) yield collector.batch()
    collector.take(line, place)
  }
  const last = collector.batch()
  if (last.removed.length + last.added.length > 0) yield last
}

/** How many lines more (less, when negative) the second sequence has. */
export function growthOf(before: Iterable<string>, after: Iterable<string>): number {
  let growth = 0
  for (const [, place] of compared(before, after)) {
    if (place !== 'both') growth += place === 'after' ? 1 : -1
  }
  return growth
}
