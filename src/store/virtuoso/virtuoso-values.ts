/** Encoding of terms for Virtuoso 7, measured with 7.2.5.1 by CONSTRUCT and SELECT. */

import { Failure } from '../../errors.ts'
import { rdf } from '../../rdf/namespaces.ts'
import type { Edit, Fidelity } from '../remote/dialect.ts'
import {
  hideDatatype,
  integers,
  literalLine,
  restoreDatatype,
  type SpelledValue,
  spelledValueOf,
  xsdName,
} from '../remote/spelled-values.ts'

/** Datatypes of XML Schema whose values Virtuoso does not parse and returns unchanged. */
const unparsedTypes = new Set(
  (
    'string normalizedString token language Name NCName NMTOKEN NMTOKENS ID IDREF IDREFS ENTITY ENTITIES QName NOTATION ' +
    'anyURI hexBinary base64Binary anyType anySimpleType anyAtomicType'
  ).split(' '),
)

// Datatypes of other namespaces that Virtuoso changes: it rewrites XML literals, and stores geometries with other digits. Literals with
// `langString` or `dirLangString` here have no language tag.
const reinterpreted = new Set([
  rdf('XMLLiteral').value,
  rdf('langString').value,
  rdf('dirLangString').value,
  'http://www.opengis.net/ont/geosparql#wktLiteral',
])
/** Datatypes of Virtuoso itself, and those that hide a datatype (`hiddenDatatype`). */
const reservedTypes = /^(?:http:\/\/www\.openlinksw\.com\/schemas\/virtrdf#|urn:cartulary:literal:)/

function roundTripOf({ datatype, lexical }: SpelledValue): RoundTrip {
  const name = xsdName(datatype)
  if (name === undefined) {
    return reinterpreted.has(datatype) || reservedTypes.test(datatype) ? 'damaged' : 'exact'
  }
  if (unparsedTypes.has(name)) return 'exact'
  return numberRoundTrip(name, lexical) ?? timeRoundTrip(name, lexical) ?? 'damaged'
}

/** IRIs that Virtuoso reads as names of blank nodes, or as addresses on itself. */
const reservedIri = /<(?:nodeID:\/\/|local:)/
/** Such an IRI as a term or datatype of a line, not in the text of a literal; `reservedIri` is the cheap test before it. */
const reservedTerm =
  /^(?:<[^>]*> ){0,2}<(?:nodeID:\/\/|local:)|"\^\^<(?:nodeID:\/\/|local:)[^>]*> \.$/

function requireNoReservedIri(line: string): void {
  if (!reservedIri.test(line) || !reservedTerm.test(line)) return
  throw new Failure(
    'invalid-content',
    'The triplestore cannot keep IRIs that begin with nodeID:// or local:.',
    { errors: [{ detail: line.slice(0, 200) }] },
  )
}

/** Checks the name of a graph; throws `invalid-content`. */
export const checkName = (graph: string): void => requireNoReservedIri(`<${graph}>`)

function keyOf(line: string): string {
  const value = spelledValueOf(line)
  if (!value) return line
  const { head, lexical, language, datatype } = value
  if (language !== '') return literalLine({ ...value, language: language.toLowerCase() })
  const name = xsdName(datatype)
  if (name === undefined || roundTripOf(value) === 'damaged') return line
  if (numberRoundTrip(name, lexical)) return `${head}${numberKey(name, lexical)}" number`
  return timeRoundTrip(name, lexical) ? `${head}${timeKey(name, lexical)}" time` : line
}

/** Encoding for Virtuoso: values that it would damage get a hidden datatype; values that it only respells get a note. */
export const virtuosoFidelity: Fidelity = {
  encode: (line) => {
    requireNoReservedIri(line)
    const value = spelledValueOf(line)
    if (!value) return { line, exact: true }
    const { language } = value
    if (language !== '') {
      const lower = language.toLowerCase()
      return { line: literalLine({ ...value, language: lower }), exact: lower === language }
    }
    const roundTrip = roundTripOf(value)
    return roundTrip === 'damaged'
      ? { line: hideDatatype(line), exact: true }
      : { line, exact: roundTrip === 'exact' }
  },
  decode: restoreDatatype,
  key: keyOf,
}

// Numbers that Virtuoso keeps, respells or changes (measured with 7.2.5.1).

/** Form in which a value is returned: `exact` = as sent, `respelt` = in another spelling, `damaged` = as another value. */
type RoundTrip = 'exact' | 'respelt' | 'damaged'

const narrowIntegers = new Set([
  'int',
  'short',
  'byte',
  'unsignedInt',
  'unsignedShort',
  'unsignedByte',
])

// Integers beyond the stored width are returned as other numbers, also where their datatype allows them.
function integer(name: string, lexical: string): RoundTrip {
  if (!/^[+-]?\d{1,40}$/.test(lexical)) return 'damaged'
  const value = BigInt(lexical.replace('+', ''))
  if (BigInt.asIntN(narrowIntegers.has(name) ? 32 : 64, value) !== value) return 'damaged'
  return String(value) === lexical ? 'exact' : 'respelt'
}

/** Most digits that a decimal keeps, before and after the point together. */
const maxDecimalDigits = 15

function decimal(lexical: string): RoundTrip {
  const [, integerPart = '', fraction = ''] = /^[+-]?0*(\d*)(?:\.(\d*?)0*)?$/.exec(lexical) ?? []
  if (!/\d/.test(lexical) || /[^\d.+-]/.test(lexical) || !/^[+-]?[\d.]+$/.test(lexical)) {
    return 'damaged'
  }
  if (integerPart.length + fraction.length > maxDecimalDigits) return 'damaged'
  // A whole decimal (`5.0`) counts as respelt: an operation that deletes and inserts makes it an integer.
  return /^-?(?:0|[1-9]\d*)\.\d*[1-9]$/.test(lexical) ? 'exact' : 'respelt'
}

/** A finite number in the six digits in which doubles and floats come back (`%g` of C, with `.0` behind whole numbers). */
function printedNumber(value: number): string {
  const [mantissa = '', exponent = ''] = value.toExponential(5).split('e')
  const power = Number(exponent)
  if (power >= -4 && power < 6) {
    const text = String(Number(value.toPrecision(6)))
    const signed = Object.is(value, -0) ? '-0' : text
    return signed.includes('.') ? signed : `${signed}.0`
  }
  const size = String(Math.abs(power)).padStart(2, '0')
  return `${mantissa.replace(/\.?0+$/, '')}e${power < 0 ? '-' : '+'}${size}`
}

const infinities: Readonly<Record<string, RoundTrip>> = {
  INF: 'exact',
  '-INF': 'exact',
  '+INF': 'respelt',
}

/** Smallest values that are kept, as double and as float: what is closer to zero becomes zero. */
const smallestNormal = { double: 2.2250738585072014e-308, float: 1.1754943508222875e-38 }

// NaN must never be stored as a number: it equals nothing, so it cannot be deleted, and the order of the index breaks with it.
function floating(name: 'double' | 'float', lexical: string): RoundTrip {
  const special = infinities[lexical]
  if (special) return special
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(lexical)) return 'damaged'
  const round = name === 'float' ? Math.fround : Number
  const value = round(Number(lexical))
  if (!Number.isFinite(value)) return 'damaged'
  if (value === 0 ? Number(lexical) !== 0 : Math.abs(value) < smallestNormal[name]) return 'damaged'
  if (name === 'float' && Object.is(value, -0)) return 'damaged'
  const text = printedNumber(value)
  if (round(Number(text)) !== value) return 'damaged'
  return text === lexical ? 'exact' : 'respelt'
}

