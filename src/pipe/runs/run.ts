/** Schemas and types of runs and their items, and `RunSink`, to which segments report. */

import { z } from 'zod'
import { Failure, type Kind } from '../../errors.ts'
import { problemOf } from '../../http/problem.ts'
import type { Configs } from '../document.ts'
import { type Finding, type RecordHeader, type Stage, runStages } from '../message.ts'
import { recordOf } from '../../text/records.ts'

/**
 * Statuses of a run. `finished`: it has an outcome. `timed-out`: it exceeded its deadline or was stalled. `interrupted`: its
 * process ended; it can be resumed.
 */
export const runStatuses = [
  'waiting',
  'running',
  'finished',
  'failed',
  'cancelled',
  'timed-out',
  'interrupted',
] as const
export type RunStatus = (typeof runStatuses)[number]

/**
 * Names of the counts of a run: `offered` by the source, states of items (`ItemState`), `adopted` (taken over from another
 * writer) and `findings`.
 */
export const countNames = [
  'offered',
  'created',
  'updated',
  'unchanged',
  'skipped',
  'failed',
  'refused',
  'duplicate',
  'removed',
  'held',
  'adopted',
  'findings',
] as const
export type RunCounts = Readonly<Record<(typeof countNames)[number], number>>

/** Object with the same value for each name of a count. */
const eachCount = <Value>(value: Value) => recordOf(countNames, () => value)

export const noCounts: RunCounts = eachCount(0)

// Schemas, shared by the run history and the API of the scheduler.

/** Read-only type of a schema. */
type SchemaType<Schema extends z.ZodType> = Fixed<z.infer<Schema>>
type Fixed<T> = T extends readonly (infer Item)[]
  ? readonly Fixed<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Fixed<Exclude<T[Key], undefined>> }
    : T

const instant = z.iso.datetime()
const text = z.string().optional()
const strings = z.array(z.string())

const complaint = z.object({
  detail: z.string(),
  line: z.int().optional(),
  column: z.int().optional(),
  pointer: text,
  parameter: text,
})

const problem = z
  .object({
    type: z.custom<`urn:cartulary:problem:${Kind}`>().meta({ type: 'string' }),
    title: z.string(),
    status: z.int(),
    detail: text,
    errors: z.array(complaint).optional(),
  })
  .meta({ id: 'RunProblem', description: 'RFC 9457, without instance' })
/** A failure as stored in a run. */
export type StoredProblem = SchemaType<typeof problem>

const note = z.object({
  action: z
    .enum(['confirm', 'keep', 'restore'])
    .describe(
      'What the run held back was removed or kept, or what it removed was brought back; a removal that goes on has no counts yet',
    ),
  time: instant,
  done: z.int().describe('Records'),
  failed: z.int(),
})
/** Action of an operator on a run that has ended, and its result. */
export type RunNote = SchemaType<typeof note>

/** Schema of a run, as the history stores it and the API answers it; `outcome` only of a finished one. */
export const runSchema = z
  .object({
    id: z.string(),
    pipe: z.string(),
    trigger: text,
    startedBy: z.enum(['trigger', 'api', 'console', 'validator']),
    catalogue: text,
    trace: text.describe(
      '`traceparent` of the request that launched it, if that had one, or of the firing of its trigger',
    ),
    status: z.enum(runStatuses),
    outcome: z.enum(['complete', 'incomplete', 'not-modified', 'dry-run']).optional(),
    created: instant,
    startTime: instant.optional(),
    endTime: instant.optional(),
    counts: z.object(eachCount(z.int())),
    progress: z.object({
      pages: z.int(),
      bytes: z.int(),
      total: z.int().optional().describe('As the source declares it'),
      lastPage: instant.optional(),
      lastItem: instant.optional(),
    }),
    segments: z.array(
      z.object({ name: z.string(), segmentNumber: z.int(), processed: z.boolean() }),
    ),
    problem: problem.nullable(),
    notes: z
      .array(note)
      .optional()
      .describe('What was done about the run after its end, oldest first: at most the last twenty'),
  })
  .meta({ id: 'Run' })
export type Run = SchemaType<typeof runSchema>

/**
 * States of an item. `refused`: another pipe owns the record. `duplicate`: it came twice in the run. `held`: its removal waits
 * for consent. `restored`: it was brought back; no segment reports this at present. `failed`: it could not be read, transformed
 * or written.
 */
export const itemStates = [
  'created',
  'updated',
  'unchanged',
  'skipped',
  'failed',
  'refused',
  'duplicate',
  'removed',
  'held',
  'restored',
] as const
export type ItemState = (typeof itemStates)[number]

