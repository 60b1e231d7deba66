/** A record that an importer maps to DCAT-AP: its nodes, conversion of values to properties, repairs and losses. */

import type { BlankNode, Literal, NamedNode, Quad } from '@rdfjs/types'
import { z } from 'zod'
import { valueFinding, type Finding } from '../../pipe/message.ts'
import { toLines } from '../../rdf/lines.ts'
import { dcat, dct, rdf } from '../../rdf/namespaces.ts'
import { blankNode, literal, maxLiteralBytes, namedNode, quad } from '../../rdf/terms.ts'
import { isJsonObject } from '../../text/json.ts'
import { shortTag } from '../../text/language.ts'
import type { Authorities } from '../../vocabularies/authorities.ts'
import { dateLiteral } from '../../vocabularies/dates.ts'
import {
  isPlaceholder,
  listOf,
  plainText,
  meaningfulText,
  parseEmbeddedJson,
} from '../../vocabularies/loose-values.ts'
import type { ImportedRecord } from '../importers/import-recorder.ts'
import { contactAddress, isUsableIri, nameOf, separateAddresses, webAddress } from './addresses.ts'
import { isTimeZone } from '../../text/time-zone.ts'

export { isUsableIri } from './addresses.ts'

/** Config keys shared by importers with a mapping. */
export const mappingKeys = {
  /** Time zone of times without one: IANA name, or offset such as `+01:00`; UTC by default. */
  timezone: z.string().refine(isTimeZone, 'must be a time zone').optional(),
  /** Order of day and month in dates with slashes or dots; without it such dates are dropped. */
  dateOrder: z.enum(['dmy', 'mdy']).optional(),
}
const mappingConfig = z.object(mappingKeys)
export type MappingConfig = z.infer<typeof mappingConfig>

/** Options of mapping one record. */
export type RecordOptions = MappingConfig & {
  readonly authorities: Authorities
  /** Identifier of the dataset at the source; `fallbackIri` is used if it is no IRI. */
  readonly iri?: unknown
  /** Generated absolute IRI. */
  readonly fallbackIri: string
  /** Base of relative addresses. */
  readonly base: string
  /** Language tag (BCP 47) of text without a language. */
  readonly language?: string
}

/** Ids of the record from the importer; text and findings come from the mapping. */
type RecordNames = Omit<ImportedRecord, 'kind' | 'mediaType' | 'text' | 'findings'>

/** Maximum findings per record, and characters of a value in one. */
const maxFindings = 50
const longestDetail = 300
const untitled: Finding = { slug: 'no-title', detail: 'The record has no title.' }

/** Quads and findings of a record during mapping. */
export class MappedRecord {
  readonly dataset: Subject
  readonly options: RecordOptions
  readonly #quads: Quad[] = []
  readonly #findings = new Map<string, Finding>()
  readonly #usedIris = new Set<string>()
  #blankNodes = 0

  constructor(options: RecordOptions) {
    this.options = options
    const { iri, fallbackIri } = options
    this.dataset = this.subject(dcat('Dataset'), isUsableIri(iri) ? iri : fallbackIri)
  }

  /** Creates a node: with the IRI if it is valid and not used in this record, else a blank node. */
  subject(type: NamedNode | undefined, iri?: unknown): Subject {
    const isFree = isUsableIri(iri) && !this.#usedIris.has(iri)
    if (isFree) this.#usedIris.add(iri)
    const subject = new Subject(this, isFree ? namedNode(iri) : blankNode(`b${++this.#blankNodes}`))
    subject.add(rdf('type'), type)
    return subject
  }

  write(statement: Quad): void {
    this.#quads.push(statement)
  }

