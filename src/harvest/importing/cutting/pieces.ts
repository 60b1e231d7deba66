/** The datasets of a spooled document that stand by themselves, cut out one after the other. */
import { cut, type Bounds, type Piece } from './cut.ts'
import type { Place, Spool } from './spool.ts'

/** Without a piece the dataset is larger than a repository takes. */
export type Standing = { readonly place: Place; readonly piece?: Piece }

/**
 * Every dataset, in the order of the document. Blank nodes come last and only when they stand by themselves: one that
 * another dataset contains travels with that one.
 */
export function* pieces(spool: Spool, bounds?: Bounds): Generator<Standing, void> {
  const catalogues = new Set(spool.catalogues().map((place) => place.term))
  const contained = new Set<string>()
  const blanks: Place[] = []
  const standing = (place: Place): Standing => {
    const piece = cut(spool, place, bounds)
    for (const term of piece?.nested ?? []) contained.add(term)
    return piece ? { place, piece } : { place }
  }
  for (const place of spool.datasets()) {
    if (catalogues.has(place.term)) continue
    if (place.term.startsWith('_')) blanks.push(place)
    else yield standing(place)
  }
  for (const place of blanks) if (!contained.has(place.term)) standing(place)
  for (const place of blanks) {
    const isLinked = spool.cataloguesOf(place.term).length > 0
    if (!contained.has(place.term) || isLinked) yield standing(place)
  }
}