/** Members that identify the record of an item or of an example in a report. */
const recordMembers = {
  platformId: text.describe('Id of the record on the platform'),
  sourceUrl: text,
  title: text.describe('Of the record, in English where it has one'),
  line: z.int().optional().describe('Line in the document of the source, from 1'),
  pointer: text.describe('In JSON: a JSON Pointer (RFC 6901)'),
}

/** Members of a finding about one value that was repaired or dropped; the parts of `detail`. */
const valueMembers = {
  property: text.describe(
    'What it was meant for: a term such as dct:issued, or a field of the search document',
  ),
  value: text.describe('As the source sent it'),
  reason: text.describe('Where the kind of finding does not say it'),
}

const finding = z
  .object({
    slug: z.custom<Finding['slug']>().meta({ type: 'string', description: 'Kind' }),
    detail: z.string(),
    ...valueMembers,
  })
  .meta({ id: 'RunFinding' })

const difference = z
  .object({ gone: strings, come: strings })
  .describe('Of a dry run: what would change about the record that is stored')
/** Removed (`gone`) and added (`come`) statements, as `predicate object`. */
export type Difference = SchemaType<typeof difference>

export const itemSchema = z
  .object({
    originalId: text,
    sourceId: text,
    ...recordMembers,
    stage: z.enum(runStages),
    state: z.enum(itemStates),
    problem: problem.optional(),
    findings: z.array(finding).optional(),
    note: text.describe('Why it was skipped, adopted or taken over'),
    difference: difference.optional(),
    excerpt: text.describe(
      'What the source sent, at most 64 KB: of failed items, and of dry runs what would be written',
    ),
    time: instant,
  })
  .meta({ id: 'RunItem' })
/** Outcome of one record. `unchanged` ones are counted, and stored as items only if they failed in the run before. */
export type RunItem = SchemaType<typeof itemSchema>

/** Outcome of one record as a segment reports it; the run adds the time. */
export type ItemReport = Omit<RunItem, 'time'>

const example = z.object({
  id: text.describe('Id of the record in its source'),
  ...recordMembers,
  stage: z.enum(runStages).optional(),
  detail: text,
  ...valueMembers,
})
const group = z.object({ count: z.int(), examples: z.array(example).describe('The first three') })
/** Number of occurrences and the first three examples. */
export type ReportGroup = SchemaType<typeof group>

const idDifference = z.object({ count: z.int(), ids: strings.describe('The first ten') })
/** Number and first ids of the records that failed in only one of two runs. */
export type IdDifference = SchemaType<typeof idDifference>

const slowPage = z.object({ number: z.int(), millis: z.number(), bytes: z.int() })
/** Page of an import: its number from 1, the ms since the page before it or as the importer reports them, and its size. */
export type SlowPage = SchemaType<typeof slowPage>

const tally = {
  problems: z.record(z.string(), group).describe('By kind, most frequent first'),
  findings: z
    .partialRecord(z.custom<Finding['slug']>(), group)
    .describe('What was repaired or left out, by kind'),
  slowestPages: z.array(slowPage).describe('Slowest first, at most ten; ms from page to page'),
  requests: z
    .record(z.string(), z.record(z.string(), z.int()))
    .describe('Host, then status (or error): how many'),
}
const tallySchema = z.object(tally)
/** Bounded sums for the report of a run, as plain JSON. */
export type RunTally = SchemaType<typeof tallySchema>

export const reportSchema = z
  .object({
    run: runSchema,
    counts: z.object(eachCount(z.int())),
    ...tally,
    difference: z
      .object({
        run: z.string(),
        created: z.int(),
        updated: z.int(),
        removed: z.int(),
        newlyFailing: idDifference,
        newlyFixed: idDifference,
      })
      .optional()
      .describe('Against the finished run of the pipe before this one'),
  })
  .meta({ id: 'RunReport' })
/** Report of a run, with the difference to an earlier run if there is one to compare with. */
export type RunReport = SchemaType<typeof reportSchema>

// Parameters of runs and filters.

/** Parameters of a launch, stored with the run. */
export type RunStart = Pick<
  Run,
  'pipe' | 'catalogue' | 'trigger' | 'startedBy' | 'segments' | 'trace'
> & {
  readonly dryRun: boolean
  readonly configs: Configs
  /** Behaviour when the pipe is already active; `drop` by default. */
  readonly startMode?: StartMode
  /** Maximum number of records to import; a run that reaches it is incomplete. */
  readonly limit?: number
  /** Restricts the run to these original ids or source ids. */
  readonly only?: readonly string[]
  /** Reads records from the repository, without an importer. */
  readonly feed?: Feed
  /** Run whose failed items are retried; provides the ids. */
  readonly retryOf?: string
}

