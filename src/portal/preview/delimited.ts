/** Rows of CSV and similar formats (RFC 4180) with any of the usual separators. */

import Papa from 'papaparse'
import { previewRows } from './preview-table.ts'

/** Separators in the order of preference; the comma is last, because it is also a decimal point. */
const delimiters = ['\t', ';', '|', ',']

/** Rows that are examined to find the separator. */
const sample = 100

/** First line in which Excel names the separator: `sep=;`. */
const namedDelimiter = /^\uFEFF?("?)sep=(.)\1\r?\n/i

type Rows = readonly (readonly string[])[]

const rowsOf = (text: string, delimiter: string, most: number): Rows =>
  Papa.parse<string[]>(text, { delimiter, preview: most, skipEmptyLines: true }).data

/** Share (0 to 1) of the rows with the most frequent number of values above one. */
function evenness(rows: Rows): number {
  const counts = new Map<number, number>()
  for (const { length } of rows) if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1)
  return Math.max(0, ...counts.values()) / Math.max(1, rows.length)
}

/** Whether all commas are in numbers of a single column: they do not separate values then. */
function isDecimalColumn([head = [], ...rows]: Rows): boolean {
  const isNumber = (row: readonly string[]) =>
    row.length <= 2 && /^\s*[+-]?\d+(?:,\d+)?\s*$/.test(row.join(','))
  return head.length === 1 && rows.length > 0 && rows.every(isNumber)
}

/**
 * First rows of a text with its title lines; rows have one value where no separator is found. The last row of a text that
 * `isCut`, if it is among them, is left out.
 */
export function delimitedRows(text: string, isCut: boolean): Rows {
  const delimiterLine = namedDelimiter.exec(text)
  const body = delimiterLine ? text.slice(delimiterLine[0].length) : text
  const candidates = delimiters.map((delimiter) => {
    return { delimiter, share: evenness(rowsOf(body, delimiter, sample)) }
  })
  const [best] = candidates.toSorted((a, b) => b.share - a.share)
  const delimiter = delimiterLine?.[2] ?? (best && best.share > 0 ? best.delimiter : ',')
  // Title lines are read in addition to the rows.
  const most = previewRows + 30
  const rows = rowsOf(body, delimiter, most)
  const completeRows = isCut && rows.length < most ? rows.slice(0, -1) : rows
  return !delimiterLine && delimiter === ',' && isDecimalColumn(completeRows)
    ? completeRows.map((row) => [row.join(',')])
    : withTitle(completeRows, delimiter)
}

/** Rows in which the head is looked for, and rows below it that are compared with it. */
const [mostTitleRows, compared] = [10, 10]

const isNumeric = (text = ''): boolean => /^\s*[+-]?\d[\d.,\s]*%?\s*$/.test(text)

/** Whether the values of a row are a sentence: a blank follows each comma. */
const isSentence = ([, ...others]: readonly string[]): boolean =>
  others.every((text) => text === '' || /^\s/.test(text))

const isYear = (text = ''): boolean => /^\s*(?:1[89]|20)\d\d\s*$/.test(text)

/**
 * Whether a row names the columns of the rows below, of which at least one has numbers only. A year is a name where its column
 * has no years.
 */
const isHead = (row: readonly string[], rowsBelow: Rows): boolean =>
  row.length > 1 &&
  row.every((text, at) => {
    const isName = isYear(text) ? !rowsBelow.some((other) => isYear(other[at])) : !isNumeric(text)
    const isFilled = text.trim() !== '' || rowsBelow.every((other) => !other[at]?.trim())
    return isName && isFilled && (at === 0 || !/^\s/.test(text))
  }) &&
  rowsBelow.length > 0 &&
  row.some((_, at) => rowsBelow.every((other) => isNumeric(other[at])))

/** Joins the values of title lines above the head, because their commas separate no values. */
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
