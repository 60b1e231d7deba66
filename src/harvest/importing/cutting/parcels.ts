/** The datasets of a spooled document one after the other, each with its id and its destination. */
import type { Destinations } from './destination.ts'
import { originalIdOf } from './original-id.ts'
import { pieces, type Standing } from './pieces.ts'
import type { Spool } from './spool.ts'
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
 * Cuts every dataset of the document that stands by itself. An untitled dataset that no catalogue links, in a document
 * whose catalogues do link theirs, is a mere mention and is passed over.
 */
export function* parcels(spool: Spool, targets: Destinations): Generator<Parcel, void> {
  const isLinking = spool.hasLinks()
  for (const standing of pieces(spool)) {
    const parcel = parcelOf({ spool, targets, isLinking }, standing)
    if (parcel) yield parcel
  }
}

type Cutting = { spool: Spool; targets: Destinations; isLinking: boolean }

function parcelOf(
  { spool, targets, isLinking }: Cutting,
  { place, piece }: Standing,
): Parcel | undefined {
  if (!piece) return { dataset: place.term, reason: 'too-large: more than 200000 triples' }
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
