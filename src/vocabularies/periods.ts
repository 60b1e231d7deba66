/** Periods as sources write them in one text: intervals of ISO 8601, DCMI Periods, and dates with a word or a dash between them. */

import { dateLiteral, type DateOptions, extentOf } from './dates.ts'
import { isPlaceholder } from './loose-values.ts'

/** Start and end of a period as text; an open side is absent. */
export type PeriodEnds = { readonly start?: string; readonly end?: string }

const longest = 200
const dcmi = /(?:^|;)\s*(start|end)\s*=\s*([^;]+)/gi
const between = /\s+(?:to|bis|à|au|until|[-–—])\s+|\s*(?:--|[–—])\s*|(?<=^\d{4})-(?=\d{4}$)/
const open = /^(?:\.\.|present|now|today|ongoing|heute|unknown)$/i

/**
 * The ends of a period: a single date is its own start and end, a duration counts from or to the other side (`2019-01-01/P1Y`),
 * a shortened end takes what it lacks from the start (`2019/20`). The
 * repetition of an interval is left out. `undefined` for a text that names no date.
 */
export function periodEnds(given: string, options: DateOptions = {}): PeriodEnds | undefined {
  const text = given.trim()
  if (isPlaceholder(text) || text.length > longest) return undefined
  const named = [...text.matchAll(dcmi)].flatMap(([, side = '', at = '']) => [
    [side.toLowerCase(), at.trim()],
  ])
  if (named.length > 0) return Object.fromEntries(named)
  if (!/\d/.test(text)) return undefined
  if (isDate(text, options)) return { start: text, end: text }
  const [start, end] = sidesOf(text.replace(/^R\d*\//i, ''))
  return ends(start, end ?? '', options)
}

const isDate = (text: string, options: DateOptions): boolean => {
  const date = dateLiteral(text, options)
  return date !== undefined && date !== 'invalid'
}

/** The two sides of an interval; a date may have slashes of its own. */
function sidesOf(text: string): readonly [string, string?] {
  const parts = text.split('/')
  if (parts.length % 2 === 0) {
    const half = parts.length / 2
    return [parts.slice(0, half).join('/').trim(), parts.slice(half).join('/').trim()]
  }
  const [start = '', end, ...more] = text.split(between)
  return end === undefined || more.length > 0 ? [text] : [start.trim(), end.trim()]
}

function ends(start: string, end: string, options: DateOptions): PeriodEnds | undefined {
  const [from, to] = [start, end].map((side) => (open.test(side) ? '' : side))
  if (!from && !to) return undefined
  if (duration.test(from ?? ''))
    return to ? { start: shifted(to, from ?? '', -1, options), end: to } : undefined
  if (duration.test(to ?? ''))
    return { start: from ?? '', end: shifted(from ?? '', to ?? '', 1, options) }
  const isShort = /^\d{2}(?:-\d{2})?$/.test(to ?? '') && extentOf(from ?? '') !== undefined
  const whole = isShort ? (from ?? '').slice(0, -(to ?? '').length) + to : to
  return { ...(from && { start: from }), ...(whole && { end: whole }) }
}

const duration =
  /^P(?=.)(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?=.)(?:(\d{1,5})H)?(?:(\d{1,5})M)?(?:(\d{1,6})S)?)?$/i

/** The other end of a period that has a length: the last day, or the time, after its start; the first one before its end. */
function shifted(side: string, length: string, sign: 1 | -1, options: DateOptions): string {
  const date = dateLiteral(side, options)
  const extent = typeof date === 'object' ? extentOf(date.value) : undefined
  if (!extent) return ''
  const [, ...amounts] = duration.exec(length) ?? []
  const [y = 0, m = 0, w = 0, d = 0, hours = 0, minutes = 0, seconds = 0] = amounts.map((one) =>
    Number(one ?? 0),
  )
  const isTime = extent.from === extent.to
  const at = new Date(sign === 1 ? extent.from : extent.to + (isTime ? 0 : 1))
  at.setUTCFullYear(
    at.getUTCFullYear() + sign * y,
    at.getUTCMonth() + sign * m,
    at.getUTCDate() + sign * (w * 7 + d),
  )
  at.setTime(at.getTime() + sign * ((hours * 60 + minutes) * 60 + seconds) * 1000)
  if (!isTime && sign === 1) at.setTime(at.getTime() - 1)
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() > 9999) return ''
  return at.toISOString().slice(0, isTime ? 19 : 10) + (isTime ? 'Z' : '')
}
