/** Nodes in a set of triples, with the part of the clownface interface that the validator walks them by. */

import type { Term } from '@rdfjs/types'
import { rdf } from '../../../rdf/namespaces.ts'
import type { Triples } from './triples.ts'

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
