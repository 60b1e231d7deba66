/** Validation of records against models of shapes, in worker threads. */

import { join, resolve } from 'node:path'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { toLine } from '../../rdf/lines.ts'
import type { ReportGraph } from '../dqv/writing.ts'
import { chosenModels, shippedFiles, shippedModels } from './shapes/models.ts'
import { readShapes } from './shapes/reading.ts'
import { readSchemes, type Schemes } from './shapes/schemes.ts'
import { reportOf, type ModelShapes } from './threads/messages.ts'
import { Pool, type PoolSettings } from './threads/pool.ts'

export type Validation = {
  /**
   * The report of a record (triples, or N-Triples), without its catalogue records unless `withRecords`. Of several models the first one counts that finds no violation,
   * else the first of all. Throws `Failure`: `invalid-parameter` for an unknown model, `time-limit` and `too-complex` when the
   * record cannot be measured, `internal` when the shapes of all models cannot be read, `queue-full`.
   */
  validate(
    record: readonly Quad[] | string,
    models: readonly string[],
    signal: AbortSignal,
    options?: { readonly withRecords?: boolean },
  ): Promise<ReportGraph>
  /** Names that may be asked for, also those whose shapes cannot be read. */
  models(): readonly string[]
  /** What is wrong with shapes, one sentence each. */
  problems(): readonly string[]
  stop(): Promise<void>
}

export type ValidationOptions = {
  /** The shipped shapes; the vocabularies that belong to them are beside it. */
  readonly directory: string
  /** Models of the institution: name → files. */
  readonly own?: Readonly<Record<string, readonly string[]>>
  readonly workers: number
  readonly log: Log
  readonly limits?: Partial<Omit<PoolSettings, 'workers'>>
}

const standardLimits: Omit<PoolSettings, 'workers'> = {
  results: 1000,
  memoryMb: 256,
  recordMs: 30_000,
  idleMs: 30_000,
  waiting: 1000,
  length: 32 * 2 ** 20,
}

/**
 * Reads the institution's shapes and tries them on nothing, so that what is wrong with them is known at once. Those that are
 * shipped are read when they are asked for, and without others no worker runs yet.
 */
export async function openValidation(options: ValidationOptions): Promise<Validation> {
  const { workers, limits, own = {} } = options
  const pool = new Pool({ ...standardLimits, ...limits, workers: Math.max(1, workers) })
  const library = libraryOf(options)
  const names = [...new Set([...shippedModels, ...Object.keys(own)])]
  const measured = async (model: string, record: Given, signal: AbortSignal) => {
    const shapes = await library.shapes(model)
    if (!shapes) return undefined
    const outcome = await pool.run({ model, shapes, ...record }, signal)
    if ('truncated' in outcome) return reportOf(outcome)
    if ('lost' in outcome) throw lostIn(model, outcome)
    if (outcome.trouble === 'record') throw unfit(model, outcome.message)
    library.refuse(model, outcome.message)
    return undefined
  }
  const tried = async (model: string) => {
    try {
      await measured(model, { text: '' }, new AbortController().signal)
    } catch (error) {
      library.refuse(model, messageOf(error))
    }
  }
  await Promise.all(Object.keys(own).map(tried))
  return {
    validate: async (record, models, signal, { withRecords } = {}) => {
      const wanted = models.flatMap((model) => named(model, names))
      const text =
        typeof record === 'string' ? record : record.map((quad) => `${toLine(quad)}\n`).join('')
      let first: ReportGraph | undefined
      for (const model of wanted) {
        const report = await measured(model, { text, withRecords }, signal)
        first ??= report
        if (report && !hasViolation(report)) return report
      }
      if (first) return first
      throw new Failure('internal', `the shapes of ${wanted.join(', ')} cannot be used`)
    },
    models: () => names,
    problems: () => library.problems(),
    stop: () => pool.stop(),
  }
}

/** A record as N-Triples, and whether its catalogue records count. */
type Given = { readonly text: string; readonly withRecords?: boolean | undefined }

/** A name as `chosenModels` gives it, sets of one's own choice included. */
const named = (model: string, names: readonly string[]): readonly string[] =>
  names.includes(model) || shippedFiles(model)
    ? [model]
    : chosenModels({ shapeModel: model }, names)

const hasViolation = ({ results }: ReportGraph) =>
  results.some(({ severity }) => severity === 'Violation')

type Library = {
  /** `undefined` when they cannot be used. */
  shapes(model: string): Promise<ModelShapes | undefined>
  refuse(model: string, problem: string): void
  problems(): readonly string[]
}

function libraryOf({ directory, own = {}, log }: ValidationOptions): Library {
  const read = new Map<string, Promise<ModelShapes | undefined>>()
  const problems = new Map<string, string>()
  let schemes: Promise<Schemes> | undefined
  const refuse = (model: string, problem: string) => {
    if (problems.has(model)) return
    problems.set(model, `shape model ${model}: ${problem}`)
    log.error({ model, problem }, 'shapes.unusable')
  }
  const readModel = async (model: string): Promise<ModelShapes | undefined> => {
    const files = own[model]?.map((file) => resolve(file))
    const paths = files ?? (shippedFiles(model) ?? []).map((file) => join(directory, file))
    try {
      const { lines, needsSchemes } = await readShapes(paths)
      if (!needsSchemes) return { lines, schemes: [] }
      schemes ??= readSchemes(join(directory, '..', 'vocabularies'))
      return { lines, schemes: await schemes }
    } catch (error) {
      refuse(model, messageOf(error))
      return undefined
    }
  }
  return {
    shapes: (model) => {
      if (problems.has(model)) return Promise.resolve(undefined)
      let shapes = read.get(model)
      if (!shapes) read.set(model, (shapes = readModel(model)))
      return shapes
    },
    refuse,
    problems: () => [...problems.values()],
  }
}

/** What was thrown, and what lay behind it. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof Failure && error.cause !== undefined
    ? `${error.detail}: ${messageOf(error.cause)}`
    : error.message
}

const lostIn = (
  model: string,
  { lost, cause }: { readonly lost: 'time' | 'worker'; readonly cause: unknown },
) =>
  lost === 'time'
    ? new Failure('time-limit', `validating the record against ${model} takes too long`, { cause })
    : new Failure(
        'too-complex',
        `validating the record against ${model} needs more memory than it may have`,
        { cause },
      )

const unfit = (model: string, cause: string) =>
  new Failure('too-complex', `the record cannot be validated against ${model}`, { cause })
