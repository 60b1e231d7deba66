/** What readers that take a text in pieces have in common. */
import type { Quad } from '@rdfjs/types'
import { isUsable } from './checked-terms.ts'
import type { ParseOptions } from './options.ts'

/** A reader that is fed text and gives back the quads that became complete; throws `Failure`. */
export type PieceReader<Found = Quad> = {
  readonly write: (text: string) => Found[]
  readonly end: () => Found[]
}

/** Leaves out what repair could not make usable. */
export const usable = (quads: Quad[], { repair }: ParseOptions): Quad[] =>
  repair ? quads.filter(isUsable) : quads
