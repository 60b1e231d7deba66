/** A segment: one function over the messages of a run. */

import type { Log } from '../log.ts'
import type { JsonObject } from '../text/json.ts'
import type { Message } from './message.ts'
import type { RunSink } from './runs/run.ts'

/** What a segment knows of the run that it works for. */
export type SegmentContext = {
  readonly runId: string
  readonly pipe: string
  readonly sink: RunSink
  readonly log: Log
  /** Nothing may be written. */
  readonly dryRun: boolean
  /** Start of the last complete run of the pipe. */
  readonly lastRun?: Date
  /** Cursor of the last page of an interrupted run that goes on. */
  readonly resumeFrom?: string
  /** An interrupted run goes on; without `resumeFrom` it starts at the first page again. */
  readonly resumed?: boolean
  /** Whether the run does nothing but listen from now on: another one may go meanwhile. */
  readonly rest?: (isResting: boolean) => void
  /** Only these ids are wanted, original ids or source ids: what failed in an earlier run. */
  readonly only?: ReadonlySet<string>
}

/** The first segment gets a stream without messages; what the last one gives is read and dropped. */
export type SegmentFunction = (
  input: AsyncIterable<Message>,
  context: SegmentContext,
  signal: AbortSignal,
) => AsyncIterable<Message>

/** Where a pipe was found, and what of it decides which addresses it may reach. */
export type SegmentPlace = {
  /** `trusted`: a file of the operator's own directory, and the launch did not replace the address. */
  readonly trust: 'trusted' | 'foreign'
  /** Directory of the pipe's source, for scripts and queries beside it. */
  readonly directory?: string
  /** Normal form of the next segment's name. */
  readonly next?: string
  /** Catalogue that an earlier segment names. */
  readonly catalogue?: string
}

/** One complaint about a config: the key and what would be right. */
export type ConfigProblem = { readonly key: string; readonly detail: string }

/** A kind of segment that this process can run. */
export type SegmentKind = {
  /** Normal form first, then its aliases. */
  readonly names: readonly string[]
  readonly job: 'import' | 'transform' | 'export' | 'metrics'
  /** JSON Schema of the config. */
  readonly schema: () => JsonObject
  /** Never throws: what is wrong with the config comes back. */
  readonly open: (
    config: JsonObject,
    place: SegmentPlace,
  ) =>
    | {
        readonly ok: true
        readonly run: SegmentFunction
        /** Of a transformer: digest of what decides how a record comes out; another one makes every record new. */
        readonly shape?: string
      }
    | { readonly ok: false; readonly problems: readonly ConfigProblem[] }
}
