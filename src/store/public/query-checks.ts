/**
 * What a stranger's query must be before it is run, read by a parser and never by a pattern; and with a LIMIT no higher than
 * answers may have rows, lowered in its text so that everything else stays as it was written.
 */

import { Generator, type SparqlQuery } from 'sparqljs'
import { Failure } from '../../errors.ts'
import { formats, negotiate } from '../../rdf/media-types.ts'
import { systemGraph } from '../../rdf/namespaces.ts'
import type { PublicQuery } from '../graph-store.ts'
import { sparqlTokens, type Token } from '../queries.ts'
import { solutionTypes } from '../sparql-results.ts'
import { isNode, type SyntaxNode, parseSparql, placed } from '../sparql-syntax.ts'

const maxBytes = 16 * 1024
const maxGroups = 32
/** Brackets of all kinds inside one another: what a recursive parser can bear is far more. */
const maxNesting = 100
/** Levels of the syntax tree: two to four per bracket or operator. */
const maxDepth = 400
const maxParts = 200

export type CheckedQuery = {
  /** The query with its LIMIT lowered to one more than the allowed rows, to see whether there are more. */
  readonly text: string
  /** Base of its relative IRIs; absent when it has none. A BASE in the text would move the places of faults. */
  readonly base: string | undefined
  readonly mediaType: string
  readonly graph: boolean
  /** Of a graph whose LIMIT was lowered: counts the solutions, of which many may give the same triples. */
  readonly count: string | undefined
  /** Graphs that FROM, FROM NAMED or the protocol's parameters name: they must exist. */
  readonly named: readonly string[]
  readonly defaultGraphs: readonly string[]
  readonly namedGraphs: readonly string[]
  /** No dataset was chosen: the default graph is the union of all graphs. */
  readonly union: boolean
}

const refuse = (why: string) => new Failure('malformed-query', `The query is refused: ${why}.`)

/**
 * The failure for what only the engine or the store saw: the line of its message that names a place, else the first. A store gets
 * another text than the client sent, so its places are said to be of that text.
 */
export function refusedBy(whom: 'engine' | 'store', cause: unknown): Failure {
  const message = cause instanceof Error ? cause.message : String(cause)
  // Fuseki writes a heading and the whole query before its message.
  const lines = message.slice(0, 4 * maxBytes).split(/\s*[\r\n]\s*/)
  const why = lines.find((line) => /\bline \d/i.test(line)) ?? lines.find((line) => line !== '')
  const what = whom === 'store' ? 'the query, which was rewritten for it' : 'the query'
  // A fault of the whole query is told among the tokens that may follow, at the end of a text that has a LIMIT of ours.
  const whole = /(?:, |of )([A-Z]\w* (?:[\w*]+ ){2,}\w+)|expected (?:\[_\]|<unreported>)$/.exec(
    why ?? '',
  )
  const said = whole && whom === 'engine' ? (whole[1] ?? 'it has no meaning as a whole') : why
  const detail = (said ?? 'it gives no reason').trim().slice(0, 250)
  return new Failure('malformed-query', `The ${whom} refused ${what}: ${detail}`, { cause })
}

function checkSize(text: string): void {
  if (Buffer.byteLength(text) > maxBytes) {
    throw new Failure('query-too-complex', `A query may have ${maxBytes} bytes (sparqlQueryBytes).`)
  }
  let groups = 0
  let nesting = 0
  for (const { kind, text: mark } of sparqlTokens(text)) {
    if (kind !== 'mark') continue
    if (mark === '{' || mark === '}') groups += mark === '{' ? 1 : -1
    if ('{(['.includes(mark)) nesting += 1
    else if ('})]'.includes(mark)) nesting -= 1
    if (groups > maxGroups || nesting > maxNesting) {
      throw new Failure(
        'query-too-complex',
        `A query may nest at most ${maxGroups} groups and ${maxNesting} brackets.`,
      )
    }
  }
}

/** Parts of one list that nest in the engine: steps of a path, patterns of a group. Rows of VALUES do not. */
function partsOf(node: SyntaxNode): number {
  if (node['type'] === 'path' && Array.isArray(node['items'])) return node['items'].length
  return Array.isArray(node) ? node.filter((part) => isNode(part) && 'type' in part).length : 0
}

// Operators, steps and patterns in a row nest in the engine although they have no brackets around them.
function checkTree(tree: SparqlQuery): void {
  for (const [node, depth] of placed(tree)) {
    if (node['type'] === 'service') throw refuse('SERVICE is not offered')
    if (depth > maxDepth || partsOf(node) > maxParts) {
      throw new Failure('query-too-complex', 'An expression, a path or a group has too many parts.')
    }
  }
}

/** RDF of CONSTRUCT and DESCRIBE. */
const graphTypes = (
  ['turtle', 'ntriples', 'rdfxml', 'jsonld', 'nquads', 'trig', 'n3'] as const
).map((format) => formats[format].mediaType)

