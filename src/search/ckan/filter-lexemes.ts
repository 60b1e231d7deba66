/** Cuts a filter query into its marks, names and values. */

import { Failure } from '../../errors.ts'

export type Lexeme = { readonly at: number } & (
  | { readonly kind: 'open' | 'close' | 'and' | 'or' | 'not' | 'must' }
  /** What stands in front of a colon. */
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'word' | 'quoted'; readonly text: string }
  | { readonly kind: 'range'; readonly from: string; readonly to: string }
)

// Sticky, without nested repetition: every character is read a bounded number of times.
const blank = /\s*/y
const name = /([A-Za-z_][\w.-]{0,99}):(?!\s|$)/y
const quoted = /"((?:[^"\\]|\\[^])*)"/y
const range = /\[\s*([^\s[\]]+)\s+TO\s+([^\s[\]]+)\s*\]/y
const word = /(?:[^\s()"\\]|\\[^])+/y

const operators: ReadonlyMap<string, 'and' | 'or' | 'not'> = new Map([
  ['AND', 'and'],
  ['&&', 'and'],
  ['OR', 'or'],
  ['||', 'or'],
  ['NOT', 'not'],
])

const signs: ReadonlyMap<string, 'must' | 'not'> = new Map([
  ['+', 'must'],
  ['-', 'not'],
  ['!', 'not'],
])

/** Throws `malformed-query` where nothing can be read. */
export function lexemesOf(text: string): readonly Lexeme[] {
  const lexemes: Lexeme[] = []
  let at = skip(text, 0)
  while (at < text.length) {
    const isValue = lexemes.at(-1)?.kind === 'name'
    const { lexeme, next } =
      parenthesis(text, at) ?? (isValue ? undefined : clause(text, at)) ?? value(text, at)
    lexemes.push(lexeme)
    // The value of a name follows it without a blank.
    at = lexeme.kind === 'name' ? next : skip(text, next)
  }
  return lexemes
}

/** A complaint about `fq`; `at` is the index of the character that is wrong. */
export function filterFault(reason: string, at?: number): Failure {
  const detail = `fq: ${reason}${at === undefined ? '' : ` (character ${at + 1})`}`
  return new Failure('malformed-query', detail, { errors: [{ parameter: 'fq', detail }] })
}

type Step = { readonly lexeme: Lexeme; readonly next: number }

function parenthesis(text: string, at: number): Step | undefined {
  const char = text[at]
  if (char !== '(' && char !== ')') return undefined
  return { lexeme: { kind: char === '(' ? 'open' : 'close', at }, next: at + 1 }
}

/** What only stands at the beginning of a clause: signs and names. */
function clause(text: string, at: number): Step | undefined {
  const sign = signs.get(text.charAt(at))
  if (sign) return { lexeme: { kind: sign, at }, next: at + 1 }
  const named = read(name, text, at)
  if (named) return { lexeme: { kind: 'name', text: named[1] ?? '', at }, next: name.lastIndex }
  const operator = operators.get(read(word, text, at)?.[0] ?? '')
  return operator && { lexeme: { kind: operator, at }, next: word.lastIndex }
}

function value(text: string, at: number): Step {
  const inside = read(quoted, text, at)
  if (inside) {
    return { lexeme: { kind: 'quoted', text: plain(inside[1] ?? ''), at }, next: quoted.lastIndex }
  }
  const [, from, to] = read(range, text, at) ?? []
  if (from !== undefined && to !== undefined) {
    return { lexeme: { kind: 'range', from, to, at }, next: range.lastIndex }
  }
  const found = read(word, text, at)
  if (!found) throw filterFault('a quotation mark or a backslash without a partner', at)
  if (/^[[{]/.test(found[0])) throw filterFault('a range is [from TO to]', at)
  return { lexeme: { kind: 'word', text: plain(found[0]), at }, next: word.lastIndex }
}

function read(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function skip(text: string, at: number): number {
  read(blank, text, at)
  return blank.lastIndex
}

/** A backslash takes the meaning from the character behind it. */
const plain = (text: string): string => text.replace(/\\([^])/g, '$1')
