/** Wildcards: `?` is exactly one code point, `*` any number of them. */

import { compareCodePoints } from '../text/code-points.ts'

/** The literal text before the first wildcard. */
export const literalPrefix = (pattern: string) => /^[^*?]*/.exec(pattern)?.[0] ?? ''

/** `abc*`: the pattern asks for a prefix and nothing else. */
export const isPrefix = (pattern: string) => /^[^*?]+\*+$/.test(pattern)

/**
 * Whether a whole token matches. Never slower than pattern × token: going back to the last `*` is enough, because an
 * earlier one could only have swallowed less.
 */
export function wildMatcher(pattern: string): (token: string) => boolean {
  const parts = Array.from(pattern.replace(/\*+/g, '*'))
  return (token) => matches(parts, Array.from(token))
}

function matches(pattern: readonly string[], token: readonly string[]): boolean {
  let at = 0
  let star = -1
  let resume = 0
  for (let i = 0; i < token.length;) {
    if (pattern[at] === '*') {
      star = at++
      resume = i
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === token[i])) {
      at++
      i++
    } else if (star >= 0) {
      at = star + 1
      i = ++resume
    } else return false
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}

/** The `most` shortest terms by code points; of equal length in the order of code points. */
export const shortestTerms = (terms: readonly string[], most: number): string[] =>
  terms
    .map((term) => ({ term, length: Array.from(term).length }))
    .sort((a, b) => a.length - b.length || compareCodePoints(a.term, b.term))
    .slice(0, most)
    .map(({ term }) => term)
