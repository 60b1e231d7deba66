/** Chunks of a spooled document: each is one dataset with its id and its catalogue. */

import { WrongUsage } from '../../../errors.ts'
import { isId, platformId } from '../../../rdf/ids.ts'
import { fromLines, termText, toLines } from '../../../rdf/lines.ts'
import { dcat, dct, rdf } from '../../../rdf/namespaces.ts'
import { literal, namedNode, quad } from '../../../rdf/terms.ts'
import { compareCodePoints } from '../../../text/code-points.ts'
import { extractResource, extractDatasets, type DatasetExtract } from './splitter.ts'
import type { DescribedNode, Spool } from './spool.ts'

/** A dataset to send, or the reason why it cannot be sent. `dataset` names it in reports. */
export type Chunk = DatasetChunk | { readonly dataset: string; readonly reason: string }

type DatasetChunk = {
  readonly dataset: string
  readonly catalogue: string
  readonly originalId: string
  /** Node and triples of the dataset as N-Triples. */
  readonly node: string
  readonly body: string
}

const title = ` ${termText(dct('title'))} `

/**
 * Yields every dataset of the document that is not nested. An untitled dataset that no catalogue links, in a document whose
 * catalogues do link datasets, is only a reference and is skipped.
 */
export function* chunks(spool: Spool, targets: Destinations): Generator<Chunk, void> {
  const isLinking = spool.hasLinks()
  for (const standing of extractDatasets(spool)) {
    const chunk = chunkOf({ spool, targets, isLinking }, standing)
    if (chunk) yield chunk
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
  // Equal identifiers with different IRIs are different datasets.
  const originalId = [named, iri].find((id) => spool.claim(catalogue, id))
  if (originalId === undefined)
    return {
      dataset: named,
      reason: `duplicate-in-request: ${place.term} has the original id of an earlier dataset`,
    }
  return { dataset: originalId, catalogue, originalId, node: place.term, body }
}

// Target catalogues: those described in the document, or the requested one.

export type Destination = {
  /** Id of the catalogue on the platform. */
  readonly id: string
  /** Description as N-Triples, with one `dcat:Catalog` and without links to datasets and records. */
  readonly body: string
}

export type Destinations = {
  /** Distinct catalogues that must exist before datasets are sent. */
  readonly all: readonly Destination[]
  /** Id of the catalogue of a dataset (N-Triples). */
  readonly of: (dataset: string) => string
}

const typeOf = (term: string) => `${term} ${termText(rdf('type'))} ${termText(dcat('Catalog'))} .\n`

/** Determines the target catalogues. `only`: id of the single target. Throws `WrongUsage` if the document has none. */
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

// Original ids.

const identifier = ` ${termText(dct('identifier'))} `

/** Values of `dct:identifier` in the lines of one node, sorted, literals before IRIs. */
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

// A platform of this kind has {base}set/record/{id} beside {base}set/data/{id}.
const recordPattern = /^(.+)set\/record\/([A-Za-z0-9_~-]+)$/
const isRecordOf = (record: string | undefined, dataset: string | undefined) => {
  const [, base, id] = recordPattern.exec(record ?? '') ?? []
  return id !== undefined && dataset === `${base}set/data/${id}`
}

/**
 * Original id of a dataset: that in its catalogue record, so that an export can be imported under its old ids; else its
 * smallest `dct:identifier`; else its IRI. `undefined` for a blank node without identifier.
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
