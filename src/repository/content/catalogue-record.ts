/**
 * Makes, reads and updates the catalogue record in the graph of a dataset or resource: its original id, the dates of its creation
 * and last change, and the hash of the body.
 */

import type { Quad } from '@rdfjs/types'
import { canonicalise, type CanonicalBounds } from '../../rdf/canonical.ts'
import { dcat, dct, foaf, rdf, spdx, xsd } from '../../rdf/namespaces.ts'
import { subjectQuads } from '../../rdf/lines.ts'
import type { Names } from '../../rdf/names.ts'
import { unskolemise } from '../../rdf/skolem.ts'
import { literal, namedNode, quad } from '../../rdf/terms.ts'

/** Facts that the platform stores about a dataset besides its content (DCAT 3, `dcat:CatalogRecord`). */
export type DatasetRecord = {
  readonly id: string
  readonly originalId: string
  readonly hash: string
  /** `xsd:dateTime`, UTC, whole seconds. */
  readonly issued: string
  readonly modified: string
  /** IRI of the dataset at its source, where that is not the original id: other records of the source link it by this. */
  readonly source?: string
}

/** Formats a date as `xsd:dateTime` in UTC, with whole seconds: `2026-11-21T10:00:00Z`. */
export const timestamp = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`

/** Makes the triples of the record; its checksum node is a skolem IRI, because stored graphs have no blank nodes. */
export const recordQuads = (record: DatasetRecord, names: Names): Quad[] =>
  recordStatements({ topic: names.dataset(record.id), iri: names.record(record.id) }, record, names)

/** Makes the record of a resource under given IRIs of the resource and of the record. */
export function recordStatements(
  { topic, iri }: { readonly topic: string; readonly iri: string },
  record: Omit<DatasetRecord, 'id'>,
  names: Names,
): Quad[] {
  const subject = namedNode(iri)
  const checksum = namedNode(`${names.genid(topic)}checksum`)
  const time = (text: string) => literal(text, xsd('dateTime'))
  return [
    quad(subject, rdf('type'), dcat('CatalogRecord')),
    quad(subject, foaf('primaryTopic'), namedNode(topic)),
    quad(subject, dct('identifier'), literal(record.originalId)),
    quad(subject, dct('issued'), time(record.issued)),
    quad(subject, dct('modified'), time(record.modified)),
    ...(record.source === undefined
      ? []
      : [quad(subject, dct('source'), namedNode(record.source))]),
    quad(subject, spdx('checksum'), checksum),
    quad(checksum, rdf('type'), spdx('Checksum')),
    quad(checksum, spdx('algorithm'), spdx('checksumAlgorithm_sha256')),
    quad(checksum, spdx('checksumValue'), literal(record.hash)),
  ]
}

/** Entity tag and date of the last change, as the record states them. */
type StoredRecord = {
  readonly hash: string | undefined
  readonly modified: Date | undefined
}

/** Reads hash and date of a record in a dataset's graph; either may be absent where another program wrote the graph. */
export function storedRecord(lines: string, record: string): StoredRecord {
  const facts = subjectQuads(lines, record)
  const value = (quads: readonly Quad[], predicate: string) =>
    quads.find((q) => q.predicate.value === predicate)?.object.value
  const checksum = value(facts, spdx('checksum').value)
  const checksumQuads = checksum === undefined ? [] : subjectQuads(lines, checksum)
  return {
    hash: value(checksumQuads, spdx('checksumValue').value),
    modified: modifiedDate(facts, record),
  }
}

/** Returns `dct:modified` of a resource; values that are not dates count as absent. */
export function modifiedDate(quads: readonly Quad[], iri: string): Date | undefined {
  const statement = quads.find(
    (q) => q.subject.value === iri && q.predicate.value === dct('modified').value,
  )
  const time = Date.parse(statement?.object.value ?? '')
  return Number.isNaN(time) ? undefined : new Date(time)
}

/** Record to change, its new date, and limits for the cost of its new hash. */
type RecordEdit = Pick<DatasetRecord, 'id' | 'modified'> & {
  readonly canonical?: CanonicalBounds
  /** Hash of the content, if it is known. */
  readonly hash?: string | undefined
}

/**
 * Sets the date of change and the hash of the record in the graph of a dataset, after an edit of one part such as a distribution.
 * The hash is that of the stored graph without its record: a client that sends back the edited dataset gets 304, and a source
 * that sends its old version again replaces the edit. Fails with `too-complex`.
 */
export async function withNewHash(
  graph: readonly Quad[],
  names: Names,
  { id, modified, canonical, hash: known }: RecordEdit,
): Promise<Quad[]> {
  const record = names.record(id)
  const hasPredicate = (q: Quad, subjects: ReadonlySet<string>, predicate: string) =>
    q.predicate.value === predicate && subjects.has(q.subject.value)
  const records = new Set([record])
  const links = graph.filter((q) => hasPredicate(q, records, spdx('checksum').value))
  const checksums = new Set(links.map((q) => q.object.value))
  const content = graph.filter(
    ({ subject }) => subject.value !== record && !checksums.has(subject.value),
  )
  const withBlankNodes = unskolemise(content, { prefix: names.genidPrefix })
  const hash = known ?? (await canonicalise(withBlankNodes, canonical)).hash
  const unchanged = graph.filter(
    (q) =>
      !hasPredicate(q, records, dct('modified').value) &&
      !hasPredicate(q, checksums, spdx('checksumValue').value),
  )
  return [
    ...unchanged,
    quad(namedNode(record), dct('modified'), literal(modified, xsd('dateTime'))),
    ...[...checksums].map((node) => quad(namedNode(node), spdx('checksumValue'), literal(hash))),
  ]
}
