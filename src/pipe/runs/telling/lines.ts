/** The items of a run as text for other programs: CSV (RFC 4180) and NDJSON. */

import type { Run, RunItem } from '../run.ts'

const columns = [
  'run',
  'pipe',
  'catalogue',
  'state',
  'stage',
  'originalId',
  'platformId',
  'sourceUrl',
  'problem',
  'detail',
  'line',
  'column',
  'time',
] as const

const longestPiece = 16_384

/** A header, then one record per item; read as it is taken. A cell that a spreadsheet would run as a formula gets a `'`. */
export function* csvOf(run: Run, items: Iterable<RunItem>): Generator<string> {
  yield* pieces(rows(run, items))
}

/** One JSON object per line; read as it is taken. */
export function* ndjsonOf(items: Iterable<RunItem>): Generator<string> {
  yield* pieces(objects(items))
}

function* rows(run: Run, items: Iterable<RunItem>): Generator<string> {
  yield `${columns.join(',')}\r\n`
  for (const item of items) yield `${cells(run, item).map(cell).join(',')}\r\n`
}

function* objects(items: Iterable<RunItem>): Generator<string> {
  for (const item of items) yield `${JSON.stringify(item)}\n`
}

/** Lines together, so that a million of them are not a million writes. */
function* pieces(lines: Iterable<string>): Generator<string> {
  let piece = ''
  for (const line of lines) {
    piece += line
    if (piece.length < longestPiece) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}

type Cell = string | number | undefined

function cells(run: Run, item: RunItem): readonly Cell[] {
  const { problem } = item
  const [place] = problem?.errors ?? []
  return [
    run.id,
    run.pipe,
    run.catalogue,
    item.state,
    item.stage,
    item.originalId ?? item.sourceId,
    item.platformId,
    item.sourceUrl,
    problem?.type,
    problem?.detail ?? item.note,
    place?.line,
    place?.column,
    item.time,
  ]
}

function cell(value: Cell): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
