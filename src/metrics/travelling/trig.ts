/** The text of a payload: lines of N-Triples, those of the metrics between braces, which is TriG (W3C TriG, 2.2). */

import type { Quad } from '@rdfjs/types'
import { bracketed, toLine } from '../../rdf/lines.ts'
import type { Payload } from './subject.ts'

/** Not sorted; the order of the quads stays. */
export function trig({ dataset, metrics, metricsGraph }: Omit<Payload, 'subject'>): string {
  const described = lines(dataset)
  return metrics.length === 0
    ? described
    : `${described}${bracketed(metricsGraph)} {\n${lines(metrics)}}\n`
}

const lines = (quads: readonly Quad[]): string => quads.map((q) => `${toLine(q)}\n`).join('')
