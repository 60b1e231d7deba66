/** SPARQL 1.1 Query Results: reads JSON, and writes JSON, XML, CSV and TSV. */

import type { Term } from '@rdfjs/types'
import { Failure } from '../errors.ts'
import { blankNode, literal, namedNode } from '../rdf/terms.ts'
import type { Row } from './graph-store.ts'

/** Term in JSON results (SPARQL 1.1 Query Results JSON, 3.2.2); Virtuoso uses the older type `typed-literal`. */
export type JsonTerm = {
  readonly type: string
  readonly value: string
  readonly datatype?: string
  readonly 'xml:lang'?: string
}

type Solution = Readonly<Record<string, JsonTerm>>

/** Answer to ASK (`boolean`) or SELECT. */
export type Results =
  | { readonly boolean: boolean }
  | { readonly variables: readonly string[]; readonly solutions: readonly Solution[] }

type JsonResults = {
  readonly boolean?: boolean
  readonly head?: { readonly vars?: readonly string[] }
  readonly results?: { readonly bindings?: readonly Solution[] }
}

/** Variable in Virtuoso's answers to ASK: one solution with `1`, or none. */
const askVariable = '__ASK_RETVAL'

function parseJson(text: string): JsonResults | null {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure('store-unavailable', 'The answer of the store ended early.', { cause })
  }
}

/** Parses JSON results. Throws `store-unavailable` for a text that is no JSON, or an object without results. */
export function resultsOf(text: string): Results {
  const { boolean, head, results } = parseJson(text) ?? {}
  if (boolean !== undefined) return { boolean }
  const { bindings } = results ?? {}
  if (!bindings) throw new Failure('store-unavailable', 'The store sent no solutions.')
  const variables = head?.vars ?? []
  if (variables[0] !== askVariable) return { variables, solutions: bindings }
  return { boolean: bindings[0]?.[askVariable]?.value === '1' }
}

function termOf(json: JsonTerm): Term {
  if (json.type === 'uri') return namedNode(json.value)
  if (json.type === 'bnode') return blankNode(json.value)
  const { datatype } = json
  return literal(json.value, json['xml:lang'] ?? (datatype ? namedNode(datatype) : undefined))
}

/**
 * Parses JSON results as solutions of RDF terms, in their order; throws as `resultsOf`, and `store-unavailable` for an answer to
 * ASK.
 */
export function solutionRows(text: string): readonly Row[] {
  const results = resultsOf(text)
  if ('boolean' in results) {
    throw new Failure('store-unavailable', 'The store sent no solutions.')
  }
  return results.solutions.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, term]) => [name, termOf(term)])),
  )
}

/** Parses JSON results of ASK; throws as `resultsOf`, and `store-unavailable` for solutions. */
export function booleanOf(text: string): boolean {
  const results = resultsOf(text)
  if ('boolean' in results) return results.boolean
  throw new Failure('store-unavailable', 'The store sent neither true nor false.')
}

/** Media types of the results of SELECT and ASK in order of preference. */
export const solutionTypes: readonly string[] = [
  'application/sparql-results+json',
  'application/json',
  'application/sparql-results+xml',
  'application/xml',
  'text/csv',
  'text/tab-separated-values',
]

/** Writer of one media type: text before the rows, of a row, between rows and after them; and of the answer to ASK. */
type Format = {
  readonly head: (variables: readonly string[]) => string
  readonly row: (solution: Solution, variables: readonly string[]) => string
  readonly separator: string
  readonly tail: string
  readonly boolean: (value: boolean) => string
}

const json: Format = {
  head: (variables) => `{"head":{"vars":${JSON.stringify(variables)}},"results":{"bindings":[`,
  row: (solution) => JSON.stringify(solution),
  separator: ',',
  tail: ']}}',
  boolean: (value) => `{"head":{},"boolean":${value}}`,
}

