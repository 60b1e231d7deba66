/** Wildcard patterns of queries: `?` matches exactly one code point, `*` any number of them. */

import { compareCodePoints } from '../text/code-points.ts'

/** Text of a pattern before its first wildcard. */
export const literalPrefix = (pattern: string) => /^[^*?]*/.exec(pattern)?.[0] ?? ''

/** Whether a pattern is a prefix followed by `*`, as `abc*`. */
export const isPrefix = (pattern: string) => /^[^*?]+\*+$/.test(pattern)

/**
 * Makes a test whether a whole token matches a pattern. It takes at most pattern × token steps: returning to the last `*` is enough,
 * because an earlier one could only have matched less.
 */
export function wildMatcher(pattern: string): (token: string) => boolean {
  const parts = Array.from(pattern.replace(/\*+/g, '*'))
  return (token) => matches(parts, Array.from(token))
}

function matches(pattern: readonly string[], token: readonly string[]): boolean {
  let position = 0
  let lastStar = -1
  let retryFrom = 0
  for (let i = 0; i < token.length;) {
    if (pattern[position] === '*') {
      lastStar = position++
      retryFrom = i
    } else if (
      position < pattern.length &&
      (pattern[position] === '?' || pattern[position] === token[i])
    ) {
      position++
      i++
    } else if (lastStar >= 0) {
      position = lastStar + 1
      i = ++retryFrom
    } else return false
  }
  while (pattern[position] === '*') position++
  return position === pattern.length
}

/** The `most` shortest terms, counted in code points; terms of equal length are ordered by code points. */
export const shortestTerms = (terms: readonly string[], most: number): string[] =>
  terms
    .map((term) => ({ term, length: Array.from(term).length }))
    .sort((a, b) => a.length - b.length || compareCodePoints(a.term, b.term))
    .slice(0, most)
    .map(({ term }) => term)