function mediaTypeOf(accept: string | undefined, graph: boolean): string {
  const offered = graph ? graphTypes : solutionTypes
  const mediaType = negotiate(accept, offered)
  if (mediaType !== undefined) return mediaType
  throw new Failure('not-acceptable', `The result comes as ${offered.join(', ')}.`)
}

const relativeIri = /<(?![A-Za-z][A-Za-z0-9+.-]*:)[^\s<>"{}|^`\\]*>/

/** SELECT, ASK, CONSTRUCT or DESCRIBE over public graphs; `Failure` malformed-query, query-too-complex, not-acceptable. */
export function checkedQuery(request: PublicQuery, rows: number): CheckedQuery {
  const { query, accept, defaultGraphs = [], namedGraphs = [] } = request
  checkSize(query)
  // Engines normalise even absolute IRIs against a base.
  const base = relativeIri.test(query) ? request.base : undefined
  const tree = parseSparql(query, base)
  if (tree.type !== 'query') throw refuse('only SELECT, ASK, CONSTRUCT and DESCRIBE are answered')
  checkTree(tree)
  const from = [...(tree.from?.default ?? []), ...(tree.from?.named ?? [])].map(
    ({ value }) => value,
  )
  const named = [...from, ...defaultGraphs, ...namedGraphs]
  if (named.includes(systemGraph)) throw refuse(`${systemGraph} is not public`)
  const graph = tree.queryType === 'CONSTRUCT' || tree.queryType === 'DESCRIBE'
  const text = tree.queryType === 'ASK' ? query : limited({ text: query, base }, tree, rows + 1)
  return {
    text,
    base,
    mediaType: mediaTypeOf(accept, graph),
    graph,
    count: graph && text !== query ? solutionCount(tree) : undefined,
    named,
    defaultGraphs,
    namedGraphs,
    union: named.length === 0,
  }
}

/** Words outside all brackets: the query's own modifiers. */
function outer(all: readonly Token[]): Token[] {
  let depth = 0
  return all.filter(({ kind, text }) => {
    if (kind === 'mark' && '{(['.includes(text)) depth += 1
    if (kind === 'mark' && '})]'.includes(text)) depth -= 1
    return kind === 'word' && depth === 0
  })
}

function edited(text: string, limit: number): string {
  const words = outer(sparqlTokens(text))
  const at = words.findIndex((word) => word.text.toUpperCase() === 'LIMIT')
  const number = at < 0 ? undefined : words[at + 1]
  if (number) {
    return `${text.slice(0, number.start)}${limit}${text.slice(number.start + number.text.length)}`
  }
  const values = words.findLast((word) => word.text.toUpperCase() === 'VALUES')
  if (!values) return `${text}\nLIMIT ${limit}`
  return `${text.slice(0, values.start)}\nLIMIT ${limit}\n${text.slice(values.start)}`
}

const limitOf = (tree: object): number | undefined =>
  'limit' in tree && typeof tree.limit === 'number' ? tree.limit : undefined

// Keys are sorted: where the parser puts `limit` among them differs.
const treeText = (tree: object) =>
  JSON.stringify(Object.entries({ ...tree, limit: 0 }).sort(([a], [b]) => (a < b ? -1 : 1)))

/** The text with a LIMIT of at most `limit`. `Failure` malformed-query if the edit would change anything else. */
function limited(
  { text, base }: Pick<CheckedQuery, 'text' | 'base'>,
  tree: SparqlQuery,
  limit: number,
): string {
  const own = limitOf(tree)
  if (own !== undefined && own <= limit) return text
  const result = edited(text, limit)
  const again = parseSparql(result, base)
  if (limitOf(again) === limit && treeText(again) === treeText(tree)) {
    return result
  }
  throw new Failure('malformed-query', 'Write LIMIT with spaces around it, before VALUES.')
}

/**
 * A query for the number of solutions of a CONSTRUCT or DESCRIBE, as one row of one number. `undefined` for a DESCRIBE of
 * names alone, which has none. Duplicate triples are left out of a graph, so its length does not tell how many there were.
 */
function solutionCount(tree: SparqlQuery): string | undefined {
  if (tree.type !== 'query' || tree.where === undefined) return undefined
  const { from, prefixes } = tree
  const inner = { ...parseSparql('SELECT (1 AS ?one) { }'), prefixes: {} }
  const kept = ['where', 'group', 'having', 'limit', 'offset', 'values'] as const
  const query = { ...inner, ...Object.fromEntries(entriesOf(tree, kept)) }
  const patterns = [{ type: 'group', patterns: [query] }]
  const counting = { ...parseSparql('SELECT (COUNT(*) AS ?n) { }'), prefixes, where: patterns }
  const whole = from ? { ...counting, from } : counting
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tree of the parser in a sub-query of the parser
  return new Generator().stringify(whole as unknown as SparqlQuery)
}

const entriesOf = (tree: object, names: readonly string[]) =>
  Object.entries(tree).filter(([name]) => names.includes(name))
