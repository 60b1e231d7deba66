/** Tokens of the dictionary that a mistyped one may mean. */

import { typosIn, wordsNear } from '../../text/nearest.ts'
import { marked } from './index-file.ts'
import type { View } from './view.ts'

/** Tokens that are counted, and occurrences up to which they are. */
const [mostTokens, mostOccurrences] = [12, 500]
/** Milliseconds that the dictionary is read for one token: it has some hundred thousand, and other searches wait. */
const readingMs = 10
/** Rows between two looks at the clock. */
const stride = 256

/** Nearest first, then by how often they occur. */
export const nearTokens = (sql: View['sql'], views: readonly View[], token: string): string[] =>
  wordsNear(token, termsLike(sql, token), mostTokens)
    .map((one) => ({ ...one, count: occurrencesOf(sql, views, one.word) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => a.steps - b.steps || b.count - a.count)
    .map(({ word }) => word)

/** Terms of about the same length; those that share two letters come before those that share one. */
function* termsLike(sql: View['sql'], token: string): Generator<string> {
  const letters = Array.from(token)
  const end = performance.now() + readingMs
  const lengths = [letters.length - typosIn(token), letters.length + typosIn(token)] as const
  const statement = sql(
    'SELECT DISTINCT term FROM term WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?',
  )
  for (const shared of [2, 1]) {
    const prefix = letters.slice(0, shared).join('')
    let read = 0
    for (const row of statement.iterate(prefix, `${prefix}\u{10ffff}`, ...lengths)) {
      if (++read % stride === 0 && performance.now() > end) return
      yield String(row['term'])
    }
  }
}

/** In all languages and indices, up to a number for each. */
function occurrencesOf(sql: View['sql'], views: readonly View[], term: string): number {
  const buckets = sql('SELECT bucket FROM term WHERE term = ?').all(term)
  const counts = views.flatMap(({ tables: { occurrence } }) => {
    const some = `SELECT 1 FROM ${occurrence} WHERE term = ? LIMIT ${mostOccurrences}`
    const count = sql(`SELECT count(*) AS count FROM (${some})`)
    return buckets.map((row) => Number(count.get(marked(String(row['bucket']), term))?.['count']))
  })
  return counts.reduce((sum, count) => sum + count, 0)
}
