/** Options of RDF readers, and the repairs that they report. */

import type { Quad } from '@rdfjs/types'
import { type Complaint, Failure, type Kind } from '../../errors.ts'
import { rdf } from '../namespaces.ts'

/**
 * A repair. `to` is the new value; without it, the triple or node was dropped (but not for `text`). Literals are cut to 80
 * characters. Lines and columns count from 1, columns in UTF-16 units.
 */
export type Repair = {
  /**
   * `text`: the document is not valid UTF-8; `from` is a sentence about how it was decoded. `node` (JSON-LD): `from` contains
   * the JSON Pointer.
   */
  readonly kind: 'iri' | 'language' | 'literal' | 'text' | 'node'
  readonly from: string
  readonly to?: string
  readonly line?: number
  readonly column?: number
}

/** Position of a node: line number from 1, or a JSON Pointer (RFC 6901) in JSON. */
export type NodePlace = { readonly line: number } | { readonly pointer: string }

/** Request to report the positions of nodes of some classes. */
export type PlaceRequest = {
  /** IRIs. */
  readonly classes: ReadonlySet<string>
  /** Called with an IRI or `_:label`. */
  readonly report: (node: string, place: NodePlace) => void
}

/** Maximum length of IRIs and literals in UTF-8 bytes. */
export type TermLimits = { readonly iriBytes: number; readonly literalBytes: number }

/** Options of all readers. */
export type ParseOptions = {
  /** Base of relative references (RFC 3986, 5). */
  readonly baseIri: string
  /** If present, invalid terms, bytes and JSON-LD nodes are repaired or dropped, and reported here; otherwise they throw. */
  readonly repair?: (repair: Repair) => void
  /** Charset of the `Content-Type`, for readers of bytes. */
  readonly charset?: string
  /** Obeyed by the incremental readers, RDF/XML and JSON-LD; ignored by `parse` of other formats. */
  readonly placeRequest?: PlaceRequest
  /** RDF/XML only: `internal` permits an internal DTD subset with bounded entities; by default entities are refused. */
  readonly entities?: 'internal'
  /** Identity of a document that is read in several texts; equal labels then mean one node. Used for JSON-LD only. */
  readonly document?: object
  /** Limits set by the operator; by default those of all supported stores. */
  readonly limits?: TermLimits
}

/** Position in a text; line and column from 1. */
export type Place = { readonly line?: number; readonly column?: number }

/** An invalid term. Readers add the position and convert it to a `Failure`. */
export class BadTerm extends Error {
  readonly kind: Kind
  /** Text in the source, to find its position. */
  readonly source: string
  constructor(detail: string, source: string, kind: Kind = 'malformed-rdf') {
    super(detail)
    this.name = 'BadTerm'
    this.source = source
    this.kind = kind
  }
}

const shortened = (detail: string) => (detail.length > 300 ? `${detail.slice(0, 299)}…` : detail)

/** Failure for a body that is no valid RDF, with its position if known. */
export function malformed(detail: string, place: Place = {}, cause?: unknown): Failure {
  return failure('malformed-rdf', detail, place, cause)
}

/** Converts a `BadTerm` to a `Failure`. */
export const termFailure = (bad: BadTerm, place: Place): Failure =>
  failure(bad.kind, bad.message, place, bad)

function failure(kind: Kind, detail: string, place: Place, cause: unknown): Failure {
  const text = shortened(detail)
  const complaint: Complaint = { ...place, detail: text }
  const where = place.line === undefined ? '' : ` (line ${place.line})`
  return new Failure(kind, `${text}${where}`, { errors: [complaint], cause })
}

/** Position of a UTF-16 offset. */
function placeAt(text: string, offset: number): Place & { line: number; column: number } {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1 }
}

/** Position of the first occurrence; `{}` if there is none. */
export function placeOf(text: string, source: string): Place {
  const offset = source === '' ? -1 : text.indexOf(source)
  return offset < 0 ? {} : placeAt(text, offset)
}

/** Incremental reader: takes text and returns completed quads. Throws `Failure`. */
export type PieceReader = {
  readonly write: (text: string) => Quad[]
  readonly end: () => Quad[]
}

/** Reports a quad that assigns one of the classes to a node, with the line on which it was complete. */
export function reportPlace(
  { placeRequest: places }: ParseOptions,
  { subject, predicate, object }: Quad,
  line: number,
): void {
  if (!places || predicate.value !== rdf('type').value || !places.classes.has(object.value)) return
  places.report(`${subject.termType === 'BlankNode' ? '_:' : ''}${subject.value}`, { line })
}
