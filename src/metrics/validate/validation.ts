/**
 * Validation of records against models of shapes, in worker threads: shapes come from outside, and applying them may take any
 * time and memory. Each worker reads the shapes of a model when it first needs them.
 */

import { resolve } from 'node:path'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { fromLines, toLine } from '../../rdf/lines.ts'
import type { Format } from '../../rdf/media-types.ts'
import { inOwnTurn } from '../../workers/event-loop.ts'
import { WorkerPool, WorkerLost } from '../../workers/pool.ts'
import { readReport, type ReportGraph } from '../measure/validation-report.ts'
import { requestedModels, shippedFiles, shippedModels } from './shape-files.ts'
import { withDefaults } from '../../text/defaults.ts'

/** Places of shapes, bounds and dependencies of validating. */
export type ValidationOptions = {
  /** Directory of the shipped shapes; that of the vocabularies that belong to them, `vocabularies`, is beside it. */
  readonly directory: string
  /** Models of the institution: name → files; they replace shipped models of the same name. */
  readonly institutionModels?: Readonly<Record<string, readonly string[]>>
  readonly workers: number
  readonly log: Log
  readonly limits?: Partial<typeof standardLimits>
}

const standardLimits = {
  /** Results that are kept of one record. */
  results: 1000,
  /** Heap of a worker in MB. */
  memoryMb: 256,
  /** Milliseconds for one record. */
  recordMs: 30_000,
  /** Milliseconds after which a worker without work ends. */
  idleMs: 30_000,
  /** Records that may wait for a worker. */
  waiting: 1000,
  /** UTF-16 units of a record: a text that does not fit into a worker at all would take the process with it. */
  length: 32 * 2 ** 20,
}

/** Data that a worker is started with; `institutionModels` are absolute paths by model. */
export type ValidationData = {
  readonly results: number
  readonly directory: string
  readonly institutionModels: Readonly<Record<string, readonly string[]>>
}

/** Reply of a worker: a report in N-Triples, or why the shapes cannot be used at all, or not for this record. */
export type ValidationReply =
  | { readonly report: string }
  | { readonly trouble: 'shapes' | 'record'; readonly message: string }

type Task = {
  readonly model: string
  /** The record as N-Triples. */
  readonly text: string
  /** Whether catalogue records in it are validated too. */
  readonly withRecords?: boolean
}

/** RDF of a request, and the IRIs of the catalogue records in it that are left out. */
type RdfInput = {
  readonly text: string
  readonly format: Format
  readonly baseIri: string
  readonly excludedRecords?: readonly string[]
}

/** Calls that workers answer. `lines` are N-Triples, `records` the keys of all catalogue records, also of those left out. */
export type ValidationCalls = {
  validate: [task: Task, reply: ValidationReply]
  read: [sent: RdfInput, read: { readonly lines: string; readonly records: readonly string[] }]
}

/** Validation of records, as `openValidation` returns it. */
export type Validation = Awaited<ReturnType<typeof openValidation>>

/**
 * Starts validation. Shapes of the institution are tried on an empty record, so that their faults are known at once; shipped ones
 * are read at their first use, and without others no worker runs yet.
 */
export async function openValidation(options: ValidationOptions) {
  const validator = new ModelValidator(options)
  const { institutionModels = {} } = options
  const names = [...new Set([...shippedModels, ...Object.keys(institutionModels)])]
  /** Models for a name that `requestedModels` has returned, or that a request contains. */
  const modelsNamed = (model: string) =>
    names.includes(model) || shippedFiles(model)
      ? [model]
      : requestedModels({ shapeModel: model }, names)
  await Promise.all(Object.keys(institutionModels).map((model) => validator.try(model)))
  return {
    /**
     * Report of a record (triples, or N-Triples), without its catalogue records unless `withRecords`. Of several models the first
     * one counts that finds no violation, else the first whose shapes can be used. Throws `Failure`: `invalid-parameter` for an
     * unknown model, `time-limit` and `too-complex` when the record cannot be validated, `internal` when the shapes of no model
     * can be used, `queue-full`.
     */
    validate: async (
      record: readonly Quad[] | string,
      models: readonly string[],
      signal: AbortSignal,
      { withRecords }: { readonly withRecords?: boolean } = {},
    ): Promise<ReportGraph> => {
      const modelNames = models.flatMap(modelsNamed)
      const text =
        typeof record === 'string' ? record : record.map((quad) => `${toLine(quad)}\n`).join('')
      let firstReport: ReportGraph | undefined
      for (const model of modelNames) {
        const report = await validator.report({ model, text, withRecords }, signal)
        firstReport ??= report
        if (report?.results.every(({ severity }) => severity !== 'Violation')) return report
      }
      if (firstReport) return firstReport
      throw new Failure('internal', `the shapes of ${modelNames.join(', ')} cannot be used`)
    },
    /**
     * Reads RDF in a worker and returns N-Triples, without the catalogue records that `isUnwanted` picks by their IRIs. Throws as
     * `parse`, `time-limit`, `too-complex` and `queue-full`.
     */
    read: (
      sent: Omit<RdfInput, 'unwanted'>,
      isUnwanted: (record: string) => boolean,
      signal: AbortSignal,
    ): Promise<string> => validator.read(sent, isUnwanted, signal),
    /** Names of all models, also of those whose shapes cannot be read. */
    models: (): readonly string[] => names,
    /** Faults of shapes, one sentence each. */
    problems: (): readonly string[] => [...validator.problems.values()],
    stop: () => validator.stop(),
  }
}