const booleans: Readonly<Record<string, RoundTrip>> = {
  true: 'exact',
  false: 'exact',
  '1': 'respelt',
  '0': 'respelt',
}

/** Returned form of a number or boolean of XML Schema; `undefined` for other datatypes. */
function numberRoundTrip(name: string, lexical: string): RoundTrip | undefined {
  if (integers.has(name)) return integer(name, lexical)
  if (name === 'decimal') return decimal(lexical)
  if (name === 'double' || name === 'float') return floating(name, lexical)
  return name === 'boolean' ? (booleans[lexical] ?? 'damaged') : undefined
}

const booleanKeys: Readonly<Record<string, string>> = { true: '1', false: '0' }

/** Key of a number for all datatypes, because Virtuoso treats `1`, `1.0` and `true` as one value. */
function numberKey(name: string, lexical: string): string {
  if (name === 'boolean') return booleanKeys[lexical] ?? lexical
  if (integers.has(name)) return String(BigInt(lexical.replace('+', '')))
  return lexical.endsWith('INF') ? lexical.replace('+', '') : String(Number(lexical) + 0)
}

// Dates and times that Virtuoso keeps, and those that it treats as equal (measured with 7.2.5.1).

const year = String.raw`(?<year>\d{4})`
const month = String.raw`(?<month>0[1-9]|1[0-2])`
const day = String.raw`(?<day>0[1-9]|[12]\d|3[01])`
const time = String.raw`(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d)(?:\.(?<fraction>\d+))?`
const zone = String.raw`(?<zone>Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?`

