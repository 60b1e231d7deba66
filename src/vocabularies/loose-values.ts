/** Values as sources send them: anything may be anything. */

import { type Fields, isJsonObject, boundedJson } from '../text/json.ts'

const none: Fields = Object.freeze(Object.create(null))

/** A JSON object without what its prototype offers; an empty one for every other value. */
export const fieldsOf = (value: unknown): Fields =>
  isJsonObject(value) ? Object.assign(Object.create(null), value) : none

/** A list, the only element of one, or nothing for absent values. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined || value === null || value === '' ? [] : [value]
}

/** JSON that was put into a string, read; every other value as it is. */
export function parseEmbeddedJson(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return value
  try {
    return boundedJson(value)
  } catch {
    return value
  }
}

/** A list that may stand as JSON in a string. */
export const embeddedList = (value: unknown): readonly unknown[] => listOf(parseEmbeddedJson(value))

/** Trimmed text of a string or a number; `undefined` for everything else and for blank text. */
export function plainText(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined
  if (typeof value !== 'string') return undefined
  const text = value.replaceAll(halves, '').replaceAll(forbidden, '').trim()
  return text === '' ? undefined : text
}

// What XML 1.0 cannot carry cannot travel through every format of RDF.
// oxlint-disable-next-line no-control-regex -- the control characters are what is looked for
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

// Half of a surrogate pair is no character, and U+FFFD in its place would be none of the source.
const halves = /\p{Surrogate}/gu

const placeholders = new Set([
  'null',
  'n/a',
  'n.a.',
  'k.a.',
  'k. a.',
  '-',
  '--',
  'none',
  'undefined',
])

/** Whether a text stands for the absence of one. */
export const isPlaceholder = (text: string): boolean =>
  placeholders.has(text.toLowerCase()) || /^\{\{[^{}]*\}\}$/.test(text)

/** Text that says something: neither blank nor a placeholder. */
export function meaningfulText(value: unknown): string | undefined {
  const text = plainText(value)
  return text === undefined || isPlaceholder(text) ? undefined : text
}

const suffix = /\.([A-Za-z0-9]{1,10}(?:\.(?:gz|zip|bz2|xz))?)$/

/** The last ending of the path of an address, in lower case: `csv`, `tar.gz`. */
export function suffixOf(value: unknown): string | undefined {
  const url = plainText(value)
  if (url === undefined || !URL.canParse(url)) return undefined
  const { pathname } = new URL(url)
  return suffix.exec(pathname.slice(pathname.lastIndexOf('/') + 1))?.[1]?.toLowerCase()
}
