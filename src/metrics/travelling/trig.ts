/** The text of a payload: lines of N-Triples, those of the metrics between braces, which is TriG (W3C TriG, 2.2). */

import type { Quad, Term } from '@rdfjs/types'
import { bracketed, termText } from '../../rdf/lines.ts'
import type { Payload } from './subject.ts'

/** Not sorted; the order of the quads stays. */
export function trig(payload: Omit<Payload, 'subject'>): string {
  const { dataset, metrics, metricsGraph } = payload
  const described = payload.lines ?? lines(dataset)
  return metrics.length === 0
    ? described
    : `${described}${bracketed(metricsGraph)} {\n${lines(metrics)}}\n`
}

/** The same few terms stand in nearly every line of metrics. */
function lines(quads: readonly Quad[]): string {
  const texts = new Map<Term, string>()
  const textOf = (term: Term): string => {
    let text = texts.get(term)
    if (text === undefined) texts.set(term, (text = termText(term)))
    return text
  }
  let found = ''
  for (const { subject, predicate, object } of quads) {
    found += `${textOf(subject)} ${textOf(predicate)} ${textOf(object)} .\n`
  }
  return found
}
