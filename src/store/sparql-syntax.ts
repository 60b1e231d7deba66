/** Parses SPARQL with places in its errors, and walks through syntax trees. */

import { Parser, type SparqlQuery } from 'sparqljs'
import { z } from 'zod'
import { Failure } from '../errors.ts'
import { sparqlTokens } from './queries.ts'

/** Parses a SPARQL 1.1 query or update; throws `malformed-query` with line, column and the unexpected text. */
export function parseSparql(text: string, baseIri?: string): SparqlQuery {
  const fault = strayCharacter(text)
  if (fault) throw malformed(fault)
  const parser = new Parser(baseIri === undefined ? {} : { baseIRI: baseIri })
  try {
    return parser.parse(text)
  } catch (cause) {
    throw malformed(syntaxFault(text, cause), cause)
  }
}

/** Fault of a query. Line and column count from 1, columns in UTF-16 units; faults of the whole query have none. */
type Fault = { readonly line?: number; readonly column?: number; readonly detail: string }

function malformed(fault: Fault, cause?: unknown): Failure {
  const { line, column, detail } = fault
  const place = column === undefined ? '' : `, column ${column}`
  const where = line === undefined ? '' : `syntax error in line ${line}${place}: `
  return new Failure('malformed-query', `The text is not valid SPARQL 1.1: ${where}${detail}.`, {
    errors: [fault],
    cause,
  })
}

function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/)
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/**
 * Characters that may occur in texts, comments and IRIs only: all but tab, line ends, printable ASCII and the characters of names
 * (SPARQL 1.1, PN_CHARS).
 */
const strayPattern =
  /[^\t\n\r\u0020-\u007E\u00B7\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u037D\u037F-\u1FFF\u200C\u203F\u2040\u2070-\u218F\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFEFE\uFF00-\uFFFD\u{10000}-\u{EFFFF}\u200D]/u

/** Names of characters that are often pasted from web pages and word processors. */
const characterNames: Readonly<Record<string, string>> = {
  '\u000B': 'vertical tab',
  '\u000C': 'form feed',
  '\u0085': 'next line',
  '\u00A0': 'no-break space',
  '\u00AD': 'soft hyphen',
  '\u200B': 'zero width space',
  '\u200E': 'left-to-right mark',
  '\u200F': 'right-to-left mark',
  '\u2010': 'hyphen',
  '\u2011': 'non-breaking hyphen',
  '\u2013': 'en dash',
  '\u2014': 'em dash',
  '\u2026': 'ellipsis',
  '\u2028': 'line separator',
  '\u2029': 'paragraph separator',
  '\u202F': 'narrow no-break space',
  '\u2060': 'word joiner',
  '\u2212': 'minus sign',
  '\u3000': 'ideographic space',
  '\uFEFF': 'byte order mark',
}

const characterKinds = [
  ['quotation mark', /[\u00AB\u00BB\u2039\u203A]/],
  ['curly quotation mark', /[\u2018-\u201F]/],
  ['a space of its own kind', /\s/],
] as const

/** Advice for a named character. */
function correctionFor(name: string): string {
  if (name.endsWith('quotation mark')) return 'write " or \''
  if (/hyphen$|dash$|^minus/.test(name) && name !== 'soft hyphen') return 'write -'
  return name === 'ellipsis' ? 'delete it' : 'delete it or write a plain space'
}

function strayCharacter(text: string): Fault | undefined {
  for (const { kind, text: part, start } of sparqlTokens(text)) {
    const isBlank = kind === 'skip' && part.trim() === ''
    const at = kind === 'skip' && !isBlank ? -1 : part.search(strayPattern)
    if (at < 0) continue
    const character = String.fromCodePoint(part.codePointAt(at) ?? 0)
    const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
    const name =
      characterNames[character] ?? characterKinds.find(([, kind]) => kind.test(character))?.[0]
    const characterName = name === undefined ? `U+${code}` : `U+${code} (${name})`
    const detail = `${characterName} may stand in texts only, ${correctionFor(name ?? '')}`
    return { ...placeOf(text, start + at), detail }
  }
  return undefined
}

/** Error of the parser (jison) for an unexpected token; other errors only have a message. */
const unexpectedToken = z.object({
  hash: z.object({
    text: z.string().default(''),
    token: z.string().nullish(),
    loc: z.object({ last_line: z.int(), last_column: z.int() }),
  }),
})

function syntaxFault(text: string, cause: unknown): Fault {
  const parsed = unexpectedToken.safeParse(cause)
  if (!parsed.success) {
    const message = (cause instanceof Error ? cause.message : '').slice(0, 300)
    return { ...namePlace(text, message), detail: message }
  }
  const { hash } = parsed.data
  // The parser reports the end of the previous token.
  const lines = text.split(/(?<=\r\n|\n|\r(?!\n))/)
  const tokenEnd = lines.slice(0, hash.loc.last_line - 1).join('').length + hash.loc.last_column
  const searchStart = tokenEnd + (/^\s*/.exec(text.slice(tokenEnd))?.[0].length ?? 0)
  const at = Math.max(text.indexOf(hash.text, searchStart), searchStart)
  if (hash.token === 'EOF' || at >= text.length)
    return { ...placeOf(text, text.length), detail: 'the text ends too early' }
  const unexpected = /^(?:[\p{L}\p{N}_:?$@-]{1,40}|[^])/u.exec(text.slice(at))?.[0] ?? ''
  return { ...placeOf(text, at), detail: `${JSON.stringify(unexpected)} is not expected here` }
}

/** Place of the first use of the undeclared prefix or the variable that a message of the parser names. */
function namePlace(text: string, message: string): Omit<Fault, 'detail'> {
  const prefix = /^Unknown prefix: (.*)$/.exec(message)?.[1]
  const variable = /\(\?(\S+)\)$/.exec(message)?.[1]
  const token = sparqlTokens(text).find((candidate) =>
    variable === undefined
      ? candidate.text.startsWith(`${prefix}:`)
      : /^[?$]/.test(candidate.text) && candidate.text.slice(1) === variable,
  )
  return token ? placeOf(text, token.start) : {}
}

/** Object or array of a syntax tree. */
export type SyntaxNode = Readonly<Record<string, unknown>>

/** Whether a value in a syntax tree is an object or array. */
export const isSyntaxNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null

/** Yields every object and array of a syntax tree, without recursion, because trees may be deep. */
export function* syntaxNodes(tree: unknown): Generator<SyntaxNode> {
  for (const [node] of nodesWithDepth(tree)) yield node
}

/** Yields every object and array of a syntax tree with its depth. */
export function* nodesWithDepth(
  tree: unknown,
): Generator<readonly [node: SyntaxNode, depth: number]> {
  const stack: (readonly [unknown, number])[] = [[tree, 0]]
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [node, depth] = next
    if (!isSyntaxNode(node)) continue
    yield [node, depth]
    for (const part of Object.values(node)) if (isSyntaxNode(part)) stack.push([part, depth + 1])
  }
}
