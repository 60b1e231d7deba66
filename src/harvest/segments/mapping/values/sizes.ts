/** Sizes of files, as numbers of bytes or as people write them. */
import { plainText } from '../../../../vocabularies/loose-values.ts'

const factors: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  byte: 1,
  bytes: 1,
  octets: 1,
  k: 1e3,
  kb: 1e3,
  ko: 1e3,
  m: 1e6,
  mb: 1e6,
  mo: 1e6,
  g: 1e9,
  gb: 1e9,
  go: 1e9,
  t: 1e12,
  tb: 1e12,
  to: 1e12,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
}

/** Whole bytes as text; `undefined` for zero, for negative numbers and for what is no size. */
export function bytesOf(value: unknown): string | undefined {
  const text = plainText(value)?.replaceAll(/[\s\u00a0]/g, '')
  if (text === undefined) return undefined
  if (/^\d{16,30}$/.test(text)) return BigInt(text) === 0n ? undefined : String(BigInt(text))
  // A point or a comma for decimals; a comma before three digits may be for thousands, so that nobody knows.
  if (/,\d{3}(?!\d)/.test(text)) return undefined
  const [, number = '', unit = ''] = /^(\d{1,15}(?:[.,]\d{1,15})?)([A-Za-z]*)$/.exec(text) ?? []
  const factor = Object.hasOwn(factors, unit.toLowerCase())
    ? factors[unit.toLowerCase()]
    : undefined
  if (number === '' || factor === undefined) return undefined
  const bytes = Math.round(Number(number.replace(',', '.')) * factor)
  return bytes > 0 && bytes <= Number.MAX_SAFE_INTEGER ? String(bytes) : undefined
}
