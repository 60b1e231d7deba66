/** JSON-LD as the feeds write it: names with prefixes, values as text, as typed text, as links or as nested nodes. */
import type { NamedNode } from '@rdfjs/types'
import { prefixes, rdf, xsd } from '../../rdf/namespaces.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import { isUsableIri } from '../mapping/addresses.ts'
import { fieldsOf, listOf, plainText, saidText } from '../../vocabularies/loose-values.ts'
import type { Fields } from '../../text/json.ts'
import type { Subject } from '../mapping/subject.ts'

/** Names and prefixes → IRIs. Contexts of the feeds have prefixes only; nothing of them is ever fetched. */
export type TermContext = ReadonlyMap<string, string>

const usual = {
  ...prefixes,
  gsp: 'http://www.opengis.net/ont/geosparql#',
  ftype: 'http://publications.europa.eu/resource/authority/file-type/',
  lang: 'http://publications.europa.eu/resource/authority/language/',
}

export function contextOf(terms: Fields): TermContext {
  const own = Object.entries(terms).flatMap(([name, value]) => {
    const iri = plainText(value) ?? plainText(fieldsOf(value)['@id'])
    return iri === undefined || name.startsWith('@') ? [] : [[name, iri] as const]
  })
  return new Map([...Object.entries(usual), ...own])
}

/** The IRI that a name stands for; `undefined` for names that JSON-LD would pass over. */
function expanded(name: string, terms: TermContext): string | undefined {
  const whole = terms.get(name)
  const [, prefix = '', local = ''] = /^([^:/]*):(?!\/\/)(.*)$/s.exec(whole ?? name) ?? []
  const namespace = terms.get(prefix)
  const iri = namespace === undefined ? (whole ?? name) : namespace + local
  return isUsableIri(iri) && iri.includes(':') ? iri : undefined
}

/** The text of a value, however it is wrapped: `"x"`, `{ "@value": "x" }`, `{ "@id": "x" }`. */
export function plainValue(value: unknown): string | undefined {
  const fields = fieldsOf(value)
  return saidText(value) ?? saidText(fields['@value']) ?? saidText(fields['@id'])
}

/** Deeper than any feed nests; what lies further has lost its way. */
const deepest = 8

type Saying = {
  readonly terms: TermContext
  /** Properties that are said already. */
  readonly known?: ReadonlySet<string>
  readonly depth?: number
}

/** Says everything that the properties of a node say, but those that are `known` already. */
export function sayRest(subject: Subject, fields: Fields, saying: Saying): void {
  const { terms, known, depth = 0 } = saying
  for (const [name, value] of Object.entries(fields)) {
    if (name.startsWith('@') || known?.has(name) === true) continue
    const iri = expanded(name, terms)
    if (iri === undefined || iri === rdf('type').value) continue
    for (const one of listOf(value)) say(subject, namedNode(iri), one, { terms, depth })
  }
}

function say(
  subject: Subject,
  predicate: NamedNode,
  value: unknown,
  { terms, depth }: { readonly terms: TermContext; readonly depth: number },
): void {
  if (typeof value === 'boolean') subject.add(predicate, literal(String(value), xsd('boolean')))
  if (typeof value !== 'object' || value === null) {
    subject.text(predicate, value)
    return
  }
  const fields = fieldsOf(value)
  if ('@value' in fields) {
    typed(subject, predicate, fields, terms)
    return
  }
  const id = plainText(fields['@id'])
  const iri = id === undefined ? undefined : expanded(id, terms)
  const types = [fields['@type']].flat().map((type) => expanded(plainText(type) ?? '', terms))
  const isLink = Object.keys(fields).every((name) => name === '@id')
  if (isLink) subject.iri(predicate, iri)
  else if (depth < deepest) {
    const part = subject.part(predicate, undefined, iri)
    for (const type of types) if (type !== undefined) part.iri(rdf('type'), type)
    sayRest(part, fields, { terms, depth: depth + 1 })
  }
}

function typed(subject: Subject, predicate: NamedNode, fields: Fields, terms: TermContext): void {
  const { '@value': value, '@language': language, '@type': type } = fields
  const datatype = expanded(plainText(type) ?? '', terms)
  if (datatype === undefined) subject.text(predicate, value, { language })
  else if (/#(?:dateTime|date|gYearMonth|gYear)$/.test(datatype)) subject.date(predicate, value)
  else subject.literal(predicate, value, namedNode(datatype))
}
