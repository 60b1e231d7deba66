/** What is known of one run of a pipe, where segments report it (`RunSink`), and failures as a run stores them. */

import { z } from 'zod'
import { Failure, type Kind } from '../../errors.ts'
import { problemOf } from '../../http/problem.ts'
import { defined } from '../defined.ts'
import type { Configs } from '../document.ts'
import { type Finding, type RecordMessage, type Stage, stages } from '../message.ts'

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

const eachCount = <Value>(value: Value) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every name is there
  Object.fromEntries(countNames.map((name) => [name, value])) as Record<keyof RunCounts, Value>

export const noCounts: RunCounts = eachCount(0)

// What runs are, for their history and for the contract of the scheduler.

/** The type that a schema describes: nothing of it changes, and members are there or absent. */
type Described<Schema extends z.ZodType> = Fixed<z.infer<Schema>>
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
/** A failure as it is kept. */
export type StoredProblem = Described<typeof problem>

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
/** What an operator has had done about a run that had ended, and what came of it. */
export type RunNote = Described<typeof note>

export const runSchema = z
  .object({
    id: z.string(),
    pipe: z.string(),
    trigger: text,
    startedBy: z.enum(['trigger', 'api', 'console', 'validator']),
    catalogue: text,
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
export type Run = Described<typeof runSchema>

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

/** Which record an item, or an example of a report, is about. */
const about = {
  platformId: text.describe('Id of the record on the platform'),
  sourceUrl: text,
  title: text.describe('Of the record, in English where it has one'),
  line: z.int().optional().describe('Line in the document of the source, from 1'),
  pointer: text.describe('In JSON: a JSON Pointer (RFC 6901)'),
}

/** One value that was repaired or is not in the record: the parts of `detail`. */
const aboutValue = {
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
    ...aboutValue,
  })
  .meta({ id: 'RunFinding' })

const difference = z
  .object({ gone: strings, come: strings })
  .describe('Of a dry run: what would change about the record that is stored')
/** Statements as `predicate object`. */
export type Difference = Described<typeof difference>

export const itemSchema = z
  .object({
    originalId: text,
    sourceId: text,
    ...about,
    stage: z.enum(stages),
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
/** One thing that a run did or did not do. `unchanged` items are counted and not kept one by one. */
export type RunItem = Described<typeof itemSchema>

const example = z.object({
  id: text.describe('Id of the record in its source'),
  ...about,
  stage: z.enum(stages).optional(),
  detail: text,
  ...aboutValue,
})
const group = z.object({ count: z.int(), examples: z.array(example).describe('The first three') })
/** How many, and the first three. */
export type ReportGroup = Described<typeof group>

const idDifference = z.object({ count: z.int(), ids: strings.describe('The first ten') })
/** Ids that changed their state since the run before. */
export type IdDifference = Described<typeof idDifference>

const slowPage = z.object({ number: z.int(), millis: z.number(), bytes: z.int() })
export type SlowPage = Described<typeof slowPage>

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
/** What a run sums up while it goes on: plain JSON, bounded whatever the source does. */
export type RunTally = Described<typeof tallySchema>

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
export type RunReport = Described<typeof reportSchema>

// What a run is started with and asked for.

/** What a launch asks for, as it is kept with the run. */
export type RunStart = Pick<Run, 'pipe' | 'catalogue' | 'trigger' | 'startedBy' | 'segments'> & {
  readonly dryRun: boolean
  readonly configs: Configs
  /** What it does while the pipe is active; `drop` when absent. */
  readonly startMode?: StartMode
  /** Import no more records than this; the run is then incomplete. */
  readonly limit?: number
  /** Only these ids are wanted. */
  readonly only?: readonly string[]
  /** Records come from the repository, not from an importer. */
  readonly feed?: Feed
  /** The run whose failed items are tried again: the wanted ids are read from it. */
  readonly retryOf?: string
}

export const startModes = ['drop', 'restart', 'append', 'concurrent'] as const
/**
 * What a launch does while the pipe is active: nothing; cancel it and start; wait for its end (one waiting place, the
 * newest wins); start beside it.
 */
export type StartMode = (typeof startModes)[number]

/** Whether nothing more happens in a run by itself. */
export const ended = ({ status }: Pick<Run, 'status'>): boolean =>
  status !== 'waiting' && status !== 'running'

/** Newest first. */
export type RunFilter = {
  readonly pipe?: string
  readonly status?: RunStatus
  readonly catalogue?: string
  readonly offset: number
  readonly limit: number
}

/** In order of arrival. */
export type ItemFilter = {
  readonly state?: ItemState
  readonly stage?: Stage
  /** Only of the record with this id: of the platform, of the source, or the original one. */
  readonly record?: string
  /** Only with a finding of this kind. */
  readonly finding?: string
  readonly offset?: number
  readonly limit?: number
}

/** The next state of a run. */
export type RunChange = {
  readonly status: RunStatus
  readonly outcome?: Run['outcome']
  readonly problem?: StoredProblem
}

// What a run is fed with when no importer brings its records: datasets of the repository itself.

/** Plain data, kept with the run: one that was interrupted goes on with it. */
export type Feed = {
  /** Id of the catalogue whose datasets go through the pipe; all datasets when absent. */
  readonly catalogue?: string
  /** Only these, by platform id. */
  readonly datasets?: readonly string[]
  /** The present metrics graph of a dataset goes along. */
  readonly withMetrics?: boolean
  /** Milliseconds between two datasets. */
  readonly pulseMs?: number
}

// A failure as a run keeps it.

/** RFC 9457 without `instance`; anything that is not a `Failure` is a bare `internal`, its message belongs to the log. */
export function storedProblem(error: unknown): StoredProblem {
  const { title, status, detail, errors } = problemOf(error, '').body
  const kind = error instanceof Failure ? error.kind : 'internal'
  return defined({ type: `urn:cartulary:problem:${kind}`, title, status, detail, errors })
}

/** The last part of the type of a problem. */
export const slugOf = ({ type }: { readonly type: string }): string =>
  type.slice(type.lastIndexOf(':') + 1)

// Where segments report what happens in a run.

/** The record that a finding is about. */
type FindingSubject = Pick<RunItem, 'sourceId' | 'originalId' | 'sourceUrl' | 'line' | 'pointer'>

/** Everything is cheap and does not wait; the implementation writes in groups. */
export type RunSink = {
  item(item: Omit<RunItem, 'time'>): void
  /**
   * What concerns no record, or one that has been told already (`about`). Findings of a record that is still on its way
   * travel in its message. Counted, and by slug the first three stand in the report.
   */
  finding(finding: Finding, about?: FindingSubject): void
  /** A declared total; the last one counts. */
  total(total: number): void
  offered(count?: number): void
  adopted(count: number): void
  /**
   * A page was handed on whole. Not what a run is resumed from: that is the `cursor` of a `page` message which has come
   * out of the last segment, because only then everything before it was written.
   */
  page(page: { readonly cursor?: string; readonly bytes?: number; readonly millis?: number }): void
  /** A request left the house and was answered with this status, or `error`. */
  request(request: { readonly host: string; readonly status: number | 'error' }): void
  /** Any sign of life: keeps the run from counting as stalled. */
  alive(): void
  /** A segment has ended. */
  processed(segmentNumber: number): void
  /** How the run ends if nothing worse happens; the last segment decides. */
  outcome(outcome: NonNullable<Run['outcome']>, problem?: Error): void
}

/** Tells the findings of a record that goes no further in this process: no item of its own will name them. */
export function tellFindings(
  sink: Pick<RunSink, 'finding'>,
  record: Omit<RecordMessage, 'text'>,
): void {
  const { sourceId, originalId, sourceUrl, line, pointer, findings } = record
  const about = defined({ sourceId, originalId, sourceUrl, line, pointer })
  for (const finding of findings) sink.finding(finding, about)
}
