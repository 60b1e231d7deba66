/** What a run did one by one, as pieces of JSON, of NDJSON and of CSV (RFC 4180). */

import type { Run, RunItem } from '../pipe/runs/run.ts'

type Reported = { readonly run: Run; readonly items: Iterable<RunItem> }

export async function* asJson({ items }: Reported): AsyncGenerator<string> {
  let before = '['
  for (const item of items) {
    yield before + JSON.stringify(item)
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}

export async function* asLines({ items }: Reported): AsyncGenerator<string> {
  yield* gathered(items, (item) => `${JSON.stringify(item)}\n`)
}

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

export async function* asCsv({ run, items }: Reported): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`
  yield* gathered(items, (item) => row(run, item))
}

function row(run: Run, item: RunItem): string {
  const { problem } = item
  const place = problem?.errors?.find(({ line }) => line !== undefined)
  const values: Record<(typeof columns)[number], string | number | undefined> = {
    run: run.id,
    pipe: run.pipe,
    catalogue: run.catalogue,
    state: item.state,
    stage: item.stage,
    originalId: item.originalId ?? item.sourceId,
    platformId: item.platformId,
    sourceUrl: item.sourceUrl,
    problem: problem?.type.split(':').at(-1),
    detail: problem?.detail ?? item.note,
    line: place?.line,
    column: place?.column,
    time: item.time,
  }
  return `${columns.map((column) => cell(values[column])).join(',')}\r\n`
}

/** A cell that begins as a formula would be run by a spreadsheet: a quote in front makes it text. */
function cell(value: string | number | undefined): string {
  const text = String(value ?? '')
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One piece per item would cost more than the item. */
const pieceCharacters = 16_384

function* gathered(items: Iterable<RunItem>, text: (item: RunItem) => string): Generator<string> {
  let piece = ''
  for (const item of items) {
    piece += text(item)
    if (piece.length < pieceCharacters) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}
