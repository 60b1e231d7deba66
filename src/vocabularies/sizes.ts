/**
 * Reads sizes of files in harvested records and for search documents: numbers of bytes, or texts such as `15.8 MB`, `1,5 GiB`,
 * `1.234.567`.
 */

import { plainText } from './loose-values.ts'

const powers = ['', 'k', 'm', 'g', 't', 'p']

/** Bytes of a unit: `k`, `kb`, `ko` and `kilobytes` are 1000, `kib` is 1024; `undefined` for an unknown unit. */
function factorOf(unit: string): number | undefined {
  const short = unit.replace(/^(k)ilo(?=.)|^([mgtp])(?:eg|ig|er|et)a(?=.)/i, '$1$2')
  const [, prefix = '', i] = /^([kmgtp]?)(i?)(?:b|o|bytes?|octets?)?$/i.exec(short) ?? ['', 'x']
  const power = powers.indexOf(prefix.toLowerCase())
  return power < 0 ? undefined : (i ? 1024 : 1000) ** power
}

/** Number with separators of thousands; points and commas at least twice, because one may separate decimals. */
const groupedDigits = /^\d{1,3}(?:(?:\.\d{3}){2,5}|(?:,\d{3}){2,5}|(?:['’]\d{3}){1,5})(?!\d)/

/** Number of bytes as a decimal text; `undefined` for zero, negative numbers and texts that are no size. */
export function bytesOf(value: unknown): string | undefined {
  const text = plainText(value)
    ?.replaceAll(/[\s\u00a0]/g, '')
    .replace(/^(?:~|≈|ca\.?|approx\.?|about)/i, '')
    .replace(groupedDigits, (digits) => digits.replaceAll(/\D/g, ''))
  if (text === undefined) return undefined
  if (/^\d{16,30}$/.test(text)) return BigInt(text) === 0n ? undefined : String(BigInt(text))
  // A point or comma before three digits is ambiguous: it may separate decimals or thousands.
  if (/,\d{3}(?!\d)|^[1-9]\d{0,2}\.(?!000)\d{3}$/.test(text)) return undefined
  const [, number = '', unit = ''] = /^(\d{1,15}(?:[.,]\d{1,15})?)([A-Za-z]*)$/.exec(text) ?? []
  const factor = factorOf(unit)
  if (number === '' || factor === undefined) return undefined
  const bytes = Math.round(Number(number.replace(',', '.')) * factor)
  return bytes > 0 && bytes <= Number.MAX_SAFE_INTEGER ? String(bytes) : undefined
}
