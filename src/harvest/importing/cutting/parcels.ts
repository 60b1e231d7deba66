/** The datasets of a spooled document one after the other, each with its id and its destination. */
import { cut } from './cut.ts'
import type { Destinations } from './destination.ts'
import { originalIdOf } from './original-id.ts'
import type { Place, Spool } from './spool.ts'
import { dct } from '../../../rdf/namespaces.ts'
import { termText } from '../../../rdf/lines.ts'

/** A dataset ready to be sent, or the reason why it cannot be. `dataset` names it in reports. */
export type Parcel = DatasetParcel | { readonly dataset: string; readonly reason: string }

export type DatasetParcel = {
  readonly dataset: string
  readonly catalogue: string
  readonly originalId: string
  /** The dataset's node and its triples, both as N-Triples. */
  readonly node: string
  readonly body: string
}

const title = ` ${termText(dct('title'))} `

/**
 * Cuts every dataset of the document, in its order. Blank nodes come last and only when they stand by themselves: one
 * that another dataset contains travels with that one. An untitled dataset that no catalogue links, in a document
 * whose catalogues do link theirs, is a mere mention and is passed over.
 */
export function* parcels(spool: Spool, targets: Destinations): Generator<Parcel, void> {
  const catalogues = new Set(spool.catalogues().map((place) => place.term))
  const isLinking = spool.hasLinks()
  const contained = new Set<string>()
  const blanks: Place[] = []
  for (const place of spool.datasets()) {
    if (catalogues.has(place.term)) continue
    if (place.term.startsWith('_')) {
      blanks.push(place)
      continue
    }
    const parcel = parcelOf({ spool, targets, isLinking, contained }, place)
    if (parcel) yield parcel
  }
  const isLinked = (place: Place) => spool.cataloguesOf(place.term).length > 0
  for (const place of blanks)
    if (!contained.has(place.term))
      for (const term of cut(spool, place)?.nested ?? []) contained.add(term)
  for (const place of blanks) {
    if (contained.has(place.term) && !isLinked(place)) continue
    const parcel = parcelOf({ spool, targets, isLinking, contained }, place)
    if (parcel) yield parcel
  }
}

type Cutting = { spool: Spool; targets: Destinations; isLinking: boolean; contained: Set<string> }

function parcelOf(
  { spool, targets, isLinking, contained }: Cutting,
  place: Place,
): Parcel | undefined {
  const piece = cut(spool, place)
  if (!piece) return { dataset: place.term, reason: 'too-large: more than 200000 triples' }
  for (const term of piece.nested) contained.add(term)
  const { own, body } = piece
  if (isLinking && !own.includes(title) && spool.cataloguesOf(place.term).length === 0)
    return undefined
  const originalId = originalIdOf(spool, place, own)
  if (originalId === undefined)
    return { dataset: place.term, reason: 'a blank node without dct:identifier has no original id' }
  const catalogue = targets.of(place.term)
  if (!spool.claim(catalogue, originalId))
    return {
      dataset: originalId,
      reason: `duplicate-in-request: ${place.term} has the original id of an earlier dataset`,
    }
  return { dataset: originalId, catalogue, originalId, node: place.term, body }
}
