/** Spelling suggestions ("did you mean") of a reader from the table `term`, the dictionary of all indexed tokens. */

import { typosIn, wordsNear } from '../../text/nearest.ts'
import { bucketToken } from './index-file.ts'
import type { GenerationView } from './view.ts'

/** Most tokens whose occurrences are counted, and the count at which counting stops. */
const [mostTokens, mostOccurrences] = [12, 500]
/** Most milliseconds for reading the dictionary, because other searches wait. */
const mostReadMs = 10
/** Rows between two checks of the clock. */
const stride = 256

/** Indexed tokens that differ from `token` by a letter or two, nearest first, then most frequent first. */
export const similarTokens = (
  sql: GenerationView['sql'],
  views: readonly GenerationView[],
  token: string,
): string[] =>
  wordsNear(token, termsLike(sql, token), mostTokens)
    .map((similar) => ({ ...similar, count: occurrencesOf(sql, views, similar.word) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => a.steps - b.steps || b.count - a.count)
    .map(({ word }) => word)

/** Terms of similar length: first those that begin with the same two letters, then those with the same first letter. */
function* termsLike(sql: GenerationView['sql'], token: string): Generator<string> {
  const letters = Array.from(token)
  const end = performance.now() + mostReadMs
  const lengths = [letters.length - typosIn(token), letters.length + typosIn(token)] as const
  const statement = sql(
    'SELECT DISTINCT term FROM term WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?',
  )
  for (const sharedLetters of [2, 1]) {
    const prefix = letters.slice(0, sharedLetters).join('')
    let rowCount = 0
    for (const row of statement.iterate(prefix, `${prefix}\u{10ffff}`, ...lengths)) {
      if (++rowCount % stride === 0 && performance.now() > end) return
      yield String(row['term'])
    }
  }
}

/** Number of occurrences of a term in all languages and indices, each counted up to `mostOccurrences`. */
function occurrencesOf(
  sql: GenerationView['sql'],
  views: readonly GenerationView[],
  term: string,
): number {
  const buckets = sql('SELECT bucket FROM term WHERE term = ?').all(term)
  const counts = views.flatMap(({ tables: { occurrence } }) => {
    const selection = `SELECT 1 FROM ${occurrence} WHERE term = ? LIMIT ${mostOccurrences}`
    const count = sql(`SELECT count(*) AS count FROM (${selection})`)
    return buckets.map((row) =>
      Number(count.get(bucketToken(String(row['bucket']), term))?.['count']),
    )
  })
  return counts.reduce((sum, count) => sum + count, 0)
}
