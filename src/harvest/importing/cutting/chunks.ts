/** The datasets of a spooled document one after the other, each with its id and its destination. */

import { WrongUsage } from '../../../errors.ts'
import { isId, platformId } from '../../../rdf/ids.ts'
import { fromLines, termText, toLines } from '../../../rdf/lines.ts'
import { dcat, dct, rdf } from '../../../rdf/namespaces.ts'
import { literal, namedNode, quad } from '../../../rdf/terms.ts'
import { compareCodePoints } from '../../../text/code-points.ts'
import { extractResource, extractDatasets, type DatasetExtract } from './splitter.ts'
import type { DescribedNode, Spool } from './spool.ts'

/** A dataset ready to be sent, or the reason why it cannot be. `dataset` names it in reports. */
export type Chunk = DatasetChunk | { readonly dataset: string; readonly reason: string }

type DatasetChunk = {
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
export function* chunks(spool: Spool, targets: Destinations): Generator<Chunk, void> {
  const isLinking = spool.hasLinks()
  for (const standing of extractDatasets(spool)) {
    const parcel = chunkOf({ spool, targets, isLinking }, standing)
    if (parcel) yield parcel
  }
}

type ChunkContext = { spool: Spool; targets: Destinations; isLinking: boolean }

function chunkOf(
  { spool, targets, isLinking }: ChunkContext,
  { place, piece }: DatasetExtract,
): Chunk | undefined {
  if (!piece) return { dataset: place.term, reason: 'too-large: more than 200000 triples' }
  const { own, body } = piece
  if (isLinking && !own.includes(title) && spool.cataloguesOf(place.term).length === 0)
    return undefined
  const named = originalIdOf(spool, place, own)
  if (named === undefined)
    return { dataset: place.term, reason: 'a blank node without dct:identifier has no original id' }
  const catalogue = targets.of(place.term)
  const iri = iriOf(place.term) ?? named
  // Equal identifiers under different IRIs are different datasets.
  const originalId = [named, iri].find((id) => spool.claim(catalogue, id))
  if (originalId === undefined)
    return {
      dataset: named,
      reason: `duplicate-in-request: ${place.term} has the original id of an earlier dataset`,
    }
  return { dataset: originalId, catalogue, originalId, node: place.term, body }
}

// Where the datasets of a document go: the catalogues it describes, or the one that was asked for.

export type Destination = {
  /** Id of the catalogue on the platform. */
  readonly id: string
  /** Its description as N-Triples, with one `dcat:Catalog` and without links to datasets and records. */
  readonly body: string
}

export type Destinations = {
  /** Every catalogue that is to exist before datasets come, each id once. */
  readonly all: readonly Destination[]
  /** The id of the catalogue that takes a dataset (by its N-Triples text). */
  readonly of: (dataset: string) => string
}

const typeOf = (term: string) => `${term} ${termText(rdf('type'))} ${termText(dcat('Catalog'))} .\n`

/** `only`: id of the one catalogue that takes everything. Throws `WrongUsage` where the document names none that could. */
export function destinations(spool: Spool, only?: string): Destinations {
  const catalogues = spool.catalogues()
  const [first] = catalogues
  if (only !== undefined) {
    const body = first ? describe(spool, first) : minimal(only)
    return { all: [{ id: only, body }], of: () => only }
  }
  if (!first) throw new WrongUsage('the document describes no dcat:Catalog: give --catalogue id')
  const ids = new Map(catalogues.map((place) => [place.term, idOf(spool, place)]))
  const bodies = new Map<string, string>()
  for (const place of catalogues) {
    const id = ids.get(place.term) ?? ''
    if (!bodies.has(id)) bodies.set(id, describe(spool, place))
  }
  const home = ids.get(first.term) ?? ''
  return {
    all: [...bodies].map(([id, body]) => ({ id, body })),
    of: (dataset) => ids.get(spool.cataloguesOf(dataset)[0] ?? '') ?? home,
  }
}

function idOf(spool: Spool, place: DescribedNode): string {
  const iri = iriOf(place.term)
  const ours = /\/id\/catalogue\/([A-Za-z0-9_~-]+)$/.exec(iri ?? '')?.[1]
  if (ours !== undefined && isId(ours)) return ours
  const id = platformId(identifiersIn(spool.describe(place))[0] ?? iri ?? '')
  if (id !== '') return id
  throw new WrongUsage(`the catalogue ${place.term} has no identifier: give --catalogue id`)
}

function describe(spool: Spool, place: DescribedNode): string {
  const piece = extractResource(spool, place)
  if (!piece) throw new WrongUsage(`the description of ${place.term} is too large`)
  const type = typeOf(place.term)
  return piece.body.includes(type) ? piece.body : piece.body + type
}

function minimal(id: string): string {
  const node = namedNode(`urn:cartulary:catalogue:${id}`)
  return toLines([quad(node, rdf('type'), dcat('Catalog')), quad(node, dct('title'), literal(id))])
}

// The id that a dataset has at its origin, as its document tells it.

const identifier = ` ${termText(dct('identifier'))} `

/** Values of `dct:identifier` in N-Triples lines about one node, smallest code point first, literals before IRIs. */
export function identifiersIn(lines: string): string[] {
  if (!lines.includes(identifier)) return []
  const relevant = lines.split('\n').filter((line) => line.includes(identifier))
  const objects = fromLines(`${relevant.join('\n')}\n`)
    .filter((quad) => quad.predicate.equals(dct('identifier')))
    .map((quad) => quad.object)
  const values = (type: 'Literal' | 'NamedNode') =>
    objects
      .filter((term) => term.termType === type && term.value.trim() !== '')
      .map((term) => term.value)
      .sort(compareCodePoints)
  return [...values('Literal'), ...values('NamedNode')]
}

/** The IRI in an N-Triples term; `undefined` for a blank node. */
export const iriOf = (term: string): string | undefined =>
  term.startsWith('<') ? term.slice(1, -1) : undefined

// A platform like this one writes {base}set/record/{id} beside {base}set/data/{id}, whatever its base.
const recordPattern = /^(.+)set\/record\/([A-Za-z0-9_~-]+)$/
const isRecordOf = (record: string | undefined, dataset: string | undefined) => {
  const [, base, id] = recordPattern.exec(record ?? '') ?? []
  return id !== undefined && dataset === `${base}set/data/${id}`
}

/**
 * The original id of a dataset: what the record of a platform like this one says, so that an export comes home under
 * its old id; else its smallest `dct:identifier`; else its IRI. `undefined` for a blank node that has none of them.
 */
function originalIdOf(spool: Spool, dataset: DescribedNode, own: string): string | undefined {
  const iri = iriOf(dataset.term)
  if (iri?.includes('set/data/') === true) {
    const recorded = spool
      .recordsOf(dataset.term)
      .filter((record) => isRecordOf(iriOf(record.term), iri))
      .flatMap((record) => identifiersIn(spool.describe(record)))
      .sort(compareCodePoints)
    if (recorded[0] !== undefined) return recorded[0]
  }
  return identifiersIn(own)[0] ?? iri
}
