/** Scores out of the metrics graph of a record (W3C Data Quality Vocabulary). */

import { scores } from '../../profile/field-models.ts'
import { bracketed } from '../../rdf/lines.ts'
import { computedOn, dqv, prov } from '../../rdf/namespaces.ts'
import type { Graph, Node } from '../../rdf/read.ts'
import type { Json } from '../../text/json.ts'
import { afterLast, type Filler } from './mapping.ts'
import { decimalNumber } from './values.ts'

/** From a resource to its measurements. */
const measurement = dqv('hasQualityMeasurement').value
/** From a measurement to what it measures. */
const metric = dqv('isMeasurementOf').value

/** The measurements that the resource links to, else those that say that they are about it. */
function measurementsOf(graph: Graph, resource: string): readonly Node[] {
  const aboutOf = (node: Node) =>
    computedOn.flatMap((predicate) => graph.objects(node, predicate).map(({ value }) => value))
  const linked = graph.objects(resource, measurement)
  if (linked.length === 0)
    return [...graph.subjects()].filter((subject) => aboutOf(subject).includes(resource))
  return linked.filter((node) => {
    const about = aboutOf(node)
    return about.length === 0 || about.includes(resource)
  })
}

/** Metrics: `{scoring, …}`; of several measurements of one score the latest. */
export const scoresFiller: Filler = (node, { path }, { metrics: graph, report }) => {
  if (!graph) return undefined
  const latest = new Map<string, { readonly at: string; readonly number: number }>()
  for (const each of measurementsOf(graph, node.value)) {
    const name = afterLast(graph.objects(each, metric)[0]?.value ?? '')
    if (!scores.some((score) => score === name)) continue
    const [text] = graph.objects(each, dqv('value'))
    const number = text && decimalNumber(text.value)
    if (number === undefined) {
      report(`${path}.${name}`, 'bad-number', text ?? '')
      continue
    }
    const at = graph.objects(each, prov('generatedAtTime'))[0]?.value ?? ''
    const other = latest.get(name)
    if (!other || at > other.at || (at === other.at && number > other.number))
      latest.set(name, { at, number })
  }
  const json: Record<string, Json> = {}
  for (const name of scores) {
    const score = latest.get(name)
    if (score) json[name] = score.number
  }
  return latest.size === 0 ? undefined : json
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
  const scoring = new Set(measuring.filter((line) => line.includes('coring')).map(subjectOf))
  if (scoring.size === 0) return ''
  const links = all.filter((line) => line.startsWith(link))
  const own = links.filter((line) => scoring.has(line.slice(link.length, -' .'.length)))
  // Without any the first: there are links, though to others.
  const chosen = new Set(own.length > 0 ? own : links.slice(0, 1))
  const about = all.filter((line) => scoring.has(subjectOf(line)) || chosen.has(line))
  return about.map((line) => `${line}\n`).join('')
}
