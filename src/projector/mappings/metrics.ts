/** Scores out of the metrics graph of a record (W3C Data Quality Vocabulary). */

import type { Term } from '@rdfjs/types'
import { bracketed } from '../../rdf/lines.ts'
import { computedOn, dqv, prov } from '../../rdf/namespaces.ts'
import type { Graph, Node } from '../../rdf/read.ts'
import type { Filler, Json } from './mapping.ts'
import { numberOf } from './structures.ts'

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
const measurement = dqv('hasQualityMeasurement').value
/** From a measurement to what it measures. */
const metric = dqv('isMeasurementOf').value
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

// The part of a stored metrics graph that scores are read from: of hundreds of triples documents need a few dozen.

const measures = ` ${bracketed(metric)} `
/** The end of the name of every score; hardly anything else in a metrics graph has it. */
const ending = 'coring'

/** Where the lines of a subject stand, which lie together. */
type Block = { readonly subject: string; readonly start: number; readonly end: number }

/** The lines around the one that starts at `at`, as far as they begin alike. */
function blockAt(lines: string, at: number, subject: string): Block {
  const begin = `${subject} `
  let [start, end] = [at, at]
  while (start > 0) {
    const before = lines.lastIndexOf('\n', start - 2) + 1
    if (!lines.startsWith(begin, before)) break
    start = before
  }
  while (lines.startsWith(begin, end)) end = lines.indexOf('\n', end) + 1 || lines.length
  return { subject, start, end }
}

/** The measurements that may be of a score. */
function measurementsIn(lines: string): readonly Block[] {
  const found: Block[] = []
  for (let at = lines.indexOf(ending); at >= 0; at = lines.indexOf(ending, at + 1)) {
    if (at < (found.at(-1)?.end ?? 0)) continue
    const start = lines.lastIndexOf('\n', at) + 1
    const subject = lines.slice(start, lines.indexOf(' ', start))
    if (!lines.startsWith(measures, start + subject.length)) continue
    found.push(blockAt(lines, start, subject))
  }
  return found
}

/** Of the links of a resource those to some of its measurements; without any the first: there are links, though to others. */
function linksIn(lines: string, resource: string, measurements: readonly Block[]): string[] {
  const link = `${bracketed(resource)} ${bracketed(measurement)} `
  const wanted = new Set(measurements.map(({ subject }) => `${subject} .\n`))
  const first = lines.indexOf(link)
  const found: string[] = []
  for (let at = first; at >= 0 && lines.startsWith(link, at);) {
    const end = lines.indexOf('\n', at) + 1
    if (wanted.has(lines.slice(at + link.length, end))) found.push(lines.slice(at, end))
    at = end
  }
  return found.length > 0 || first < 0
    ? found
    : [lines.slice(first, lines.indexOf('\n', first) + 1)]
}

/**
 * The lines that `metrics` looks at for a resource: all of each measurement of a score, and the links of the resource to them.
 * The others are not parsed. Lines are those of a stored content: in our own spelling, sorted, line ends included.
 */
export function scoreLines(lines: string, resource: string): string {
  const found = measurementsIn(lines)
  if (found.length === 0) return ''
  const about = found.map(({ start, end }) => lines.slice(start, end))
  return [...about, ...linksIn(lines, resource, found)].join('')
}
