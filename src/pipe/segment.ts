/** Interfaces of segments, which importers, transformers, the exporter and the metrics segments implement. */

import type { Log } from '../log.ts'
import type { JsonObject } from '../text/json.ts'
import type { Message } from './message.ts'
import type { RunSink } from './runs/run.ts'

/** Information about the run that a segment works for. */
export type SegmentContext = {
  readonly runId: string
  readonly pipe: string
  readonly sink: RunSink
  readonly log: Log
  /** Dry run: nothing may be written. */
  readonly dryRun: boolean
  /** Start of the last complete run of the pipe. */
  readonly lastRun?: Date
  /** Cursor of the last page that an interrupted run completed. */
  readonly resumeFrom?: string
  /** The run was interrupted and is resumed; without `resumeFrom` it starts at the first page. */
  readonly isResumed?: boolean
  /** Reports that the run only waits for input (`true`), so that another run may start meanwhile, or works again. */
  readonly setIdle?: (isIdle: boolean) => void
  /** Restricts the run to these original ids or source ids, such as those that failed in an earlier run. */
  readonly only?: ReadonlySet<string>
}

/** A segment as a stream transformation. The first segment gets an empty stream; the output of the last one is dropped. */
export type SegmentFunction = (
  input: AsyncIterable<Message>,
  context: SegmentContext,
  signal: AbortSignal,
) => AsyncIterable<Message>

/** Where a segment is in its pipe and where the pipe comes from; decides which addresses it may reach. */
export type SegmentPlace = {
  /**
   * `trusted`: the pipe is a file in a directory of the operator, and the launch did not override the address; else `foreign`.
   */
  readonly trust: 'trusted' | 'foreign'
  /** Directory of the pipe, which contains its scripts and queries. */
  readonly directory?: string
  /** Normalised name of the next segment. */
  readonly next?: string
  /** Catalogue named by an earlier segment. */
  readonly catalogue?: string
}

/** Problem of one config key, with what would be right. */
export type ConfigProblem = { readonly key: string; readonly detail: string }

/** A type of segment that is built into this process, such as an importer for CKAN. */
export type SegmentKind = {
  /** Normalised name, then aliases. */
  readonly names: readonly string[]
  readonly job: 'import' | 'transform' | 'export' | 'metrics'
  /** JSON Schema of the config. */
  readonly schema: () => JsonObject
  /** Returns the function (`run`) of a segment with this config, or the problems of the config. Never throws. */
  readonly open: (
    config: JsonObject,
    place: SegmentPlace,
  ) =>
    | {
        readonly ok: true
        readonly run: SegmentFunction
        /** Transformers: hash of everything that affects the output. If it changes, every record is written again. */
        readonly outputHash?: string
      }
    | { readonly ok: false; readonly problems: readonly ConfigProblem[] }
}
