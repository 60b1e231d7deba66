/** Sizes of files, as numbers of bytes or as people write them: `15.8 MB`, `1,5 GiB`, `1.234.567`. */

import { plainText } from './loose-values.ts'

const powers = ['', 'k', 'm', 'g', 't', 'p']

/** `k`, `kb`, `ko`, `kilobytes` and `kib` alike, but for the base. */
function factorOf(unit: string): number | undefined {
  const short = unit.replace(/^(k)ilo(?=.)|^([mgtp])(?:eg|ig|er|et)a(?=.)/i, '$1$2')
  const [, prefix = '', i] = /^([kmgtp]?)(i?)(?:b|o|bytes?|octets?)?$/i.exec(short) ?? ['', 'x']
  const power = powers.indexOf(prefix.toLowerCase())
  return power < 0 ? undefined : (i ? 1024 : 1000) ** power
}

/** Groups of three digits: with a point or a comma two of them at least, because one may be decimals. */
const groupedDigits = /^\d{1,3}(?:(?:\.\d{3}){2,5}|(?:,\d{3}){2,5}|(?:['’]\d{3}){1,5})(?!\d)/

/** Whole bytes as text; `undefined` for zero, for negative numbers and for what is no size. */
export function bytesOf(value: unknown): string | undefined {
  const text = plainText(value)
    ?.replaceAll(/[\s\u00a0]/g, '')
    .replace(/^(?:~|≈|ca\.?|approx\.?|about)/i, '')
    .replace(groupedDigits, (digits) => digits.replaceAll(/\D/g, ''))
  if (text === undefined) return undefined
  if (/^\d{16,30}$/.test(text)) return BigInt(text) === 0n ? undefined : String(BigInt(text))
  // A point or a comma for decimals; before three digits it may be for thousands, so that nobody knows. Bytes have no thousandths.
  if (/,\d{3}(?!\d)|^[1-9]\d{0,2}\.(?!000)\d{3}$/.test(text)) return undefined
  const [, number = '', unit = ''] = /^(\d{1,15}(?:[.,]\d{1,15})?)([A-Za-z]*)$/.exec(text) ?? []
  const factor = factorOf(unit)
  if (number === '' || factor === undefined) return undefined
  const bytes = Math.round(Number(number.replace(',', '.')) * factor)
  return bytes > 0 && bytes <= Number.MAX_SAFE_INTEGER ? String(bytes) : undefined
}
