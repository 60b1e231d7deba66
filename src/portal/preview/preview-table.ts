/** Table of a preview: the first rows and columns of a file as texts. */

import { dayMs } from '../../text/duration.ts'

/** Most rows and columns of a preview. */
export const [previewRows, previewColumns] = [200, 50]
/** Most characters of a cell. */
const mostCharacters = 300
/** Most title lines that are shown, and rows in which the head is looked for. */
const [mostNotes, mostRowsBefore] = [5, 20]

/** Table of a preview; all rows are as long as the head. */
export type PreviewTable = {
  readonly name?: string
  /** Last title lines above the head. */
  readonly notes: readonly string[]
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const isFilled = (cell: unknown): boolean => cellText(cell).trim() !== ''

/**
 * Makes a table of rows of cells; its texts are cut after `most` characters. Rows with one value before the first row with more
 * are title lines. A column without a name is named by its number: `#3`.
 */
export function previewTable(
  rows: readonly (readonly unknown[])[],
  { name, most = mostCharacters }: { readonly name?: string; readonly most?: number } = {},
): PreviewTable {
  const filled = rows.filter((row) => row.some(isFilled))
  const wide = filled
    .slice(0, mostRowsBefore)
    .findIndex((row) => row.filter((cell) => isFilled(cell)).length > 1)
  const start = Math.max(0, wide)
  const notes = filled
    .slice(Math.max(0, start - mostNotes), start)
    .map((row) => cellText(row.find(isFilled)))
  const table = filled
    .slice(start, start + previewRows + 1)
    .map((row) => row.slice(0, previewColumns))
  const width = Math.max(0, ...table.map((row) => row.findLastIndex(isFilled) + 1))
  const texts = table.map((row) =>
    Array.from({ length: width }, (_, at) => cellText(row[at], most)),
  )
  const [head = [], ...body] = texts
  return {
    name: name && cellText(name),
    notes,
    head: head.map((text, at) => (text.trim() === '' ? `#${at + 1}` : text)),
    rows: body,
  }
}

/** Day zero of workbooks: times without a date are on this day. */
const dayZero = Date.UTC(1899, 11, 30)

/** Text of a date of a workbook: a time of day, a date, or both. */
function momentText(moment: Date): string {
  if (Number.isNaN(moment.getTime())) return ''
  const time = moment.getTime() - dayZero
  if (time >= 0 && time < dayMs) return moment.toISOString().slice(11, 19)
  return moment
    .toISOString()
    .replace(/T00:00:00\.000Z$/, '')
    .replace(/\.000Z$/, 'Z')
}

function cellText(value: unknown, most = mostCharacters): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return momentText(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > most ? `${text.slice(0, most)}…` : text
}
