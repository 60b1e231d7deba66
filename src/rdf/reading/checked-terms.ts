/** Term factory (RDF/JS `DataFactory`) of readers of foreign RDF: validates or repairs every IRI, language tag and literal. */
import type { BlankNode, Literal, NamedNode, Quad, Term } from '@rdfjs/types'
import { shortTag } from '../../text/language.ts'
import { addressesIn, isIri, maxIriBytes, repairIri } from '../iri.ts'
import { blankNode, defaultGraph, literal, maxLiteralBytes, namedNode, quad } from '../terms.ts'
import { BadTerm, type ParseOptions, type Place, type TermLimits } from './options.ts'

/** Maximum term lengths that all supported stores keep. */
const storeLimits: TermLimits = { iriBytes: maxIriBytes, literalBytes: maxLiteralBytes }

// BCP 47 as in Turtle: subtags of at most eight letters or digits.
const tagPattern = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/

/** Placeholder for a term that could not be repaired; triples with it are dropped. */
const unusable = namedNode('urn:cartulary:unusable')

/** Terms whose IRI in the source holds several addresses, with the text in the source. */
const addressLists = new WeakMap<
  object,
  { readonly from: string; readonly addresses: readonly string[] }
>()

/**
 * Properties that link pages and files. With other properties, an IRI with a comma is one IRI, even if it looks like two
 * addresses.
 */
