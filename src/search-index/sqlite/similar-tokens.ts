/** Tokens like one that was typed, or that begin like it, from the table `term`, the dictionary of all indexed tokens. */

import { typosIn, wordsNear } from '../../text/nearest.ts'
import { bucketToken } from './index-file.ts'
import type { GenerationView } from './view.ts'

/** Most tokens whose occurrences are counted, and the count at which counting stops. */
const [mostTokens, mostOccurrences] = [12, 500]
/** Most tokens with a common beginning. */
const mostLonger = 24
/** Most milliseconds for reading the dictionary, because other searches wait. */
const mostReadMs = 10
/** Most tokens with a common beginning whose occurrences are counted, the shortest. */
const mostBeginning = 1_000
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

/** As `SearchIndex.tokensBeginning`. */
export function tokensBeginning(
  sql: GenerationView['sql'],
  views: readonly GenerationView[],
  beginning: string,
): string[] {
  const end = performance.now() + mostReadMs
  const longer = sql(`SELECT DISTINCT term FROM term WHERE term > ? AND term < ?
    ORDER BY length(term), term LIMIT ${mostBeginning}`)
  const counts = new Map<string, number>()
  for (const { term } of longer.iterate(beginning, `${beginning}\u{10ffff}`)) {
    if (performance.now() > end) break
    counts.set(String(term), occurrencesOf(sql, views, String(term)))
  }
  const frequent = [...counts].filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1])
  return frequent.slice(0, mostLonger).map(([token]) => token)
}

/** Terms of similar length: first those that begin with the same two letters, then those with the same first letter, then all. */
function* termsLike(sql: GenerationView['sql'], token: string): Generator<string> {
  const letters = Array.from(token)
  const end = performance.now() + mostReadMs
  const lengths = [letters.length - typosIn(token), letters.length + typosIn(token)] as const
  const statement = sql(
    'SELECT DISTINCT term FROM term WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?',
  )
  for (const sharedLetters of [2, 1, 0]) {
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
