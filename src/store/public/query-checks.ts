/**
 * Checks public queries with a parser before they are run, and lowers their LIMIT to the allowed rows in the text, so that
 * everything else is unchanged.
 */

import { Generator, type SparqlQuery } from 'sparqljs'
import { Failure } from '../../errors.ts'
import { formats, negotiate } from '../../rdf/media-types.ts'
import { systemGraph } from '../../rdf/namespaces.ts'
import type { PublicQuery } from '../graph-store.ts'
import { sparqlTokens, type Token } from '../queries.ts'
import { solutionTypes } from '../sparql-results.ts'
import { isSyntaxNode, type SyntaxNode, parseSparql, nodesWithDepth } from '../sparql-syntax.ts'

const defaultMaxBytes = 16 * 1024
const maxGroups = 32
/** Most nested brackets of all kinds; recursive parsers can take far more. */
const maxNesting = 100
/** Most levels of the syntax tree, of which a bracket or operator has two to four. */
const maxDepth = 400
const maxParts = 200

/** Query that passed the checks. */
export type CheckedQuery = {
  /** Query; except for ASK with a LIMIT of at most one more than the allowed rows, which shows whether there are more. */
  readonly text: string
  /** Base of its relative IRIs; absent when it has none. It is not added to the text, which would move the places of faults. */
  readonly base: string | undefined
  readonly mediaType: string
  /** Whether the result is RDF: CONSTRUCT or DESCRIBE. */
  readonly graph: boolean
  /** Query that counts the solutions of a CONSTRUCT or DESCRIBE with a lowered LIMIT, because many may give the same triples. */
  readonly count: string | undefined
  /** Graphs in FROM, FROM NAMED or the parameters of the protocol, which must exist. */
  readonly namedGraphsInQuery: readonly string[]
  /** Graphs in the parameters of the protocol, as are `namedGraphs`. */
  readonly defaultGraphs: readonly string[]
  readonly namedGraphs: readonly string[]
  /** Whether no graphs are chosen, so that the default graph is the union of all graphs. */
  readonly union: boolean
}

const refusal = (why: string) => new Failure('malformed-query', `The query is refused: ${why}.`)

/**
 * Failure for an error of the engine or the store: the line of its message that names a place, otherwise the first; for faults of the
 * whole query only their reason. A store gets a rewritten query, so the message says that its places are those of that text.
 */
export function engineRefusal(refusing: 'engine' | 'store', cause: unknown): Failure {
  const message = cause instanceof Error ? cause.message : String(cause)
  // Fuseki writes a heading and the whole query before its message.
  const lines = message.slice(0, 4 * defaultMaxBytes).split(/\s*[\r\n]\s*/)
  const why = lines.find((line) => /\bline \d/i.test(line)) ?? lines.find((line) => line !== '')
  const what = refusing === 'store' ? 'the query, which was rewritten for it' : 'the query'
  // Faults of the whole query are reported among the tokens that may follow, at the end of the text with the added LIMIT.
  const wholeQueryFault =
    /(?:, |of )([A-Z]\w* (?:[\w*]+ ){2,}\w+)|expected (?:\[_\]|<unreported>)$/.exec(why ?? '')
  const reason =
    wholeQueryFault && refusing === 'engine'
      ? (wholeQueryFault[1] ?? 'it has no meaning as a whole')
      : why
  const detail = (reason ?? 'it gives no reason').trim().slice(0, 250)
  return new Failure('malformed-query', `The ${refusing} refused ${what}: ${detail}`, { cause })
}

