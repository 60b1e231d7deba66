/** Report of a SHACL validation as an annotation of a dataset (W3C DQV, W3C SHACL 3.6): writing, reading and removing it. */

import { metricName } from '../indicators.ts'
import type { BlankNode, Literal, NamedNode, Quad, Term } from '@rdfjs/types'
import { dqv, prov, rdf, xsd, oa, pv, sh } from '../../rdf/namespaces.ts'
import {
  closure,
  firstObject,
  graphOf,
  instances,
  keyOf,
  textOf,
  type Graph,
} from '../../rdf/read.ts'
import { blankNode, literal, namedNode, quad } from '../../rdf/terms.ts'

/** Severities of SHACL (2.1.4) by local name; others count as `Info`. */
export type Severity = 'Violation' | 'Warning' | 'Info'

/** One result of a SHACL validation. */
export type ReportResult = {
  readonly focusNode?: Term
  /** An IRI, or the triples of a path whose root is the subject of the first one. */
  readonly path?: Term | readonly Quad[]
  readonly value?: Term
  readonly messages: readonly Literal[]
  readonly severity: Severity
  /** IRI of the constraint component. */
  readonly component: string
}

/** A report of validation (SHACL 3.6) as values. */
export type ReportGraph = {
  readonly conforms: boolean
  readonly results: readonly ReportResult[]
  /** Whether there were more results than these. */
  readonly truncated: boolean
}

/** Most results of one report that are written. */
const maxResults = 1000

type Annotation = {
  readonly dataset: NamedNode
  /** Lexical form of an `xsd:dateTime`. */
  readonly time: string
  readonly report: ReportGraph
}

/**
 * Writes a report as an annotation of a dataset, cut at `maxResults`. Each mention of a blank node of the record becomes a fresh
 * one: a tree of blank nodes is canonicalised quickly.
 */
export function reportAnnotation({ dataset, time, report }: Annotation): Quad[] {
  const node = blankNode()
  const body = blankNode()
  const quads = [
    quad(dataset, dqv('hasQualityAnnotation'), node),
    quad(node, rdf('type'), dqv('QualityAnnotation')),
    quad(node, dqv('inDimension'), pv('interoperability')),
    quad(node, oa('motivatedBy'), oa('describing')),
    quad(node, oa('hasTarget'), dataset),
    quad(node, prov('generatedAtTime'), literal(time, xsd('dateTime'))),
    quad(node, oa('hasBody'), body),
  ]
  return [...quads, ...reportQuads(body, report, freshBlankNode)]
}

/**
 * Triples of a report below its node, cut at `maxResults`. `renew` replaces the focus nodes and values of results; the blank
 * nodes of paths are always replaced.
 */
export function reportQuads(
  body: NamedNode | BlankNode,
  report: ReportGraph,
  renew = freshBlankNode,
): Quad[] {
  const { conforms, results, truncated } = report
  const quads = [
    quad(body, rdf('type'), sh('ValidationReport')),
    quad(body, sh('conforms'), literal(String(conforms), xsd('boolean'))),
  ]
  for (const result of cutResults(results)) {
    const resultNode = blankNode()
    quads.push(quad(body, sh('result'), resultNode), ...resultQuads(resultNode, result, renew))
  }
  const isCut = truncated || results.length > maxResults
  if (isCut) quads.push(quad(body, pv('truncated'), literal('true', xsd('boolean'))))
  return quads
}

/** Cuts the list of results at `maxResults`; of a longer one violations come first, because compliance is read from it. */
function cutResults(results: readonly ReportResult[]): readonly ReportResult[] {
  if (results.length <= maxResults) return results
  const isViolation = ({ severity }: ReportResult) => severity === 'Violation'
  const violations = results.filter(isViolation)
  const milder = results.filter((result) => !isViolation(result))
  return [...violations, ...milder].slice(0, maxResults)
}

function* resultQuads(
  node: BlankNode,
  result: ReportResult,
  renew: (term: ResultTerm) => ResultTerm,
): Generator<Quad> {
  yield quad(node, rdf('type'), sh('ValidationResult'))
  yield quad(node, sh('resultSeverity'), sh(result.severity))
  const { focusNode, path, value } = result
  if (focusNode && isObject(focusNode)) yield quad(node, sh('focusNode'), renew(focusNode))
  if (path) yield* pathQuads(node, path)
  if (value && isObject(value)) yield quad(node, sh('value'), renew(value))
  for (const message of result.messages) yield quad(node, sh('resultMessage'), message)
  yield quad(node, sh('sourceConstraintComponent'), namedNode(result.component))
}

