/** What goes between the main thread and the validating workers: text, and terms without their methods. */

import type { Literal, Quad, Term } from '@rdfjs/types'
import { fromLines, toLine } from '../../../rdf/lines.ts'
import { blankNode, literal, namedNode } from '../../../rdf/terms.ts'
import type { ReportGraph, ReportResult } from '../../dqv/writing.ts'

/** The shapes of a model; sent to each worker once. */
export type ModelShapes = {
  /** N-Triples. */
  readonly lines: string
  /** Concept → its scheme, for shapes that ask for schemes. */
  readonly schemes: readonly (readonly [concept: string, scheme: string])[]
}

export type Start = {
  /** Results that are kept of one record. */
  readonly results: number
}

export type Task = {
  readonly id: number
  readonly model: string
  readonly shapes?: ModelShapes
  /** The record as N-Triples. */
  readonly text: string
  /** Catalogue records in it are validated too. */
  readonly withRecords?: boolean | undefined
}

/** The first message of a worker: from now on it validates. */
export type Ready = { readonly ready: true }

/** `shapes`: they cannot be applied to anything; `record`: not to this one. */
export type Reply =
  | { readonly id: number; readonly results: readonly PlainResult[]; readonly truncated: boolean }
  | { readonly id: number; readonly trouble: 'shapes' | 'record'; readonly message: string }

type PlainTerm =
  | { readonly iri: string }
  | { readonly blank: string }
  | { readonly text: string; readonly language: string; readonly datatype: string }

type PlainResult = {
  readonly focus?: PlainTerm
  readonly path?: PlainTerm
  /** Instead of a path that is one term. */
  readonly pathLines?: string
  readonly value?: PlainTerm
  readonly messages: readonly PlainTerm[]
  readonly severity: ReportResult['severity']
  readonly component: string
}

export const plain = (result: ReportResult): PlainResult => ({
  messages: result.messages.map(plainTerm),
  severity: result.severity,
  component: result.component,
  ...(result.focusNode && { focus: plainTerm(result.focusNode) }),
  ...(result.value && { value: plainTerm(result.value) }),
  ...pathParts(result.path),
})

function pathParts(path: ReportResult['path']): Pick<PlainResult, 'path' | 'pathLines'> {
  if (path === undefined) return {}
  if ('termType' in path) return { path: plainTerm(path) }
  return { pathLines: path.map((quad: Quad) => `${toLine(quad)}\n`).join('') }
}

function plainTerm(term: Term): PlainTerm {
  if (term.termType === 'Literal') {
    return { text: term.value, language: term.language, datatype: term.datatype.value }
  }
  return term.termType === 'BlankNode' ? { blank: term.value } : { iri: term.value }
}

/** The report of a record. It conforms without any result (SHACL 3.6.1.1): whoever asks for less looks at the severities. */
export const reportOf = (reply: Extract<Reply, { readonly truncated: boolean }>): ReportGraph => ({
  conforms: reply.results.length === 0,
  results: reply.results.map(resultOf),
  truncated: reply.truncated,
})

const resultOf = (result: PlainResult): ReportResult => ({
  messages: result.messages.map(termOf).filter((term) => term.termType === 'Literal'),
  severity: result.severity,
  component: result.component,
  ...(result.focus && { focusNode: termOf(result.focus) }),
  ...(result.value && { value: termOf(result.value) }),
  ...(result.path && { path: termOf(result.path) }),
  ...(result.pathLines !== undefined && { path: fromLines(result.pathLines) }),
})

function termOf(term: PlainTerm): Term | Literal {
  if ('iri' in term) return namedNode(term.iri)
  if ('blank' in term) return blankNode(term.blank)
  return literal(term.text, term.language || namedNode(term.datatype))
}
