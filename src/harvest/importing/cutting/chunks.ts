/**
 * Chunks of a document in a spool, for the import command and the demonstration: each is one dataset with its id and its
 * catalogue. RDF importers share `identifiersIn` and `iriOf`.
 */

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

const titlePredicate = ` ${termText(dct('title'))} `

/**
 * Yields every dataset of the document that is not nested. An untitled dataset that no catalogue links, in a document whose
 * catalogues do link datasets, is only a reference and is skipped.
 */
export function* chunks(spool: Spool, targets: Destinations): Generator<Chunk, void> {
  const isLinking = spool.hasLinks()
  for (const extract of extractDatasets(spool)) {
    const chunk = chunkOf({ spool, targets, isLinking }, extract)
    if (chunk) yield chunk
  }
}

type ChunkContext = { spool: Spool; targets: Destinations; isLinking: boolean }

function chunkOf(
  { spool, targets, isLinking }: ChunkContext,
  { place, piece }: DatasetExtract,
): Chunk | undefined {
  if (!piece) return { dataset: place.term, reason: 'too-large: more than 200000 triples' }
  const { rootLines, body } = piece
  if (
    isLinking &&
    !rootLines.includes(titlePredicate) &&
    spool.cataloguesOf(place.term).length === 0
  )
    return undefined
  const declaredId = originalIdOf(spool, place, rootLines)
  if (declaredId === undefined)
    return { dataset: place.term, reason: 'a blank node without dct:identifier has no original id' }
  const catalogue = targets.catalogueOf(place.term)
  const iri = iriOf(place.term) ?? declaredId
  // Equal identifiers with different IRIs are different datasets.
  const originalId = [declaredId, iri].find((id) => spool.claim(catalogue, id))
  if (originalId === undefined)
    return {
      dataset: declaredId,
      reason: `duplicate-in-request: ${place.term} has the original id of an earlier dataset`,
    }
  return { dataset: originalId, catalogue, originalId, node: place.term, body }
}

// Target catalogues: those described in the document, or the requested one.

/** A catalogue that datasets are imported into. */
export type Destination = {
  /** Id of the catalogue on the platform. */
  readonly id: string
  /** Description as N-Triples, with one `dcat:Catalog` and without links to datasets and records. */
  readonly body: string
}

/** All target catalogues of an import. */
export type Destinations = {
  /** Distinct catalogues that must exist before datasets are sent. */
  readonly catalogues: readonly Destination[]
  /** Id of the catalogue of a dataset (N-Triples). */
  readonly catalogueOf: (dataset: string) => string
}

const catalogueTypeLine = (term: string) =>
  `${term} ${termText(rdf('type'))} ${termText(dcat('Catalog'))} .\n`

/**
 * Determines the target catalogues. `catalogueId`: the only target. Throws `WrongUsage` if there is none, or one has no id or is
 * too large.
 */
export function destinations(spool: Spool, catalogueId?: string): Destinations {
  const catalogues = spool.catalogues()
  const [first] = catalogues
  if (catalogueId !== undefined) {
    const body = first ? catalogueText(spool, first) : minimalCatalogue(catalogueId)
    return { catalogues: [{ id: catalogueId, body }], catalogueOf: () => catalogueId }
  }
  if (!first) throw new WrongUsage('the document describes no dcat:Catalog: give --catalogue id')
  const ids = new Map(catalogues.map((place) => [place.term, catalogueIdOf(spool, place)]))
  const bodies = new Map<string, string>()
  for (const place of catalogues) {
    const id = ids.get(place.term) ?? ''
    if (!bodies.has(id)) bodies.set(id, catalogueText(spool, place))
  }
  const firstId = ids.get(first.term) ?? ''
  return {
    catalogues: [...bodies].map(([id, body]) => ({ id, body })),
    catalogueOf: (dataset) => ids.get(spool.cataloguesOf(dataset)[0] ?? '') ?? firstId,
  }
}

function catalogueIdOf(spool: Spool, place: DescribedNode): string {
  const iri = iriOf(place.term)
  const platformCatalogue = /\/id\/catalogue\/([A-Za-z0-9_~-]+)$/.exec(iri ?? '')?.[1]
  if (platformCatalogue !== undefined && isId(platformCatalogue)) return platformCatalogue
  const id = platformId(identifiersIn(spool.describe(place))[0] ?? iri ?? '')
  if (id !== '') return id
  throw new WrongUsage(`the catalogue ${place.term} has no identifier: give --catalogue id`)
}

function catalogueText(spool: Spool, place: DescribedNode): string {
  const piece = extractResource(spool, place)
  if (!piece) throw new WrongUsage(`the description of ${place.term} is too large`)
  const type = catalogueTypeLine(place.term)
  return piece.body.includes(type) ? piece.body : piece.body + type
}

function minimalCatalogue(id: string): string {
  const node = namedNode(`urn:cartulary:catalogue:${id}`)
  return toLines([quad(node, rdf('type'), dcat('Catalog')), quad(node, dct('title'), literal(id))])
}

// Original ids.

const identifierPredicate = ` ${termText(dct('identifier'))} `

/** Values of `dct:identifier` in the lines of one node, sorted, literals before IRIs. */
export function identifiersIn(lines: string): string[] {
  if (!lines.includes(identifierPredicate)) return []
  const relevant = lines.split('\n').filter((line) => line.includes(identifierPredicate))
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

// In exports of this platform, the record {base}set/record/{id} describes the dataset {base}set/data/{id}.
const recordPattern = /^(.+)set\/record\/([A-Za-z0-9_~-]+)$/
const isRecordOf = (record: string | undefined, dataset: string | undefined) => {
  const [, base, id] = recordPattern.exec(record ?? '') ?? []
  return id !== undefined && dataset === `${base}set/data/${id}`
}

/**
 * Original id of a dataset: that in its catalogue record, so that an export can be imported under its old ids; else its
 * smallest `dct:identifier`; else its IRI. `undefined` for a blank node without identifier.
 */
function originalIdOf(spool: Spool, dataset: DescribedNode, lines: string): string | undefined {
  const iri = iriOf(dataset.term)
  if (iri?.includes('set/data/') === true) {
    const recordedIds = spool
      .recordsOf(dataset.term)
      .filter((record) => isRecordOf(iriOf(record.term), iri))
      .flatMap((record) => identifiersIn(spool.describe(record)))
      .sort(compareCodePoints)
    if (recordedIds[0] !== undefined) return recordedIds[0]
  }
  return identifiersIn(lines)[0] ?? iri
}
