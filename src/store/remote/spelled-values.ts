/** The value at the end of a line: what a store may spell in another way than we do. */

import { rdf, xsd } from '../../rdf/namespaces.ts'
import type { Fidelity } from './dialect.ts'

/** A literal with a language tag or a datatype; plain strings and IRIs have no other spelling. */
export type SpelledValue = {
  /** The line up to and with the opening quote. */
  readonly head: string
  /** As it stands in the line, with its escapes. */
  readonly lexical: string
  /** `''` where there is a datatype. */
  readonly language: string
  readonly datatype: string
}

const langString = rdf('langString').value

/** The value of a line (without its line end); `undefined` for an IRI and for a plain string. */
export function spelledValue(line: string): SpelledValue | undefined {
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

/** The line of a value. */
export const literalLine = ({ head, lexical, language, datatype }: SpelledValue): string =>
  language === '' ? `${head}${lexical}"^^<${datatype}> .` : `${head}${lexical}"@${language} .`

const dotted = /<[^<>"]*\/\.\.?(?:[/?#][^<>"]*)?>/

/** Whether a line may hold an IRI with `.` or `..` as a step of its path, which some parsers resolve. */
export const hasDots = (line: string): boolean => line.includes('/.') && dotted.test(line)

/** Whether a store may have another spelling for a line. */
export const isSpelled = (line: string): boolean => {
  const mark = line[line.lastIndexOf('"') + 1]
  return mark === '@' || mark === '^' || hasDots(line)
}

const namespace = xsd('').value

/** The local name of a datatype of XML Schema, `undefined` for all others. */
export const xsdName = (datatype: string): string | undefined =>
  datatype.startsWith(namespace) ? datatype.slice(namespace.length) : undefined

/** XML Schema's integers: the type itself and those derived from it. */
export const integers: ReadonlySet<string> = new Set(
  (
    'integer int long short byte nonNegativeInteger positiveInteger nonPositiveInteger negativeInteger ' +
    'unsignedInt unsignedLong unsignedShort unsignedByte'
  ).split(' '),
)

/** What stands before the datatype of a value that is hidden from a store. */
export const opaque = 'urn:cartulary:literal:'

/**
 * The line with its value under a datatype that no store knows, so that it comes back as it was: for values that a store
 * would damage. Queries see that datatype.
 */
export function hidden(line: string): string {
  const value = spelledValue(line)
  if (!value || value.language !== '') return line
  return literalLine({ ...value, datatype: `${opaque}${value.datatype}` })
}

/** Undoes `hidden`. */
export function unhidden(line: string): string {
  if (!line.includes(`"^^<${opaque}`)) return line
  const value = spelledValue(line)
  if (!value?.datatype.startsWith(opaque)) return line
  return literalLine({ ...value, datatype: value.datatype.slice(opaque.length) })
}

// Which lines a store may take for one triple: their keys are equal. Coarser than any store is, which does no harm.

const decimal = /^\s*([+-]?)0*(\d*)(?:\.(\d*?)0*)?\s*$/

/** Digits without signs, zeros and points that change nothing; as it is when it is no number. */
function plainNumber(lexical: string): string {
  const [, sign = '', whole = '', fraction = ''] = decimal.exec(lexical) ?? []
  if (!/\d/.test(lexical) || !decimal.test(lexical)) return lexical
  const digits = `${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}`
  return sign === '-' && digits !== '0' ? `-${digits}` : digits
}

const special: Readonly<Record<string, string>> = { '+INF': 'INF', INF: 'INF', '-INF': '-INF' }

function float(lexical: string, round: (value: number) => number): string {
  const text = lexical.trim()
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) return special[text] ?? lexical
  return String(round(Number(text)))
}

const booleans: Readonly<Record<string, string>> = { '1': 'true', '0': 'false' }

function canonical(name: string, lexical: string): string {
  if (integers.has(name) || name === 'decimal') return plainNumber(lexical)
  if (name === 'double') return float(lexical, Number)
  if (name === 'float') return float(lexical, Math.fround)
  if (name === 'boolean') return booleans[lexical.trim()] ?? lexical.trim()
  return timeless(name, lexical) ?? instant(name, lexical) ?? lexical
}

/** Types that some stores put into one: what is derived from integers and from times. */
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
  return literalLine({ ...value, datatype, lexical: canonical(name, value.lexical) })
}

const dottedIri = /<([^<>"]*\/\.\.?(?:[/?#][^<>"]*)?)>/g

