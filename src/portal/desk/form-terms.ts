/** Values of a form as text and back: how each editor writes a term, and which terms a typed text means. */

import type { Literal, Quad_Object, Term } from '@rdfjs/types'
import type { FormField } from '../../profile/form-model.ts'
import { isIri, isUnsafeAddress } from '../../rdf/iri.ts'
import { termIn } from '../../rdf/lines.ts'
import { geosparql, xsd } from '../../rdf/namespaces.ts'
import { literal, namedNode } from '../../rdf/terms.ts'
import { dateLiteral } from '../../vocabularies/dates.ts'
import { geometryIn, toWkt } from '../../vocabularies/geometry-text.ts'
import { boundsOf, boxGeometry, positionsOf } from '../../vocabularies/geometry.ts'
import { hasHiddenCharacters } from '../../text/hidden-characters.ts'
import type { Concepts } from './concepts.ts'
import { authoredTag } from './form-names.ts'

/** Typed text that is no value: key of the message that says why, and a value that may have been meant. */
export type Refusal = { readonly message: string; readonly meant?: { iri: string; label: string } }

type Reading = {
  /** Language tag of a text in languages, `''` for one without language. */
  readonly language: string
  /** Language of the page, which decides how dates and numbers are written. */
  readonly pageLanguage: string
  /** Term that the text replaces; its kind, language and datatype stay. */
  readonly old?: Term | undefined
  readonly concepts: Concepts
}

const withComma: ReadonlySet<string> = new Set(['de', 'fr', 'it'])

/** Text of a term in the control of its field. */
export function textOfTerm(field: FormField, term: Term, pageLanguage: string): string {
  const { value } = term
  if (field.editor === 'email') return value.replace(/^mailto:/i, '').trim()
  if (field.editor === 'telephone') return value.replace(/^tel:/i, '')
  if (field.editor === 'number' && /^-?\d+\.\d+$/.test(value) && withComma.has(pageLanguage))
    return value.replace('.', ',')
  if (field.editor === 'address') return value.trim()
  if (field.editor === 'area') return boxOf(value)?.join(' ') ?? value
  return value
}

const refuse = (message: string): Refusal => ({ message })

/** Literal in the kind of the term that it replaces, else of the field. */
function literalLike(text: string, field: FormField, { old, language }: Reading): Literal {
  if (old?.termType === 'Literal')
    return literal(text, old.language === '' ? old.datatype : authoredTag(old.language))
  if (language !== '') return literal(text, language)
  const [datatype] = field.datatype ?? []
  return literal(
    text,
    datatype === undefined || field.datatype?.length !== 1 ? undefined : namedNode(datatype),
  )
}

/** IRI, or a literal where a literal is replaced or the field demands one. */
const iriLike = (iri: string, field: FormField, reading: Reading): Quad_Object =>
  reading.old?.termType === 'Literal' || (!reading.old && isLiteralField(field))
    ? literalLike(iri, field, reading)
    : namedNode(iri)

const isLiteralField = ({ nodeKind, datatype }: FormField) =>
  nodeKind === 'Literal' || datatype?.includes(xsd('anyURI').value) === true

/** Reads an address: absolute, and of a scheme that runs nothing when it is opened. */
function addressOf(text: string): string | undefined {
  const address = /^www\.[^\s]+$/i.test(text) ? `https://${text}` : text
  const isSafe = /^[a-z][a-z0-9+.-]+:\S/i.test(address) && !isUnsafeAddress(address)
  const isWhole = !/^https?:/i.test(address) || URL.canParse(address)
  return isSafe && isWhole && isIri(address) ? address : undefined
}

