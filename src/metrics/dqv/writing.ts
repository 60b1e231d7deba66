/** Measurements and validation reports in the Data Quality Vocabulary (W3C DQV, SHACL). */

import type { BlankNode, Literal, NamedNode, Quad, Quad_Object, Term } from '@rdfjs/types'
import { isIri } from '../../rdf/iri.ts'
import { dqv, prov, rdf, xsd } from '../../rdf/namespaces.ts'
import { blankNode, literal, namedNode, quad } from '../../rdf/terms.ts'
import { oa, pv, sh } from '../quality-terms.ts'

/** One result of a SHACL validation. */
export type ReportResult = {
  readonly focusNode?: Term
  /** An IRI, or the triples of a path whose root is the subject of the first one. */
  readonly path?: Term | readonly Quad[]
  readonly value?: Term
  readonly messages: readonly Literal[]
  readonly severity: 'Violation' | 'Warning' | 'Info'
  /** IRI of the constraint component. */
  readonly component: string
}

export type ReportGraph = {
  readonly conforms: boolean
  readonly results: readonly ReportResult[]
  /** There were more results than are told. */
  readonly truncated: boolean
}

export type Measurement = {
  /** Local name of the metric. */
  readonly metric: string
  /** The dataset or the distribution. */
  readonly on: NamedNode | BlankNode
  readonly value: boolean | number
  /** Lexical form of an `xsd:dateTime`. */
  readonly at: string
  /** URL that was asked. */
  readonly from?: string
}

const dateTime = xsd('dateTime')
const integer = xsd('integer')
const yes = literal('true', xsd('boolean'))
const no = literal('false', xsd('boolean'))

const valueOf = (value: boolean | number): Literal =>
  typeof value === 'number' ? literal(String(value), integer) : value ? yes : no

/** A catalogue has millions of measurements: their terms are made once. */
const link = dqv('hasQualityMeasurement')
const type = rdf('type')
const measurementClass = dqv('QualityMeasurement')
const metricOf = dqv('isMeasurementOf')
const computedOn = dqv('computedOn')
const valueProperty = dqv('value')
const generated = prov('generatedAtTime')

let latest = literal('', dateTime)

/** Those of one dataset have the same time. */
function timeTerm(at: string): Literal {
  if (latest.value !== at) latest = literal(at, dateTime)
  return latest
}

/**
 * A measurement as a fresh blank node, linked from what was measured; booleans and integers. Its triples come in the order in which
 * they are stored, so that nobody has to sort them.
 */
export function measurement({ metric, on, value, at, from }: Measurement): Quad[] {
  const node = blankNode()
  const quads = [
    quad(on, link, node),
    quad(node, type, measurementClass),
    quad(node, computedOn, on),
    quad(node, metricOf, pv(metric)),
    quad(node, valueProperty, valueOf(value)),
    quad(node, generated, timeTerm(at)),
  ]
  if (from !== undefined) quads.push(quad(node, prov('wasDerivedFrom'), sourceTerm(from)))
  return quads
}

/** What a dataset calls a URL need not be an IRI. */
const sourceTerm = (url: string): Quad_Object => (isIri(url) ? namedNode(url) : literal(url))

/** Results of one dataset that are told. */
const mostResults = 1000

type Annotation = {
  readonly dataset: NamedNode
  /** Lexical form of an `xsd:dateTime`. */
  readonly at: string
  readonly report: ReportGraph
}

/**
 * The report as an annotation of the dataset, cut at `mostResults`. Blank nodes of the report are written as fresh ones, one
 * per mention: in a graph of their own they mean nothing but themselves, and a tree of blank nodes is quickly canonicalised.
 */
export function annotation({ dataset, at, report }: Annotation): Quad[] {
  const node = blankNode()
  const body = blankNode()
  const quads = [
    quad(dataset, dqv('hasQualityAnnotation'), node),
    quad(node, rdf('type'), dqv('QualityAnnotation')),
    quad(node, dqv('inDimension'), pv('interoperability')),
    quad(node, oa('motivatedBy'), oa('describing')),
    quad(node, oa('hasTarget'), dataset),
    quad(node, prov('generatedAtTime'), literal(at, dateTime)),
    quad(node, oa('hasBody'), body),
    quad(body, rdf('type'), sh('ValidationReport')),
    quad(body, sh('conforms'), report.conforms ? yes : no),
  ]
  for (const result of told(report.results)) {
    const own = blankNode()
    quads.push(quad(body, sh('result'), own), ...resultQuads(own, result))
  }
  const isCut = report.truncated || report.results.length > mostResults
  if (isCut) quads.push(quad(body, pv('truncated'), yes))
  return quads
}

/** Whatever is cut off, a Violation is not while there is something milder: compliance is read from what stays. */
function told(results: readonly ReportResult[]): readonly ReportResult[] {
  if (results.length <= mostResults) return results
  const isViolation = ({ severity }: ReportResult) => severity === 'Violation'
  const violations = results.filter(isViolation)
  const milder = results.filter((result) => !isViolation(result))
  return [...violations, ...milder].slice(0, mostResults)
}

function* resultQuads(node: BlankNode, result: ReportResult): Generator<Quad> {
  yield quad(node, rdf('type'), sh('ValidationResult'))
  yield quad(node, sh('resultSeverity'), sh(result.severity))
  const { focusNode, path, value } = result
  if (focusNode && isObject(focusNode)) yield quad(node, sh('focusNode'), fresh(focusNode))
  if (path) yield* pathQuads(node, path)
  if (value && isObject(value)) yield quad(node, sh('value'), fresh(value))
  for (const message of result.messages) yield quad(node, sh('resultMessage'), message)
  yield quad(node, sh('sourceConstraintComponent'), namedNode(result.component))
}

const isObject = (term: Term): term is NamedNode | BlankNode | Literal =>
  term.termType === 'NamedNode' || term.termType === 'BlankNode' || term.termType === 'Literal'

const fresh = (term: NamedNode | BlankNode | Literal) =>
  term.termType === 'BlankNode' ? blankNode() : term

function* pathQuads(node: BlankNode, path: Term | readonly Quad[]): Generator<Quad> {
  if ('termType' in path) {
    if (isObject(path)) yield quad(node, sh('resultPath'), fresh(path))
    return
  }
  const names = new Map<string, BlankNode>()
  const renamed = <T extends Term>(term: T): T | BlankNode => {
    if (term.termType !== 'BlankNode') return term
    let name = names.get(term.value)
    if (!name) names.set(term.value, (name = blankNode()))
    return name
  }
  const [root] = path
  if (root) yield quad(node, sh('resultPath'), renamed(root.subject))
  for (const q of path) yield quad(renamed(q.subject), q.predicate, renamed(q.object))
}