function checkSize(text: string, maxBytes: number): void {
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

/** Number of parts of a list that the engine nests: steps of a path, patterns of a group, but not rows of VALUES. */
function partsOf(node: SyntaxNode): number {
  if (node['type'] === 'path' && Array.isArray(node['items'])) return node['items'].length
  return Array.isArray(node)
    ? node.filter((part) => isSyntaxNode(part) && 'type' in part).length
    : 0
}

// Sequences of operators, steps and patterns nest in the engine, although they have no brackets.
function checkTree(tree: SparqlQuery): void {
  for (const [node, depth] of nodesWithDepth(tree)) {
    if (node['type'] === 'service') throw refusal('SERVICE is not offered')
    if (depth > maxDepth || partsOf(node) > maxParts) {
      throw new Failure('query-too-complex', 'An expression, a path or a group has too many parts.')
    }
  }
}

/** Media types for the results of CONSTRUCT and DESCRIBE, in order of preference. */
const graphTypes = (
  ['turtle', 'ntriples', 'rdfxml', 'jsonld', 'nquads', 'trig', 'n3'] as const
).map((format) => formats[format].mediaType)

function mediaTypeOf(accept: string | undefined, graph: boolean): string {
  const offeredTypes = graph ? graphTypes : solutionTypes
  const mediaType = negotiate(accept, offeredTypes)
  if (mediaType !== undefined) return mediaType
  throw new Failure('not-acceptable', `The result comes as ${offeredTypes.join(', ')}.`)
}

const relativeIri = /<(?![A-Za-z][A-Za-z0-9+.-]*:)[^\s<>"{}|^`\\]*>/

/** Checks a SELECT, ASK, CONSTRUCT or DESCRIBE over public graphs. Throws `malformed-query`, `query-too-complex`, `not-acceptable`. */
export function checkedQuery(request: PublicQuery, rows: number): CheckedQuery {
  const { query, accept, defaultGraphs = [], namedGraphs = [] } = request
  checkSize(query, request.maxBytes ?? defaultMaxBytes)
  // Engines normalise even absolute IRIs against a base.
  const base = relativeIri.test(query) ? request.base : undefined
  const tree = parseSparql(query, base)
  if (tree.type !== 'query') throw refusal('only SELECT, ASK, CONSTRUCT and DESCRIBE are answered')
  checkTree(tree)
  const graphsInQuery = [...(tree.from?.default ?? []), ...(tree.from?.named ?? [])].map(
    ({ value }) => value,
  )
  const namedGraphsInQuery = [...graphsInQuery, ...defaultGraphs, ...namedGraphs]
  if (namedGraphsInQuery.includes(systemGraph)) throw refusal(`${systemGraph} is not public`)
  const graph = tree.queryType === 'CONSTRUCT' || tree.queryType === 'DESCRIBE'
  const text = tree.queryType === 'ASK' ? query : withLimit({ text: query, base }, tree, rows + 1)
  return {
    text,
    base,
    mediaType: mediaTypeOf(accept, graph),
    graph,
    count: graph && text !== query ? solutionCount(tree) : undefined,
    namedGraphsInQuery,
    defaultGraphs,
    namedGraphs,
    union: namedGraphsInQuery.length === 0,
  }
}

/** Words outside of all brackets, such as the modifiers of the outermost query. */
function outerWords(tokens: readonly Token[]): Token[] {
  let depth = 0
  return tokens.filter(({ kind, text }) => {
    if (kind === 'mark' && '{(['.includes(text)) depth += 1
    if (kind === 'mark' && '})]'.includes(text)) depth -= 1
    return kind === 'word' && depth === 0
  })
}

function withLimitText(text: string, limit: number): string {
  const words = outerWords(sparqlTokens(text))
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

// Keys are sorted, because the position of `limit` among them differs.
const treeText = (tree: object) =>
  JSON.stringify(Object.entries({ ...tree, limit: 0 }).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Text of the query with a LIMIT of at most `limit`. Throws `malformed-query` if the edit changes anything else. */
function withLimit(
  { text, base }: Pick<CheckedQuery, 'text' | 'base'>,
  tree: SparqlQuery,
  limit: number,
): string {
  const queryLimit = limitOf(tree)
  if (queryLimit !== undefined && queryLimit <= limit) return text
  const result = withLimitText(text, limit)
  const reparsed = parseSparql(result, base)
  if (limitOf(reparsed) === limit && treeText(reparsed) === treeText(tree)) {
    return result
  }
  throw new Failure('malformed-query', 'Write LIMIT with spaces around it, before VALUES.')
}

/**
 * Query for the number of solutions of a CONSTRUCT or DESCRIBE, with one row of one number; `undefined` for a DESCRIBE without
 * WHERE. The number of triples does not tell it, because duplicates are left out.
 */
function solutionCount(tree: SparqlQuery): string | undefined {
  if (tree.type !== 'query' || tree.where === undefined) return undefined
  const { from, prefixes } = tree
  const inner = { ...parseSparql('SELECT (1 AS ?one) { }'), prefixes: {} }
  const clauses = ['where', 'group', 'having', 'limit', 'offset', 'values'] as const
  const query = { ...inner, ...Object.fromEntries(entriesOf(tree, clauses)) }
  const patterns = [{ type: 'group', patterns: [query] }]
  const countQuery = { ...parseSparql('SELECT (COUNT(*) AS ?n) { }'), prefixes, where: patterns }
  const countQueryWithGraphs = from ? { ...countQuery, from } : countQuery
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tree of the parser in a sub-query of the parser
  return new Generator().stringify(countQueryWithGraphs as unknown as SparqlQuery)
}

const entriesOf = (tree: object, names: readonly string[]) =>
  Object.entries(tree).filter(([name]) => names.includes(name))
