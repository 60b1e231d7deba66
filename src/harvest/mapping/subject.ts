/** One node of a record, with the ways in which values of a source become its properties. */
import type { BlankNode, Literal, NamedNode, Quad } from '@rdfjs/types'
import { xsd } from '../../rdf/namespaces.ts'
import { literal, namedNode, quad } from '../../rdf/terms.ts'
import type { Finding } from '../../pipe/message.ts'
import type { RecordOptions } from './record-options.ts'
import { dateLiteral } from '../../vocabularies/dates.ts'
import { textFromHtml } from '../../vocabularies/html-text.ts'
import {
  fieldsOf,
  isPlaceholder,
  listOf,
  plainText,
  saidText,
  structured,
} from '../../vocabularies/loose-values.ts'
import { contactAddress, isUsableIri, nameOf, webAddress } from './addresses.ts'

/** The record that a node belongs to. */
export type Draft = {
  readonly options: RecordOptions
  readonly write: (quad: Quad) => void
  /** Notes what was mended or left out. */
  readonly note: (slug: Finding['slug'], detail: string) => void
  /** A node of its own: with the IRI when that is one and nothing else in the record has it, else a blank node. */
  readonly subject: (type: NamedNode | undefined, iri?: unknown) => Subject
}

type TextOptions = {
  /** The source writes HTML here. */
  readonly html?: boolean
  /** Tag that the source gives to this text. */
  readonly language?: unknown
}

const isTag = (tag: string) => /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/.test(tag)

export class Subject {
  readonly record: Draft
  readonly term: NamedNode | BlankNode

  constructor(record: Draft, term: NamedNode | BlankNode) {
    this.record = record
    this.term = term
  }

  /** A property with a term that is known to be right; nothing for `undefined`. */
  add(predicate: NamedNode, object: NamedNode | BlankNode | Literal | undefined): boolean {
    if (!object) return false
    this.record.write(quad(this.term, predicate, object))
    return true
  }

  /** An IRI of an authority or of any other kind, as it is; false when it is none. */
  iri(predicate: NamedNode, value: unknown): boolean {
    return isUsableIri(value) && this.add(predicate, namedNode(value))
  }

  /** Text, a list of texts, or texts by language; placeholders are left out. */
  text(predicate: NamedNode, value: unknown, options: TextOptions = {}): boolean {
    if (Array.isArray(value))
      return value.map((one) => this.#one(predicate, one, options)).includes(true)
    if (typeof value === 'object' && value !== null)
      return Object.entries(fieldsOf(value))
        .flatMap(([language, all]) =>
          listOf(all).map((one) => this.#one(predicate, one, { ...options, language })),
        )
        .includes(true)
    return this.#one(predicate, value, options)
  }

  #one(predicate: NamedNode, value: unknown, { html, language }: TextOptions): boolean {
    const given = plainText(value)
    const text = given !== undefined && html === true ? plainText(textFromHtml(given)) : given
    if (text === undefined) return false
    if (isPlaceholder(text)) {
      this.record.note('placeholder-text', `${nameOf(predicate)}: ${text}`)
      return false
    }
    const tag = typeof language === 'string' ? language : this.record.options.language
    return this.add(predicate, literal(text, tag && isTag(tag) && !isUndefined(tag) ? tag : ''))
  }

  /** Text without a language: identifiers, versions. */
  literal(predicate: NamedNode, value: unknown, datatype?: NamedNode): boolean {
    return listOf(value)
      .map((one) => {
        const text = plainText(one)
        return text !== undefined && !isPlaceholder(text)
          ? this.add(predicate, literal(text, datatype))
          : false
      })
      .includes(true)
  }

  /** An address of the web, or several. */
  link(predicate: NamedNode, value: unknown): boolean {
    return listOf(value)
      .map((one) =>
        this.add(predicate, this.#node(webAddress(one, this.record, nameOf(predicate)))),
      )
      .includes(true)
  }

  /** An address at which somebody can be reached: `mail`, `telephone` or `web`. */
  reach(predicate: NamedNode, value: unknown, kind: 'mail' | 'telephone'): boolean {
    const address = contactAddress(value, kind, this.record, nameOf(predicate))
    return this.add(predicate, this.#node(address))
  }

  #node(iri: string | undefined): NamedNode | undefined {
    return iri === undefined ? undefined : namedNode(iri)
  }

  date(predicate: NamedNode, value: unknown): boolean {
    const found = dateLiteral(value, this.record.options)
    if (found === 'invalid')
      this.record.note('invalid-date', `${nameOf(predicate)}: ${String(plainText(value))}`)
    return found === undefined || found === 'invalid' ? false : this.add(predicate, found)
  }

  /** A whole number that is not negative and not zero. */
  count(predicate: NamedNode, value: string | undefined): boolean {
    return value !== undefined && this.add(predicate, literal(value, xsd('nonNegativeInteger')))
  }

  /** Tells that a value of the source is not in the record; nothing for blank values. */
  lost(predicate: NamedNode, value: unknown): false {
    const given = structured(value)
    const isEmpty = saidText(value) === undefined && (typeof given !== 'object' || given === null)
    const text = typeof given === 'object' ? JSON.stringify(given) : plainText(value)
    if (!isEmpty && text !== undefined)
      this.record.note('unmapped-value', `${nameOf(predicate)}: ${text}`)
    return false
  }

  /** An IRI for a part: that of this node and what the part is called; `undefined` when it has no name. */
  below(path: string, name: string | undefined): string | undefined {
    const own = this.term.termType === 'NamedNode' ? this.term.value : ''
    return name === undefined ? undefined : `${own}${path}${encodeURIComponent(name)}`
  }

  /** A node that belongs to this one; it is left out again when nothing is said of it. */
  part(predicate: NamedNode, type: NamedNode | undefined, iri?: unknown): Subject {
    const part = this.record.subject(type, iri)
    this.add(predicate, part.term)
    return part
  }
}

const isUndefined = (tag: string) => tag.toLowerCase() === 'und'
