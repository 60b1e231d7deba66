/** What readers that take a text in pieces have in common. */
import type { Quad } from '@rdfjs/types'
import { rdf } from '../namespaces.ts'
import { isUsable } from './checked-terms.ts'
import type { ParseOptions } from './options.ts'

/** A reader that is fed text and gives back the quads that became complete; throws `Failure`. */
export type PieceReader<Found = Quad> = {
  readonly write: (text: string) => Found[]
  readonly end: () => Found[]
}

/** The IRI of `rdf:type`. */
export const typeIri = rdf('type').value

/** Tells of a quad that gives a blank node a class, and of the line on which it was complete. */
export function tellPlace(
  { places }: ParseOptions,
  { subject, predicate, object }: Quad,
  line: number,
): void {
  if (!places || subject.termType !== 'BlankNode' || predicate.value !== typeIri) return
  if (places.classes.has(object.value)) places.tell(`_:${subject.value}`, { line })
}

/** Leaves out what repair could not make usable. */
export const usable = (quads: Quad[], { repair }: ParseOptions): Quad[] =>
  repair ? quads.filter(isUsable) : quads
