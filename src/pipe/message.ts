/** Messages that travel from segment to segment inside the process. */

import type { Failure } from '../errors.ts'

/**
 * A repaired or dropped value of a record (which is written all the same), or a problem of the whole run. `detail` is one
 * line with the value as the source sent it, such as `dct:issued: yesterday`; it does not name the record.
 */
export type Finding = {
  readonly slug:
    | 'repaired-iri'
    /** A language tag was mapped to BCP 47: `en_GB` to `en-GB`, `ger` to `de`. */
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
    /** A value of the source that has no mapping; it is not in the record. */
    | 'unmapped-value'
    /** A value that is in the record but cannot be shown in its search document. */
    | 'left-out'
    /** The title is missing, or was taken from another field. */
    | 'no-title'
    /** A record marked private that the source serves publicly; it is imported. */
    | 'private-record'
    /** Run: data services that are neither datasets nor belong to one. */
    | 'services-not-harvested'
    /** Run: a message from a foreign segment was refused; contains the status of the answer. */
    | 'segment-return-refused'
    /** Run: a message from a foreign segment came after the run had stopped waiting for it. */
    | 'segment-return-late'
    /** Run: the `Content-Type` of the source does not match its body, which is read all the same. */
    | 'wrong-media-type'
    /** Run: the source contains neither a dataset nor an empty catalogue. */
    | 'no-dataset'
    /** The record references a node that no page of the source describes. */
    | 'not-described'
    /** Run: an entry of the source was left out on purpose. */
    | 'entry-left-out'
    /** Run: the source links a next page after its last record. */
    | 'pages-without-end'
    /** Run: a record is not in the list of the source, but may still exist there; it is not removed. */
    | 'removal-unsure'
    /** Run: unreadable statements that belong to no record. */
    | 'dropped-statement'
  readonly detail: string
  /** Target of the value: a term such as `dct:issued`, or the dotted path of a field of the search document. */
  readonly property?: string
  readonly value?: string
  /** Why the value was dropped, where `slug` does not say it. */
  readonly reason?: string
}

/** Members of a finding about one value, including `detail`. */
export const valueFinding = (property: string, value: string, reason?: string) => ({
  detail: `${property}: ${value}${reason === undefined ? '' : ` (${reason})`}`,
  property,
  value,
  reason,
})

/** Position of a record in the document that the source sent; absent members are unknown. */
type RecordPlace = {
  /** Line number from 1. */
  readonly line?: number
  /** JSON Pointer (RFC 6901), for JSON documents. */
  readonly pointer?: string
}

export const recordPlace = ({ line, pointer }: RecordPlace): RecordPlace => ({ line, pointer })

/** One record on its way through the segments. */
export type RecordMessage = RecordPlace & {
  readonly kind: 'record'
  /** Number from 1, in order of arrival. */
  readonly counter: number
  /** The most stable id that the source offers. */
  readonly sourceId: string
  /** Other ids under which the record may be stored, most likely first. */
  readonly aliases: readonly string[]
  /** Original id for a new record if it is free; defaults to the source id. */
  readonly preferredId?: string
  /** Id in the target catalogue; absent until it was looked up in the ledger. */
  readonly originalId?: string
  readonly mediaType: string
  readonly text: string
  /** SHA-256 (hex) of the canonical form of what the source sent. */
  readonly sourceHash?: string
  readonly sourceUrl?: string
  readonly findings: readonly Finding[]
  /** Members of `dataInfo` from a foreign or metrics segment that have no member here; passed on. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** Record message without its text; all that is stored of a record while another process has the text. */
export type RecordHeader = Omit<RecordMessage, 'text'>

/**
 * A message between segments. A stream ends with exactly one `end`. `refused`: the source offers a record that cannot be
 * read; its id counts as seen. `skipped`: a record that is not imported (private, filtered); it counts as removed at the
 * source unless `isKept`. `unchanged`: equal to the stored record, needs no work. `deleted`: declared as deleted by the
 * source. `total`: number of records that the source declares. `page`: everything before it was passed on; a run can resume
 * from its `cursor`.
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
      /** Text from the source, cut to 64 KB. */
      readonly excerpt?: string
    })
  | {
      readonly kind: 'skipped'
      readonly sourceId: string
      readonly reason: string
      /** The record may still exist at the source; the stored one is not removed. */
      readonly isKept?: true
    }
  | { readonly kind: 'unchanged'; readonly sourceId: string; readonly originalId: string }
  | { readonly kind: 'deleted'; readonly sourceId: string }
  | { readonly kind: 'page'; readonly cursor?: string }
  | { readonly kind: 'end'; readonly completeness: Completeness }

/** Reason for skipping a record that a foreign transformer has dropped, or accepted and not returned in time. */
export const droppedBySegment = 'dropped-by-segment'

/** Stages of a run, in which an item can fail. */
export const runStages = ['import', 'transform', 'export'] as const
/** Stage in which an item can fail. */
export type Stage = (typeof runStages)[number]

/**
 * Whether an importer has read the whole source. After `incomplete` nothing may be removed. `not-modified`: the source has
 * not changed; all records count as seen.
 */
export type Completeness =
  | {
      readonly kind: 'complete'
      readonly fingerprint: string
      /**
       * Validators for conditional requests of the next run, which uses them only if its `outputHash` is the same. Stored only
       * if every record was processed.
       */
      readonly validators?: readonly Validator[]
      /** Hash of the importer's version and of the config keys that affect its records. */
      readonly outputHash?: string
    }
  | { readonly kind: 'not-modified' }
  | { readonly kind: 'incomplete'; readonly problem?: Failure }

/** Validators of a document for conditional requests (RFC 9110, 13). */
export type Validator = {
  readonly url: string
  readonly etag?: string
  readonly lastModified?: string
  /** SHA-256 (hex) of the body. */
  readonly bodyHash: string
}

// Export of measurements.

/** Outcome of writing the metrics of one dataset; `gone`: the dataset does not exist. */
export type MetricsOutcome = 'created' | 'updated' | 'unchanged' | 'gone' | Failure

/** Writers for the output of metrics segments: into the repository of this process, or for a remote one. */
export type MetricsExport = {
  /** Metrics of a message as RDF, for a remote repository. */
  readonly body: (
    message: RecordMessage,
  ) => Promise<{ readonly mediaType: string; readonly text: string }>
  /**
   * Writes the metrics of many messages directly into the repository of this process; absent without one. Rejects with a
   * `Failure` when none could be written.
   */
  readonly writeLocally?: (
    messages: readonly RecordMessage[],
    signal: AbortSignal,
  ) => Promise<readonly MetricsOutcome[]>
}
