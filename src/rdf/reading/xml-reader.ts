/** RDF/XML reader by rdfxml-streaming-parser, called directly without streams; nothing is fetched and everything is bounded. */

import type { DataFactory, Literal, NamedNode, Quad } from '@rdfjs/types'
import { type IActiveTag, RdfXmlParser } from 'rdfxml-streaming-parser'
import { Failure } from '../../errors.ts'
import { CheckedTerms, withoutUnusable } from './checked-terms.ts'
import {
  BadTerm,
  malformed,
  type ParseOptions,
  type PieceReader,
  type Place,
  termFailure,
  reportPlace,
} from './options.ts'

/** Most nested elements, attributes of an element, and UTF-16 units of a name and of a text. */
const limits = { depth: 100, attributes: 256, name: 1_024, text: 10 * 1_048_576 }
const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const xml = 'http://www.w3.org/XML/1998/namespace'
/** Parser constant: child elements are resources, as below `rdf:RDF`. */
const resourceChildren = 0

const absoluteIri = /^[A-Za-z][A-Za-z0-9+.-]*:/

type Tag = Parameters<RdfXmlParser['onTag']>[0]

/** Extends the parser: language tags and absolute IRIs as written, text in several chunks, documents without `rdf:RDF`. */
class Reader extends RdfXmlParser {
  quads: Quad[] = []
  /** UTF-16 units fed so far, and their number at the last event. */
  fedLength = 0
  lastEvent = 0
  /** Language in scope per open element, as spelled in the document. */
  readonly languages: string[] = []
  readonly settings: ParseOptions

  constructor(settings: ParseOptions, terms: CheckedTerms) {
    super({
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a literal may come back as the unusable term
      dataFactory: terms as unknown as DataFactory,
      baseIRI: settings.baseIri,
      trackPosition: true,
      validateUri: false,
    })
    this.settings = settings
    // Without a listener the XML parser throws, as direct calls need.
    this['saxParser'].off('error')
  }

  feed(text: string): void {
    this.fedLength += text.length
    this['saxParser'].write(text)
    if (this.fedLength - this.lastEvent > 2 * limits.text)
      throw new Error('no element ends within 20 MiB')
  }

  finish(): void {
    this['saxParser'].close()
  }

  place(): Place {
    const { line, columnIndex } = this['saxParser']
    return { line, column: columnIndex + 1 }
  }

  override push(quad: Quad | null): boolean {
    if (!quad) return true
    this.quads.push(quad)
    reportPlace(this.settings, quad, this['saxParser'].line)
    return true
  }

  override createLiteral(value: string, tag: IActiveTag): Literal {
    const language = this.languages.at(-1)
    if (tag.language === undefined || tag.language === null || !language)
      return super.createLiteral(value, tag)
    return super.createLiteral(value, { ...tag, language })
  }

  /** Keeps absolute IRIs unchanged, as other formats do; resolving would remove dot segments. */
  override valueToUri(value: string, tag: IActiveTag): NamedNode {
    return absoluteIri.test(value) ? this.uriToNamedNode(value) : super.valueToUri(value, tag)
  }

  protected override onTag(tag: Tag): void {
    this.lastEvent = this.fedLength
    const stack: IActiveTag[] = this['activeTagStack']
    const attributes = Object.values(tag.attributes)
    if (stack.length >= limits.depth) throw new Error('more than 100 nested elements')
    if (attributes.length > limits.attributes) throw new Error('more than 256 attributes')
    if (tag.name.length > limits.name) throw new Error('a name is longer than 1 KiB')
    if (stack.length === 0 && !(tag.uri === rdf && tag.local === 'RDF')) {
      stack.push({ baseIRI: this.settings.baseIri, childrenParseType: resourceChildren })
    }
    const languageAttribute = attributes.find(({ uri, local }) => uri === xml && local === 'lang')
    this.languages.push(languageAttribute ? languageAttribute.value : (this.languages.at(-1) ?? ''))
    super.onTag(tag)
  }

