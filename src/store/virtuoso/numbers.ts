/** Which numbers Virtuoso keeps, which it spells in another way, and which it would change (measured with 7.2.5.1). */

import { integers } from '../remote/values.ts'

/** `exact` = comes back as it was sent, `respelt` = in another spelling of the same value, `damaged` = as something else. */
export type Fate = 'exact' | 'respelt' | 'damaged'

const narrow = new Set(['int', 'short', 'byte', 'unsignedInt', 'unsignedShort', 'unsignedByte'])

// Beyond its width an integer comes back as another number, also where its type allows it.
function integer(name: string, lexical: string): Fate {
  if (!/^[+-]?\d{1,40}$/.test(lexical)) return 'damaged'
  const value = BigInt(lexical.replace('+', ''))
  if (BigInt.asIntN(narrow.has(name) ? 32 : 64, value) !== value) return 'damaged'
  return String(value) === lexical ? 'exact' : 'respelt'
}

/** Digits in all, and behind the point, that a decimal keeps. */
const digits = 15

function decimal(lexical: string): Fate {
  const [, whole = '', fraction = ''] = /^[+-]?0*(\d*)(?:\.(\d*?)0*)?$/.exec(lexical) ?? []
  if (!/\d/.test(lexical) || /[^\d.+-]/.test(lexical) || !/^[+-]?[\d.]+$/.test(lexical)) {
    return 'damaged'
  }
  if (whole.length + fraction.length > digits) return 'damaged'
  // A whole one becomes an integer where one operation deletes and inserts, whatever it deletes.
  return /^-?(?:0|[1-9]\d*)\.\d*[1-9]$/.test(lexical) ? 'exact' : 'respelt'
}

/** A finite number in the six digits in which doubles and floats come back (`%g` of C, with `.0` behind whole numbers). */
function printed(value: number): string {
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

const infinite: Readonly<Record<string, Fate>> = {
  INF: 'exact',
  '-INF': 'exact',
  '+INF': 'respelt',
}

/** Smallest values that are kept, as double and as float: what is closer to zero becomes zero. */
const smallest = { double: 2.2250738585072014e-308, float: 1.1754943508222875e-38 }

// NaN must never get there: it equals nothing, so it cannot be deleted, and the order of the index breaks with it.
function floating(name: 'double' | 'float', lexical: string): Fate {
  const special = infinite[lexical]
  if (special) return special
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(lexical)) return 'damaged'
  const round = name === 'float' ? Math.fround : Number
  const value = round(Number(lexical))
  if (!Number.isFinite(value)) return 'damaged'
  if (value === 0 ? Number(lexical) !== 0 : Math.abs(value) < smallest[name]) return 'damaged'
  if (name === 'float' && Object.is(value, -0)) return 'damaged'
  const text = printed(value)
  if (round(Number(text)) !== value) return 'damaged'
  return text === lexical ? 'exact' : 'respelt'
}

const booleans: Readonly<Record<string, Fate>> = {
  true: 'exact',
  false: 'exact',
  '1': 'respelt',
  '0': 'respelt',
}

/** What becomes of a number or truth value of XML Schema; `undefined` for other datatypes. */
export function numberFate(name: string, lexical: string): Fate | undefined {
  if (integers.has(name)) return integer(name, lexical)
  if (name === 'decimal') return decimal(lexical)
  if (name === 'double' || name === 'float') return floating(name, lexical)
  return name === 'boolean' ? (booleans[lexical] ?? 'damaged') : undefined
}

const truths: Readonly<Record<string, string>> = { true: '1', false: '0' }

/** A number that is kept, in one spelling for all datatypes: Virtuoso holds `1`, `1.0` and `true` for one value. */
export function numberKey(name: string, lexical: string): string {
  if (name === 'boolean') return truths[lexical] ?? lexical
  if (integers.has(name)) return String(BigInt(lexical.replace('+', '')))
  return lexical.endsWith('INF') ? lexical.replace('+', '') : String(Number(lexical) + 0)
}
