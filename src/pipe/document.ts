/** The pipe: the document that says which segments a harvest travels through. */

import type { JsonObject } from '../text/json.ts'

/** Unknown keys are kept at every level and passed on. */
export type Pipe = {
  readonly header: {
    readonly id: string
    /** The identity of a pipe. */
    readonly name: string
    readonly title?: string
    readonly context?: string
    readonly transport: 'payload'
    readonly version: string
    readonly runId?: string
    readonly startTime?: string
    readonly lastRun?: string
  }
  readonly body: { readonly segments: readonly Segment[] }
}

/** Segments stand in the order of their numbers. */
export type Segment = {
  readonly header: {
    readonly name: string
    readonly segmentNumber: number
    readonly title?: string
    readonly processed: boolean
  }
  readonly body: {
    readonly config: JsonObject
    readonly endpoint?: Endpoint
    readonly payload?: Payload
  }
}

export type Endpoint = {
  readonly protocol?: string
  readonly address: string
  readonly method?: string
}

/** What a message between processes carries. */
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

/** Overrides by segment name, as a trigger or a launch gives them. */
export type Configs = Readonly<Record<string, JsonObject>>