  protected override onText(text: string): void {
    this.lastEvent = this.fedLength
    const tag: IActiveTag | undefined = this['activeTagStack'].at(-1)
    if (!tag) return
    if (tag.childrenStringTags) return super.onText(escaped(text))
    if (tag.predicate) tag.text = (tag.text ?? '') + text
    if ((tag.text?.length ?? 0) > limits.text) throw new Error('a text is longer than 10 MiB')
  }

  protected override onCloseTag(): void {
    this.lastEvent = this.fedLength
    super.onCloseTag()
    this.languages.pop()
  }

  protected override onDoctype(doctype: string): void {
    if (this.settings.entities !== 'internal') return refuseDeclarations(doctype)
    declareEntities(doctype, this['saxParser'].ENTITIES, () => this.fedLength)
  }
}

/** Escapes text inside `rdf:parseType="Literal"`, which is XML. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function translated(error: unknown, place: Place): unknown {
  if (error instanceof Failure) return error
  if (error instanceof BadTerm) return termFailure(error, place)
  if (!(error instanceof Error)) return error
  const detail = error.message.replace(/^(?:Line )?\d+(?: column |:)\d+: /, '')
  return malformed(detail, place, error)
}

/** Incremental reader; memory is bounded by one element. */
export function xmlPieces(options: ParseOptions): PieceReader {
  const reader: Reader = new Reader(options, new CheckedTerms(options, () => reader.place()))
  const run = (step: () => void): Quad[] => {
    try {
      step()
    } catch (error) {
      throw translated(error, reader.place())
    }
    const completed = withoutUnusable(reader.quads, options)
    reader.quads = []
    return completed
  }
  return { write: (text) => run(() => reader.feed(text)), end: () => run(() => reader.finish()) }
}

/** Reads a whole document. */
export function readXml(text: string, options: ParseOptions): Quad[] {
  const reader = xmlPieces(options)
  const quads = reader.write(text)
  return [...quads, ...reader.end()]
}

// Document type declarations: none, or a bounded set of internal entities.

/** Limits of a DTD in UTF-16 units, but `entities` in number and `expansion` as a factor. */
const entityLimits = { subset: 65_536, entities: 256, value: 1_024, expansion: 10, grace: 65_536 }

/** Refuses declarations and external references in bodies of clients. Throws `Error`. */
function refuseDeclarations(doctype: string): void {
  if (/<!|\bSYSTEM\b|\bPUBLIC\b|%/.test(doctype)) {
    throw new Error('document types with entities or external references are not accepted')
  }
}

/**
 * Declares the internal entities of a document type on `target`; ignores external DTDs, refuses external and parameter entities.
 * Uses of entities are counted: they may expand to ten times the document (`fedLength` units), plus 64 Ki units. Throws `Error`.
 */
function declareEntities(
  doctype: string,
  target: Record<string, string>,
  fedLength: () => number,
): void {
  if (doctype.length > entityLimits.subset)
    throw new Error('the document type is longer than 64 KiB')
  const subset = doctype.slice(doctype.indexOf('[') + 1)
  const declarations = [...subset.matchAll(/<!ENTITY\s+([^>"']*)(?:"([^"]*)"|'([^']*)')/g)]
  if (declarations.length > entityLimits.entities) throw new Error('more than 256 entities')
  let expanded = 0
  for (const [, head = '', double, single] of declarations) {
    const name = head.trim()
    const value = double ?? single ?? ''
    if (!/^[\p{L}_:][\p{L}\p{N}_:.-]*$/u.test(name)) {
      throw new Error('external and parameter entities are not accepted')
    }
    if (value.length > entityLimits.value)
      throw new Error(`entity ${name} is longer than 1024 characters`)
    const text = withoutReferences(value)
    Object.defineProperty(target, name, {
      configurable: true,
      get: () => {
        expanded += text.length
        if (expanded > fedLength() * entityLimits.expansion + entityLimits.grace) {
          throw new Error('entities expand to more than ten times the document')
        }
        return text
      },
    })
  }
}

const predefined: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

/** Resolves references to characters and predefined entities in a value; others are left unchanged. */
const withoutReferences = (value: string) =>
  value.replace(
    /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|(\w+));/gi,
    (reference, hex, decimal, name) => {
      if (name) return predefined[name] ?? reference
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : reference
    },
  )
