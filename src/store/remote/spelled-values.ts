/**
 * Values of lines that stores may return in another spelling, such as `01` as `1`: splits a literal into its parts, makes keys that are
 * equal for all spellings of a value, and encodes lines for a store.
 */

import { rdf, xsd } from '../../rdf/namespaces.ts'
import type { Fidelity } from './dialect.ts'

/** Literal with a language tag or a datatype; plain strings have no other spelling. */
export type SpelledValue = {
  /** Line up to the opening quote, inclusive. */
  readonly head: string
  /** Lexical form with its escapes. */
  readonly lexical: string
  /** Language tag; `''` with a datatype. */
  readonly language: string
  readonly datatype: string
}

const langString = rdf('langString').value

/** Value of a line (without line end); `undefined` for an IRI and a plain string. */
export function spelledValueOf(line: string): SpelledValue | undefined {
  const end = line.lastIndexOf('"')
  const mark = line[end + 1]
  if (end < 0 || (mark !== '@' && mark !== '^')) return undefined
  const start = line.indexOf('"')
  const [head, lexical] = [line.slice(0, start + 1), line.slice(start + 1, end)]
  if (mark === '@') {
    return { head, lexical, language: line.slice(end + 2, -2), datatype: langString }
  }
  return { head, lexical, language: '', datatype: line.slice(end + 4, -3) }
}

/** Line of a value. */
export const literalLine = ({ head, lexical, language, datatype }: SpelledValue): string =>
  language === '' ? `${head}${lexical}"^^<${datatype}> .` : `${head}${lexical}"@${language} .`

const dottedIriPattern = /<[^<>"]*\/\.\.?(?:[/?#][^<>"]*)?>/

/** Whether a line may contain an IRI with `.` or `..` as a segment of its path, which some parsers resolve. */
export const hasDots = (line: string): boolean => line.includes('/.') && dottedIriPattern.test(line)

/** Whether a store may have another spelling for a line. */
export const mayBeRespelled = (line: string): boolean => {
  const mark = line[line.lastIndexOf('"') + 1]
  return mark === '@' || mark === '^' || hasDots(line)
}

const namespace = xsd('').value

/** Local name of a datatype of XML Schema; `undefined` for others. */
export const xsdName = (datatype: string): string | undefined =>
  datatype.startsWith(namespace) ? datatype.slice(namespace.length) : undefined

/** Local names of `xsd:integer` and the datatypes derived from it. */
export const integers: ReadonlySet<string> = new Set(
  (
    'integer int long short byte nonNegativeInteger positiveInteger nonPositiveInteger negativeInteger ' +
    'unsignedInt unsignedLong unsignedShort unsignedByte'
  ).split(' '),
)

/** Prefix of the datatypes of values that are hidden from a store. */
export const hiddenDatatype = 'urn:cartulary:literal:'

/**
 * Line with a datatype that no store knows, so that its value is returned unchanged; for values that a store would change. Queries see
 * this datatype.
 */
export function hideDatatype(line: string): string {
  const value = spelledValueOf(line)
  if (!value || value.language !== '') return line
  return literalLine({ ...value, datatype: `${hiddenDatatype}${value.datatype}` })
}

/** Inverse of `hideDatatype`. */
export function restoreDatatype(line: string): string {
  if (!line.includes(`"^^<${hiddenDatatype}`)) return line
  const value = spelledValueOf(line)
  if (!value?.datatype.startsWith(hiddenDatatype)) return line
  return literalLine({ ...value, datatype: value.datatype.slice(hiddenDatatype.length) })
}

// Keys of lines: equal for lines that a store may treat as one triple. They are coarser than any store, which does no harm.

const decimal = /^\s*([+-]?)0*(\d*)(?:\.(\d*?)0*)?\s*$/

/** Canonical digits of a number; other texts are returned unchanged. */
function plainNumber(lexical: string): string {
  const [, sign = '', integerPart = '', fraction = ''] = decimal.exec(lexical) ?? []
  if (!/\d/.test(lexical) || !decimal.test(lexical)) return lexical
  const digits = `${integerPart === '' ? '0' : integerPart}${fraction === '' ? '' : `.${fraction}`}`
  return sign === '-' && digits !== '0' ? `-${digits}` : digits
}

const infinities: Readonly<Record<string, string>> = { '+INF': 'INF', INF: 'INF', '-INF': '-INF' }

function floatKey(lexical: string, round: (value: number) => number): string {
  const text = lexical.trim()
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) return infinities[text] ?? lexical
  return String(round(Number(text)))
}

const booleans: Readonly<Record<string, string>> = { '1': 'true', '0': 'false' }

function lexicalKey(name: string, lexical: string): string {
  if (integers.has(name) || name === 'decimal') return plainNumber(lexical)
  if (name === 'double') return floatKey(lexical, Number)
  if (name === 'float') return floatKey(lexical, Math.fround)
  if (name === 'boolean') return booleans[lexical.trim()] ?? lexical.trim()
  return durationKey(name, lexical) ?? timeKey(name, lexical) ?? lexical
}

/** Common datatype where some stores unify several: `integer` and those derived from it, `dateTime` and `dateTimeStamp`. */
const kindOf = (name: string) => {
  if (integers.has(name)) return 'integer'
  return name === 'dateTimeStamp' ? 'dateTime' : name
}

