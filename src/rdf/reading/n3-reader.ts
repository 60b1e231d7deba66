/** Reader of Turtle, TriG, N-Triples, N-Quads and N3 (without formulae) by N3.js, whole or incremental. */
import type { EventEmitter } from 'node:events'
import type { DataFactory, Quad, Term } from '@rdfjs/types'
import { Lexer, Parser } from 'n3'
import { Failure } from '../../errors.ts'
import type { Format } from '../media-types.ts'
import { CheckedTerms, labelPrefix, needsTag, withoutUnusable } from './checked-terms.ts'
import {
  BadTerm,
  malformed,
  type ParseOptions,
  type Place,
  termFailure,
  type PieceReader,
  reportPlace,
} from './options.ts'

/** Formats that N3.js reads. */
export type N3Format = Exclude<Format, 'rdfxml' | 'jsonld'>

const mediaTypes: Readonly<Record<N3Format, string>> = {
  turtle: 'text/turtle',
  trig: 'application/trig',
  ntriples: 'application/n-triples',
  nquads: 'application/n-quads',
  n3: 'text/n3',
}

/** Parts of N3.js that its types do not declare. */
type Token = { readonly type: string; readonly line: number; readonly start?: number }
type Observers = {
  readonly onQuad?: (error: Error | null, quad: Quad | null) => void
  readonly onToken?: (token: Token) => void
}
type TokenParser = {
  parse(input: string | EventEmitter, observers?: Observers): Quad[]
  readonly _literalValue: string
  _readEntity(token: Token): Term | undefined
  _completeLiteral(token: Token, component: unknown): object | undefined
}

// With repair, the lexer accepts invalid IRIs and language tags, so that the term factory can repair and report them.
const lenientIri = /<((?:[^<>\\\p{Cc}]|\t|\s+(?=https?:\/\/))*)>[ \t]*/uy
const lenientTag = /@([a-z]+(?:[-_][a-z0-9]+)*)(?=[^a-z0-9_])/iy

