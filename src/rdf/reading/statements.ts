/** Triples as N-Triples text in our own spelling, for those who pass them on and need no terms. */
import type { Quad } from '@rdfjs/types'
import { predicateText, termText } from '../lines.ts'

export type Statement = {
  /** N-Triples. */
  readonly subject: string
  /** The IRI itself. */
  readonly predicate: string
  /** N-Triples. */
  readonly object: string
  /** N-Triples; `''` = default graph. */
  readonly graph: string
  /** The triple with its line end, without its graph. */
  readonly line: string
}

/** Throws on what N-Triples has no words for. */
export function statementOf({ subject, predicate, object, graph }: Quad): Statement {
  const [subjectText, objectText] = [termText(subject), termText(object)]
  return {
    subject: subjectText,
    predicate: predicate.value,
    object: objectText,
    graph: graph.termType === 'DefaultGraph' ? '' : termText(graph),
    line: `${subjectText} ${predicateText(predicate.value)} ${objectText} .\n`,
  }
}

export async function* statementsOf(batches: AsyncIterable<Quad[]>): AsyncIterable<Statement[]> {
  for await (const quads of batches) yield quads.map(statementOf)
}
