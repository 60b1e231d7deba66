/** What travels from segment to segment inside the process. */

import type { Failure } from '../errors.ts'
import { defined } from './defined.ts'

/**
 * What was repaired or left out, of a record (it is written all the same) or of a run as a whole. `detail` says it in one
 * line, with the value as the source sent it: `dct:issued: yesterday`; the record is named beside it.
 */
export type Finding = {
  readonly slug:
    | 'repaired-iri'
    /** A language tag became one that BCP 47 knows: `en_GB` is `en-GB`, `ger` is `de`. */
    | 'repaired-language'
    | 'dropped-url'
    | 'unknown-format'
    | 'unknown-licence'
    | 'unknown-language'
    | 'unknown-theme'
    | 'invalid-date'
    | 'placeholder-text'
    | 'secret-removed'
    | 'invalid-text'
    | 'possible-duplicate'
    /** Who owns what is not known for sure; the run removes nothing. */
    | 'ledger-doubted'
    /** A value of the source that says nothing to us: it is not in the record. */
    | 'unmapped-value'
    /** A value that the record holds and its search document cannot show. */
    | 'left-out'
    /** Something else stands in for the title, or nothing. */
    | 'no-title'
    /** A record marked private in an answer that anybody gets: it is taken. */
    | 'private-record'
    /** Of the run: data services that are no dataset and serve none. */
    | 'services-not-harvested'
    /** Of the run: what a foreign segment gave back and was refused, with the status that it was answered. */
    | 'segment-return-refused'
    /** Of the run: what a foreign segment gave back when nobody waited for it any more. */
    | 'segment-return-late'
    /** Of the run: the `Content-Type` of the source is not that of its body, which is read all the same. */
    | 'wrong-media-type'
    /** Of the run: the source was read and holds nothing that could be a dataset, nor a catalogue that is empty. */
    | 'no-dataset'
    /** A node that the record names is described by no page of its source. */
    | 'not-described'
    /** Of the run: an entry that the source has and that is left out on purpose. */
    | 'entry-left-out'
    /** Of the run: the source names a page after its last record. */
    | 'pages-without-end'
    /** Of the run: a record that the source does not list and that is not known to be gone; it stays. */
    | 'removal-unsure'
    /** Of the run: statements that could not be read and belong to no record any more. */
    | 'dropped-statement'
  readonly detail: string
  /** What the value was meant for: a term such as `dct:issued`, or the dotted path of a field of the search document. */
  readonly property?: string
  readonly value?: string
  /** Why the value is not there, where `slug` does not say it. */
  readonly reason?: string
}

/** The parts of a finding about one value, with the `detail` made of them. */
export const aboutValue = (property: string, value: string, reason?: string) =>
  defined({
    detail: `${property}: ${value}${reason === undefined ? '' : ` (${reason})`}`,
    property,
    value,
    reason,
  })

/** Where a record stands in the document of its source. */
type RecordPlace = {
  /** From 1. */
  readonly line?: number
  /** In JSON, which is read without lines: a JSON Pointer (RFC 6901). */
  readonly pointer?: string
}

export const placeOfRecord = ({ line, pointer }: RecordPlace): RecordPlace =>
  defined({ line, pointer })

/** One record on its way. */
export type RecordMessage = RecordPlace & {
  readonly kind: 'record'
  /** 1-based, in order of arrival. */
  readonly counter: number
  /** The most stable id that the source offers. */
  readonly sourceId: string
  /** Other ids under which the record may already be stored, most likely one first. */
  readonly aliases: readonly string[]
  /** Original id that a new record gets when no other record has it; the source id when absent. */
  readonly preferredId?: string
  /** Id in the target catalogue; absent until the ledger was asked. */
  readonly originalId?: string
  readonly mediaType: string
  readonly text: string
  /** SHA-256 in hex over the canonical form of what the source sent. */
  readonly sourceHash?: string
  readonly sourceUrl?: string
  readonly findings: readonly Finding[]
  /** What a foreign or metrics segment put into `dataInfo` beside the known keys; passed on. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/**
 * A stream of messages ends with exactly one `end`. `refused` is a record that was offered and cannot be read: its id
 * counts as seen. `skipped` is one that is not offered to us (private, filtered): it counts as gone unless it `isKept`. `unchanged` is known to be equal and
 * needs no further work. `deleted` was declared gone by the source. `page` says that everything before it was handed on;
 * `cursor` is a key to resume from.
 */
export type Message =
  | RecordMessage
  | { readonly kind: 'total'; readonly total: number }
  | (RecordPlace & {
      readonly kind: 'refused'
      readonly sourceId?: string
      readonly title?: string
      readonly stage: Stage
      readonly problem: Failure
      readonly sourceUrl?: string
      /** What the source sent, cut to 64 KB. */
      readonly excerpt?: string
    })
  | {
      readonly kind: 'skipped'
      readonly sourceId: string
      readonly reason: string
      /** The record is not known to be gone: what is stored of it stays. */
      readonly isKept?: true
    }
  | { readonly kind: 'unchanged'; readonly sourceId: string; readonly originalId: string }
  | { readonly kind: 'deleted'; readonly sourceId: string }
  | { readonly kind: 'page'; readonly cursor?: string }
  | { readonly kind: 'end'; readonly completeness: Completeness }

/** Why a record is skipped that a foreign transformer took and never gave back. */
export const droppedBySegment = 'dropped-by-segment'

/** Where an item failed. */
export const stages = ['import', 'transform', 'export'] as const
export type Stage = (typeof stages)[number]

/**
 * What the importer vouches for. `incomplete`: everything so far stays written, nothing may be removed.
 * `not-modified`: the source says that nothing changed; all records count as seen.
 */
export type Completeness =
  | {
      readonly kind: 'complete'
      readonly fingerprint: string
      /** What the importer can ask about next time, if every record found its way; valid under the same `shape` only. */
      readonly validators?: readonly Validator[]
      readonly shape?: string
    }
  | { readonly kind: 'not-modified' }
  | { readonly kind: 'incomplete'; readonly problem?: Failure }

/** What a source said about the version of a document, to ask next time whether that has changed (RFC 9110, 13). */
export type Validator = {
  readonly url: string
  readonly etag?: string
  readonly lastModified?: string
  /** SHA-256 of the body in hex. */
  readonly bodyHash: string
}

// How what was measured reaches a repository.

/** What became of the metrics of one dataset; `gone`: there is no such dataset. */
export type MetricsLanded = 'created' | 'updated' | 'unchanged' | 'gone' | Failure

export type MetricsExport = {
  /** The metrics of a message as RDF: what is sent to a repository elsewhere. */
  readonly body: (
    message: RecordMessage,
  ) => Promise<{ readonly mediaType: string; readonly text: string }>
  /**
   * Into the repository of this process, many at once and without its door; absent where there is none. Rejects with
   * `Failure` when nothing of them could be written.
   */
  readonly own?: (
    messages: readonly RecordMessage[],
    signal: AbortSignal,
  ) => Promise<readonly MetricsLanded[]>
}