const addressProperty =
  /[/#](?:\w+URL|\w*[pP]age|conformsTo|seeAlso|references|isReferencedBy|relation|source|url)$/

/**
 * With repair, drops triples with unusable terms, moves those of an unusable graph name to the default graph, and splits those whose
 * object contains several addresses.
 */
export const withoutUnusable = (quads: Quad[], { repair }: ParseOptions): Quad[] =>
  repair
    ? quads.flatMap((q) => {
        const { subject, predicate, object } = q
        if ([subject, predicate, object].includes(unusable)) return []
        const graph = q.graph === unusable ? defaultGraph() : q.graph
        const { from = '', addresses } = addressLists.get(object) ?? {}
        if (!addresses || (isIri(from) && !addressProperty.test(predicate.value)))
          return graph === q.graph ? q : quad(subject, predicate, object, graph)
        return addresses.map(repairIri).flatMap((to) => {
          if (!isIri(to)) return []
          repair({ kind: 'iri', from, to })
          return quad(subject, predicate, namedNode(to), graph)
        })
      })
    : quads

/** Cache of valid IRIs over all documents: predicates, classes and concepts of authority tables recur in every record. */
const iriCache = new Map<string, NamedNode>()
const maxCachedIris = 10_000

let parseCount = 0

/** Prefix of the blank node labels of all readers, so that one reader can continue where another stopped. */
export const labelPrefix = 'l_'

/** Blank node labels that need no parser. */
export const plainLabel = /^[A-Za-z0-9_]+$/

/**
 * Converts a label, which in JSON-LD may contain any character, to one that is valid in every syntax; different labels stay
 * different.
 */
const safeLabel = (label: string) =>
  label.replace(/[^A-Za-z0-9_]/g, (character) => `-${character.charCodeAt(0).toString(16)}-`)

const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const taggedDatatypes = new Set([`${rdf}langString`, `${rdf}dirLangString`])

/** Whether a literal of this datatype needs a language tag (RDF 1.1 Concepts, 3.3; RDF 1.2 Concepts, 3.4). */
export const needsTag = (datatype: string): boolean => taggedDatatypes.has(datatype)

/** Latest term factory by document, for documents that are read in several texts. */
const documents = new WeakMap<object, CheckedTerms>()

type Direction = { readonly language: string; readonly direction?: string }

/**
 * RDF/JS data factory with validation; throws `BadTerm`. `place` is called only to report a problem. Blank node labels are
 * unique to the factory.
 */
export class CheckedTerms {
  readonly options: ParseOptions
  readonly place: () => Place
  readonly prefix: string
  readonly limits: TermLimits
  /** Number of unlabelled nodes; the same document gets the same labels, apart from the prefix of the parse. */
  readonly #unlabelled: { count: number }

  /** `like`: factory of another text of the same document; equal labels mean the same node in both. */
  constructor(
    options: ParseOptions,
    place: () => Place = () => ({}),
    like = options.document && documents.get(options.document),
  ) {
    this.options = options
    if (options.document) documents.set(options.document, this)
    this.limits = options.limits ?? storeLimits
    this.place = place
    this.prefix = like?.prefix ?? `p${++parseCount}_`
    this.#unlabelled = like ? like.#unlabelled : { count: 0 }
  }

  namedNode(iri: string): NamedNode {
    const cached = iriCache.get(iri)
    if (cached && this.#isShort(iri)) return cached
    const term = this.iri(iri)
    const addresses = this.options.repair ? addressesIn(iri) : []
    if (addresses.length > 1) {
      if (term !== unusable) addressLists.set(term, { from: iri, addresses })
      return term
    }
    // A repaired IRI is not cached, because each occurrence is reported.
    if (term.value !== iri) return term
    // Copies the IRI: a substring would keep the whole source text in memory.
    const copy = namedNode(Buffer.from(iri).toString())
    if (iriCache.size >= maxCachedIris) iriCache.clear()
    iriCache.set(copy.value, copy)
    return copy
  }

  literal(value: string, languageOrDatatype?: string | NamedNode | Direction): Literal | NamedNode {
    const text = this.text(value)
    if (text === undefined) return unusable
    if (languageOrDatatype === undefined || languageOrDatatype === '') return literal(text)
    if (typeof languageOrDatatype === 'string')
      return literal(text, this.language(languageOrDatatype))
    if ('termType' in languageOrDatatype)
      return languageOrDatatype === unusable ? unusable : this.typed(text, languageOrDatatype)
    if (languageOrDatatype.direction && !this.options.repair) {
      throw new BadTerm(
        'literals with a base direction are not supported',
        languageOrDatatype.direction,
      )
    }
    return literal(text, this.language(languageOrDatatype.language))
  }

  blankNode(label?: string): BlankNode {
    if (label !== undefined) return blankNode(this.prefix + safeLabel(label))
    // No label made by `safeLabel` has this form.
    return blankNode(`${this.prefix}a-${++this.#unlabelled.count}`)
  }

  variable(name: string): never {
    throw new BadTerm(`variables are not RDF (?${name})`, name)
  }

  readonly defaultGraph = defaultGraph

  /** Quad of RDF 1.1 (Concepts, 3.1); other statements of N3 and RDF 1.2 are refused, because no store keeps them. */
  readonly quad: typeof quad = (subject, predicate, object, graph) => {
    checkParts(subject, predicate, object)
    return quad(subject, predicate, object, graph)
  }

  private iri(iri: string): NamedNode {
    const { repair } = this.options
    const isValid = isIri(iri)
    if (isValid && this.#isShort(iri)) return namedNode(iri)
    if (repair) {
      const to = isValid ? iri : repairIri(iri)
      const isUsable = isIri(to) && this.#isShort(to)
      repair({ kind: 'iri', from: iri, ...(isUsable ? { to } : {}), ...this.place() })
      return isUsable ? namedNode(to) : unusable
    }
    if (isValid) throw this.#tooLong('an IRI', 'iriBytes', iri)
    throw new BadTerm(`<${iri.toWellFormed()}> is not an absolute IRI (RFC 3987)`, iri)
  }

  private typed(text: string, datatype: NamedNode): Literal {
    if (!needsTag(datatype.value)) return literal(text, datatype)
    const { repair } = this.options
    if (!repair) {
      throw new BadTerm(`a literal of <${datatype.value}> needs a language tag`, datatype.value)
    }
    const start = text.slice(0, 80).toWellFormed()
    repair({ kind: 'language', from: start, to: '', ...this.place() })
    return literal(text)
  }

  private language(from: string): string {
    const { repair } = this.options
    const candidate = repair ? from.trim().replaceAll(/[_\s]+/g, '-') : from
    if (!repair && !tagPattern.test(from))
      throw new BadTerm(`"${from}" is not a language tag (BCP 47)`, from)
    const to = tagPattern.test(candidate) ? shortTag(candidate) : ''
    if (to !== from) repair?.({ kind: 'language', from, to, ...this.place() })
    return to
  }

  /** Value of a literal; `undefined` if it is too long for a repair. Half surrogate pairs are removed. */
  private text(value: string): string | undefined {
    const isShortEnough = isWithin(value, this.limits.literalBytes)
    if (isShortEnough && value.isWellFormed()) return value
    const { repair } = this.options
    if (!repair) {
      throw isShortEnough
        ? new BadTerm('a literal holds half of a surrogate pair', value)
        : this.#tooLong('a literal', 'literalBytes', value)
    }
    const start = value.slice(0, 80).toWellFormed()
    repair({
      kind: 'literal',
      from: start,
      ...(isShortEnough ? { to: start } : {}),
      ...this.place(),
    })
    return isShortEnough ? value.replaceAll(/\p{Surrogate}/gu, '') : undefined
  }

  #isShort(iri: string): boolean {
    return isWithin(iri, this.limits.iriBytes)
  }

  #tooLong(what: string, name: keyof TermLimits, source: string): BadTerm {
    const where = this.options.limits ? ` (limit "${name}" of PLATFORM_LIMITS)` : ''
    const detail = `${what} is longer than ${this.limits[name]} bytes${where}`
    return new BadTerm(detail, source, 'invalid-content')
  }
}

/** Checks the kinds of terms, because the parsers of N3 and RDF 1.2 create more than the types declare. */
function checkParts(subject: Term, predicate: Term, object: Term): void {
  if (subject.termType === 'Quad' || object.termType === 'Quad') {
    throw new BadTerm('triple terms are not supported', '')
  }
  if (subject.termType === 'Literal') {
    throw new BadTerm('a literal cannot be a subject', subject.value)
  }
  if (predicate.termType !== 'NamedNode') {
    throw new BadTerm('only an IRI can be a predicate', predicate.value)
  }
}

/** A UTF-16 unit has at most three UTF-8 bytes. */
const isWithin = (text: string, bytes: number) =>
  text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes
