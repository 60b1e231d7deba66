/** Weights of indicators: those of a shipped file, of which a file of the deployment may replace single values. */

import { readFile } from 'node:fs/promises'
import type { Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { parse } from '../../rdf/parse.ts'
import { dqv } from '../../rdf/namespaces.ts'
import { graphOf, type Graph } from '../../rdf/read.ts'
import {
  dimensions,
  indicatorOf,
  indicators,
  type Dimension,
  type IndicatorName,
  metricName,
} from '../indicators.ts'

/** Dimension of an indicator, and the points of a true and of a false measurement, as integers. */
type Weight = { readonly dimension: Dimension; readonly yes: number; readonly no: number }
/** The weight of every indicator. */
export type Weights = Readonly<Record<IndicatorName, Weight>>

/** Weights of the published methodology. */
const publishedWeights =
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one for each name
  Object.fromEntries(
    indicators.map(({ name, dimension, points }) => [name, { dimension, yes: points, no: 0 }]),
  ) as Weights

/**
 * Reads weights: the published ones, replaced by the values of files, later files last. `problems` has a sentence for each fault
 * of a file, also for one that cannot be read; a faulty value is not used.
 */
export async function loadWeights(
  ...files: readonly string[]
): Promise<{ readonly weights: Weights; readonly problems: readonly string[] }> {
  let weights = publishedWeights
  const problems: string[] = []
  for (const file of files)
    try {
      const overrides = readWeights(graphOf(await quadsIn(file)), weights)
      weights = { ...weights, ...overrides.values }
      problems.push(...overrides.problems.map((problem) => `${file}: ${problem}`))
    } catch (error) {
      if (!(error instanceof Failure) && !isSystemError(error)) throw error
      problems.push(`${file} cannot be read: ${error.message}`)
    }
  return { weights, problems }
}

const quadsIn = async (file: string) =>
  parse(await readFile(file, 'utf8'), 'turtle', { baseIri: 'urn:cartulary:weights:' })

const isSystemError = (error: unknown): error is Error => error instanceof Error && 'code' in error

const scoreProperties = [
  ['yes', 'trueScore'],
  ['no', 'falseScore'],
] as const

const dimensionIn = (terms: readonly Term[]): Dimension | undefined =>
  dimensions.find((name) => terms.some(({ value }) => metricName(value) === name))

/** Largest number of points, positive or negative; a larger one is taken for a typing error. */
const maxPoints = 10_000

function integer(terms: readonly Term[]): number | undefined {
  const [term, ...others] = terms
  if (term?.termType !== 'Literal' || others.length > 0) return undefined
  const text = term.value.trim()
  return /^[+-]?\d{1,6}$/.test(text) && Math.abs(Number(text)) <= maxPoints
    ? Number(text)
    : undefined
}

/**
 * Reads the values of a file. Metrics are recognised by their local name in any namespace. `previous`: the weights before this
 * file.
 */
function readWeights(graph: Graph, previous: Weights) {
  const values: Partial<Record<IndicatorName, Weight>> = {}
  const problems: string[] = []
  for (const subject of graph.subjects()) {
    const entries = scoreProperties.flatMap(([key, score]) => {
      const terms = termsAt(graph, subject, score)
      return terms.length > 0 ? [{ key, score, terms }] : []
    })
    const indicator = indicatorOf(metricName(subject))
    if (!indicator) {
      if (entries.length > 0)
        problems.push(`${subject} is not one of the indicators that are measured`)
      continue
    }
    const { name } = indicator
    const weight = values[name] ?? previous[name]
    problems.push(...dimensionProblems(graph, subject, name, weight.dimension))
    for (const { key, score, terms } of entries) {
      const points = integer(terms)
      if (points === undefined) problems.push(invalidPoints(name, score, terms))
      else values[name] = { ...(values[name] ?? weight), [key]: points }
    }
  }
  return { values, problems }
}

const termsAt = (graph: Graph, subject: string, score: string): readonly Term[] =>
  [...graph.predicates(subject)]
    .filter((predicate) => metricName(predicate) === score)
    .flatMap((predicate) => graph.objects(subject, predicate))

const invalidPoints = (name: string, score: string, terms: readonly Term[]) =>
  `${score} of ${name} must be one integer from -${maxPoints} to ${maxPoints}, found ${terms
    .map(({ value }) => JSON.stringify(value))
    .join(', ')}`

function dimensionProblems(
  graph: Graph,
  subject: string,
  name: string,
  dimension: Dimension,
): string[] {
  const terms = graph.objects(subject, dqv('inDimension'))
  return terms.length === 0 || dimensionIn(terms) === dimension
    ? []
    : [`${name} stays in the dimension ${dimension}, only points can be replaced`]
}
