/** Validation of records against models of shapes, in worker threads. */

import { join, resolve } from 'node:path'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { fromLines, toLine } from '../../rdf/lines.ts'
import { WorkerPool } from '../../workers/pool.ts'
import { WorkerLost } from '../../workers/thread.ts'
import { readReport, type ReportGraph } from '../measure/validation-report.ts'
import {
  chosenModels,
  readSchemes,
  readShapes,
  type Schemes,
  shippedFiles,
  shippedModels,
} from './shape-files.ts'

export type ValidationOptions = {
  /** The shipped shapes; the vocabularies that belong to them are beside it. */
  readonly directory: string
  /** Models of the institution: name → files. */
  readonly own?: Readonly<Record<string, readonly string[]>>
  readonly workers: number
  readonly log: Log
  readonly limits?: Partial<ValidationLimits>
}

type ValidationLimits = {
  /** Results that are kept of one record. */
  readonly results: number
  /** Heap of a worker in MB. */
  readonly memoryMb: number
  /** Time of one record. */
  readonly recordMs: number
  /** A worker without work ends after that. */
  readonly idleMs: number
  /** Records that may wait for a worker. */
  readonly waiting: number
  /** UTF-16 units of a record: a text that does not fit into a worker at all would take the process with it. */
  readonly length: number
}

const standardLimits: ValidationLimits = {
  results: 1000,
  memoryMb: 256,
  recordMs: 30_000,
  idleMs: 30_000,
  waiting: 1000,
  length: 32 * 2 ** 20,
}

/** The shapes of a model as N-Triples; `schemes` (concept, scheme) for those that ask which scheme a concept is in. */
export type ModelShapes = { readonly lines: string; readonly schemes: Schemes }

/** `report`: N-Triples. Or the shapes cannot be applied to anything, or not to this record. */
export type ValidationReply =
  | { readonly report: string }
  | { readonly trouble: 'shapes' | 'record'; readonly message: string }

type Task = {
  readonly model: string
  /** Absent when the worker has them already. */
  readonly shapes?: ModelShapes
  /** The record as N-Triples. */
  readonly text: string
  /** Catalogue records in it are validated too. */
  readonly withRecords?: boolean | undefined
}

export type ValidationCalls = { validate: [task: Task, reply: ValidationReply] }

export type Validation = Awaited<ReturnType<typeof openValidation>>

/**
 * Reads the institution's shapes and tries them on nothing, so that what is wrong with them is known at once. Those that are
 * shipped are read when they are asked for, and without others no worker runs yet.
 */
export async function openValidation(options: ValidationOptions) {
  const { workers, own = {} } = options
  const limits = { ...standardLimits, ...options.limits }
  const pool = poolOf(workers, limits)
  const library = libraryOf(options)
  const names = [...new Set([...shippedModels, ...Object.keys(own)])]
  const measured = measuring(pool, library, limits.length)
  await Promise.all(
    Object.keys(own).map((model) =>
      measured(model, { text: '' }).catch((error: unknown) =>
        library.refuse(model, messageOf(error)),
      ),
    ),
  )
  return {
    /**
     * The report of a record (triples, or N-Triples), without its catalogue records unless `withRecords`. Of several models the
     * first one counts that finds no violation, else the first of all. Throws `Failure`: `invalid-parameter` for an unknown
     * model, `time-limit` and `too-complex` when the record cannot be measured, `internal` when the shapes of all models cannot
     * be read, `queue-full`.
     */
    validate: async (
      record: readonly Quad[] | string,
      models: readonly string[],
      signal: AbortSignal,
      { withRecords }: { readonly withRecords?: boolean } = {},
    ): Promise<ReportGraph> => {
      const wanted = models.flatMap((model) => modelsNamed(model, names))
      const text =
        typeof record === 'string' ? record : record.map((quad) => `${toLine(quad)}\n`).join('')
      let first: ReportGraph | undefined
      for (const model of wanted) {
        const report = await measured(model, { text, withRecords }, signal)
        first ??= report
        if (report?.results.every(({ severity }) => severity !== 'Violation')) return report
      }
      if (first) return first
      throw new Failure('internal', `the shapes of ${wanted.join(', ')} cannot be used`)
    },
    /** Names that may be asked for, also those whose shapes cannot be read. */
    models: (): readonly string[] => names,
    /** What is wrong with shapes, one sentence each. */
    problems: (): readonly string[] => [...library.problems.values()],
    stop: () => pool.close(),
  }
}