/** Terms that a result may refer to. */
type ResultTerm = NamedNode | BlankNode | Literal

const isObject = (term: Term): term is ResultTerm =>
  term.termType === 'NamedNode' || term.termType === 'BlankNode' || term.termType === 'Literal'

/** Replaces a blank node of a record, which has no meaning in another graph. */
const freshBlankNode = (term: ResultTerm): ResultTerm =>
  term.termType === 'BlankNode' ? blankNode() : term

function* pathQuads(node: BlankNode, path: Term | readonly Quad[]): Generator<Quad> {
  if ('termType' in path) {
    if (isObject(path)) yield quad(node, sh('resultPath'), freshBlankNode(path))
    return
  }
  const names = new Map<string, BlankNode>()
  const rename = <T extends Term>(term: T): T | BlankNode => {
    if (term.termType !== 'BlankNode') return term
    let name = names.get(term.value)
    if (!name) names.set(term.value, (name = blankNode()))
    return name
  }
  const [root] = path
  if (root) yield quad(node, sh('resultPath'), rename(root.subject))
  for (const q of path) yield quad(rename(q.subject), q.predicate, rename(q.object))
}

const reportClass = sh('ValidationReport').value

const hasReport = (quads: readonly Quad[]) =>
  quads.some(({ object }) => object.value === reportClass && object.termType === 'NamedNode')

/** Reads the first report among triples; `undefined` when there is none. */
export function readReport(quads: readonly Quad[]): ReportGraph | undefined {
  if (!hasReport(quads)) return undefined
  const graph = graphOf(quads)
  const [report] = instances(graph, reportClass)
  if (report === undefined) return undefined
  return {
    conforms: isTrue(textOf(graph, report, sh('conforms'))),
    results: graph.objects(report, sh('result')).map((node) => resultOf(graph, node)),
    truncated: isTrue(textOf(graph, report, pv('truncated'))),
  }
}

/** Whether there is a report without a Violation; `undefined` without report. Warnings do not count (W3C SHACL, 2.1.4). */
export const isCompliant = (quads: readonly Quad[]): boolean | undefined =>
  hasReport(quads)
    ? !quads.some((q) => q.predicate.value === severity && q.object.value === violation)
    : undefined

const severity = sh('resultSeverity').value
const violation = sh('Violation').value

const isTrue = (text: string | undefined) => text === 'true' || text === '1'

function resultOf(graph: Graph, node: Term): ReportResult {
  const focusNode = firstObject(graph, node, sh('focusNode'))
  const path = firstObject(graph, node, sh('resultPath'))
  const value = firstObject(graph, node, sh('value'))
  return {
    focusNode,
    ...(path ? { path: pathOf(graph, path) } : {}),
    value,
    messages: graph
      .objects(node, sh('resultMessage'))
      .filter((term) => term.termType === 'Literal'),
    severity: severityOf(firstObject(graph, node, sh('resultSeverity'))?.value ?? 'Violation'),
    component: firstObject(graph, node, sh('sourceConstraintComponent'))?.value ?? '',
  }
}

const pathOf = (graph: Graph, path: Term): Term | readonly Quad[] =>
  path.termType === 'BlankNode' ? closure(graph, path) : path

/** Severity of an IRI; one that SHACL does not define is `Info`. */
export function severityOf(iri: string): Severity {
  const name = metricName(iri)
  return name === 'Violation' || name === 'Warning' ? name : 'Info'
}

/** Quads without the annotations that have a report, and without the nodes below them. */
export function withoutReport(quads: readonly Quad[]): readonly Quad[] {
  if (!hasReport(quads)) return quads
  const graph = graphOf(quads)
  const reports = new Set(instances(graph, reportClass))
  const removedQuads = new Set<Quad>()
  for (const q of quads) {
    if (q.predicate.value !== dqv('hasQualityAnnotation').value) continue
    const bodies = graph.objects(q.object, oa('hasBody'))
    if (!bodies.some((body) => reports.has(keyOf(body)))) continue
    removedQuads.add(q)
    const innerQuads = closure(graph, q.object, ({ predicate }) => isInner(predicate.value))
    for (const inner of innerQuads) removedQuads.add(inner)
  }
  return quads.filter((q) => !removedQuads.has(q))
}

const innerProperties: ReadonlySet<string> = new Set([oa('hasBody').value, sh('result').value])
const isInner = (predicate: string) => innerProperties.has(predicate)
