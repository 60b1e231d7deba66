/**
 * Answers a stranger's query, whatever engine runs it: checks the query, asks the engine, and ends the answer after its last row
 * that fits, in every format, so that what goes out is always well formed.
 */

import { Failure } from '../../errors.ts'
import { formatOfMediaType } from '../../rdf/media-types.ts'
import { serialise } from '../../rdf/serialise.ts'
import type { PublicAnswer } from '../graph-store.ts'
import { cutRows, resultsText, type Results } from '../sparql-results.ts'
import { checkedQuery, type CheckedQuery } from './query-checks.ts'
import type { PublicJob } from './query-queue.ts'

/** What runs a checked query: a copy of the data, or a store behind HTTP. Rejects with a `Failure`. */
export type PublicEngine = {
  /** Rows from which its answers are cut without a word, where they are. */
  readonly rows: number | undefined
  /** Whether a named graph has a triple. */
  readonly exists: (graph: string) => Promise<boolean>
  /** Of SELECT and ASK; `bytes` = how long the answer may get in the end. */
  readonly solutions: (query: CheckedQuery, bytes: number) => Promise<Results>
  /** N-Triples of CONSTRUCT and DESCRIBE, perhaps with repeated lines. */
  readonly triples: (query: CheckedQuery, bytes: number) => Promise<string>
}

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
  const results = await engine.solutions(query, job.bytes)
  return { mediaType, ...resultsText(results, mediaType, job) }
}

/** Graphs are cut as lines, each once, and then written in the format asked for, which could not be cut itself. */
async function graphAnswer(
  query: CheckedQuery,
  job: PublicJob,
  engine: PublicEngine,
): Promise<PublicAnswer> {
  const cutOf = async (text: string) => {
    const lines = await engine.triples({ ...query, text }, job.bytes)
    return cutRows(new Set(lines.match(/[^\n]*\n/g)), {}, job)
  }
  let { body, cut } = await cutOf(query.text)
  if (!cut && query.count !== undefined) {
    const counted = await engine.solutions({ ...query, text: query.count, graph: false }, 1024)
    const solutions = 'boolean' in counted ? 0 : Number(counted.solutions[0]?.['n']?.value)
    // Many solutions gave few triples: the whole is asked for, unless the engine would cut that in silence.
    if (solutions > (engine.rows ?? Infinity)) cut = true
    else if (solutions > job.rows) ({ body, cut } = await cutOf(job.request.query))
  }
  const { mediaType } = query
  const format = formatOfMediaType(mediaType) ?? 'turtle'
  return {
    mediaType,
    body: await serialise(body, format),
    cut,
  }
}
