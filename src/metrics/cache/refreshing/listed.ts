/** What of a metrics graph stands in lists: results of the validation, and URLs that were not there. */

import type { Quad, Term } from '@rdfjs/types'
import { fromLines } from '../../../rdf/lines.ts'
import type { Names } from '../../../rdf/names.ts'
import { measurements, reportOf } from '../../dqv/reading.ts'
import type { ReportResult } from '../../dqv/writing.ts'
import { isReachable } from '../../words/indicators.ts'
import { localName } from '../../words/terms.ts'
import type { FoundUrl, FoundViolation } from '../counting/dataset.ts'
import { cut, textsOf } from './texts.ts'
import type { Turn } from './turns.ts'

type Listed = { readonly urls: readonly FoundUrl[]; readonly violations: readonly FoundViolation[] }

/** `text`: the graph as the store has it, in which blank nodes are IRIs. */
export async function listedOf(
  text: string,
  names: Names,
  id: string,
  turn: Turn,
): Promise<Listed> {
  const quads: Quad[] = []
  for (const piece of pieces(text)) {
    for (const quad of fromLines(piece)) quads.push(quad)
    await turn()
  }
  const isNode = (iri: string) => iri.startsWith(names.genidPrefix)
  return {
    urls: urlsOf(quads, names.dataset(id)),
    violations: (reportOf(quads)?.results ?? []).map((result) => violationOf(result, isNode)),
  }
}

/** Characters that are parsed at once: some milliseconds. */
const pieceSize = 2 ** 20

function* pieces(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at + pieceSize) + 1 || text.length
    yield text.slice(at, end)
    at = end
  }
}

const types = { accessUrlStatusCode: 'accessUrl', downloadUrlStatusCode: 'downloadUrl' } as const
const isStatus = (metric: string): metric is keyof typeof types => Object.hasOwn(types, metric)

function urlsOf(quads: readonly Quad[], dataset: string): readonly FoundUrl[] {
  return measurements(quads).flatMap(({ metric, on, value, from, at }): FoundUrl[] => {
    if (!isStatus(metric) || typeof value !== 'number' || isReachable(value)) return []
    const [distribution, url] = [on === dataset ? '' : on, cut(from ?? '')]
    return [{ distribution, type: types[metric], url, status: value, checked: at ?? null }]
  })
}

function violationOf(result: ReportResult, isNode: (iri: string) => boolean): FoundViolation {
  const { severity, component, path, value, messages } = result
  const iri = path && 'termType' in path && path.termType === 'NamedNode' ? path.value : ''
  return {
    severity,
    path: isNode(iri) ? '' : iri,
    component: localName(component),
    value: value === undefined ? null : told(value, isNode),
    messages: textsOf(messages),
  }
}

/** What was a blank node has no name that tells anybody anything. */
const told = (term: Term, isNode: (iri: string) => boolean): string | null =>
  isNode(term.value) || term.termType === 'BlankNode' ? null : cut(term.value)
