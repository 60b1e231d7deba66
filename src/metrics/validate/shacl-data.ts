/**
 * Triples and pointers to nodes in them, as the package `rdf-validate-shacl` reads shapes and records: with the methods that it
 * calls of RDF/JS datasets (sets of triples) and of clownface (a library that walks graphs). The general packages cost half of
 * a validation (decision 0030).
 */

import type { Quad, Term } from '@rdfjs/types'
import { termText } from '../../rdf/lines.ts'
import { rdf } from '../../rdf/namespaces.ts'
import { type Graph, graphOf } from '../../rdf/read.ts'

/** Result of `match`: the part of an RDF/JS dataset that the validator reads. */
type Matches = Iterable<Quad> & { readonly size: number }

const noMatches: readonly never[] = []

/** Set of triples, indexed by subject at once, and by the object of a predicate when it is first read, mostly for types. */
export class Triples {
  readonly #graph: Graph
  /** Predicate → text of the object → triples. */
  readonly #byObject = new Map<string, ReadonlyMap<string, readonly Quad[]>>()

  constructor(quads: readonly Quad[]) {
    this.#graph = graphOf(quads)
  }

  objects(subject: Term, predicate: Term): readonly Term[] {
    return subject.termType === 'Literal'
      ? noMatches
      : this.#graph.objects(subject, predicate.value)
  }

  subjects(predicate: Term, object: Term): readonly Term[] {
    let index = this.#byObject.get(predicate.value)
    if (!index) {
      const quads = this.#graph.quads().filter((quad) => quad.predicate.value === predicate.value)
      this.#byObject.set(
        predicate.value,
        (index = Map.groupBy(quads, (quad) => termText(quad.object))),
      )
    }
    return index.get(termText(object))?.map(({ subject }) => subject) ?? noMatches
  }

  /** Triples with these terms; `null` and `undefined` match any term. */
  match(subject?: Term | null, predicate?: Term | null, object?: Term | null): Matches {
    const quads =
      subject?.termType === 'Literal' ? noMatches : this.#graph.quads(subject ?? undefined)
    const matches = quads.filter(
      (quad) =>
        (!predicate || quad.predicate.value === predicate.value) &&
        (!object || quad.object.equals(object)),
    )
    return Object.assign(matches, { size: matches.length })
  }
}

const nil = rdf('nil').value

/** Zero, one or many nodes in a set of triples, with the methods of clownface that the validator calls. */
export class Pointer {
  readonly dataset: Triples
  readonly terms: readonly Term[]

  constructor(dataset: Triples, terms: readonly Term[] = []) {
    this.dataset = dataset
    this.terms = terms
  }

  /** The node, where there is exactly one. */
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

  filter(isWanted: (pointer: Pointer) => boolean): Pointer {
    const pointers = this.toArray().filter((pointer) => isWanted(pointer))
    return new Pointer(
      this.dataset,
      pointers.flatMap(({ terms }) => terms),
    )
  }

  /** The members of an RDF list; `null` when the node is none. Throws on a list that runs in a circle. */
  list(): Iterable<Pointer> | null {
    const start = this.term
    if (!start || !this.#isList(start)) return null
    const members: Pointer[] = []
    const visited = new Set<string>()
    for (let cell: Term | undefined = start; cell && cell.value !== nil;) {
      if (visited.has(cell.value)) throw new Error('a list runs in a circle')
      visited.add(cell.value)
      const [first] = this.dataset.objects(cell, rdf('first'))
      if (first) members.push(this.node(first))
      cell = this.dataset.objects(cell, rdf('rest'))[0]
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
    const predicateList = 'termType' in predicates ? [predicates] : predicates
    const [[term], [predicate]] = [terms, predicateList]
    // The usual case, many times for every record.
    if (term && predicate && terms.length === 1 && predicateList.length === 1)
      return new Pointer(this.dataset, step(term, predicate))
    return new Pointer(
      this.dataset,
      terms.flatMap((term) => predicateList.flatMap((predicate) => step(term, predicate))),
    )
  }
}
