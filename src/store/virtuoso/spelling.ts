/** Virtuoso's N-Triples in our own spelling: it puts tabs between terms and escapes whatever is not ASCII. */

import { shortEscapes } from '../../rdf/lines.ts'

// A backslash before anything else is taken along, so that `\\u0041` stays the six characters that it says.
const escape = /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[^])/g

const kept = /[\p{Cc}\ufffe\uffff]/u

function unescaped(found: string, four?: string, eight?: string): string {
  const digits = four ?? eight
  if (digits === undefined) return found
  const character = String.fromCodePoint(Number.parseInt(digits, 16))
  const short = shortEscapes[character]
  if (short !== undefined) return short
  return kept.test(character) ? `\\u${digits.slice(-4).toUpperCase()}` : character
}

/** The lines of an answer to CONSTRUCT, `''` for an empty one, which comes as a comment. */
export function ownSpelling(text: string): string {
  if (text.startsWith('#')) return ownSpelling(text.slice(text.indexOf('\n') + 1 || text.length))
  const spaced = text.replaceAll('\t', ' ')
  return spaced.includes('\\u') || spaced.includes('\\U')
    ? spaced.replace(escape, unescaped)
    : spaced
}
