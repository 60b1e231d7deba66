/**
 * Base of all transformers: each record is transformed by itself. A failure affects only its record, unless the first records all
 * fail for the same reason.
 */

import type { Signatures } from '../../workers/serve.ts'
import { WorkerPool, WorkerLost, type WorkerOptions } from '../../workers/pool.ts'
import { overLimits } from './record-quads.ts'
import type { Resolve } from '../../client/address-guard.ts'
import { Failure } from '../../errors.ts'
import { type Message, recordPlace, type RecordMessage } from '../../pipe/message.ts'
import { reportFindings } from '../../pipe/runs/run.ts'
import type { SegmentContext, SegmentFunction } from '../../pipe/segment.ts'
import type { GitContext } from '../../pipe/sources/git-command.ts'
import type { Pause } from '../../workers/pause.ts'

/** Dependencies shared by all transformers of a process. */
export type TransformDeps = {
  readonly limits: TransformLimits
  /** Directory for temporary files. */
  readonly scratch: string
  /** Value of a named secret. */
  readonly secret: (name: string) => string | undefined
  /** Internal hosts and networks that script repositories may be on. */
  readonly allow: readonly string[]
  readonly now: () => number
  readonly pause: Pause
  /** Environment variables and limits of git; https and ssh are the default transports. */
  readonly git?: Pick<GitContext, 'environment' | 'limits' | 'transports'>
  /** Resolver; that of the system by default. */
  readonly resolve?: Resolve
}

/** Transformer of one segment in one run. */
export type RunTransformer = {
  /** Returns the record as N-Triples. Throws a `transform-…` failure for this record, other errors for the run. */
  transform(record: RecordMessage, signal: AbortSignal): Promise<string>
  close(): Promise<void>
}

/**
 * Creates the segment. `open` is called before the first message is requested, so that invalid scripts fail the run before
 * the source is contacted. Other messages, and records of metrics, pass unchanged.
 */
export const transformer = (
  open: (context: SegmentContext, signal: AbortSignal) => Promise<RunTransformer>,
): SegmentFunction =>
  async function* (input, context, signal) {
    const runTransformer = await open(context, signal)
    const failures = failFast()
    try {
      for await (const message of input) {
        if (message.kind !== 'record' || message.extra?.['content'] === 'metrics') {
          yield message
          continue
        }
        const outcome = await outcomeOf(runTransformer, message, signal)
        context.sink.alive()
        failures.note(outcome)
        if (outcome.kind === 'refused') reportFindings(context.sink, message)
        yield outcome
      }
    } finally {
      await runTransformer.close()
    }
  }

/** The transformed record, or its refusal after a `transform-…` failure; other errors fail the run. */
async function outcomeOf(
  runTransformer: RunTransformer,
  record: RecordMessage,
  signal: AbortSignal,
): Promise<RecordMessage | RefusedRecord> {
  try {
    const text = await runTransformer.transform(record, signal)
    return { ...record, mediaType: 'application/n-triples', text }
  } catch (problem) {
    signal.throwIfAborted()
    if (!(problem instanceof Failure) || !problem.kind.startsWith('transform-')) throw problem
    const { sourceId, sourceUrl, text } = record
    const common = { kind: 'refused', stage: 'transform', sourceId, sourceUrl, problem } as const
    return { ...common, ...recordPlace(record), excerpt: text.slice(0, excerptLength) }
  }
}

type RefusedRecord = Extract<Message, { kind: 'refused' }>

/** Maximum characters of an excerpt, and number of equal failures that end a run. */
const excerptLength = 64 * 1024
const mostEqualFailures = 3

/**
 * Ends the run if its first three records fail for the same reason, because the script or query must be wrong. Records of which
 * it left nothing (transform-empty) do not count.
 */
function failFast() {
  let [firstReason, times, isOver] = ['', 0, false]
  return {
    note: (outcome: RecordMessage | RefusedRecord) => {
      isOver ||= outcome.kind === 'record'
      if (isOver || outcome.kind === 'record' || outcome.problem.kind === 'transform-empty') return
      const { kind, detail } = outcome.problem
      firstReason ||= `${kind} ${detail}`
      isOver = firstReason !== `${kind} ${detail}`
      times += 1
      if (isOver || times < mostEqualFailures) return
      const cause = outcome.problem
      throw new Failure(
        kind,
        `the first ${mostEqualFailures} records failed for the same reason: ${detail}`,
        { cause },
      )
    },
  }
}

/** Options that differ between workers of scripts and of queries. */
type TransformWorker = Pick<WorkerOptions, 'entry' | 'data' | 'stackMb'> & {
  /** Time-out of one record in ms. */
  readonly callMs: number
  readonly onEvent?: (event: unknown) => void
}

/** Worker of one segment in one run: processes one record at a time, and is started again after it has ended. */
export function transformWorker<Calls extends Signatures>(options: TransformWorker) {
  const workerSettings = {
    name: 'transformer',
    workers: 1,
    heapMb: 512,
    nurseryMb: 32,
    isIsolated: true,
  }
  const pool = new WorkerPool<Calls>({ ...options, ...workerSettings })
  return {
    /**
     * Rejects with a failure of the record, with transform-timeout or transform-failed if the worker ended, or the abort
     * reason.
     */
    call: <Name extends keyof Calls & string>(
      name: Name,
      payload: Calls[Name][0],
      signal: AbortSignal,
    ): Promise<Calls[Name][1]> =>
      pool.call(name, payload, { signal }).catch((cause: unknown) => {
        if (!(cause instanceof WorkerLost)) throw cause
        if (cause.reason !== 'timeout') throw new Failure('transform-failed', overLimits, { cause })
        const detail = `the record took more than ${options.callMs} ms`
        throw new Failure('transform-timeout', detail, { cause })
      }),
    close: () => pool.close(),
  }
}

// Limits per record.

/** Limits of transformers, per record unless they say otherwise. */
export type TransformLimits = {
  /** Ms that a script may run, or that all queries of a segment may take with parsing and serialising. */
  readonly scriptMs: number
  /** Scripts: additional ms until an unresponsive worker is terminated; covers parsing and serialising. */
  readonly graceMs: number
  /** Bytes of heap and stack of a script. */
  readonly scriptBytes: number
  readonly stackBytes: number
  /** Bytes of a record before and after the script, as UTF-8. */
  readonly recordBytes: number
  /** Bytes of a script or of one query. */
  readonly sourceBytes: number
  /** Number of console lines of a script in a run, and the characters of each. */
  readonly logLines: number
  readonly logCharacters: number
  /** Triples of a record after each query. */
  readonly triples: number
}

/** Default limits of transformers. */
export const usualTransformLimits: TransformLimits = {
  scriptMs: 5_000,
  graceMs: 5_000,
  scriptBytes: 64 * 2 ** 20,
  stackBytes: 2 ** 20,
  recordBytes: 10_000_000,
  sourceBytes: 2 ** 20,
  logLines: 100,
  logCharacters: 500,
  triples: 100_000,
}
