/** The part of a large vocabulary that records asked for lately; the rest stays in the store. */

import type { Concept } from './concept.ts'

/** IRIs remembered, known and unknown ones; a batch of records asks for some thousand. */
const most = 50_000

export type Overlay = {
  readonly get: (iri: string) => Concept | undefined
  /** Which of these nobody has asked for lately. */
  readonly unasked: (iris: Iterable<string>) => readonly string[]
  /** What the store said: every IRI that was asked for is known or known to be none. */
  readonly learn: (asked: readonly string[], found: readonly Concept[]) => void
}

export function overlay(): Overlay {
  const known = new Map<string, Concept | undefined>()
  const put = (iri: string, concept: Concept | undefined) => {
    known.delete(iri)
    known.set(iri, concept)
  }
  return {
    get: (iri) => known.get(iri),
    unasked: (iris) => {
      const unasked: string[] = []
      for (const iri of iris) {
        if (known.has(iri)) put(iri, known.get(iri))
        else unasked.push(iri)
      }
      return unasked
    },
    learn: (asked, found) => {
      const concepts = new Map(found.map((concept) => [concept.iri, concept]))
      for (const iri of asked) put(iri, concepts.get(iri))
      for (const iri of known.keys()) {
        if (known.size <= most) return
        known.delete(iri)
      }
    },
  }
}
