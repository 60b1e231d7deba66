/** A SHACL report out of the quality metadata of a dataset (W3C SHACL, 3.6). */

import type { Quad, Term } from '@rdfjs/types'
import { dqv } from '../../rdf/namespaces.ts'
import { closure, first, graphOf, instances, keyOf, textOf, type Graph } from '../../rdf/read.ts'
import { localName, oa, pv, sh } from '../quality-terms.ts'
import type { ReportGraph, ReportResult } from './writing.ts'

const reportClass = sh('ValidationReport').value

const hasReport = (quads: readonly Quad[]) =>
  quads.some(({ object }) => object.value === reportClass && object.termType === 'NamedNode')

/** The first report among the triples; `undefined` when there is none. */
export function reportOf(quads: readonly Quad[]): ReportGraph | undefined {
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
  const focusNode = first(graph, node, sh('focusNode'))
  const path = first(graph, node, sh('resultPath'))
  const value = first(graph, node, sh('value'))
  return {
    ...(focusNode ? { focusNode } : {}),
    ...(path ? { path: pathOf(graph, path) } : {}),
    ...(value ? { value } : {}),
    messages: graph
      .objects(node, sh('resultMessage'))
      .filter((term) => term.termType === 'Literal'),
    severity: severityOf(first(graph, node, sh('resultSeverity'))),
    component: first(graph, node, sh('sourceConstraintComponent'))?.value ?? '',
  }
}

const pathOf = (graph: Graph, path: Term): Term | readonly Quad[] =>
  path.termType === 'BlankNode' ? closure(graph, path) : path

/** A severity of somebody's own is no violation. */
function severityOf(term: Term | undefined): ReportResult['severity'] {
  const name = localName(term?.value ?? 'Violation')
  return name === 'Violation' || name === 'Warning' ? name : 'Info'
}

/** The quads without the annotations that hold a report, and all that hangs below them. */
export function withoutReport(quads: readonly Quad[]): readonly Quad[] {
  if (!hasReport(quads)) return quads
  const graph = graphOf(quads)
  const reports = new Set(instances(graph, reportClass))
  const gone = new Set<Quad>()
  for (const q of quads) {
    if (q.predicate.value !== dqv('hasQualityAnnotation').value) continue
    const bodies = graph.objects(q.object, oa('hasBody'))
    if (!bodies.some((body) => reports.has(keyOf(body)))) continue
    gone.add(q)
    const below = closure(graph, q.object, ({ predicate }) => isInner(predicate.value))
    for (const inner of below) gone.add(inner)
  }
  return quads.filter((q) => !gone.has(q))
}

const inner: ReadonlySet<string> = new Set([oa('hasBody').value, sh('result').value])
const isInner = (predicate: string) => inner.has(predicate)
