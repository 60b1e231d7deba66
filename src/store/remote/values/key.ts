/** Which lines a store may take for one triple: their keys are equal. Coarser than any store is, which does no harm. */

import { xsd } from '../../../rdf/namespaces.ts'
import { instant, timeless } from './instant.ts'
import { hasDots, integers, lineOf, valueOf, xsdName, type Value } from '../values.ts'

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

function valueKey(value: Value): string {
  if (value.language !== '') return lineOf({ ...value, language: value.language.toLowerCase() })
  const name = xsdName(value.datatype)
  if (name === undefined) return lineOf(value)
  if (name === 'string') return `${value.head}${value.lexical}" .`
  const datatype = xsd(kindOf(name)).value
  return lineOf({ ...value, datatype, lexical: canonical(name, value.lexical) })
}

const dotted = /<([^<>"]*\/\.\.?(?:[/?#][^<>"]*)?)>/g

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
export function keyOf(line: string): string {
  const plain = hasDots(line) ? line.replace(dotted, (_, iri: string) => withoutDots(iri)) : line
  const value = valueOf(plain)
  return value ? valueKey(value) : plain
}
