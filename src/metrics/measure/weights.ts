/** What indicators are worth: one file that we ship, of which a deployment may replace single values. */

import { readFile } from 'node:fs/promises'
import type { Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import { parse } from '../../rdf/parse.ts'
import { dqv, pv } from '../../rdf/namespaces.ts'
import { graphOf, type Graph } from '../../rdf/read.ts'
import {
  dimensions,
  indicatorOf,
  indicators,
  type Dimension,
  type IndicatorName,
  localName,
} from '../indicators.ts'

/** Points of a true and of a false measurement, integers, and where they count. */
type Weight = { readonly dimension: Dimension; readonly yes: number; readonly no: number }
export type Weights = Readonly<Record<IndicatorName, Weight>>

/** What is wrong with a file, one sentence each; a value that is wrong is not used. */
type WeightProblems = readonly string[]

/**
 * The shipped file with the values of the deployment's own file, if there is one, in place. `problems` are those of that
 * file; the shipped one is complete or an `Error`.
 */
export async function loadWeights(
  shipped: string,
  own?: string,
): Promise<{ readonly weights: Weights; readonly problems: WeightProblems }> {
  const weights = shippedWeights(graphOf(await quadsIn(shipped)))
  if (own === undefined) return { weights, problems: [] }
  try {
    const { values, problems } = ownValues(graphOf(await quadsIn(own)), weights)
    return { weights: { ...weights, ...values }, problems: problems.map((one) => `${own}: ${one}`) }
  } catch (error) {
    if (!(error instanceof Failure) && !isSystemError(error)) throw error
    return { weights, problems: [`${own} cannot be read: ${error.message}`] }
  }
}

const quadsIn = async (file: string) =>
  parse(await readFile(file, 'utf8'), 'turtle', { baseIri: 'urn:cartulary:weights:' })

const isSystemError = (error: unknown): error is Error => error instanceof Error && 'code' in error

const scores = [
  ['yes', 'trueScore'],
  ['no', 'falseScore'],
] as const

function shippedWeights(graph: Graph): Weights {
  const weightOf = (name: IndicatorName): Weight => {
    const metric = pv(name)
    const dimension = dimensionIn(graph.objects(metric, dqv('inDimension')))
    const [yes, no] = scores.map(([, score]) => integer(graph.objects(metric, pv(score))))
    if (dimension === undefined || yes === undefined || no === undefined) {
      throw new Error(`the weights of ${name} are not complete`)
    }
    return { dimension, yes, no }
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one for each name
  return Object.fromEntries(indicators.map(({ name }) => [name, weightOf(name)])) as Weights
}

const dimensionIn = (terms: readonly Term[]): Dimension | undefined =>
  dimensions.find((name) => terms.some(({ value }) => localName(value) === name))

/** Points beyond that are a slip of the pen. */
const most = 10_000

function integer(terms: readonly Term[]): number | undefined {
  const [only, ...more] = terms
  if (only?.termType !== 'Literal' || more.length > 0) return undefined
  const text = only.value.trim()
  return /^[+-]?\d{1,6}$/.test(text) && Math.abs(Number(text)) <= most ? Number(text) : undefined
}

type Own = {
  readonly values: Partial<Record<IndicatorName, Weight>>
  readonly problems: readonly string[]
}

/** Metrics are recognised by their local name in any namespace. */
function ownValues(graph: Graph, shipped: Weights): Own {
  const values: Partial<Record<IndicatorName, Weight>> = {}
  const problems: string[] = []
  for (const subject of graph.subjects()) {
    const given = scores.flatMap(([key, score]) => {
      const terms = termsAt(graph, subject, score)
      return terms.length > 0 ? [{ key, score, terms }] : []
    })
    const indicator = indicatorOf(localName(subject))
    if (!indicator) {
      if (given.length > 0)
        problems.push(`${subject} is not one of the indicators that are measured`)
      continue
    }
    const { name } = indicator
    const before = values[name] ?? shipped[name]
    problems.push(...misplaced(graph, subject, name, before.dimension))
    for (const { key, score, terms } of given) {
      const points = integer(terms)
      if (points === undefined) problems.push(unusable(name, score, terms))
      else values[name] = { ...(values[name] ?? before), [key]: points }
    }
  }
  return { values, problems }
}

const termsAt = (graph: Graph, subject: string, score: string): readonly Term[] =>
  [...graph.predicates(subject)]
    .filter((predicate) => localName(predicate) === score)
    .flatMap((predicate) => graph.objects(subject, predicate))

const unusable = (name: string, score: string, terms: readonly Term[]) =>
  `${score} of ${name} must be one integer from -${most} to ${most}, found ${terms
    .map(({ value }) => JSON.stringify(value))
    .join(', ')}`

function misplaced(graph: Graph, subject: string, name: string, dimension: Dimension): string[] {
  const given = graph.objects(subject, dqv('inDimension'))
  return given.length === 0 || dimensionIn(given) === dimension
    ? []
    : [`${name} stays in the dimension ${dimension}, only points can be replaced`]
}