export const startModes = ['drop', 'restart', 'append', 'concurrent'] as const
/**
 * Behaviour of a launch while the pipe is active. `drop`: do nothing. `restart`: cancel the active run and start. `append`:
 * start after it ends (one waiting run, the newest wins). `concurrent`: start in parallel.
 */
export type StartMode = (typeof startModes)[number]

/** Whether a run is neither waiting nor running. */
export const hasEnded = ({ status }: Pick<Run, 'status'>): boolean =>
  status !== 'waiting' && status !== 'running'

/** Filter of a list of runs, newest first. */
export type RunFilter = {
  readonly pipe?: string
  readonly status?: RunStatus
  readonly catalogue?: string
  readonly offset: number
  readonly limit: number
}

/** Filter of the items of a run, in order of arrival. */
export type ItemFilter = {
  readonly state?: ItemState
  readonly stage?: Stage
  /** Id of a record: platform id, source id or original id. */
  readonly record?: string
  /** Slug of a finding. */
  readonly finding?: string
  readonly offset?: number
  readonly limit?: number
}

/** New state of a run. */
export type RunChange = {
  readonly status: RunStatus
  readonly outcome?: Run['outcome']
  readonly problem?: StoredProblem
}

// Runs over datasets of the repository itself, without an importer.

/** Selection of datasets for a run without an importer; stored with the run. */
export type Feed = {
  /** Id of a catalogue; all catalogues if absent. */
  readonly catalogue?: string
  /** Platform ids of datasets; all datasets if absent. */
  readonly datasets?: readonly string[]
  /** Includes the current metrics graph of each dataset. */
  readonly withMetrics?: boolean
  /** Pause between two datasets in ms. */
  readonly pulseMs?: number
}

// Failures as stored in runs.

/**
 * Converts an error to a problem (RFC 9457) without `instance`. Any error that is not a `Failure` becomes `internal` without
 * its message, which only the log contains.
 */
export function storedProblem(error: unknown): StoredProblem {
  const { title, status, detail, errors } = problemOf(error, '').body
  const kind = error instanceof Failure ? error.kind : 'internal'
  return { type: `urn:cartulary:problem:${kind}`, title, status, detail, errors }
}

/** Last segment of the type URI of a problem. */
export const slugOf = ({ type }: { readonly type: string }): string =>
  type.slice(type.lastIndexOf(':') + 1)

// Reports of segments.

/** Members that identify the record of a finding. */
type FindingSubject = Pick<RunItem, 'sourceId' | 'originalId' | 'sourceUrl' | 'line' | 'pointer'>

/** Receiver of the reports of a run's segments. All methods return at once; the implementation writes in batches. */
export type RunSink = {
  item(item: ItemReport): void
  /**
   * Reports a finding about the run, or about the record `subject`. Findings of a record on its way belong into its message.
   * The report of the run contains counts and the first three examples per slug.
   */
  finding(finding: Finding, subject?: FindingSubject): void
  /** Declares the total number of records; the last call wins. */
  total(total: number): void
  /** Adds to the number of records that the source offers; 1 by default. */
  offered(count?: number): void
  /** Adds to the number of records that the pipe has taken over from another writer. */
  adopted(count: number): void
  /**
   * Reports that an importer has passed on a page. Resumption uses the `cursor` of the `page` message instead, after the last
   * segment, when everything before it was written.
   */
  page(page: { readonly cursor?: string; readonly bytes?: number; readonly millis?: number }): void
  /** Reports an outbound request with its status, or `error`. */
  request(request: { readonly host: string; readonly status: number | 'error' }): void
  /** Reports a sign of life, so that the run does not count as stalled. */
  alive(): void
  /** Reports that a segment has ended. */
  processed(segmentNumber: number): void
  /** Sets the outcome of a run that does not fail, in place of the completeness of its records; the last call wins. */
  outcome(outcome: NonNullable<Run['outcome']>, problem?: Error): void
}

/** Reports the findings of a record for which no item will be reported in this process. */
export function reportFindings(sink: Pick<RunSink, 'finding'>, record: RecordHeader): void {
  const { sourceId, originalId, sourceUrl, line, pointer, findings } = record
  const subject = { sourceId, originalId, sourceUrl, line, pointer }
  for (const finding of findings) sink.finding(finding, subject)
}
