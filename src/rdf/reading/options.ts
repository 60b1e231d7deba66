/** Options of the RDF readers, and the repairs that they report. */

import type { Quad } from '@rdfjs/types'
import { type Complaint, Failure, type Kind } from '../../errors.ts'
import { rdf } from '../namespaces.ts'

/**
 * One thing that was put right while reading. `to` is what stands there now; without it the triple was left out.
 * Lines and columns count from 1, columns in UTF-16 units.
 */
export type Repair = {
  /**
   * `text`: of the whole document, whose bytes are not UTF-8; `from` is a sentence that says how they were read. `node`: of JSON-LD;
   * `from` has its JSON Pointer.
   */
  readonly kind: 'iri' | 'language' | 'literal' | 'text' | 'node'
  readonly from: string
  readonly to?: string
  readonly line?: number
  readonly column?: number
}

/** A line of a text, counted from 1; in JSON, which is read without lines, a JSON Pointer (RFC 6901). */
export type NodePlace = { readonly line: number } | { readonly pointer: string }

/** A wish to know where nodes of some classes stand. */
export type Placing = {
  /** IRIs. */
  readonly classes: ReadonlySet<string>
  /** `node`: an IRI or `_:label`. */
  readonly tell: (node: string, place: NodePlace) => void
}

/** Longest IRI and literal in UTF-8 bytes. */
export type TermLimits = { readonly iriBytes: number; readonly literalBytes: number }

export type ParseOptions = {
  /** Relative references are resolved against it (RFC 3986, 5). */
  readonly baseIri: string
  /** Present: broken IRIs and language tags are repaired and reported here. Absent: they are `malformed-rdf`. */
  readonly repair?: (repair: Repair) => void
  /** The charset that a `Content-Type` names, for readers of bytes. */
  readonly charset?: string | undefined
  /** Served by the readers that take a text in pieces, and by that of JSON-LD. */
  readonly places?: Placing
  /** RDF/XML only: `internal` allows an internal subset with entities, within limits; default is to refuse entities. */
  readonly entities?: 'internal'
  /** Identity of the document, where it is read in several texts: equal labels in them mean one node. Only the JSON-LD reader uses it. */
  readonly document?: object
  /** Limits that the operator has set; by default those of every supported store. */
  readonly limits?: TermLimits
}

/** Where in a text; both count from 1. */
export type Place = { readonly line?: number; readonly column?: number }

/** A term that RDF does not allow. Readers add the place and turn it into a `Failure`. */
export class BadTerm extends Error {
  readonly kind: Kind
  /** The text as it stands in the source, to find its place by. */
  readonly source: string
  constructor(detail: string, source: string, kind: Kind = 'malformed-rdf') {
    super(detail)
    this.name = 'BadTerm'
    this.source = source
    this.kind = kind
  }
}

const shortened = (detail: string) => (detail.length > 300 ? `${detail.slice(0, 299)}…` : detail)

/** The answer to a body that is no RDF: one complaint with its place as far as it is known. */
export function malformed(detail: string, place: Place = {}, cause?: unknown): Failure {
  return failure('malformed-rdf', detail, place, cause)
}

/** A `Failure` from a term that RDF, or a store, does not take. */
export const refused = (bad: BadTerm, place: Place): Failure =>
  failure(bad.kind, bad.message, place, bad)

function failure(kind: Kind, detail: string, place: Place, cause: unknown): Failure {
  const text = shortened(detail)
  const complaint: Complaint = { ...place, detail: text }
  const where = place.line === undefined ? '' : ` (line ${place.line})`
  return new Failure(kind, `${text}${where}`, { errors: [complaint], cause })
}

/** The place of a UTF-16 offset. */
function placeAt(text: string, offset: number): Place & { line: number; column: number } {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1 }
}

/** The place of the first occurrence; `{}` when it does not occur as it stands. */
export function placeOf(text: string, wanted: string): Place {
  const offset = wanted === '' ? -1 : text.indexOf(wanted)
  return offset < 0 ? {} : placeAt(text, offset)
}

/** A reader that is fed text and gives back the quads that became complete; throws `Failure`. */
export type PieceReader = {
  readonly write: (text: string) => Quad[]
  readonly end: () => Quad[]
}

/** Reports a quad that gives a node one of the classes, with the line on which it was complete. */
export function tellPlace(
  { places }: ParseOptions,
  { subject, predicate, object }: Quad,
  line: number,
): void {
  if (!places || predicate.value !== rdf('type').value || !places.classes.has(object.value)) return
  places.tell(`${subject.termType === 'BlankNode' ? '_:' : ''}${subject.value}`, { line })
}
