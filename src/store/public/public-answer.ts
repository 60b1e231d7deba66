/**
 * Answers a stranger's query, whatever engine runs it: checks the query, asks the engine, and ends the answer after its last row
 * that fits, in every format, so that what goes out is always well formed.
 */

import { Failure } from '../../errors.ts'
import type { PublicAnswer } from '../graph-store.ts'
import { checkedQuery, type CheckedQuery } from './query-checks.ts'
import type { PublicJob } from './query-queue.ts'

/** What runs a checked query: a copy of the data, or a store behind HTTP. Rejects with a `Failure`. */
export type PublicEngine = {
  /** Rows from which its answers are cut without a word, where they are. */
  readonly rows: number | undefined
  /** Whether a named graph has a triple. */
  readonly exists: (graph: string) => Promise<boolean>
  /** Solutions or a truth value in the query's media type; `bytes` = how long the answer may get in the end. */
  readonly solutions: (query: CheckedQuery, bytes: number) => Promise<string>
  /** N-Triples, perhaps with repeated lines. */
  readonly triples: (query: CheckedQuery, bytes: number) => Promise<string>
  /** Lines of N-Triples in another format; `Failure` not-acceptable for what it cannot express. */
  readonly written: (lines: string, mediaType: string) => Promise<string>
}

const ntriples = 'application/n-triples'

/** The answer to a query that has a turn; `Failure` as `checkedQuery`, and what the engine says. */
export async function publicAnswer(given: PublicJob, engine: PublicEngine): Promise<PublicAnswer> {
  const job = { ...given, rows: Math.min(given.rows, (engine.rows ?? Infinity) - 1) }
  const query = checkedQuery(job.request, job.rows)
  for (const graph of new Set(query.named)) {
    if (await engine.exists(graph)) continue
    throw new Failure('malformed-query', 'The query names a graph that is not public.')
  }
  if (query.graph) return graphAnswer(query, job, engine)
  const { mediaType } = query
  return { mediaType, ...cutAnswer(await engine.solutions(query, job.bytes), mediaType, job) }
}

/** Graphs are cut as lines and then written in the format asked for, which could not be cut itself. */
async function graphAnswer(
  query: CheckedQuery,
  job: PublicJob,
  engine: PublicEngine,
): Promise<PublicAnswer> {
  const cutOf = async (text: string) =>
    cutAnswer(distinct(await engine.triples({ ...query, text }, job.bytes)), ntriples, job)
  let { body, cut } = await cutOf(query.text)
  if (!cut && query.count !== undefined) {
    const counting = { ...query, text: query.count, graph: false, mediaType: 'text/csv' }
    const solutions = Number((await engine.solutions(counting, 1024)).split('\r\n')[1])
    // Many solutions gave few triples: the whole is asked for, unless the engine would cut that in silence.
    if (solutions > (engine.rows ?? Infinity)) cut = true
    else if (solutions > job.rows) ({ body, cut } = await cutOf(job.request.query))
  }
  const { mediaType } = query
  return {
    mediaType,
    body: mediaType === ntriples ? body : await engine.written(body, mediaType),
    cut,
  }
}

/** Lines of N-Triples, each once and in their order: what a limit on triples is measured by. */
const distinct = (lines: string): string => [...new Set(lines.match(/[^\n]*\n/g))].join('')

type Cut = { readonly body: string; readonly cut: boolean }

type Limits = { readonly rows: number; readonly bytes: number }

type Layout = {
  /** Offsets behind the head and behind every row. */
  readonly ends: (text: string) => Generator<number>
  readonly tail: string
}

/** Bytes of UTF-8 of a part of a text, without making a copy of all of it. */
const bytesOf = (text: string, from: number, to: number) => Buffer.byteLength(text.slice(from, to))

// {"head":{…},"results":{"bindings":[{…},{…}]}}: rows are the objects at depth 3.
function* jsonEnds(text: string): Generator<number> {
  const start = text.indexOf('"bindings":[')
  if (start < 0) return
  const open = start + '"bindings":['.length
  yield open
  let depth = 0
  for (let at = open; at < text.length; at += 1) {
    const mark = text[at]
    if (mark === '"') at = closing(text, at)
    else if (mark === '{') depth += 1
    else if (mark === '}') {
      depth -= 1
      if (depth === 0) yield at + 1
      if (depth < 0) return
    }
  }
}

/** The quote that ends the JSON string beginning at `start`. */
function closing(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return at
  }
  return text.length
}

function* markedEnds(text: string, head: string, row: string): Generator<number> {
  let at = text.indexOf(head)
  if (at < 0) return
  yield at + head.length
  for (let from = at + head.length; (at = text.indexOf(row, from)) >= 0; from = at + row.length) {
    yield at + row.length
  }
}

// A line end inside quotes belongs to the value (RFC 4180); a quote inside quotes is doubled, which changes nothing.
function* csvEnds(text: string): Generator<number> {
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') quoted = !quoted
    else if (text[at] === '\n' && !quoted) yield at + 1
  }
}

const json: Layout = { ends: jsonEnds, tail: ']}}' }
const xml: Layout = {
  ends: (text) => markedEnds(text, '<results>', '</result>'),
  tail: '</results></sparql>',
}

const layouts: Readonly<Record<string, Layout>> = {
  'application/sparql-results+json': json,
  'application/json': json,
  'application/sparql-results+xml': xml,
  'application/xml': xml,
  'text/csv': { ends: csvEnds, tail: '' },
  'text/tab-separated-values': { ends: (text) => markedEnds(text, '\n', '\n'), tail: '' },
  'application/n-triples': { ends: (text) => markedEnds(text, '', '\n'), tail: '' },
}

/** The answer, or as many of its rows as the limits allow and `cut`. What has no rows (ASK) is left alone. */
function cutAnswer(body: string, mediaType: string, limits: Limits): Cut {
  const layout = layouts[mediaType]
  // A row has two characters at least, and a character three bytes at most.
  const fits = body.length <= limits.rows * 2 && body.length * 3 <= limits.bytes
  if (!layout || fits) return { body, cut: false }
  let rows = -1
  let bytes = 0
  let kept = 0
  for (const end of layout.ends(body)) {
    bytes += bytesOf(body, kept, end)
    rows += 1
    if (rows > limits.rows || bytes > limits.bytes) {
      return { body: `${body.slice(0, kept)}${layout.tail}`, cut: true }
    }
    kept = end
  }
  return { body, cut: false }
}
