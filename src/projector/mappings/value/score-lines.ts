/** The part of a stored metrics graph that scores are read from: of hundreds of triples documents need a few dozen. */

import { bracketed } from '../../../rdf/lines.ts'
import { measurement, metric, scores } from './metrics.ts'

const measures = ` ${bracketed(metric)} `

/** Subjects, as they are written, of measurements that may be of a score. */
function measurementsOf(lines: string): ReadonlySet<string> {
  const found = new Set<string>()
  for (let at = lines.indexOf(measures); at >= 0; at = lines.indexOf(measures, at + 1)) {
    const object = lines.slice(at + measures.length, lines.indexOf('\n', at))
    if (!scores.some((score) => object.includes(score))) continue
    found.add(lines.slice(lines.lastIndexOf('\n', at) + 1, at))
  }
  return found
}

/**
 * The lines that `metrics` looks at for a resource, in their order: all of each measurement of a score, and the links of the
 * resource to its measurements. The others are not parsed. Lines are in our own spelling, line ends included.
 */
export function scoreLines(lines: string, resource: string): string {
  const measurements = measurementsOf(lines)
  if (measurements.size === 0) return ''
  const link = `${bracketed(resource)} ${bracketed(measurement)} `
  const kept: string[] = []
  for (let at = 0; at < lines.length;) {
    const next = lines.indexOf('\n', at) + 1 || lines.length
    const subject = lines.slice(at, lines.indexOf(' ', at))
    if (measurements.has(subject) || lines.startsWith(link, at)) kept.push(lines.slice(at, next))
    at = next
  }
  return kept.join('')
}
