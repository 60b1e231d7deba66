/** The factory that every reader makes its terms with: no IRI, tag or text gets past it unchecked. */
import type { BlankNode, Literal, NamedNode, Quad, Term } from '@rdfjs/types'
import { shortTag } from '../../text/language.ts'
import { addressesIn, isIri, maxIriBytes, repairIri } from '../iri.ts'
import { blankNode, defaultGraph, literal, maxLiteralBytes, namedNode, quad } from '../terms.ts'
import { BadTerm, type ParseOptions, type Place, type TermLimits } from './options.ts'

/** The longest terms that every supported store keeps whole. */
const highest: TermLimits = { iriBytes: maxIriBytes, literalBytes: maxLiteralBytes }

// BCP 47 as Turtle writes it: subtags of at most eight letters or digits.
const tag = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/

/** Stands for a term that could not be repaired; triples that hold it are left out. */
const unusable = namedNode('urn:cartulary:unusable')

/** IRIs that a source wrote as several addresses in one. */
const joined = new WeakMap<
  object,
  { readonly from: string; readonly addresses: readonly string[] }
>()

/** Properties that link pages and files. Elsewhere two addresses with a comma between are one good IRI, which may name something. */
const links =
  /[/#](?:\w+URL|\w*[pP]age|conformsTo|seeAlso|references|isReferencedBy|relation|source|url)$/

/** Leaves out triples that repair could not make usable, and repeats those whose object is several addresses. */
export const usable = (quads: Quad[], { repair }: ParseOptions): Quad[] =>
  repair
    ? quads.flatMap((one) => {
        const { subject, predicate, object, graph } = one
        if ([subject, predicate, object].includes(unusable)) return []
        const { from = '', addresses } = joined.get(object) ?? {}
        if (!addresses || (isIri(from) && !links.test(predicate.value))) return one
        return addresses.map(repairIri).flatMap((to) => {
          if (!isIri(to)) return []
          repair({ kind: 'iri', from, to })
          return quad(subject, predicate, namedNode(to), graph)
        })
      })
    : quads

/**
 * IRIs that were found good, of all parses: predicates, classes and the concepts of authority tables stand in every record.
 */
const good = new Map<string, NamedNode>()
const mostGood = 10_000

let parses = 0

/** Prefix of the blank node labels that every reader makes, so that one reader can continue where another stopped. */
export const labelPrefix = 'l_'

/** Blank node labels as we write them; whatever else a label may hold is the parser's business. */
export const plainLabel = /^[A-Za-z0-9_]+$/

/** JSON-LD lets a label hold anything. The outcome suits every syntax; different labels stay different. */
const safeLabel = (label: string) =>
  label.replace(/[^A-Za-z0-9_]/g, (found) => `-${found.charCodeAt(0).toString(16)}-`)

const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const tagged = new Set([`${rdf}langString`, `${rdf}dirLangString`])

/** Whether only a language tag gives a literal this datatype (RDF 1.1 Concepts, 3.3; RDF 1.2 Concepts, 3.4). */
export const needsTag = (datatype: string): boolean => tagged.has(datatype)

/** The latest terms of documents that are read in several texts. */
const documents = new WeakMap<object, CheckedTerms>()

type Direction = { readonly language: string; readonly direction?: string }

/**
 * RDF/JS terms that are checked while they are made; throws `BadTerm`. `place` is asked only when something is reported.
 * Labels of blank nodes are made unique to this factory.
 */
export class CheckedTerms {
  readonly options: ParseOptions
  readonly place: () => Place
  readonly prefix: string
  readonly limits: TermLimits
  /** Nodes without a label so far: the same document gives them the same labels, but for the mark of the parse. */
  readonly #unlabelled: { count: number }

  /** `like`: terms of the same document, made elsewhere; equal labels mean the same node there and here. */
  constructor(
    options: ParseOptions,
    place: () => Place = () => ({}),
    like = options.document && documents.get(options.document),
  ) {
    this.options = options
    if (options.document) documents.set(options.document, this)
    this.limits = options.limits ?? highest
    this.place = place
    this.prefix = like?.prefix ?? `p${++parses}_`
    this.#unlabelled = like ? like.#unlabelled : { count: 0 }
  }

  namedNode(iri: string): NamedNode {
    const term = good.get(iri)
    if (term && this.#isShort(iri)) return term
    const made = this.iri(iri)
    const addresses = this.options.repair ? addressesIn(iri) : []
    if (addresses.length > 1) {
      if (made !== unusable) joined.set(made, { from: iri, addresses })
      return made
    }
    // A repaired IRI is reported each time it occurs.
    if (made.value !== iri) return made
    // Readers cut IRIs out of their text, which would be kept with them.
    const kept = namedNode(Buffer.from(iri).toString())
    if (good.size >= mostGood) good.clear()
    good.set(kept.value, kept)
    return kept
  }

  literal(value: string, extra?: string | NamedNode | Direction): Literal | NamedNode {
    const text = this.text(value)
    if (text === undefined) return unusable
    if (extra === undefined || extra === '') return literal(text)
    if (typeof extra === 'string') return literal(text, this.language(extra))
    if ('termType' in extra) return extra === unusable ? unusable : this.typed(text, extra)
    if (extra.direction && !this.options.repair) {
      throw new BadTerm('literals with a base direction are not supported', extra.direction)
    }
    return literal(text, this.language(extra.language))
  }

  blankNode(label?: string): BlankNode {
    if (label !== undefined) return blankNode(this.prefix + safeLabel(label))
    // No label that was made safe ends so.
    return blankNode(`${this.prefix}a-${++this.#unlabelled.count}`)
  }

  variable(name: string): never {
    throw new BadTerm(`variables are not RDF (?${name})`, name)
  }

  readonly defaultGraph = defaultGraph

  /** A quad of RDF 1.1 (Concepts, 3.1): N3 and RDF 1.2 have more, which no store keeps. */
  readonly quad: typeof quad = (subject, predicate, object, graph) => {
    checkParts(subject, predicate, object)
    return quad(subject, predicate, object, graph)
  }

  private iri(iri: string): NamedNode {
    const { repair } = this.options
    const good = isIri(iri)
    if (good && this.#isShort(iri)) return namedNode(iri)
    if (repair) {
      const to = good ? iri : repairIri(iri)
      const usable = isIri(to) && this.#isShort(to)
      repair({ kind: 'iri', from: iri, ...(usable ? { to } : {}), ...this.place() })
      return usable ? namedNode(to) : unusable
    }
    if (good) throw this.#tooLong('an IRI', 'iriBytes', iri)
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
    if (!repair && !tag.test(from))
      throw new BadTerm(`"${from}" is not a language tag (BCP 47)`, from)
    const to = tag.test(candidate) ? shortTag(candidate) : ''
    if (to !== from) repair?.({ kind: 'language', from, to, ...this.place() })
    return to
  }

  /** `undefined` when a literal is too long to be kept. */
  private text(value: string): string | undefined {
    const short = isWithin(value, this.limits.literalBytes)
    if (short && value.isWellFormed()) return value
    const { repair } = this.options
    if (!repair) {
      throw short
        ? new BadTerm('a literal holds half of a surrogate pair', value)
        : this.#tooLong('a literal', 'literalBytes', value)
    }
    const start = value.slice(0, 80).toWellFormed()
    repair({ kind: 'literal', from: start, ...(short ? { to: start } : {}), ...this.place() })
    return short ? value.replaceAll(/\p{Surrogate}/gu, '') : undefined
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

/** The parsers of N3 and of RDF 1.2 make more than the types of quads say. */
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

/** A UTF-16 unit has three bytes at most. */
const isWithin = (text: string, bytes: number) =>
  text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes
