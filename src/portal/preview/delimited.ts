/** Rows of CSV and its relatives (RFC 4180), whatever separates their values. */

import Papa from 'papaparse'
import { previewRows } from './preview-table.ts'

/** A comma comes last: it is also the decimal point of half the world. */
const delimiters = ['\t', ';', '|', ',']

/** Rows that are looked at to find the separator. */
const sample = 100

/** Excel writes the separator into a line before the first: `sep=;`. */
const namedDelimiter = /^\uFEFF?("?)sep=(.)\1\r?\n/i

type Rows = readonly (readonly string[])[]

const rowsOf = (text: string, delimiter: string, most: number): Rows =>
  Papa.parse<string[]>(text, { delimiter, preview: most, skipEmptyLines: true }).data

/** The share of rows that have the most usual number of values, where that is more than one. */
function evenness(rows: Rows): number {
  const counts = new Map<number, number>()
  for (const { length } of rows) if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1)
  return Math.max(0, ...counts.values()) / Math.max(1, rows.length)
}

/** Whether commas stand in numbers only, below the name of one column: they separate no values then. */
function isDecimalColumn([head = [], ...rows]: Rows): boolean {
  const isNumber = (row: readonly string[]) =>
    row.length <= 2 && /^\s*[+-]?\d+(?:,\d+)?\s*$/.test(row.join(','))
  return head.length === 1 && rows.length > 0 && rows.every(isNumber)
}

/**
 * The first rows of a text, those of a title too; in rows of one value where nothing separates them. The last one is left out where
 * the text `isCut`.
 */
export function delimitedRows(text: string, isCut: boolean): Rows {
  const named = namedDelimiter.exec(text)
  const body = named ? text.slice(named[0].length) : text
  const tried = delimiters.map((delimiter) => {
    return { delimiter, share: evenness(rowsOf(body, delimiter, sample)) }
  })
  const [best] = tried.toSorted((a, b) => b.share - a.share)
  const delimiter = named?.[2] ?? (best && best.share > 0 ? best.delimiter : ',')
  // Lines of a title come on top of the rows.
  const most = previewRows + 30
  const rows = rowsOf(body, delimiter, most)
  const whole = isCut && rows.length < most ? rows.slice(0, -1) : rows
  return !named && delimiter === ',' && isDecimalColumn(whole)
    ? whole.map((row) => [row.join(',')])
    : withTitle(whole, delimiter)
}

/** Rows in which a head is looked for, and rows below it that are compared. */
const [mostTitleRows, compared] = [10, 10]

const isNumeric = (text = ''): boolean => /^\s*[+-]?\d[\d.,\s]*%?\s*$/.test(text)

/** A sentence has a blank after each of its commas. */
const isSentence = ([, ...others]: readonly string[]): boolean =>
  others.every((text) => text === '' || /^\s/.test(text))

const isYear = (text = ''): boolean => /^\s*(?:1[89]|20)\d\d\s*$/.test(text)

/** Whether a row names columns, of which one or more have numbers only; years are names of columns that hold no years. */
const isHead = (row: readonly string[], below: Rows): boolean =>
  row.length > 1 &&
  row.every((text, at) => {
    const isName = isYear(text) ? !below.some((other) => isYear(other[at])) : !isNumeric(text)
    const isFilled = text.trim() !== '' || below.every((other) => !other[at]?.trim())
    return isName && isFilled && (at === 0 || !/^\s/.test(text))
  }) &&
  below.length > 0 &&
  row.some((_, at) => below.every((other) => isNumeric(other[at])))

/** Rows with the sentences above the head in one value each: their commas separate nothing. */
function withTitle(rows: Rows, delimiter: string): Rows {
  const head = rows
    .slice(0, mostTitleRows)
    .findIndex((row, at) => isHead(row, rows.slice(at + 1, at + 1 + compared)))
  const title = rows.slice(0, Math.max(0, head))
  return title.every(isSentence)
    ? [
        ...title.map((row) => [row.join(delimiter).replace(/[,;|\s]+$/, '')]),
        ...rows.slice(title.length),
      ]
    : rows
}
