/** The part of a stored metrics graph that scores are read from: of hundreds of triples documents need a few dozen. */

import { bracketed } from '../../../rdf/lines.ts'
import { measurement, metric } from './metrics.ts'

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
