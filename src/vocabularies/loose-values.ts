/**
 * Reads JSON values of harvested sources, which may have any type, without throwing. Search documents use the functions for
 * texts, too.
 */

import { type Fields, isJsonObject, boundedJson } from '../text/json.ts'

const noFields: Fields = Object.freeze(Object.create(null))

/** Members of a JSON object, without those of its prototype; an empty object for every other value. */
export const fieldsOf = (value: unknown): Fields =>
  isJsonObject(value) ? Object.assign(Object.create(null), value) : noFields

/** An array unchanged, another value as an array of one, and an empty array for absent values: `undefined`, `null` and ''. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined || value === null || value === '' ? [] : [value]
}

/** Parses a string that contains a list, an object or a string as JSON; returns every other value unchanged. */
export function parseEmbeddedJson(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return value
  try {
    return boundedJson(value)
  } catch {
    return value
  }
}

/** Array of a value that may be JSON in a string. */
export const embeddedList = (value: unknown): readonly unknown[] => listOf(parseEmbeddedJson(value))

/** Trimmed text of a string, without invalid characters, or of a number; `undefined` for everything else and for blank text. */
export function plainText(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined
  if (typeof value !== 'string') return undefined
  const text = value.replaceAll(loneSurrogates, '').replaceAll(forbiddenInXml, '').trim()
  return text === '' ? undefined : text
}

// XML 1.0, and therefore RDF/XML, cannot contain these characters.
// oxlint-disable-next-line no-control-regex -- the control characters are what is looked for
const forbiddenInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

// Half of a surrogate pair is no character, and U+FFFD in its place would not be from the source.
const loneSurrogates = /\p{Surrogate}/gu

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

/** Whether a text means that there is no value: `n/a`, `-`, an unfilled `{{template}}`. */
export const isPlaceholder = (text: string): boolean =>
  placeholders.has(text.toLowerCase()) || /^\{\{[^{}]*\}\}$/.test(text)

/** Trimmed text of a string or number that is neither blank nor a placeholder; otherwise `undefined`. */
export function meaningfulText(value: unknown): string | undefined {
  const text = plainText(value)
  return text === undefined || isPlaceholder(text) ? undefined : text
}

const suffix = /\.([A-Za-z0-9]{1,10}(?:\.(?:gz|zip|bz2|xz))?)$/

/** Suffix of the path of an address, in lower case: `csv`, `tar.gz`; `undefined` without one. */
export function suffixOf(value: unknown): string | undefined {
  const url = plainText(value)
  if (url === undefined || !URL.canParse(url)) return undefined
  const { pathname } = new URL(url)
  return suffix.exec(pathname.slice(pathname.lastIndexOf('/') + 1))?.[1]?.toLowerCase()
}
