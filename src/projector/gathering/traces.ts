/** What of a vocabulary is in the index: a fingerprint per concept, so that a rewrite is told apart from what was there. */

import type { SearchIndex } from '../../search-index/search-index.ts'
import { hash } from 'node:crypto'
import { fingerprint } from '../../text/fingerprint.ts'
import type { Concept } from '../../vocabularies/concept.ts'

/** Entries read per step. */
const page = 1000

/** The hash of a concept's document: another one means that what uses the concept looks different. */
export const traceOf = (concept: Concept): string =>
  hash('sha256', JSON.stringify(concept), 'hex').slice(0, 24)

const empty = -1
const seen = -2

/** From fingerprints to fingerprints in 16 bytes and a little per entry: a vocabulary may have millions. */
class Fingerprints {
  #keys = new Float64Array(64).fill(empty)
  #values = new Float64Array(64)
  #size = 0

  get size(): number {
    return this.#size
  }

  at(key: number): number | undefined {
    const slot = this.#slot(key)
    return this.#keys[slot] === key ? this.#values[slot] : undefined
  }

  set(key: number, value: number): void {
    if (this.#size * 2 >= this.#keys.length) this.#grow()
    const slot = this.#slot(key)
    if (this.#keys[slot] === empty) this.#size += 1
    this.#keys[slot] = key
    this.#values[slot] = value
  }

  #slot(key: number): number {
    const mask = this.#keys.length - 1
    // The low bits of a hash are as good as any.
    let slot = key % (mask + 1)
    while (this.#keys[slot] !== empty && this.#keys[slot] !== key) slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values]
    this.#keys = new Float64Array(keys.length * 2).fill(empty)
    this.#values = new Float64Array(keys.length * 2)
    this.#size = 0
    for (const [at, key] of keys.entries()) if (key !== empty) this.set(key, values[at] ?? empty)
  }
}

/** Texts that were there before, by their fingerprints. */
export function taken(): { readonly add: (text: string) => boolean } {
  const all = new Fingerprints()
  return {
    /** False when it was there already. */
    add: (text) => {
      const key = fingerprint(text)
      if (all.at(key) !== undefined) return false
      all.set(key, seen)
      return true
    },
  }
}

type IndexedEntry = { readonly id: string; readonly hash: string }

/** The indexed concepts of a vocabulary, in pages by id. */
export async function* entriesOf(
  index: Pick<SearchIndex, 'entries'>,
  vocabulary: string,
  signal: AbortSignal,
): AsyncGenerator<readonly IndexedEntry[]> {
  const prefix = `${vocabulary}/`
  let after = prefix
  for (;;) {
    const entries = await index.entries('vocabulary', after, page, signal)
    const own = entries.filter((entry) => entry.id.startsWith(prefix))
    if (own.length > 0) yield own
    if (own.length < page) return
    after = own.at(-1)?.id ?? prefix
  }
}

export type Traces = {
  /** Concepts that were indexed before. */
  readonly size: number
  readonly has: (id: string) => boolean
  /** Notes that a document is written; true when what stands in the index is the same. */
  readonly same: (id: string, hash: string) => boolean
  /** Whether the document was written since. */
  readonly isWritten: (id: string) => boolean
}

const valueOf = (hash: string) => Number.parseInt(hash.slice(0, 12), 16)

export async function tracesOf(
  index: Pick<SearchIndex, 'entries'>,
  vocabulary: string,
  signal: AbortSignal,
): Promise<Traces> {
  const all = new Fingerprints()
  for await (const entries of entriesOf(index, vocabulary, signal))
    for (const { id, hash } of entries) all.set(fingerprint(id), valueOf(hash))
  const { size } = all
  return {
    size,
    has: (id) => all.at(fingerprint(id)) !== undefined,
    same: (id, hash) => {
      const key = fingerprint(id)
      const before = all.at(key)
      all.set(key, seen)
      return before === valueOf(hash)
    },
    isWritten: (id) => all.at(fingerprint(id)) === seen,
  }
}