function tokenParser(format: N3Format, options: ParseOptions, terms: CheckedTerms): TokenParser {
  const lineMode = format === 'ntriples' || format === 'nquads'
  const lexer = new Lexer({ lineMode, n3: format === 'n3' })
  if (options.repair) Object.assign(lexer, { _unescapedIri: lenientIri, _langcode: lenientTag })
  const settings = {
    format: mediaTypes[format],
    baseIRI: options.baseIri,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a literal may come back as the unusable term
    factory: terms as unknown as DataFactory,
    lexer,
    blankNodePrefix: labelPrefix,
    // Otherwise a label inside `[ ]` of N3 would mean another node than outside.
    formulaScopedBlankNodes: true,
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- observers are missing in the published types
  const parser = new Parser(settings) as unknown as TokenParser
  if (options.repair) lenientDatatypes(parser, terms)
  return parser
}

/** Accepts datatypes that need a language tag, which N3.js refuses; the term factory repairs them. */
function lenientDatatypes(parser: TokenParser, terms: CheckedTerms): void {
  const complete = parser['_completeLiteral'].bind(parser)
  parser['_completeLiteral'] = (token, component) => {
    const datatype =
      token.type === 'type' || token.type === 'typeIRI' ? parser['_readEntity'](token) : undefined
    if (datatype?.termType !== 'NamedNode' || !needsTag(datatype.value)) {
      return complete(token, component)
    }
    const literal = terms.literal(parser['_literalValue'], datatype)
    return { token: null, literal, readCb: false }
  }
}

const placeOfToken = ({ line, start }: Token): Place =>
  start === undefined ? { line } : { line, column: start + 1 }

/** Translations of the messages of N3.js, which name token types. */
const details: readonly (readonly [RegExp, string])[] = [
  [
    /^Expected punctuation to follow ".*"$/s,
    'expected ".", ";" or "," (inside brackets also "]"): the statement before this has no end',
  ],
  [
    /^Expected entity but got eof$/,
    'expected an IRI, a blank node or a literal, but the text ends',
  ],
  [/^Expected entity but got (.+)$/, 'expected an IRI, a blank node or a literal, but got $1'],
  [/^Unexpected eof$/, 'the text ends within a statement'],
  [
    /^Undefined prefix "(.*)"$/,
    'the prefix "$1" is not declared: expected "@prefix $1 <…> ." before',
  ],
  [/^Expected declaration to end with a dot$/, 'expected "." after the declaration before this'],
  [/^Unclosed graph$/, 'expected "}": the graph has no end'],
]

/** Position of a parser and the text around it, which begins at line `firstLine` of the document. */
type ReadingState = { readonly place: Place; readonly text: string; readonly firstLine?: number }

function translated(error: unknown, { place, text, firstLine = 1 }: ReadingState): unknown {
  if (error instanceof Failure) return error
  if (error instanceof BadTerm) return termFailure(error, place)
  if (!(error instanceof Error) || !('context' in error)) return error
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- documented, but not in the published types
  const { context } = error as { context?: { token?: Token; line?: number; previousToken?: Token } }
  const plain = error.message.replace(/ on line \d+\.$/, '')
  const unread = /^Unexpected "([^]*)"$/.exec(plain)?.[1]
  if (unread === undefined || context?.line === undefined) {
    const [pattern, detail] = details.find(([pattern]) => pattern.test(plain)) ?? []
    const translation = pattern && detail !== undefined ? plain.replace(pattern, detail) : plain
    const errorPlace = context?.token
      ? placeOfToken(context.token)
      : { line: context?.line ?? place.line ?? firstLine }
    return malformed(translation, errorPlace, error)
  }
  const start = text.split('\n', context.line - firstLine).join('\n').length
  // White space of JavaScript that Turtle does not have may precede the quoted text.
  const oddSpace = unread === '' ? (/[^\S \t\r\n]/.exec(text.slice(start))?.[0] ?? '') : ''
  const offset = oddSpace === '' ? offsetOf(text, unread, start) : text.indexOf(oddSpace, start)
  const column = offset < 0 ? undefined : offset - text.lastIndexOf('\n', offset - 1)
  const detail =
    oddSpace === ''
      ? unreadDetail(unread, text.slice(Math.max(0, offset)), context.previousToken?.type)
      : `U+${oddSpace.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')} is no white space: write a blank`
  return malformed(detail, { line: context.line, column }, error)
}

/** Offset of a text that is followed by white space or the end; -1 if there is none. */
function offsetOf(text: string, unread: string, start: number): number {
  let at = text.indexOf(unread, start)
  while (at >= 0 && /\S/.test(text[at + unread.length] ?? '')) at = text.indexOf(unread, at + 1)
  return at
}

const validTextStart = /^(?:[^"'\\\r\n]|\\(?:[tbnrf"'\\]|u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8}))*/

/** Describes what the lexer expected where it failed; `previousToken` is the type of the token before. */
function unreadDetail(unread: string, rest: string, previousToken = ''): string {
  const [quote] = /^(?:"""|'''|"|')/.exec(rest) ?? []
  if (quote !== undefined && unread !== '') return brokenText(rest.slice(quote.length), quote)
  if (unread.startsWith('<')) {
    const [, iri] = /^<([^<>"]*)>/.exec(rest) ?? []
    const [invalidCharacter] = /[\s{}|\\^`]/.exec(iri ?? '') ?? []
    if (iri === undefined || invalidCharacter === undefined)
      return 'expected ">": the IRI that begins here has no end'
    const name = /[\r\n]/.test(invalidCharacter)
      ? 'a line break'
      : invalidCharacter === '\t'
        ? 'a tab'
        : invalidCharacter === ' '
          ? 'a blank'
          : invalidCharacter
    return `${name} in an IRI: write ${encodeURIComponent(invalidCharacter)}`
  }
  if (/^[@_]/.test(unread) && previousToken === 'literal')
    return 'expected a language tag such as @en'
  if (previousToken === 'literal')
    return `expected ".", ";" or "," after a text, found ${unread}: a quote inside of a text needs a backslash (\\")`
  const hint = /^[“”„«‘’]/.test(unread) ? ': texts stand in straight quotes (")' : ''
  return `expected an IRI in <…>, a name with a declared prefix or a literal, found ${unread}${hint}`
}

function brokenText(body: string, quote: string): string {
  if (quote.length === 1) {
    let at = 0
    do at += validTextStart.exec(body.slice(at))?.[0].length ?? 0
    while (/["']/.test(body[at] ?? '') && body[at] !== quote && (at += 1))
    if (/[\r\n]/.test(body[at] ?? ''))
      return 'a line break in a text: write \\n, or put the text into three quotes'
    if (body[at] === '\\') return `${body.slice(at, at + 2)} is no escape in a text: write \\\\`
  }
  return `the text that begins here has no end: expected ${quote}`
}

const refuseFormula = (token: Token, format: N3Format) => {
  if (format === 'n3' && token.type === '{') {
    throw malformed('formulae are not supported', placeOfToken(token))
  }
}

/** Reads a whole document. Without repair, and not of N3, a fast first pass has no positions; a bad term causes a second. */
export function readN3(text: string, format: N3Format, options: ParseOptions): Quad[] {
  if (!options.repair && format !== 'n3') {
    try {
      return tokenParser(format, options, new CheckedTerms(options)).parse(text)
    } catch (error) {
      if (!(error instanceof BadTerm)) throw translated(error, { place: {}, text })
    }
  }
  let place: Place = {}
  const onToken = (token: Token) => {
    place = placeOfToken(token)
    refuseFormula(token, format)
  }
  const terms = new CheckedTerms(options, () => place)
  try {
    return withoutUnusable(tokenParser(format, options, terms).parse(text, { onToken }), options)
  } catch (error) {
    throw translated(error, { place, text })
  }
}

/** UTF-16 units before the current chunk that are kept for messages. */
const maxRecent = 65_536

/** Maximum UTF-16 units without a complete triple. */
const maxStatement = 16 * 1_048_576

/**
 * Incremental reader; memory is bounded by the longest statement. `formerTerms`: term factory of another reader that has read the
 * beginning of the document.
 */
export function n3Pieces(
  format: N3Format,
  options: ParseOptions,
  formerTerms?: CheckedTerms,
): PieceReader {
  const listeners = new Map<string, (text?: string) => void>()
  const source = {
    on: (event: string, listener: (text?: string) => void) => listeners.set(event, listener),
  }
  let place: Place = {}
  let quads: Quad[] = []
  let pendingLength = 0
  // Recent text of the document, and the number of its first line.
  let [recent, firstLine] = ['', 1]
  const remember = (text: string) => {
    const cut = Math.max(0, recent.length - maxRecent)
    firstLine += recent.slice(0, cut).split('\n').length - 1
    recent = recent.slice(cut) + text
  }
  const terms = new CheckedTerms(options, () => place, formerTerms)
  const run = (event: string, text = ''): Quad[] => {
    remember(text)
    try {
      listeners.get(event)?.(text)
    } catch (error) {
      throw translated(error, { place, text: recent, firstLine })
    }
    pendingLength = quads.length > 0 ? 0 : pendingLength + text.length
    if (pendingLength > maxStatement) throw malformed('no statement ends within 16 MiB', place)
    const completed = withoutUnusable(quads, options)
    quads = []
    return completed
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `on` is all that is called
  const emitter = source as unknown as EventEmitter
  tokenParser(format, options, terms).parse(emitter, {
    onQuad: (error, quad) => {
      if (error) throw error
      if (!quad) return
      quads.push(quad)
      reportPlace(options, quad, place.line ?? 1)
    },
    onToken: (token) => {
      place = placeOfToken(token)
      refuseFormula(token, format)
    },
  })
  return { write: (text) => run('data', text), end: () => run('end') }
}