function withoutDots(iri: string): string {
  const [, head = '', path = '', rest = ''] =
    /^([^:/?#]*:(?:\/\/[^/?#]*)?)([^?#]*)([^]*)$/.exec(iri) ?? []
  const kept: string[] = []
  const steps = path.split('/')
  steps.forEach((step, at) => {
    const last = at === steps.length - 1
    if (step === '..' && kept.length > 1) kept.pop()
    if (step !== '.' && step !== '..') kept.push(step)
    else if (last) kept.push('')
  })
  return `<${head}${kept.join('/')}${rest}>`
}

/** The key of a line. */
export function spellingKey(line: string): string {
  const plain = hasDots(line) ? line.replace(dottedIri, (_, iri: string) => withoutDots(iri)) : line
  const value = spelledValue(plain)
  return value ? valueKey(value) : plain
}

// Times and durations of XML Schema in one spelling per value (XSD 1.1, part 2, 3.3).

const point =
  /^\s*(?:(-?\d{4,})(?:-(\d\d)(?:-(\d\d))?)?)?(?:T?(\d\d):(\d\d):(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)?\s*$/

const zoneOf = (zone: string | undefined) => {
  if (zone === undefined || zone === 'Z') return 0
  const [hours = 0, minutes = 0] = zone.slice(1).split(':').map(Number)
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/**
 * A dateTime as an instant of its time line, so that zones, `24:00:00` and zeros at the end do not matter; other points of
 * time with their zone in one form. `undefined` for what is none.
 */
function instant(name: string, lexical: string): string | undefined {
  if (name !== 'dateTime' && name !== 'dateTimeStamp') return zoned(name, lexical)
  const [, year, month, day, hour, minute, second, fraction = '', zone] = point.exec(lexical) ?? []
  if (day === undefined || hour === undefined) return undefined
  const midnight = new Date(0)
  midnight.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const minutes = Number(hour) * 60 + Number(minute) - zoneOf(zone)
  const ms = midnight.getTime() + (minutes * 60 + Number(second)) * 1000
  if (Number.isNaN(ms)) return undefined
  return `${ms / 1000}.${fraction.replace(/0+$/, '')}${zone === undefined ? '' : 'Z'}`
}

function zoned(name: string, lexical: string): string | undefined {
  if (name !== 'date' && name !== 'time' && !name.startsWith('g')) return undefined
  const text = lexical.trim()
  const plain = text.replace(/(?:[+-]00:00|Z)$/, 'Z')
  return plain.replace(/(:\d\d)(?:\.0+|(\.\d*[1-9])0*)(?=Z|[+-]|$)/, '$1$2')
}

const duration =
  /^\s*(-?)P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?)?\s*$/

/** A duration as months and seconds; `undefined` for what is none. */
function timeless(name: string, lexical: string): string | undefined {
  if (!name.toLowerCase().endsWith('duration')) return undefined
  const [whole, sign, ...parts] = duration.exec(lexical) ?? []
  if (whole === undefined) return undefined
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(0, 6)
    .map((part) => Number(part ?? 0))
  const fraction = parts[6]?.replace(/0+$/, '') ?? ''
  return `${sign}P${years * 12 + months}M${((days * 24 + hours) * 60 + minutes) * 60 + seconds}.${fraction}S`
}

// How most stores keep values: by their value where they know the datatype, with language tags in a case of their
// own.

type Rules = {
  /** Tags that come back as they are. */
  readonly tag: (language: string) => boolean
  /** Lexical forms of XML Schema's datatypes, by local name, that come back as they are. */
  readonly form: (name: string, lexical: string) => boolean
  /** Those that would come back as another value: they are sent under an opaque datatype. */
  readonly damaged: (name: string, lexical: string) => boolean
}

/** A fidelity for stores that differ in which forms they keep. */
export function fidelityOf({ tag, form, damaged }: Rules): Fidelity {
  return {
    encode: (line) => {
      const whole = !hasDots(line)
      const value = spelledValue(line)
      if (!value) return { line, exact: whole }
      if (value.language !== '') return { line, exact: whole && tag(value.language) }
      const name = xsdName(value.datatype)
      if (name === undefined) return { line, exact: whole }
      if (damaged(name, value.lexical)) return { line: hidden(line), exact: whole }
      return { line, exact: whole && form(name, value.lexical) }
    },
    decode: unhidden,
    key: spellingKey,
  }
}
