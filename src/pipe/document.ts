/** Types of the pipe document, which names the segments of a harvest and configures them; `pipe-schema.ts` validates it. */

import type { JsonObject } from '../text/json.ts'

/** A pipe. Unknown keys are kept at every level and passed on. */
export type Pipe = {
  readonly header: {
    readonly id: string
    /** Unique name; identifies the pipe. */
    readonly name: string
    readonly title?: string
    /** Text of the author, without a meaning here. */
    readonly context?: string
    readonly transport: 'payload'
    /** Version of the pipe model, with major version 1 or 2. */
    readonly version: string
    /** Set in messages only, as are the next two: id and start of the run, and start of the last complete run (ISO 8601). */
    readonly runId?: string
    readonly startTime?: string
    readonly lastRun?: string
  }
  readonly body: { readonly segments: readonly Segment[] }
}

/** One step of a pipe. Segments are ordered by `segmentNumber`. */
export type Segment = {
  readonly header: {
    readonly name: string
    readonly segmentNumber: number
    readonly title?: string
    /** Whether the segment comes before the one that a message is for; always `false` in a stored pipe. */
    readonly processed: boolean
  }
  readonly body: {
    readonly config: JsonObject
    readonly endpoint?: Endpoint
    readonly payload?: Payload
  }
}

/** Address of a segment in another process: a URL, or the name of a queue if `protocol` is `eventbus`. */
export type Endpoint = {
  readonly protocol?: string
  readonly address: string
  readonly method?: string
}

/**
 * Payload of a message between processes: a record, a deleted, dropped or refused one, or the list of ids at the end of an import
 * or of one of its pages; `dataInfo` says which (`transport/envelope.ts`).
 */
export type Payload = {
  readonly header: {
    readonly seqNumber: number
    readonly dataType: 'text' | 'base64'
  }
  readonly body: {
    readonly data: string
    readonly dataMimeType?: string
    readonly dataInfo?: JsonObject
  }
}

/** Config overrides by segment name, as given by a trigger or a launch. */
export type Configs = Readonly<Record<string, JsonObject>>
