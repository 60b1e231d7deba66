/** What TDB2 keeps as a value and so gives back in its own spelling (measured with Fuseki 5.6.0). */

import { fidelityOf } from '../remote/values/fidelity.ts'
import { integers } from '../remote/values/value.ts'

/** Case of a tag's parts: language lower, script capitalised, region upper (RFC 5646, 2.1.1). */
function isCased(tag: string): boolean {
  if (/^[a-z]+$/.test(tag)) return true
  return /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$/.test(tag)
}

const times = new Set(['dateTime', 'dateTimeStamp', 'date'])

function form(name: string, lexical: string): boolean {
  if (integers.has(name)) return /^(0|-?[1-9]\d*)$/.test(lexical)
  if (name === 'decimal') {
    return /^-?(0|[1-9]\d*)\.(0|\d*[1-9])$/.test(lexical) && lexical !== '-0.0'
  }
  if (name === 'boolean') return lexical === 'true' || lexical === 'false'
  if (name === 'double' || name === 'float') return /^(NaN|INF|-INF)$/.test(lexical)
  if (times.has(name)) return !/\.\d*0(Z|[+-]|$)|-00:00$|^\s|\s$|T24:/.test(lexical)
  return name !== 'string'
}

/** Values that are too large for TDB2's own form, or none of their datatype, are kept as they were written. */
export const fusekiFidelity = fidelityOf({ tag: isCased, form, damaged: () => false })
