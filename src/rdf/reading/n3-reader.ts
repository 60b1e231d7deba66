/** Turtle, TriG, N-Triples, N-Quads and N3 (without formulae) by N3.js, whole or in pieces. */
import type { EventEmitter } from 'node:events'
import type { DataFactory, Quad, Term } from '@rdfjs/types'
import { Lexer, Parser } from 'n3'
import { Failure } from '../../errors.ts'
import type { Format } from '../media-types.ts'
import { CheckedTerms, labelPrefix, needsTag, usable } from './checked-terms.ts'
import {
  BadTerm,
  malformed,
  type ParseOptions,
  type Place,
  placeInLine,
  refused,
  type PieceReader,
  tellPlace,
} from './options.ts'

export type N3Format = Exclude<Format, 'rdfxml' | 'jsonld'>

const mediaTypes: Readonly<Record<N3Format, string>> = {
  turtle: 'text/turtle',
  trig: 'application/trig',
  ntriples: 'application/n-triples',
  nquads: 'application/n-quads',
  n3: 'text/n3',
}

/** The parts of N3.js that its published types leave out. */
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

// In repair mode the lexer lets these through, so that the factory can put them right and say so.
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
    // Otherwise a label inside `[ ]` of N3 is another node than outside.
    formulaScopedBlankNodes: true,
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- observers are missing in the published types
  const parser = new Parser(settings) as unknown as TokenParser
  if (options.repair) lenientDatatypes(parser, terms)
  return parser
}

/** N3.js refuses a datatype that only a language tag gives: the factory can put it right. */
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

/** N3.js names the token or quotes what it could not read; the line is always there. */
function placeOfError(error: Error, text: string): Place {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- documented, but not in the published types
  const { context } = error as { context?: { token?: Token; line?: number } }
  if (context?.token) return placeOfToken(context.token)
  const line = context?.line
  if (line === undefined) return {}
  const unread = /^Unexpected "([^]*)" on line \d+\.$/.exec(error.message)?.[1] ?? ''
  return placeInLine(text, line, unread)
}

/** N3.js names kinds of tokens, and of a statement without an end the object, which it does not know. */
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
]

function detailOf({ message }: Error): string {
  const plain = message.replace(/ on line \d+\.$/, '')
  const [pattern, detail] = details.find(([one]) => one.test(plain)) ?? []
  return pattern && detail !== undefined ? plain.replace(pattern, detail) : plain
}

function translated(error: unknown, place: Place, text: string): unknown {
  if (error instanceof Failure) return error
  if (error instanceof BadTerm) return refused(error, place)
  if (!(error instanceof Error) || !('context' in error)) return error
  return malformed(detailOf(error), placeOfError(error, text), error)
}

const formula = (token: Token, format: N3Format) => {
  if (format === 'n3' && token.type === '{') {
    throw malformed('formulae are not supported', placeOfToken(token))
  }
}

/** Reads a whole document. A first pass without observing tokens is the fast one; only an error looks for its place. */
export function readN3(text: string, format: N3Format, options: ParseOptions): Quad[] {
  if (!options.repair && format !== 'n3') {
    try {
      return tokenParser(format, options, new CheckedTerms(options)).parse(text)
    } catch (error) {
      if (!(error instanceof BadTerm)) throw translated(error, {}, text)
    }
  }
  let place: Place = {}
  const onToken = (token: Token) => {
    place = placeOfToken(token)
    formula(token, format)
  }
  const terms = new CheckedTerms(options, () => place)
  try {
    return usable(tokenParser(format, options, terms).parse(text, { onToken }), options)
  } catch (error) {
    throw translated(error, place, text)
  }
}

/** Text that may be held back while no triple becomes complete, in UTF-16 units. */
const patience = 16 * 1_048_576

/**
 * Reads in pieces; memory is bounded by the longest statement. `before`: the terms of what was read of the document elsewhere.
 */
export function n3Pieces(
  format: N3Format,
  options: ParseOptions,
  before?: CheckedTerms,
): PieceReader {
  const listeners = new Map<string, (text?: string) => void>()
  const source = {
    on: (event: string, listener: (text?: string) => void) => listeners.set(event, listener),
  }
  let place: Place = {}
  let quads: Quad[] = []
  let waiting = 0
  const terms = new CheckedTerms(options, () => place, before)
  const run = (event: string, text = ''): Quad[] => {
    try {
      listeners.get(event)?.(text)
    } catch (error) {
      throw translated(error, place, '')
    }
    waiting = quads.length > 0 ? 0 : waiting + text.length
    if (waiting > patience) throw malformed('no statement ends within 16 MiB', place)
    const found = usable(quads, options)
    quads = []
    return found
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `on` is all that is called
  const emitter = source as unknown as EventEmitter
  tokenParser(format, options, terms).parse(emitter, {
    onQuad: (error, quad) => {
      if (error) throw error
      if (!quad) return
      quads.push(quad)
      tellPlace(options, quad, place.line ?? 1)
    },
    onToken: (token) => {
      place = placeOfToken(token)
      formula(token, format)
    },
  })
  return { write: (text) => run('data', text), end: () => run('end') }
}
