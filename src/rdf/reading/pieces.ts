/** What readers that take a text in pieces have in common. */
import type { Quad } from '@rdfjs/types'
import { isUsable } from './checked-terms.ts'
import { malformed } from './options.ts'

/** A reader that is fed text and gives back the quads that became complete; throws `Failure`. */
export type PieceReader<Found = Quad> = {
  readonly write: (text: string) => Found[]
  readonly end: () => Found[]
}

/** Refuses what is not RDF 1.1, and leaves out what repair could not make usable. */
export function plain(quads: Quad[], repaired: boolean): Quad[] {
  for (const { subject, object } of quads) {
    if (object.termType === 'Quad' || subject.termType === 'Quad') {
      throw malformed('triple terms are not supported')
    }
  }
  return repaired ? quads.filter(isUsable) : quads
}
