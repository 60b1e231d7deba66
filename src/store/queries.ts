/** Loads the queries in `sparql/` and binds RDF terms to their `$parameters`; also the SPARQL tokenizer and pages of solutions. */

import { existsSync, readFileSync } from 'node:fs'
import type { Term } from '@rdfjs/types'
import { shortEscapes } from '../rdf/lines.ts'
import { rdf, xsd } from '../rdf/namespaces.ts'

/** Query with `$parameters`; its text is valid SPARQL. */
export type Query = {
  readonly name: string
  readonly tokens: readonly Token[]
  readonly parts: readonly Part[]
}

/**
 * Values of a query by parameter. A term replaces its parameter everywhere. A list fills `VALUES $name { UNDEF }`; rows fill
 * `VALUES ($name $other) { (UNDEF UNDEF) }` and have the first name of that list as key.
 */
export type QueryValues = Readonly<
  Record<string, Term | readonly Term[] | readonly (readonly Term[])[]>
>

const folder = new URL('../../sparql/', import.meta.url)
const queryCache = new Map<string, Query>()

/** Parses the text of a query, for tests and queries that are not in a file. */
export function parseQuery(text: string, name = 'inline'): Query {
  const tokens = sparqlTokens(text)
  return { name, tokens, parts: partsOf(tokens) }
}

/** Loads `sparql/{name}.rq` or `.ru`, with a cache; throws an Error when neither exists. */
export function loadQuery(name: string): Query {
  const cached = queryCache.get(name)
  if (cached) return cached
  const path = ['rq', 'ru'].map((kind) => new URL(`${name}.${kind}`, folder)).find(existsSync)
  if (!path) throw new Error(`no query sparql/${name}.rq or .ru`)
  const query = parseQuery(readFileSync(path, 'utf8'), name)
  queryCache.set(name, query)
  return query
}

const isTerm = (value: QueryValues[string] | readonly Term[]): value is Term => 'termType' in value

/** Block of a `VALUES` whose variables are parameters: `VALUES $a { … }`, or with parentheses (`isTuple`) `VALUES ($a $b) { … }`. */
type ValuesBlock = {
  readonly names: readonly string[]
  readonly isTuple: boolean
  /** Positions of the opening and the closing brace among the tokens. */
  readonly from: number
  readonly to: number
}

/** Token range of the braces after `VALUES $a` or `VALUES ($a $b)`; `undefined` unless the token at `at` is such a `VALUES`. */
function blockAt(tokens: readonly Token[], at: number): ValuesBlock | undefined {
  if (tokens[at]?.text.toUpperCase() !== 'VALUES') return undefined
  const names: string[] = []
  let isTuple = false
  for (let next = at + 1; next < tokens.length; next += 1) {
    const token = tokens[next]
    if (token?.kind === 'parameter') names.push(token.text.slice(1))
    else if (token?.text === '(') isTuple = true
    else if (token?.text === '{') {
      const to = tokens.findIndex(
        ({ kind, text }, i) => i > next && kind === 'mark' && text === '}',
      )
      return names.length === 0 ? undefined : { names, isTuple, from: next, to }
    } else if (token?.kind === 'word') return undefined
  }
  return undefined
}

/** Writes the braces of a `VALUES` with the bound rows. */
function rowsText(block: ValuesBlock, value: QueryValues[string], query: Query): string {
  const fail = (why: string) => new Error(`${query.name}: $${block.names.join(' $')} ${why}`)
  if (isTerm(value)) throw fail('is in VALUES and needs a list')
  const rows = value.map((row) => {
    const terms: readonly Term[] = isTerm(row) ? [row] : row
    if (terms.length !== block.names.length) throw fail(`needs rows of ${block.names.length}`)
    const text = terms.map(sparqlText).join(' ')
    return block.isTuple ? `(${text})` : text
  })
  return `{ ${rows.join('\n')} }`
}

/** Part of a query: text, the place of a term, or the braces of a `VALUES`. */
type Part = string | { readonly name: string } | { readonly block: ValuesBlock }

/** Splits the tokens of a query into parts. */
function partsOf(tokens: readonly Token[]): readonly Part[] {
  const blocks = tokens.flatMap((_, at) => blockAt(tokens, at) ?? [])
  const listParameters = new Set(blocks.flatMap(({ names }) => names))
  const parts: Part[] = []
  let text = ''
  const addPart = (part: Part) => {
    parts.push(text, part)
    text = ''
  }
  for (const [at, token] of tokens.entries()) {
    const block = blocks.find(({ from, to }) => at >= from && at <= to)
    const name = token.kind === 'parameter' ? token.text.slice(1) : undefined
    if (block) {
      if (at === block.from) addPart({ block })
    } else if (name === undefined) text += token.text
    else if (listParameters.has(name)) text += `?${name}`
    else addPart({ name })
  }
  return [...parts, text]
}

/**
 * Text of a query with its values. Throws an Error for a missing or unused value, a list without `VALUES`, `VALUES` without a list of
 * fitting rows, or a term that cannot be written in a query: these are faults of the program, not of a client.
 */
