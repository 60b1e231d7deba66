/** Statements of a shapes file by subject; the profile's own terms count in any namespace. */

import type { Term } from '@rdfjs/types'
import type { PlacedQuad } from '../rdf/reading/placed-quads.ts'

export const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'

export const localName = (iri: string) =>
  iri.slice(Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/')) + 1)

const annotations = new Set([
  'mappingName',
  'mappingClass',
  'mappingLink',
  'mappingProperty',
  'profileVersion',
])

export const keyOf = (term: Term) => `${term.termType} ${term.value}`

type Objects = { readonly terms: Term[]; readonly line: number }

/** All statements by subject; annotation terms are kept under their local name, whatever their namespace. */
export class Statements {
  readonly #bySubject = new Map<string, Map<string, Objects>>()
  readonly #lines = new Map<string, number>()
  /** Namespaces in which annotation terms were found. */
  readonly namespaces = new Set<string>()
  readonly subjects = new Map<string, Term>()

  constructor(placed: readonly PlacedQuad[]) {
    for (const { quad, line } of placed) {
      const { subject, predicate, object } = quad
      const key = keyOf(subject)
      const local = localName(predicate.value)
      const isAnnotation = annotations.has(local)
      if (isAnnotation) this.namespaces.add(predicate.value.slice(0, -local.length))
      this.subjects.set(key, subject)
      this.#lines.set(key, Math.min(line, this.#lines.get(key) ?? line))
      const predicates = this.#bySubject.get(key) ?? new Map<string, Objects>()
      this.#bySubject.set(key, predicates)
      const name = isAnnotation ? local : predicate.value
      const objects = predicates.get(name)
      if (objects) objects.terms.push(object)
      else predicates.set(name, { terms: [object], line })
    }
  }

  all(subject: Term, predicate: string): readonly Term[] {
    return this.#bySubject.get(keyOf(subject))?.get(predicate)?.terms ?? []
  }

  /** The line of the first statement about a subject, or of the first one with that predicate. */
  line(subject: Term, predicate?: string): number {
    const key = keyOf(subject)
    const own = predicate === undefined ? undefined : this.#bySubject.get(key)?.get(predicate)
    return own?.line ?? this.#lines.get(key) ?? 1
  }

  /** One text of a predicate, English before others; '' when there is none. */
  text(subject: Term, predicate: string): string {
    const found = this.all(subject, predicate)
    const english = found.find((term) => term.termType === 'Literal' && term.language === 'en')
    return (english ?? found[0])?.value.trim() ?? ''
  }
}