/** Answers the report of a record against one model; `undefined` when its shapes cannot be used. */
const measuring =
  (pool: WorkerPool<ValidationCalls>, library: ReturnType<typeof libraryOf>, length: number) =>
  async (
    model: string,
    record: Pick<Task, 'text' | 'withRecords'>,
    signal?: AbortSignal,
  ): Promise<ReportGraph | undefined> => {
    if (record.text.length > length)
      throw new Failure('too-complex', `the record has more than ${length} characters`)
    const shapes = await library.shapes(model)
    if (!shapes) return undefined
    const reply = await pool
      .call('validate', { model, shapes, ...record }, { signal })
      .catch((error: unknown) => {
        throw error instanceof WorkerLost ? failureOf(model, error) : error
      })
    if ('report' in reply) return readReport(fromLines(reply.report))
    if (reply.trouble === 'record') throw unfit(model, reply.message)
    library.refuse(model, reply.message)
    return undefined
  }

const poolOf = (workers: number, limits: ValidationLimits) =>
  new WorkerPool<ValidationCalls>({
    entry: new URL('./validation-worker.ts', import.meta.url),
    name: 'validating',
    data: { results: limits.results },
    // Shapes are somebody's text: nothing of our environment is theirs to see.
    isIsolated: true,
    nurseryMb: 16,
    heapMb: limits.memoryMb,
    callMs: limits.recordMs,
    idleMs: limits.idleMs,
    workers: Math.max(1, workers),
    waiting: limits.waiting,
    abortGraceMs: Infinity,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- tasks are all that is sent
    prepare: (task, sent) => withoutSentShapes(task as Task, sent),
  })

/** The shapes of a model go to each worker once. */
function withoutSentShapes(task: Task, sent: Set<string>): Task {
  const { model, text, withRecords } = task
  if (sent.has(model)) return { model, text, withRecords }
  sent.add(model)
  return task
}

/** A name as `chosenModels` gives it, sets of one's own choice included. */
const modelsNamed = (model: string, names: readonly string[]): readonly string[] =>
  names.includes(model) || shippedFiles(model)
    ? [model]
    : chosenModels({ shapeModel: model }, names)

/** The shapes of each model, read once; `problems` says of which ones they cannot be used. */
function libraryOf({ directory, own = {}, log }: ValidationOptions) {
  const read = new Map<string, Promise<ModelShapes | undefined>>()
  const problems = new Map<string, string>()
  let schemes: Promise<Schemes> | undefined
  const refuse = (model: string, problem: string): void => {
    if (problems.has(model)) return
    problems.set(model, `shape model ${model}: ${problem}`)
    log.error({ model, problem }, 'shapes.unusable')
  }
  const readModel = async (model: string): Promise<ModelShapes | undefined> => {
    const files = own[model]?.map((file) => resolve(file))
    const paths = files ?? (shippedFiles(model) ?? []).map((file) => join(directory, file))
    try {
      const { lines, needsSchemes } = await readShapes(paths)
      if (needsSchemes) schemes ??= readSchemes(join(directory, '..', 'vocabularies'))
      return { lines, schemes: needsSchemes ? ((await schemes) ?? []) : [] }
    } catch (error) {
      refuse(model, messageOf(error))
      return undefined
    }
  }
  const shapes = async (model: string): Promise<ModelShapes | undefined> => {
    if (problems.has(model)) return undefined
    const known = read.get(model) ?? readModel(model)
    read.set(model, known)
    return known
  }
  return { problems, refuse, shapes }
}

/** What was thrown, and what lay behind it. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof Failure && error.cause !== undefined
    ? `${error.detail}: ${messageOf(error.cause)}`
    : error.message
}

/** What the loss of a worker means for the record that it had, or that waited for it. */
function failureOf(model: string, cause: WorkerLost): Failure {
  const record = `validating the record against ${model}`
  switch (cause.reason) {
    case 'timeout':
      return new Failure('time-limit', `${record} takes too long`, { cause })
    case 'crashed':
      return new Failure('too-complex', `${record} needs more memory than it may have`, { cause })
    case 'queue-full':
      return new Failure('queue-full', 'too many records wait', { retryAfter: 5 })
    case 'closed':
      return new Failure('queue-full', 'the validator is stopped', { retryAfter: 5 })
    default:
      return cause.reason satisfies never
  }
}

const unfit = (model: string, cause: string) =>
  new Failure('too-complex', `the record cannot be validated against ${model}`, { cause })