export function bind(query: Query, values: QueryValues): string {
  const usedNames = new Set<string>()
  const valueOf = (name: string) => {
    const boundValue = values[name]
    if (boundValue === undefined) throw new Error(`${query.name}: no value for $${name}`)
    usedNames.add(name)
    return boundValue
  }
  const texts = query.parts.map((part) => {
    if (typeof part === 'string') return part
    if ('block' in part) return rowsText(part.block, valueOf(part.block.names[0] ?? ''), query)
    const value = valueOf(part.name)
    if (!isTerm(value)) throw new Error(`${query.name}: $${part.name} is a list without VALUES`)
    return ` ${sparqlText(value)} `
  })
  const unused = Object.keys(values).filter((name) => !usedNames.has(name))
  if (unused.length > 0) throw new Error(`${query.name}: has no $${unused.join(', $')}`)
  return texts.join('')
}

// RDF terms as SPARQL text, escaped.

const xsdString = xsd('string').value
const langString = rdf('langString').value

// A backslash before u is written `\\` + an escaped u: stores that decode \uXXXX before they parse (SPARQL 1.1, 19.2)
// would otherwise see a quotation mark in what is text.
const escapes: Readonly<Record<string, string>> = {
  ...shortEscapes,
  '\\u': '\\\\\\u0075',
  '\\U': '\\\\\\u0055',
}

const escape = (value: string) =>
  value.replace(/\\[uU]|["\\\n\r\t\b\f]/g, (match) => escapes[match] ?? '')

/** Writes `<iri>`; throws an Error for anything that is not one IRI token. */
function iriText(iri: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are exactly what must not get through
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:[^\u0000-\u0020<>"{}|^`\\\u007F-\u009F]*$/.test(iri)) {
    throw new Error(`not an absolute IRI: ${JSON.stringify(iri)}`)
  }
  if (!iri.isWellFormed()) throw new Error('an IRI with half a character')
  return `<${iri}>`
}

function literalText(value: string, language: string, datatype: string): string {
  if (!value.isWellFormed()) throw new Error('a literal with half a character')
  const text = `"${escape(value)}"`
  if (language !== '') {
    if (!/^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/.test(language)) {
      throw new Error(`not a language tag: ${JSON.stringify(language)}`)
    }
    return `${text}@${language}`
  }
  return datatype === xsdString || datatype === langString ? text : `${text}^^${iriText(datatype)}`
}

/** Writes a named node or literal in SPARQL. Throws an Error for blank nodes and variables, which would change the query. */
export function sparqlText(term: Term): string {
  if (term.termType === 'NamedNode') return iriText(term.value)
  if (term.termType === 'Literal') {
    return literalText(term.value, term.language, term.datatype.value)
  }
  throw new Error(`a ${term.termType} cannot be bound`)
}

// SPARQL tokens: strings, IRIs and comments are recognised, so that their content is not read as syntax.

/** Token of a SPARQL text. */
export type Token = {
  readonly kind: 'parameter' | 'word' | 'mark' | 'skip'
  /** Text of the token; for `parameter` with the `$`. */
  readonly text: string
  readonly start: number
}

// Order matters: long strings before short ones, an IRI before the sign "less than" (SPARQL 1.1, 19.8).
const tokenPattern = new RegExp(
  [
    String.raw`(?<skip>\s+|#[^\n\r]*` +
      String.raw`|"""(?:(?:"|"")?(?:[^"\\]|\\[^]))*"""|'''(?:(?:'|'')?(?:[^'\\]|\\[^]))*'''` +
      String.raw`|"(?:[^"\\\n\r]|\\[^])*"|'(?:[^'\\\n\r]|\\[^])*'` +
      String.raw`|<[^\u0000-\u0020<>"{}|^${'`'}\\]*>)`,
    String.raw`(?<parameter>\$[\p{L}\p{N}_][\p{L}\p{N}\p{M}_\u00B7\u203F\u2040]*)`,
    String.raw`(?<word>(?:[?@]?[\p{L}\p{N}\p{M}_:%.\u00B7\u203F\u2040-]|\\[^])+)`,
    String.raw`(?<mark>[^])`,
  ].join('|'),
  'gyu',
)

/** Tokens of a text; their texts joined are the text. White space, comments, strings and IRIs are `skip`. */
export function sparqlTokens(text: string): Token[] {
  return [...text.matchAll(tokenPattern)].map((match) => {
    const groups = match.groups ?? {}
    const kind = groups['skip']
      ? 'skip'
      : groups['parameter']
        ? 'parameter'
        : groups['word']
          ? 'word'
          : 'mark'
    return { kind, text: match[0], start: match.index }
  })
}

// Pages of a query's solutions.

/** Adds `LIMIT` and `OFFSET` to a query, which cannot be parameters in SPARQL. The query must end with `ORDER BY`. */
export function paged(
  query: string,
  page: { readonly limit: number; readonly offset?: number },
): string {
  const { limit, offset = 0 } = page
  if (![limit, offset].every((value) => Number.isSafeInteger(value) && value >= 0)) {
    throw new Error(`a page of ${limit} from ${offset} is none`)
  }
  return `${query}\nLIMIT ${limit} OFFSET ${offset}`
}
