/** Answers of SELECT and ASK in the formats of SPARQL 1.1, written from the store's JSON and cut where they get too long. */

import { Failure } from '../../../errors.ts'
import { askVariable } from '../../sparql-results.ts'
import { opaque } from '../values.ts'

type Term = {
  readonly type: string
  readonly value: string
  readonly datatype?: string
  readonly 'xml:lang'?: string
}

type Solution = Readonly<Record<string, Term>>

export type Answer =
  | { readonly boolean: boolean }
  | { readonly variables: readonly string[]; readonly solutions: readonly Solution[] }

type Json = {
  readonly boolean?: boolean
  readonly head?: { readonly vars?: readonly string[] }
  readonly results?: { readonly bindings?: readonly Solution[] }
}

/** A term of SPARQL 1.1 Results JSON: Virtuoso has an older name for typed literals, and we have hidden some from stores. */
function ownTerm(term: Term): Term {
  if (term.type !== 'typed-literal' && !term.datatype?.startsWith(opaque)) return term
  const datatype = term.datatype?.replace(opaque, '')
  return { ...term, type: 'literal', ...(datatype !== undefined && { datatype }) }
}

const ownSolution = (solution: Solution): Solution =>
  Object.fromEntries(Object.entries(solution).map(([name, term]) => [name, ownTerm(term)]))

/** The store's JSON; `Failure` store-unavailable when it is cut or something else. */
export function answerOf(text: string): Answer {
  try {
    const { boolean, head, results }: Json = JSON.parse(text)
    if (boolean !== undefined) return { boolean }
    const { bindings } = results ?? {}
    const isOdd = bindings && head?.vars?.[0] === askVariable
    if (isOdd) return { boolean: bindings[0]?.[askVariable]?.value === '1' }
    if (head?.vars && bindings)
      return { variables: head.vars, solutions: bindings.map(ownSolution) }
  } catch (cause) {
    throw new Failure('store-unavailable', 'The answer of the store ended early.', { cause })
  }
  throw new Failure('store-unavailable', 'The store did not answer with solutions.')
}

type Format = {
  readonly head: (variables: readonly string[]) => string
  readonly row: (solution: Solution, variables: readonly string[]) => string
  readonly between: string
  readonly tail: string
  readonly boolean: (value: boolean) => string
}

const marks: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#xD;',
}
const xmlText = (text: string) => text.replace(/[&<>"\r]/g, (mark) => marks[mark] ?? mark)

function xmlTerm(term: Term): string {
  const { type, value, datatype, 'xml:lang': language } = term
  if (type === 'uri' || type === 'bnode') return `<${type}>${xmlText(value)}</${type}>`
  const tag = language === undefined ? '' : ` xml:lang="${xmlText(language)}"`
  const kind = datatype === undefined ? tag : ` datatype="${xmlText(datatype)}"`
  return `<literal${kind}>${xmlText(value)}</literal>`
}

const namespace = 'xmlns="http://www.w3.org/2005/sparql-results#"'

const xml: Format = {
  head: (variables) =>
    `<?xml version="1.0"?><sparql ${namespace}><head>` +
    `${variables.map((name) => `<variable name="${xmlText(name)}"/>`).join('')}</head><results>`,
  row: (solution) => {
    const bindings = Object.entries(solution).map(
      ([name, term]) => `<binding name="${xmlText(name)}">${xmlTerm(term)}</binding>`,
    )
    return `<result>${bindings.join('')}</result>`
  },
  between: '',
  tail: '</results></sparql>',
  boolean: (value) =>
    `<?xml version="1.0"?><sparql ${namespace}><head/><boolean>${value}</boolean></sparql>`,
}

const json: Format = {
  head: (variables) => `{"head":{"vars":${JSON.stringify(variables)}},"results":{"bindings":[`,
  row: (solution) => JSON.stringify(solution),
  between: ',',
  tail: ']}}',
  boolean: (value) => `{"head":{},"boolean":${value}}`,
}

const csvCell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const csv: Format = {
  head: (variables) => `${variables.map(csvCell).join(',')}\r\n`,
  row: (solution, variables) => {
    const cells = variables.map((name) => {
      const term = solution[name]
      return term ? csvCell(term.type === 'bnode' ? `_:${term.value}` : term.value) : ''
    })
    return `${cells.join(',')}\r\n`
  },
  between: '',
  tail: '',
  boolean: String,
}

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

function tsvCell({ type, value, datatype, 'xml:lang': language }: Term): string {
  if (type === 'uri') return `<${value}>`
  if (type === 'bnode') return `_:${value}`
  const text = `"${value.replace(/["\\\n\r\t]/g, (mark) => escapes[mark] ?? mark)}"`
  if (language !== undefined) return `${text}@${language}`
  return datatype === undefined ? text : `${text}^^<${datatype}>`
}

const tsv: Format = {
  head: (variables) => `${variables.map((name) => `?${name}`).join('\t')}\n`,
  row: (solution, variables) => {
    const cells = variables.map((name) => (solution[name] ? tsvCell(solution[name]) : ''))
    return `${cells.join('\t')}\n`
  },
  between: '',
  tail: '',
  boolean: (value) => `${value}\n`,
}

const layouts: Readonly<Record<string, Format>> = {
  'application/sparql-results+json': json,
  'application/json': json,
  'application/sparql-results+xml': xml,
  'application/xml': xml,
  'text/csv': csv,
  'text/tab-separated-values': tsv,
}

type Limits = { readonly rows: number; readonly bytes: number }

/** The answer in a format; `cut` when rows are missing because of a limit. Its head counts as bytes too. */
export function written(answer: Answer, mediaType: string, { rows, bytes }: Limits) {
  const format = layouts[mediaType] ?? json
  if ('boolean' in answer) return { body: format.boolean(answer.boolean), cut: false }
  const { variables, solutions } = answer
  const head = format.head(variables)
  const parts: string[] = []
  let room = bytes - Buffer.byteLength(head)
  for (const solution of solutions.slice(0, rows)) {
    const row = format.row(solution, variables)
    room -= Buffer.byteLength(row) + format.between.length
    if (room < 0) break
    parts.push(row)
  }
  const body = `${head}${parts.join(format.between)}${format.tail}`
  return { body, cut: parts.length < solutions.length }
}
