/**
 * Lowers the LIMIT of a query in its text, so that everything else stays as it was written, and counts the solutions of
 * a query whose answer has fewer triples than solutions.
 */

import { Generator, type SparqlQuery } from 'sparqljs'
import { Failure } from '../../errors.ts'
import { parseSparql } from '../protocol/parse-sparql.ts'
import { tokens, type Token } from '../binding/tokens.ts'

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
  const words = outer(tokens(text))
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
export function limited(text: string, tree: SparqlQuery, limit: number): string {
  const own = limitOf(tree)
  if (own !== undefined && own <= limit) return text
  const result = edited(text, limit)
  const again = parseSparql(result)
  if (limitOf(again) === limit && treeText(again) === treeText(tree)) {
    return result
  }
  throw new Failure('malformed-query', 'Write LIMIT with blanks around it, before VALUES.')
}

/**
 * A query for the number of solutions of a CONSTRUCT or DESCRIBE, as one row of one number. `undefined` for a DESCRIBE of
 * names alone, which has none. Duplicate triples are left out of a graph, so its length does not tell how many there were.
 */
export function solutionCount(tree: SparqlQuery): string | undefined {
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
