/** Lowers the LIMIT of a query in its text, so that everything else stays as it was written. */

import type { SparqlQuery } from 'sparqljs'
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