const timeForms: Readonly<Record<string, RegExp>> = {
  dateTime: new RegExp(`^${year}-${month}-${day}T${time}${zone}$`),
  date: new RegExp(`^${year}-${month}-${day}${zone}$`),
  time: new RegExp(`^${time}${zone}$`),
  gYearMonth: new RegExp(`^${year}-${month}${zone}$`),
  gYear: new RegExp(`^${year}${zone}$`),
  gMonthDay: new RegExp(`^--${month}-${day}${zone}$`),
  gMonth: new RegExp(`^--${month}${zone}$`),
  gDay: new RegExp(`^---${day}${zone}$`),
}

type Parts = Readonly<Record<string, string | undefined>>

const partsOf = (name: string, lexical: string): Parts | undefined =>
  timeForms[name]?.exec(lexical)?.groups

/** Date of the parts in the proleptic Gregorian calendar; missing parts are those of 0001-01-01. */
function momentOf({ year: y = '1', month: m = '1', day: d = '1', ...rest }: Parts): Date {
  const moment = new Date(0)
  moment.setUTCFullYear(Number(y), Number(m) - 1, Number(d))
  const { hour = '0', minute = '0', second = '0' } = rest
  moment.setUTCHours(Number(hour), Number(minute), Number(second))
  return moment
}

const isCalendarDay = (parts: Parts) =>
  parts['day'] === undefined || momentOf(parts).getUTCDate() === Number(parts['day'])

/** Digits of the fraction of a second without trailing zeros; Virtuoso returns none, three or six. */
const significantDigits = (fraction = '') => fraction.replace(/0+$/, '')

/** Returned form of a date or time of XML Schema; `undefined` for other datatypes. */
function timeRoundTrip(name: string, lexical: string): RoundTrip | undefined {
  if (!(name in timeForms)) return undefined
  const parts = partsOf(name, lexical)
  // The zone -00:00 is lost. The year 0 and impossible dates are sent with a hidden datatype only.
  if (!parts || parts['year'] === '0000' || parts['zone'] === '-00:00' || !isCalendarDay(parts)) {
    return 'damaged'
  }
  const { fraction, zone: zoneText } = parts
  const significant = significantDigits(fraction)
  if (significant.length > 6) return 'damaged'
  const width = significant === '' ? 0 : significant.length <= 3 ? 3 : 6
  return (fraction ?? '').length === width && zoneText !== '+00:00' ? 'exact' : 'respelt'
}

function offsetOf(zoneText = 'Z'): number {
  if (zoneText === 'Z') return 0
  const [hours = 0, minutes = 0] = zoneText.slice(1).split(':').map(Number)
  return (zoneText.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/** Key of a date or time: its first instant, which Virtuoso compares for all datatypes. */
function timeKey(name: string, lexical: string): string {
  const parts = partsOf(name, lexical) ?? {}
  const ms = momentOf(parts).getTime() - offsetOf(parts['zone']) * 60_000
  return `${ms}.${significantDigits(parts['fraction'])}`
}

// Removed and added lines that Virtuoso treats as one triple, so that it would delete the inserted one.

/** Whether a line has a language tag or a datatype, so that it may share its key with another; every other line is its own key. */
const isSpelled = (line: string) => /"(?:@[^"]+|\^\^<[^"]+>) \.$/.test(line)

const decodedKey = (line: string) => virtuosoFidelity.key(restoreDatatype(line))

/** Removed lines of an edit that must be deleted before its lines are added. */
export function collidingOf({ remove, add }: Pick<Edit, 'remove' | 'add'>): ReadonlySet<string> {
  const keys = new Set([...add].filter(isSpelled).map(decodedKey))
  if (keys.size === 0) return keys
  return new Set([...remove].filter((line) => isSpelled(line) && keys.has(decodedKey(line))))
}

/** Whether an edit cannot be one operation. */
export const hasCollisions = (edit: Edit): boolean =>
  (edit.clear && edit.add.size > 0) || collidingOf(edit).size > 0
