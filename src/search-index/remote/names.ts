/** Spelling of names and values for search engines on a server, which accept only some characters and lengths. */

import { hash } from 'node:crypto'

/** Name of an attribute or index: bytes other than letters and digits are written as `_` and two hex digits. */
export const encodedName = (name: string): string => escapeBytes(name, /[^A-Za-z0-9]/gu)

/** Codes by facet and value, because most records and answers have the same few hundred; and the most of them and their longest text. */
const codes = new Map<string, string>()
const [mostCodes, longestText] = [20_000, 100]

/** Code of a facet value, independent of its length and case: `k` and 12 base-36 characters of a hash. */
export function facetCode(facet: string, value: string): string {
  const text = `${facet}\u0000${value}`
  const known = codes.get(text)
  if (known !== undefined) return known
  const code = `k${base36Hash(text, 12)}`
  if (codes.size === mostCodes) codes.clear()
  if (text.length <= longestText) codes.set(text, code)
  return code
}

/**
 * Hash of `count` base-36 digits, from SHA-256. They are made of one or two parts of 48 bits, which JavaScript numbers hold
 * exactly.
 */
export const base36Hash = (text: string, count: number): string => {
  const hex = hash('sha256', text, 'hex')
  const parts = [hex.slice(0, 12), hex.slice(12, 24)].slice(0, count > 9 ? 2 : 1)
  const digits = parts.map((part) => Number.parseInt(part, 16).toString(36).padStart(10, '0'))
  return digits.map((part) => part.slice(-Math.ceil(count / parts.length))).join('')
}

/** Text with the bytes of each match of a pattern written as `_` and two hex digits each. */
export const escapeBytes = (text: string, pattern: RegExp): string =>
  text.replace(pattern, (char) =>
    [...Buffer.from(char)].map((byte) => `_${byte.toString(16).padStart(2, '0')}`).join(''),
  )
