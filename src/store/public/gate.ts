/** What a stranger's query must be before it is run: read by a parser, never by a pattern. */

import type { SparqlQuery } from 'sparqljs'
import { Failure } from '../../errors.ts'
import { negotiate } from '../../rdf/media-types.ts'
import { systemGraph } from '../../rdf/namespaces.ts'
import type { PublicQuery } from '../graph-store.ts'
import { graphTypes, solutionTypes } from '../protocol/media-types.ts'
import { isNode, parseSparql, placed, type Node } from '../protocol/parse-sparql.ts'
import { tokens } from '../binding/tokens.ts'
import { limited, solutionCount } from './limit.ts'

const maxBytes = 16 * 1024
const maxGroups = 32
/** Brackets of all kinds inside one another: what a recursive parser can bear is far more. */
const maxNesting = 100
/** Levels of the syntax tree: two to four per bracket or operator. */
const maxDepth = 400
const maxParts = 200

export type Admitted = {
  /** The query with its LIMIT lowered to one more than the allowed rows, to see whether there are more. */
  readonly text: string
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

function checkSize(text: string): void {
  if (Buffer.byteLength(text) > maxBytes) {
    throw new Failure('query-too-complex', `A query may have ${maxBytes} bytes (sparqlQueryBytes).`)
  }
  let groups = 0
  let nesting = 0
  for (const { kind, text: mark } of tokens(text)) {
    if (kind !== 'mark') continue
    if (mark === '{' || mark === '}') groups += mark === '{' ? 1 : -1
    if ('{(['.includes(mark)) nesting += 1
    else if ('})]'.includes(mark)) nesting -= 1
    if (groups > maxGroups || nesting > maxNesting) {
      throw new Failure(
        'query-too-complex',
        `A query may nest ${maxGroups} groups, ${maxNesting} brackets.`,
      )
    }
  }
}

/** Parts of one list that nest in the engine: steps of a path, patterns of a group. Rows of VALUES do not. */
function partsOf(node: Node): number {
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

function mediaTypeOf(accept: string | undefined, graph: boolean): string {
  const offered = graph ? ['text/turtle', ...graphTypes] : solutionTypes
  const mediaType = negotiate(accept, offered)
  if (mediaType !== undefined) return mediaType
  throw new Failure('not-acceptable', `The result comes as ${offered.join(', ')}.`)
}

/** Admits SELECT, ASK, CONSTRUCT and DESCRIBE over public graphs; `Failure` malformed-query, query-too-complex, not-acceptable. */
export function admit(request: PublicQuery, rows: number): Admitted {
  const { query, accept, defaultGraphs = [], namedGraphs = [] } = request
  checkSize(query)
  const tree = parseSparql(query)
  if (tree.type !== 'query') throw refuse('only SELECT, ASK, CONSTRUCT and DESCRIBE are answered')
  checkTree(tree)
  const from = [...(tree.from?.default ?? []), ...(tree.from?.named ?? [])].map(
    ({ value }) => value,
  )
  const named = [...from, ...defaultGraphs, ...namedGraphs]
  if (named.includes(systemGraph)) throw refuse(`${systemGraph} is not public`)
  const graph = tree.queryType === 'CONSTRUCT' || tree.queryType === 'DESCRIBE'
  const text = tree.queryType === 'ASK' ? query : limited(query, tree, rows + 1)
  return {
    text,
    mediaType: mediaTypeOf(accept, graph),
    graph,
    count: graph && text !== query ? solutionCount(tree) : undefined,
    named,
    defaultGraphs,
    namedGraphs,
    union: named.length === 0,
  }
}