function valueKey(value: SpelledValue): string {
  if (value.language !== '')
    return literalLine({ ...value, language: value.language.toLowerCase() })
  const name = xsdName(value.datatype)
  if (name === undefined) return literalLine(value)
  if (name === 'string') return `${value.head}${value.lexical}" .`
  const datatype = xsd(kindOf(name)).value
  return literalLine({ ...value, datatype, lexical: lexicalKey(name, value.lexical) })
}

const dottedIri = /<([^<>"]*\/\.\.?(?:[/?#][^<>"]*)?)>/g

function withoutDots(iri: string): string {
  const [, head = '', path = '', queryAndFragment = ''] =
    /^([^:/?#]*:(?:\/\/[^/?#]*)?)([^?#]*)([^]*)$/.exec(iri) ?? []
  const segments: string[] = []
  const pathSegments = path.split('/')
  pathSegments.forEach((segment, at) => {
    const isLast = at === pathSegments.length - 1
    if (segment === '..' && segments.length > 1) segments.pop()
    if (segment !== '.' && segment !== '..') segments.push(segment)
    else if (isLast) segments.push('')
  })
  return `<${head}${segments.join('/')}${queryAndFragment}>`
}

/** Key of a line, equal for all spellings of its value and of IRIs with `.` and `..`. */
export function spellingKey(line: string): string {
  const plain = hasDots(line) ? line.replace(dottedIri, (_, iri: string) => withoutDots(iri)) : line
  const value = spelledValueOf(plain)
  return value ? valueKey(value) : plain
}

// Keys of times and durations of XML Schema (XSD 1.1, part 2, 3.3).

const timePattern =
  /^\s*(?:(-?\d{4,})(?:-(\d\d)(?:-(\d\d))?)?)?(?:T?(\d\d):(\d\d):(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)?\s*$/

const zoneOf = (zone: string | undefined) => {
  if (zone === undefined || zone === 'Z') return 0
  const [hours = 0, minutes = 0] = zone.slice(1).split(':').map(Number)
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/**
 * Key of a point in time: of a dateTime the instant, so that zones, `24:00:00` and trailing zeros do not matter; of others the text
 * with `Z` for UTC and without trailing zeros. `undefined` for other values.
 */
function timeKey(name: string, lexical: string): string | undefined {
  if (name !== 'dateTime' && name !== 'dateTimeStamp') return zonedKey(name, lexical)
  const [, year, month, day, hour, minute, second, fraction = '', zone] =
    timePattern.exec(lexical) ?? []
  if (day === undefined || hour === undefined) return undefined
  const midnight = new Date(0)
  midnight.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const minutes = Number(hour) * 60 + Number(minute) - zoneOf(zone)
  const ms = midnight.getTime() + (minutes * 60 + Number(second)) * 1000
  if (Number.isNaN(ms)) return undefined
  return `${ms / 1000}.${fraction.replace(/0+$/, '')}${zone === undefined ? '' : 'Z'}`
}

function zonedKey(name: string, lexical: string): string | undefined {
  if (name !== 'date' && name !== 'time' && !name.startsWith('g')) return undefined
  const text = lexical.trim()
  const plain = text.replace(/(?:[+-]00:00|Z)$/, 'Z')
  return plain.replace(/(:\d\d)(?:\.0+|(\.\d*[1-9])0*)(?=Z|[+-]|$)/, '$1$2')
}

const durationPattern =
  /^\s*(-?)P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?)?\s*$/

/** Key of a duration: months and seconds; `undefined` for other values. */
function durationKey(name: string, lexical: string): string | undefined {
  if (!name.toLowerCase().endsWith('duration')) return undefined
  const [match, sign, ...parts] = durationPattern.exec(lexical) ?? []
  if (match === undefined) return undefined
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(0, 6)
    .map((part) => Number(part ?? 0))
  const fraction = parts[6]?.replace(/0+$/, '') ?? ''
  return `${sign}P${years * 12 + months}M${((days * 24 + hours) * 60 + minutes) * 60 + seconds}.${fraction}S`
}

// Encoding for most stores, which keep known datatypes by value and change the case of language tags.

type FidelityRules = {
  /** Whether a language tag is returned unchanged. */
  readonly keepsTag: (language: string) => boolean
  /** Whether a lexical form of a datatype of XML Schema (local name) is returned unchanged. */
  readonly keepsForm: (name: string, lexical: string) => boolean
  /** Whether a lexical form would be returned as another value; it is sent with a hidden datatype then. */
  readonly isDamaged: (name: string, lexical: string) => boolean
}

/** Encoding for a store by the forms that it keeps. */
export function fidelityOf({ keepsTag, keepsForm, isDamaged }: FidelityRules): Fidelity {
  return {
    encode: (line) => {
      const keepsIris = !hasDots(line)
      const value = spelledValueOf(line)
      if (!value) return { line, exact: keepsIris }
      if (value.language !== '') return { line, exact: keepsIris && keepsTag(value.language) }
      const name = xsdName(value.datatype)
      if (name === undefined) return { line, exact: keepsIris }
      if (isDamaged(name, value.lexical)) return { line: hideDatatype(line), exact: keepsIris }
      return { line, exact: keepsIris && keepsForm(name, value.lexical) }
    },
    decode: restoreDatatype,
    key: spellingKey,
  }
}