/** Validates against single models in workers; a model whose shapes cannot be used is not tried again. */
class ModelValidator {
  readonly problems = new Map<string, string>()
  readonly #log: Log
  readonly #length: number
  readonly #pool: WorkerPool<ValidationCalls>

  constructor({
    directory,
    institutionModels = {},
    workers,
    log,
    limits: limitOverrides,
  }: ValidationOptions) {
    const limits = withDefaults(standardLimits, limitOverrides)
    const absolutePaths = Object.entries(institutionModels).map(([model, files]) => [
      model,
      files.map((file) => resolve(file)),
    ])
    const data: ValidationData = {
      results: limits.results,
      directory,
      institutionModels: Object.fromEntries(absolutePaths),
    }
    this.#log = log
    this.#length = limits.length
    this.#pool = new WorkerPool<ValidationCalls>({
      entry: new URL('./validation-worker.ts', import.meta.url),
      name: 'validating',
      data,
      // Nothing of our environment is to be seen from shapes.
      isIsolated: true,
      nurseryMb: 16,
      heapMb: limits.memoryMb,
      callMs: limits.recordMs,
      idleMs: limits.idleMs,
      workers: Math.max(1, workers),
      waiting: limits.waiting,
      abortGraceMs: Infinity,
    })
  }

  /** Report of a record against one model; `undefined` when the shapes of the model cannot be used. */
  async report(task: Task, signal?: AbortSignal): Promise<ReportGraph | undefined> {
    const { model, text } = task
    if (text.length > this.#length)
      throw new Failure('too-complex', `the record has more than ${this.#length} characters`)
    if (this.problems.has(model)) return undefined
    const reply = await this.#pool.call('validate', task, { signal }).catch((error: unknown) => {
      throw error instanceof WorkerLost
        ? failureOf(`validating the record against ${model}`, error)
        : error
    })
    if ('report' in reply) return readReport(fromLines(await inOwnTurn(reply.report)))
    if (reply.trouble === 'shapes') return this.#refuse(model, reply.message)
    const detail = `the record cannot be validated against ${model}`
    throw new Failure('too-complex', detail, { cause: reply.message })
  }

  /** Reads RDF, and once more without records that are unwanted, which only the first reading finds. */
  async read(
    sent: RdfInput,
    isUnwanted: (record: string) => boolean,
    signal: AbortSignal,
  ): Promise<string> {
    const { lines, records } = await this.#pool
      .call('read', sent, { signal })
      .catch((error: unknown) => {
        throw error instanceof WorkerLost ? failureOf('reading the description', error) : error
      })
    const excludedRecords = records.filter(isUnwanted)
    return excludedRecords.length === 0 || sent.excludedRecords
      ? lines
      : this.read({ ...sent, excludedRecords }, isUnwanted, signal)
  }

  /** Validates an empty record, which records a problem where the shapes cannot be used. Never rejects. */
  async try(model: string): Promise<void> {
    await this.report({ model, text: '' }).catch((error: unknown) =>
      this.#refuse(model, messageOf(error)),
    )
  }

  stop(): Promise<void> {
    return this.#pool.close()
  }

  #refuse(model: string, problem: string): undefined {
    if (this.problems.has(model)) return
    this.problems.set(model, `shape model ${model}: ${problem}`)
    this.#log.error({ model, problem }, 'shapes.load-failed')
  }
}

/** Message of an error and of its cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof Failure && error.cause !== undefined
    ? `${error.detail}: ${messageOf(error.cause)}`
    : error.message
}

/** Failure of work whose worker ended, that took too long, or that found no place in the queue. */
function failureOf(work: string, cause: WorkerLost): Failure {
  switch (cause.reason) {
    case 'timeout':
      return new Failure('time-limit', `${work} takes too long`, { cause })
    case 'crashed':
      return new Failure('too-complex', `${work} needs more memory than it may have`, { cause })
    case 'queue-full':
      return new Failure('queue-full', 'too many records wait', { retryAfter: 5 })
    case 'closed':
      return new Failure('queue-full', 'the validator is stopped', { retryAfter: 5 })
    default:
      return cause.reason satisfies never
  }
}
