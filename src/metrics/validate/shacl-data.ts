/**
 * A set of triples, and nodes in it, with the part of the interfaces of RDF/JS datasets and of clownface that the validator
 * walks them by. The general packages cost half of a validation (decision 0030).
 */

import type { Quad, Term } from '@rdfjs/types'
import { rdf } from '../../rdf/namespaces.ts'

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
type ByPredicate<Findings> = Map<string, Findings[]>

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

// Nodes in a set of triples, with the part of the clownface interface that the validator walks them by.

const nil = rdf('nil').value

/** Zero, one or many nodes. Walking is all that it can: the general one costs half of a validation. */
export class Pointer {
  readonly dataset: Triples
  readonly terms: readonly Term[]

  constructor(dataset: Triples, terms: readonly Term[] = []) {
    this.dataset = dataset
    this.terms = terms
  }

  /** The one node, if it is one. */
  get term(): Term | undefined {
    return this.terms.length === 1 ? this.terms[0] : undefined
  }

  get value(): string | undefined {
    return this.term?.value
  }

  node(term: Term): Pointer {
    return new Pointer(this.dataset, [term])
  }

  out(predicates: Term | readonly Term[]): Pointer {
    return this.#walk(predicates, (term, predicate) => this.dataset.objects(term, predicate))
  }

  in(predicates: Term | readonly Term[]): Pointer {
    return this.#walk(predicates, (term, predicate) => this.dataset.subjects(predicate, term))
  }

  toArray(): Pointer[] {
    return this.terms.map((term) => this.node(term))
  }

  filter(wanted: (pointer: Pointer) => boolean): Pointer {
    const kept = this.toArray().filter((pointer) => wanted(pointer))
    return new Pointer(
      this.dataset,
      kept.flatMap(({ terms }) => terms),
    )
  }

  /** The members of an RDF list; `null` when the node is none. Throws on a list that runs in a circle. */
  list(): Iterable<Pointer> | null {
    const start = this.term
    if (!start || !this.#isList(start)) return null
    const members: Pointer[] = []
    const seen = new Set<string>()
    for (let at: Term | undefined = start; at && at.value !== nil;) {
      if (seen.has(at.value)) throw new Error('a list runs in a circle')
      seen.add(at.value)
      const [first] = this.dataset.objects(at, rdf('first'))
      if (first) members.push(this.node(first))
      at = this.dataset.objects(at, rdf('rest'))[0]
    }
    return members
  }

  #isList(term: Term): boolean {
    return term.value === nil || this.dataset.objects(term, rdf('first')).length > 0
  }

  #walk(
    predicates: Term | readonly Term[],
    step: (term: Term, predicate: Term) => readonly Term[],
  ): Pointer {
    const { terms } = this
    const [only] = terms
    if ('termType' in predicates) {
      if (only && terms.length === 1) return new Pointer(this.dataset, step(only, predicates))
      return new Pointer(
        this.dataset,
        terms.flatMap((term) => step(term, predicates)),
      )
    }
    return new Pointer(
      this.dataset,
      terms.flatMap((term) => predicates.flatMap((predicate) => step(term, predicate))),
    )
  }
}