const xmlMarks: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#xD;',
}
const xmlText = (text: string) => text.replace(/[&<>"\r]/g, (mark) => xmlMarks[mark] ?? mark)

function xmlTerm({ type, value, datatype, 'xml:lang': language }: JsonTerm): string {
  if (type === 'uri' || type === 'bnode') return `<${type}>${xmlText(value)}</${type}>`
  const tag = language === undefined ? '' : ` xml:lang="${xmlText(language)}"`
  const kind = datatype === undefined ? tag : ` datatype="${xmlText(datatype)}"`
  return `<literal${kind}>${xmlText(value)}</literal>`
}

const xmlStart = '<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#"><head'

const xml: Format = {
  head: (variables) =>
    `${xmlStart}>${variables.map((name) => `<variable name="${xmlText(name)}"/>`).join('')}</head><results>`,
  row: (solution) => {
    const bindings = Object.entries(solution).map(
      ([name, term]) => `<binding name="${xmlText(name)}">${xmlTerm(term)}</binding>`,
    )
    return `<result>${bindings.join('')}</result>`
  },
  separator: '',
  tail: '</results></sparql>',
  boolean: (value) => `${xmlStart}/><boolean>${value}</boolean></sparql>`,
}

const csvCell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const tsvEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

function tsvCell({ type, value, datatype, 'xml:lang': language }: JsonTerm): string {
  if (type === 'uri') return `<${value}>`
  if (type === 'bnode') return `_:${value}`
  const text = `"${value.replace(/["\\\n\r\t]/g, (mark) => tsvEscapes[mark] ?? mark)}"`
  if (language !== undefined) return `${text}@${language}`
  return datatype === undefined ? text : `${text}^^<${datatype}>`
}

/** Format CSV or TSV (SPARQL 1.1 Query Results CSV and TSV Formats): a line of names, then a line per solution. */
const table = (
  [mark, end]: readonly [separator: string, end: string],
  name: (variable: string) => string,
  cell: (term: JsonTerm) => string,
): Format => ({
  head: (variables) => `${variables.map(name).join(mark)}${end}`,
  row: (solution, variables) => {
    const cells = variables.map((variable) => {
      const term = solution[variable]
      return term ? cell(term) : ''
    })
    return `${cells.join(mark)}${end}`
  },
  separator: '',
  tail: '',
  boolean: (value) => (mark === ',' ? String(value) : `${value}\n`),
})

const csv = table([',', '\r\n'], csvCell, ({ type, value }) =>
  csvCell(type === 'bnode' ? `_:${value}` : value),
)
const tsv = table(['\t', '\n'], (variable) => `?${variable}`, tsvCell)

const formats: Readonly<Record<string, Format>> = {
  'application/sparql-results+json': json,
  'application/json': json,
  'application/sparql-results+xml': xml,
  'application/xml': xml,
  'text/csv': csv,
  'text/tab-separated-values': tsv,
}

type Limits = { readonly rows: number; readonly bytes: number }
type RowDelimiters = { readonly head?: string; readonly separator?: string; readonly tail?: string }

/** Joins head, as many rows as the limits allow, and tail; `cut` = there are more rows. */
export function limitRows(
  rows: Iterable<string>,
  { head = '', separator = '', tail = '' }: RowDelimiters,
  limits: Limits,
): { readonly body: string; readonly cut: boolean } {
  const included: string[] = []
  let bytes = Buffer.byteLength(head)
  let cut = false
  for (const row of rows) {
    bytes += Buffer.byteLength(row) + separator.length
    cut = included.length === limits.rows || bytes > limits.bytes
    if (cut) break
    included.push(row)
  }
  return { body: `${head}${included.join(separator)}${tail}`, cut }
}

/** Writes results in one of `solutionTypes`, truncated to the limits. */
export function resultsText(results: Results, mediaType: string, limits: Limits) {
  const { head, row, separator, tail, boolean } = formats[mediaType] ?? json
  if ('boolean' in results) return { body: boolean(results.boolean), cut: false }
  const { variables, solutions } = results
  const rows = Iterator.from(solutions).map((solution) => row(solution, variables))
  return limitRows(rows, { head: head(variables), separator, tail }, limits)
}
