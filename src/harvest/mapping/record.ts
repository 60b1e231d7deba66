/**
 * One record on its way to DCAT-AP: its nodes, the ways in which values of a source become their properties, and what was mended or
 * left out.
 */

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
  saidText,
  structured,
} from '../../vocabularies/loose-values.ts'
import type { ImportedRecord } from '../importers/import-recorder.ts'
import { contactAddress, isUsableIri, nameOf, separateAddresses, webAddress } from './addresses.ts'
import { isTimeZone } from '../../text/time-zone.ts'

export { isUsableIri } from './addresses.ts'

/** Keys in the config of every importer that maps. */
export const mappingKeys = {
  /** Zone of times without one: a name of the IANA list, or an offset such as `+01:00`. UTC when absent. */
  timezone: z.string().refine(isTimeZone, 'must be a time zone').optional(),
  /** Order of day and month in dates with slashes or dots; such dates are left out when absent. */
  dateOrder: z.enum(['dmy', 'mdy']).optional(),
}
const mappingConfig = z.object(mappingKeys)
export type MappingConfig = z.infer<typeof mappingConfig>

/** Options of mapping one record. */
export type RecordOptions = MappingConfig & {
  readonly authorities: Authorities
  /** Identifier of the dataset at the source; `fallbackIri` counts when it is no IRI. */
  readonly iri?: unknown
  /** An absolute IRI of our own making. */
  readonly fallbackIri: string
  /** Base of relative addresses. */
  readonly base: string
  /** Tag of text whose language is not told (BCP 47). */
  readonly language?: string
}

/** Names of the record, which the importer gives; text and findings are made by the mapping. */
type RecordNames = Omit<ImportedRecord, 'kind' | 'mediaType' | 'text' | 'findings'>

/** More would help nobody. */
const maxFindings = 50
const longestDetail = 300
const untitled: Finding = { slug: 'no-title', detail: 'The record has no title.' }

/** The quads of one record in the making, with what was repaired or left out on the way. */
export class MappedRecord {
  readonly dataset: Subject
  readonly options: RecordOptions
  readonly #quads: Quad[] = []
  readonly #findings = new Map<string, Finding>()
  readonly #taken = new Set<string>()
  #labels = 0

  constructor(options: RecordOptions) {
    this.options = options
    const { iri, fallbackIri } = options
    this.dataset = this.subject(dcat('Dataset'), isUsableIri(iri) ? iri : fallbackIri)
  }

  /** A node of its own: with the IRI when that is one and nothing else in the record has it, else a blank node. */
  subject(type: NamedNode | undefined, iri?: unknown): Subject {
    const isFree = isUsableIri(iri) && !this.#taken.has(iri)
    if (isFree) this.#taken.add(iri)
    const subject = new Subject(this, isFree ? namedNode(iri) : blankNode(`b${++this.#labels}`))
    subject.add(rdf('type'), type)
    return subject
  }

  write(one: Quad): void {
    this.#quads.push(one)
  }

  /** Notes what was mended or left out, once per sentence: the value as it was `given`, `property` as `nameOf` names it. */
  // oxlint-disable-next-line eslint/max-params -- the parts of a finding
  note(slug: Finding['slug'], given: string, property?: string, reason?: string): void {
    if (this.#findings.size >= maxFindings) return
    const value = given.toWellFormed().slice(0, longestDetail)
    const finding =
      property === undefined ? { detail: value } : valueFinding(property, value, reason)
    this.#findings.set(`${slug} ${finding.detail}`, { slug, ...finding })
  }

  get findings(): readonly Finding[] {
    return [...this.#findings.values()]
  }

  /** The triples; parts of which nothing but their type is known are left out, and then those that held nothing else. */
  quads(): readonly Quad[] {
    const type = rdf('type')
    for (let quads: readonly Quad[] = this.#quads; ;) {
      const byNode = Object.groupBy(quads, ({ subject }) => `${subject.termType} ${subject.value}`)
      const isSilent = ({ termType, value }: Quad['object'] | Quad['subject']) =>
        termType === 'BlankNode' &&
        byNode[`BlankNode ${value}`]?.every(({ predicate }) => predicate.equals(type)) === true
      const rest = quads.filter(({ subject, object }) => !isSilent(subject) && !isSilent(object))
      if (rest.length === quads.length) return quads
      quads = rest
    }
  }

  /** The record as N-Triples, sorted: the same text for the same input. */
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

/** One node of a record. What writes a property returns whether there is one now; blank values are nothing. */
export class Subject {
  readonly record: MappedRecord
  readonly term: NamedNode | BlankNode

  constructor(record: MappedRecord, term: NamedNode | BlankNode) {
    this.record = record
    this.term = term
  }

  /** A term that is known to be right; nothing for `undefined`. */
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

  /** An IRI of an authority or of any other kind, as it is; false when it is none. */
  iri(predicate: NamedNode, value: unknown): boolean {
    return isUsableIri(value) && this.add(predicate, namedNode(value))
  }

  /** Text, a list of texts, or texts by language (`''`: in none); placeholders are left out. */
  text(predicate: NamedNode, value: unknown): boolean {
    const { language } = this.record.options
    const all = isJsonObject(value)
      ? Object.entries(value).flatMap(([tag, texts]) => listOf(texts).map((one) => ({ one, tag })))
      : listOf(value).map((one) => ({ one, tag: language }))
    return all.map(({ one, tag }) => this.#text(predicate, one, tag)).includes(true)
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

  /** Text without a language, one or several: identifiers, versions. */
  literal(predicate: NamedNode, value: unknown, datatype?: NamedNode): boolean {
    const texts = listOf(value).flatMap((one) => saidText(one) ?? [])
    return texts.map((text) => this.add(predicate, literal(text, datatype))).includes(true)
  }

  /** An address of the web, or several. */
  link(predicate: NamedNode, value: unknown): boolean {
    const where = nameOf(predicate)
    const all = listOf(value).flatMap((one) => separateAddresses(one, this.record, where))
    const links = all.map((one) => webAddress(one, this.record, where))
    return links.map((link) => this.iri(predicate, link)).includes(true)
  }

  /** An address at which somebody can be reached. */
  reach(predicate: NamedNode, value: unknown, kind: 'mail' | 'telephone'): boolean {
    return this.iri(predicate, contactAddress(value, kind, this.record, nameOf(predicate)))
  }

  date(predicate: NamedNode, value: unknown): boolean {
    const date = dateLiteral(value, this.record.options)
    if (date !== 'invalid') return this.add(predicate, date)
    this.record.note('invalid-date', String(plainText(value)), nameOf(predicate))
    return false
  }

  /** Notes that a value of the source is not in the record; nothing for blank values. */
  noteLoss(predicate: NamedNode, value: unknown, reason?: string): false {
    const given = structured(value)
    const isObject = typeof given === 'object' && given !== null
    const text = isObject ? JSON.stringify(given) : saidText(value) && plainText(value)
    if (text !== undefined) this.record.note('unmapped-value', text, nameOf(predicate), reason)
    return false
  }

  /** A node that belongs to this one; it is left out again when nothing is said of it. */
  part(predicate: NamedNode, type: NamedNode | undefined, iri?: unknown): Subject {
    const part = this.record.subject(type, iri)
    this.add(predicate, part.term)
    return part
  }
}
