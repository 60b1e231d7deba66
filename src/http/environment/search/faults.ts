/** Checks of one JSON value of the configuration: each mistake is told with its place and what would be right. */

import { shown } from '../../../errors.ts'
import { nearest } from '../spelling.ts'

export type Given = Readonly<Record<string, unknown>>

/** Collects sentences; a place is a dotted path in the value, '' the value itself. */
export type Tell = (place: string, message: string) => void

export const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value when it passes, else nothing and a sentence; an absent value is nothing without a sentence. */
export function checked<Value>(
  value: unknown,
  fits: (value: unknown) => value is Value,
  wrong: () => void,
): Value | undefined {
  if (value === undefined) return undefined
  if (fits(value)) return value
  wrong()
  return undefined
}

/** Keys that nobody reads, each with the one that was probably meant. */
export function unknownKeys(given: Given, known: readonly string[], tell: Tell, at = ''): void {
  for (const key of Object.keys(given).filter((name) => !known.includes(name))) {
    const close = nearest(key, known)
    const meant = close === undefined ? `known are ${known.join(', ')}` : `did you mean ${close}?`
    tell(join(at, key), `is not read (${meant})`)
  }
}

export const join = (at: string, key: string | number): string =>
  at === '' ? String(key) : `${at}.${key}`

/** `must be …, got …` */
export const must = (right: string, value: unknown): string =>
  value === undefined ? `must be ${right}; it is missing` : `must be ${right}, got ${shown(value)}`

export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== ''

export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every(isText)

export const isWhole =
  (least: number, most: number) =>
  (value: unknown): value is number =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most

export const isWeight = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0

/** Names of indices as requests write them. */
export const isIndexName = (
  value: unknown,
): value is 'dataset' | 'catalogue' | 'vocabulary' | `resource_${string}` =>
  typeof value === 'string' &&
  /^(dataset|catalogue|vocabulary|resource_[A-Za-z0-9-]{1,64})$/.test(value)
