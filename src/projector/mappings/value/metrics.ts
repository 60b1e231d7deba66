/** Scores out of the metrics graph of a record (W3C Data Quality Vocabulary). */

import type { Term } from '@rdfjs/types'
import { computedOn, dqv, prov } from '../../../rdf/namespaces.ts'
import type { Graph, Node } from '../../../rdf/read.ts'
import type { Json } from '../json.ts'
import type { Filler } from '../mapping.ts'
import { numberOf } from './numbers.ts'

/** Names of the scores, in documents and as local names of the metrics. */
export const scores = [
  'scoring',
  'findabilityScoring',
  'accessibilityScoring',
  'interoperabilityScoring',
  'reusabilityScoring',
  'contextualityScoring',
] as const

const known: ReadonlySet<string> = new Set(scores)
/** From a resource to its measurements. */
export const measurement = dqv('hasQualityMeasurement').value
/** From a measurement to what it measures. */
export const metric = dqv('isMeasurementOf').value
const value = dqv('value').value
const time = prov('generatedAtTime').value

const localName = (iri: string) =>
  iri.slice(Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/')) + 1)

function measurements(graph: Graph, resource: string): readonly Node[] {
  const linked = graph.objects(resource, measurement)
  if (linked.length > 0) return linked
  return [...graph.subjects()].filter((subject) =>
    computedOn.some((predicate) =>
      graph.objects(subject, predicate).some((term) => term.value === resource),
    ),
  )
}

function isAbout(graph: Graph, node: Node, resource: string): boolean {
  const about = computedOn.flatMap((predicate) => graph.objects(node, predicate))
  return about.length === 0 || about.some((term) => term.value === resource)
}

type Score = { readonly at: string; readonly number: number }

/** Metrics: `{scoring, …}`; of several measurements of one score the latest. */
export const metrics: Filler = (node: Term, site, scene) => {
  const graph = scene.metrics
  if (!graph) return undefined
  const latest = new Map<string, Score>()
  for (const each of measurements(graph, node.value)) {
    const name = localName(graph.objects(each, metric)[0]?.value ?? '')
    if (!known.has(name) || !isAbout(graph, each, node.value)) continue
    const [text] = graph.objects(each, value)
    const number = text && numberOf(text.value)
    if (number === undefined) {
      scene.report(`${site.path}.${name}`, 'bad-number', text ?? '')
      continue
    }
    const at = graph.objects(each, time)[0]?.value ?? ''
    const other = latest.get(name)
    if (!other || at > other.at || (at === other.at && number > other.number))
      latest.set(name, { at, number })
  }
  if (latest.size === 0) return undefined
  const json: Record<string, Json> = {}
  for (const name of scores) {
    const score = latest.get(name)
    if (score) json[name] = score.number
  }
  return json
}
