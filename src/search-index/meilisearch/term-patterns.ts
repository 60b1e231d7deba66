/** Patterns with wildcards in the index of terms. */

import { z } from 'zod'
import type { Leaf } from '../query-tree.ts'
import { patternOf } from '../remote/searched-leaf.ts'
import { isPrefix, literalPrefix, shortestTerms, wildMatcher } from '../wildcard.ts'
import { quoted } from './condition.ts'
import { fetchDocuments, type ReadContext } from './engine-reads.ts'

/**
 * Whether a prefix ends with a letter of a script in which no composed letter begins with another letter. Meilisearch compares
 * decomposed text, so that in other scripts a letter would match as the prefix of another. Latin and Greek tokens have no marks.
 */
const isPlainEnd = (prefix: string) =>
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Han}\p{N}]$/u.test(prefix)

/** Whether Meilisearch can match a pattern itself, by a filter with `STARTS WITH`. */
export const isEnginePrefix = (pattern: string): boolean =>
  isPrefix(pattern) && isPlainEnd(literalPrefix(pattern))

/** Terms of the patterns of a query, and the patterns that match more terms than are searched. */
type Expansions = {
  /** Terms by pattern, for patterns that Meilisearch cannot match itself. */
  readonly termsByPattern: ReadonlyMap<string, readonly string[]>
  readonly truncatedPatterns: readonly string[]
}

const termRow = z.object({ term: z.string() })
/** Most rows of the index of terms that are read for one pattern, and in one call. */
const [mostRows, rowsPerCall] = [100_000, 20_000]

/** Looks up the terms of all patterns that Meilisearch cannot match itself. */
export async function expandPatterns(
  leaves: readonly Leaf[],
  context: ReadContext,
  signal?: AbortSignal,
): Promise<Expansions> {
  const termsByPattern = new Map<string, readonly string[]>()
  const truncatedPatterns: string[] = []
  for (const pattern of new Set(leaves.flatMap((leaf) => patternOf(leaf) ?? []))) {
    if (isEnginePrefix(pattern)) continue
    const terms = (await termsBeginning(literalPrefix(pattern), context, signal)).filter(
      wildMatcher(pattern),
    )
    const isTruncated = !isPrefix(pattern) && terms.length > context.wildcardTerms
    if (isTruncated) truncatedPatterns.push(pattern)
    termsByPattern.set(pattern, isTruncated ? shortestTerms(terms, context.wildcardTerms) : terms)
  }
  return { termsByPattern, truncatedPatterns }
}

/** Terms with a prefix, each once, from at most `mostRows` rows. */
async function termsBeginning(
  prefix: string,
  context: ReadContext,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const filter = prefix === '' ? 'term EXISTS' : `term STARTS WITH ${quoted(prefix)}`
  const terms = new Set<string>()
  for (let [offset, total] = [0, mostRows]; offset < total;) {
    const page = { row: termRow, filter, limit: rowsPerCall, offset }
    const { uids } = context
    const { results, total: totalRows } = await fetchDocuments(context, uids.terms, page, signal)
    for (const { term } of results) terms.add(term)
    offset += results.length
    total = results.length === 0 ? 0 : Math.min(totalRows, mostRows)
  }
  return [...terms]
}