function readNumber(text: string, field: FormField, reading: Reading): Literal | Refusal {
  const compact = text.replaceAll(/[\s\u00a0\u202f'’]/g, '')
  const plain = withComma.has(reading.pageLanguage)
    ? compact.includes(',')
      ? compact.replaceAll('.', '').replace(',', '.')
      : compact
    : compact.replaceAll(/,(?=\d{3}(?:\D|$))/g, '')
  if (!/^[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(plain)) return refuse('no-number')
  const isWhole = /^[-+]?\d+$/.test(plain)
  const { old } = reading
  const wanted = old?.termType === 'Literal' ? old.datatype.value : field.datatype?.[0]
  const datatype =
    wanted ?? xsd(field.mappingClass === 'Integer' && isWhole ? 'integer' : 'decimal').value
  if (/integer|long|int$/i.test(datatype) && !isWhole) return refuse('no-whole-number')
  if (/nonNegative|positive/.test(datatype) && plain.startsWith('-')) return refuse('no-number')
  return literal(plain, namedNode(datatype))
}

function readDate(text: string, { pageLanguage }: Reading): Literal | Refusal {
  const date = dateLiteral(text, { language: pageLanguage, dateOrder: 'dmy' })
  return date === undefined || date === 'invalid' ? refuse('no-date') : date
}

function readArea(text: string, { old, pageLanguage }: Reading): Literal | Refusal {
  const isNumbers = /^[-+\d.,\s]+$/.test(text)
  const geometry = geometryIn(
    isNumbers && withComma.has(pageLanguage) ? text.replaceAll(',', '.') : text,
  )
  if (!geometry) return refuse('no-area')
  const isGeoJson = old?.termType === 'Literal' && /geo\+?json/i.test(old.datatype.value)
  return isGeoJson
    ? literal(JSON.stringify(geometry), old.datatype)
    : literal(toWkt(geometry), geosparql('wktLiteral'))
}

function readConcept(text: string, field: FormField, reading: Reading): Quad_Object | Refusal {
  const { concepts } = reading
  const iri = concepts.find(field.vocabulary, text) ?? addressOf(text)
  if (iri !== undefined) return namedNode(iri)
  const meant = concepts.near(field.vocabulary, text, reading.pageLanguage)
  return { message: 'no-concept', ...(meant && { meant }) }
}

/** Reads an editor's text, which is not empty, as one term. */
function readOne(field: FormField, text: string, reading: Reading): Quad_Object | Refusal {
  const line = text.trim()
  const isLong = field.editor === 'prose' || field.editor === 'area'
  if (field.editor !== 'choice' && hasHiddenCharacters(text, isLong))
    return refuse('hidden-characters')
  switch (field.editor) {
    case 'number':
      return readNumber(line, field, reading)
    case 'boolean':
      return /^(?:true|false)$/.test(line) ? literal(line, xsd('boolean')) : refuse('no-choice')
    case 'date':
      return readDate(line, reading)
    case 'area':
      return readArea(line, reading)
    case 'choice': {
      const term = field.in?.find((value) => value === text || termIn(value)?.value === text)
      return (term === undefined ? undefined : termIn(term)) ?? refuse('no-choice')
    }
    case 'concept':
    case 'licence':
    case 'place':
      return readConcept(line, field, reading)
    case 'address': {
      const address = addressOf(line)
      return address === undefined ? refuse('no-address') : iriLike(address, field, reading)
    }
    case 'email':
      return /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(line) && isIri(`mailto:${line}`)
        ? iriLike(`mailto:${line}`, field, reading)
        : refuse('no-email')
    case 'telephone':
      return /^\+?[\d\s()./-]{4,30}$/.test(line)
        ? iriLike(`tel:${line.replaceAll(/[^+\d]+/g, '-').replace(/^-|-$/g, '')}`, field, reading)
        : refuse('no-telephone')
    default:
      return readText(field, text, reading)
  }
}

function readText(field: FormField, text: string, reading: Reading): Quad_Object | Refusal {
  const { min, max } = {
    min: field.bounds?.minLength ?? 0,
    max: field.bounds?.maxLength ?? Infinity,
  }
  const { length } = Array.from(text)
  const matches = field.pattern === undefined || new RegExp(field.pattern, 'u').test(text)
  if (!matches || length < min || length > max)
    return refuse(!matches ? 'no-match' : length < min ? 'too-short' : 'too-long')
  if (reading.old?.termType === 'NamedNode') {
    const address = addressOf(text.trim())
    return address === undefined ? refuse('no-address') : namedNode(address)
  }
  return literalLike(text, field, reading)
}

/** Reads the text of a control as terms: several for keywords, one for all others. The text is not empty. */
export function readTerms(
  field: FormField,
  text: string,
  reading: Reading,
): readonly Quad_Object[] | Refusal {
  const texts =
    field.editor === 'keywords' && !reading.old
      ? text
          .split(/[,;\n]/)
          .map((word) => word.trim())
          .filter((word) => word !== '')
      : [text]
  const terms: Quad_Object[] = []
  for (const part of texts) {
    const term = readOne(field, part, reading)
    if ('message' in term) return term
    const fault = field.editor === 'number' && boundsFault(Number(term.value), field)
    if (fault) return refuse(fault)
    terms.push(term)
  }
  return terms
}

/** Key of the message about a number that does not keep the bounds of its field. */
const boundsFault = (number: number, { bounds = {} }: FormField) =>
  number < (bounds.minInclusive ?? -Infinity) || number <= (bounds.minExclusive ?? -Infinity)
    ? 'too-small'
    : (number > (bounds.maxInclusive ?? Infinity) || number >= (bounds.maxExclusive ?? Infinity)) &&
      'too-large'

/** The four sides of a literal that is a box, west, south, east, north; `undefined` for another shape. */
export function boxOf(text: string): readonly number[] | undefined {
  const geometry = geometryIn(text)
  if (!geometry) return undefined
  const box = boundsOf(positionsOf(geometry))
  return toWkt(boxGeometry(box)) === toWkt(geometry) ? box : undefined
}
