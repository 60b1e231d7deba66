/** A set of triples as the validator asks for them: objects of a subject, subjects of an object, seldom anything else. */

import type { Quad, Term } from '@rdfjs/types'

/** What `match` answers: the RDF/JS dataset as far as the validator looks into one. */
type Matches = Iterable<Quad> & { readonly size: number }

/** IRIs, blank nodes and literals never have the same key. */
function keyOf(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return term.value
    case 'BlankNode':
      return `_:${term.value}`
    case 'Literal':
      return `"${term.value}"${term.language}^${term.datatype.value}`
    case 'DefaultGraph':
    case 'Variable':
    case 'Quad':
      return ''
    default:
      throw new Error(`unknown term ${String(term satisfies never)}`)
  }
}

const none: readonly never[] = []

/** Predicate → what was found there. */
type ByPredicate<Found> = Map<string, Found[]>

/** Indexed by subject at once, by object only where that is asked for: mostly for types alone. */
export class Triples {
  readonly quads: readonly Quad[]
  readonly #bySubject = new Map<string, ByPredicate<Term>>()
  #quadsOf: ReadonlyMap<string, readonly Quad[]> | undefined
  readonly #byObject = new Map<string, ByPredicate<Term>>()

  constructor(quads: readonly Quad[]) {
    this.quads = quads
    for (const { subject, predicate, object } of quads) {
      const key = keyOf(subject)
      let about = this.#bySubject.get(key)
      if (!about) this.#bySubject.set(key, (about = new Map()))
      const objects = about.get(predicate.value)
      if (objects) objects.push(object)
      else about.set(predicate.value, [object])
    }
  }

  objects(subject: Term, predicate: Term): readonly Term[] {
    return this.#bySubject.get(keyOf(subject))?.get(predicate.value) ?? none
  }

  subjects(predicate: Term, object: Term): readonly Term[] {
    let index = this.#byObject.get(predicate.value)
    if (!index) this.#byObject.set(predicate.value, (index = this.#inverse(predicate.value)))
    return index.get(keyOf(object)) ?? none
  }

  /** `null` and `undefined` stand for anything; everything is in one graph. */
  match(subject?: Term | null, predicate?: Term | null, object?: Term | null): Matches {
    const quads = subject ? (this.#grouped().get(keyOf(subject)) ?? none) : this.quads
    const found = quads.filter(
      (quad) =>
        (!predicate || quad.predicate.value === predicate.value) &&
        (!object || quad.object.equals(object)),
    )
    return Object.assign(found, { size: found.length })
  }

  /** Few shapes ask records for their triples; the shapes themselves are asked all the time. */
  #grouped(): ReadonlyMap<string, readonly Quad[]> {
    return (this.#quadsOf ??= Map.groupBy(this.quads, ({ subject }) => keyOf(subject)))
  }

  #inverse(iri: string): ByPredicate<Term> {
    const index: ByPredicate<Term> = new Map()
    for (const { subject, predicate, object } of this.quads) {
      if (predicate.value !== iri) continue
      const key = keyOf(object)
      const subjects = index.get(key)
      if (subjects) subjects.push(subject)
      else index.set(key, [subject])
    }
    return index
  }
}