  /** Adds a finding, once per text and at most 50: `original` is the value of the source, `property` a name as by `nameOf`. */
  // oxlint-disable-next-line eslint/max-params -- the parts of a finding
  note(slug: Finding['slug'], original: string, property?: string, reason?: string): void {
    if (this.#findings.size >= maxFindings) return
    const value = original.toWellFormed().slice(0, longestDetail)
    const finding =
      property === undefined ? { detail: value } : valueFinding(property, value, reason)
    this.#findings.set(`${slug} ${finding.detail}`, { slug, ...finding })
  }

  get findings(): readonly Finding[] {
    return [...this.#findings.values()]
  }

  /** Triples without blank nodes that have only a type, and without those that become empty thereby. */
  quads(): readonly Quad[] {
    const type = rdf('type')
    for (let quads: readonly Quad[] = this.#quads; ;) {
      const byNode = Object.groupBy(quads, ({ subject }) => `${subject.termType} ${subject.value}`)
      const isEmptyNode = ({ termType, value }: Quad['object'] | Quad['subject']) =>
        termType === 'BlankNode' &&
        byNode[`BlankNode ${value}`]?.every(({ predicate }) => predicate.equals(type)) === true
      const remaining = quads.filter(
        ({ subject, object }) => !isEmptyNode(subject) && !isEmptyNode(object),
      )
      if (remaining.length === quads.length) return quads
      quads = remaining
    }
  }

  /** The record as sorted N-Triples; equal input gives equal text. */
  toRecord(names: RecordNames): ImportedRecord {
    const title = dct('title')
    const isTitled = this.#quads.some(
      ({ subject, predicate }) => subject.equals(this.dataset.term) && predicate.equals(title),
    )
    const findings = isTitled ? this.findings : [untitled, ...this.findings]
    const text = toLines(this.quads())
    return { kind: 'record', mediaType: 'application/n-triples', text, findings, ...names }
  }
}

const isTag = (tag: string) => /^(?!und$)[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/i.test(tag)

/** One node of a record. Methods except `part` return whether the property was written; blank values are ignored. */
export class Subject {
  readonly record: MappedRecord
  readonly term: NamedNode | BlankNode

  constructor(record: MappedRecord, term: NamedNode | BlankNode) {
    this.record = record
    this.term = term
  }

  /** Adds a valid term; nothing for `undefined`. A literal that is too long is reported. */
  add(predicate: NamedNode, object: NamedNode | BlankNode | Literal | undefined): boolean {
    if (!object) return false
    if (object.termType === 'Literal' && Buffer.byteLength(object.value) > maxLiteralBytes) {
      const reason = `longer than ${maxLiteralBytes} bytes`
      this.record.note('dropped-statement', object.value, nameOf(predicate), reason)
      return false
    }
    this.record.write(quad(this.term, predicate, object))
    return true
  }

  /** Adds an IRI unchanged; `false` if it is invalid. */
  iri(predicate: NamedNode, value: unknown): boolean {
    return isUsableIri(value) && this.add(predicate, namedNode(value))
  }

  /** Adds text, a list of texts, or texts by language (`''` for none); placeholders are dropped. */
  text(predicate: NamedNode, value: unknown): boolean {
    const { language } = this.record.options
    const texts = isJsonObject(value)
      ? Object.entries(value).flatMap(([tag, tagged]) =>
          listOf(tagged).map((text) => ({ text, tag })),
        )
      : listOf(value).map((text) => ({ text, tag: language }))
    return texts.map(({ text, tag }) => this.#text(predicate, text, tag)).includes(true)
  }

  #text(predicate: NamedNode, value: unknown, tag = ''): boolean {
    const text = plainText(value)
    if (text === undefined) return false
    const language = isTag(tag) ? shortTag(tag) : ''
    if (language !== '' && language !== tag)
      this.record.note('repaired-language', tag, nameOf(predicate), `became ${language}`)
    if (!isPlaceholder(text)) return this.add(predicate, literal(text, language))
    this.record.note('placeholder-text', text, nameOf(predicate))
    return false
  }

  /** Adds texts without a language: identifiers, versions, values with a datatype. */
  literal(predicate: NamedNode, value: unknown, datatype?: NamedNode): boolean {
    const texts = listOf(value).flatMap((item) => meaningfulText(item) ?? [])
    return texts.map((text) => this.add(predicate, literal(text, datatype))).includes(true)
  }

  /** Adds web addresses. */
  link(predicate: NamedNode, value: unknown): boolean {
    const where = nameOf(predicate)
    const addresses = listOf(value).flatMap((item) => separateAddresses(item, this.record, where))
    const links = addresses.map((address) => webAddress(address, this.record, where))
    return links.map((link) => this.iri(predicate, link)).includes(true)
  }

  /** Adds an e-mail or telephone address. */
  contactLink(predicate: NamedNode, value: unknown, kind: 'mail' | 'telephone'): boolean {
    return this.iri(predicate, contactAddress(value, kind, this.record, nameOf(predicate)))
  }

  date(predicate: NamedNode, value: unknown): boolean {
    const date = dateLiteral(value, this.record.options)
    if (date !== 'invalid') return this.add(predicate, date)
    this.record.note('invalid-date', String(plainText(value)), nameOf(predicate))
    return false
  }

  /** Reports a value that is not in the record; nothing for blank values. */
  noteLoss(predicate: NamedNode, value: unknown, reason?: string): false {
    const parsed = parseEmbeddedJson(value)
    const isObject = typeof parsed === 'object' && parsed !== null
    const text = isObject ? JSON.stringify(parsed) : meaningfulText(value) && plainText(value)
    if (text !== undefined) this.record.note('unmapped-value', text, nameOf(predicate), reason)
    return false
  }

  /** Adds a nested node; a blank one is dropped again if it stays empty. */
  part(predicate: NamedNode, type: NamedNode | undefined, iri?: unknown): Subject {
    const part = this.record.subject(type, iri)
    this.add(predicate, part.term)
    return part
  }
}
