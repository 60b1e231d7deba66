/** Cuts a query into parentheses, operators and leaves, reading every character a bounded number of times. */

import type { QueryTree } from '../../search-index/query-tree.ts'
import { quotedLeaf, rangeLeaf, scopedLeaf, wordLeaf } from './leaves.ts'
import type { Marks } from './marks.ts'
import type { Scope, Scopes } from './scopes.ts'

export type Lexeme =
  | { readonly kind: 'open' | 'close' }
  /** `AND`, `OR`, `NOT`: a word where an operand is missing. */
  | { readonly kind: 'AND' | 'OR' | 'NOT' }
  /** `undefined` stands where text without letters and digits stood. */
  | { readonly kind: 'leaf'; readonly tree: QueryTree | undefined }

/** Counts the characters read, so that a test can see that reading is linear. */
export type Meter = { steps: number }

type Source = {
  readonly text: string
  readonly marks: Marks
  readonly scopes: Scopes
  readonly meter: Meter
}

/** A lexeme and the index behind it. */
type Step = { readonly lexeme: Lexeme; readonly next: number }

export function* lexemes(source: Source): Generator<Lexeme> {
  const { text, marks, meter } = source
  let at = 0
  while (at < text.length) {
    meter.steps++
    const char = text.charAt(at)
    if (marks.parentheses.has(at)) {
      yield { kind: char === '(' ? 'open' : 'close' }
      at++
    } else if (separates(char) && !marks.quotes.has(at)) {
      at++
    } else {
      const { lexeme, next } = marks.quotes.has(at) ? quotedStep(source, at) : wordStep(source, at)
      meter.steps += next - at
      yield lexeme
      at = next
    }
  }
}

const separator = /[\s"()]/
const separates = (char: string): boolean => separator.test(char)

/** Quoted text with its proximity suffix (`~3`), which has no meaning. */
function quotedStep(source: Source, at: number, scope?: Scope): Step {
  const end = source.marks.quotes.get(at) ?? at
  const text = source.text.slice(at + 1, end)
  const tree = scope ? scopedLeaf(scope, text, true) : quotedLeaf(text)
  return {
    lexeme: { kind: 'leaf', tree: tree === 'literal' ? quotedLeaf(text) : tree },
    next: afterProximity(source.text, end + 1),
  }
}

function afterProximity(text: string, at: number): number {
  if (text[at] !== '~') return at
  let next = at + 1
  while (next < text.length && /\d/.test(text.charAt(next))) next++
  return next > at + 1 ? next : at
}

function wordStep(source: Source, at: number): Step {
  let next = at
  while (next < source.text.length && !separates(source.text.charAt(next))) next++
  const word = source.text.slice(at, next)
  if (word === 'AND' || word === 'OR' || word === 'NOT') return { lexeme: { kind: word }, next }
  return scopedStep(source, at, word) ?? { lexeme: { kind: 'leaf', tree: wordLeaf(word) }, next }
}

function scopedStep(source: Source, at: number, word: string): Step | undefined {
  const colon = word.indexOf(':')
  const scope = colon > 0 ? source.scopes(word.slice(0, colon)) : undefined
  if (!scope) return undefined
  const start = at + colon + 1
  const rest = word.slice(colon + 1)
  if (rest === '') {
    return source.marks.quotes.has(start) ? quotedStep(source, start, scope) : undefined
  }
  if (rest.startsWith('[')) return rangeStep(source, start, scope)
  const tree = scopedLeaf(scope, rest, false)
  return tree === 'literal' ? undefined : { lexeme: { kind: 'leaf', tree }, next: at + word.length }
}

// A bound is a date or a number, at most 40 characters long; a longer look ahead could be repeated at every bracket.
const range = /\[\s{0,9}([^\s[\]"()]{1,40})\s{1,9}TO\s{1,9}([^\s[\]"()]{1,40})\s{0,9}\]/y

function rangeStep(source: Source, at: number, scope: Scope): Step | undefined {
  range.lastIndex = at
  const [found, low = '', high = ''] = range.exec(source.text) ?? []
  source.meter.steps += found?.length ?? 120
  const tree = found === undefined ? undefined : rangeLeaf(scope, low, high)
  return tree && { lexeme: { kind: 'leaf', tree }, next: at + (found?.length ?? 0) }
}
