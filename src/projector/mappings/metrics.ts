/** Scores out of the metrics graph of a record (W3C Data Quality Vocabulary). */

import type { Term } from '@rdfjs/types'
import { scores } from '../../profile/field-models.ts'
import { bracketed } from '../../rdf/lines.ts'
import { computedOn, dqv, prov } from '../../rdf/namespaces.ts'
import type { Graph, Node } from '../../rdf/read.ts'
import { afterLast, type Filler } from './mapping.ts'
import type { Json } from '../../text/json.ts'
import { decimalNumber } from './structures.ts'

const known: ReadonlySet<string> = new Set(scores)
/** From a resource to its measurements. */
const measurement = dqv('hasQualityMeasurement').value
/** From a measurement to what it measures. */
const metric = dqv('isMeasurementOf').value
const value = dqv('value').value
const time = prov('generatedAtTime').value

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
    const name = afterLast(graph.objects(each, metric)[0]?.value ?? '')
    if (!known.has(name) || !isAbout(graph, each, node.value)) continue
    const [text] = graph.objects(each, value)
    const number = text && decimalNumber(text.value)
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

const measures = ` ${bracketed(metric)} `

/**
 * The lines that `metrics` looks at for a resource: all of each measurement of a score, and the links of the resource to them;
 * of hundreds of triples documents need a few dozen, and the others are not parsed. Lines are those of a stored content.
 */
export function scoreLines(lines: string, resource: string): string {
  const link = `${bracketed(resource)} ${bracketed(measurement)} `
  const subjectOf = (line: string) => line.slice(0, line.indexOf(' '))
  const all = lines.split('\n')
  const measuring = all.filter((line) => line.startsWith(measures, line.indexOf(' ')))
  const wanted = new Set(measuring.filter((line) => line.includes('coring')).map(subjectOf))
  if (wanted.size === 0) return ''
  const links = all.filter((line) => line.startsWith(link))
  const own = links.filter((line) => wanted.has(line.slice(link.length, -' .'.length)))
  // Without any the first: there are links, though to others.
  const chosen = new Set(own.length > 0 ? own : links.slice(0, 1))
  const about = all.filter((line) => wanted.has(subjectOf(line)) || chosen.has(line))
  return about.map((line) => `${line}\n`).join('')
}
