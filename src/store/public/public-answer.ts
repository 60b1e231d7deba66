/**
 * Answers public queries on any engine: checks the query, runs it, and truncates the answer at a row, in every format, so that it is
 * always well formed.
 */

import { Failure } from '../../errors.ts'
import { formatOfMediaType } from '../../rdf/media-types.ts'
import { serialise } from '../../rdf/serialise.ts'
import type { PublicAnswer } from '../graph-store.ts'
import { limitRows, resultsText, type Results } from '../sparql-results.ts'
import { checkedQuery, type CheckedQuery } from './query-checks.ts'
import type { PublicJob } from './query-queue.ts'

/** Engine of checked queries: a replica of the data, or a remote store. Rejects with a `Failure`. */
export type PublicEngine = {
  /** Rows from which the engine truncates answers silently; `undefined` if it does not. */
  readonly rows: number | undefined
  /** Whether a named graph exists. */
  readonly exists: (graph: string) => Promise<boolean>
  /** Runs SELECT and ASK; `bytes` = most bytes of the answer. */
  readonly solutions: (query: CheckedQuery, bytes: number) => Promise<Results>
  /** Runs CONSTRUCT and DESCRIBE; returns N-Triples, possibly with repeated lines. */
  readonly triples: (query: CheckedQuery, bytes: number) => Promise<string>
}

/** Answers a query. Throws as `checkedQuery`, and rejects as the engine does. */
export async function answerPublicQuery(
  publicJob: PublicJob,
  engine: PublicEngine,
): Promise<PublicAnswer> {
  const job = { ...publicJob, rows: Math.min(publicJob.rows, (engine.rows ?? Infinity) - 1) }
  const query = checkedQuery(job.request, job.rows)
  for (const graph of new Set(query.namedGraphsInQuery)) {
    if (await engine.exists(graph)) continue
    throw new Failure('malformed-query', 'The query names a graph that is not public.')
  }
  if (query.graph) return graphAnswer(query, job, engine)
  const { mediaType } = query
  const results = await engine.solutions(query, job.bytes)
  return { mediaType, ...resultsText(results, mediaType, job) }
}

/** Answers CONSTRUCT and DESCRIBE: truncates distinct lines, then writes them in the requested format, which could not be truncated. */
async function graphAnswer(
  query: CheckedQuery,
  job: PublicJob,
  engine: PublicEngine,
): Promise<PublicAnswer> {
  const truncatedLines = async (text: string) => {
    const lines = await engine.triples({ ...query, text }, job.bytes)
    return limitRows(new Set(lines.match(/[^\n]*\n/g)), {}, job)
  }
  let { body, cut } = await truncatedLines(query.text)
  if (!cut && query.count !== undefined) {
    const countResults = await engine.solutions({ ...query, text: query.count, graph: false }, 1024)
    const solutions =
      'boolean' in countResults ? 0 : Number(countResults.solutions[0]?.['n']?.value)
    // Many solutions gave few triples: the original query is run, unless the engine would truncate it silently.
    if (solutions > (engine.rows ?? Infinity)) cut = true
    else if (solutions > job.rows) ({ body, cut } = await truncatedLines(job.request.query))
  }
  const { mediaType } = query
  const format = formatOfMediaType(mediaType) ?? 'turtle'
  return {
    mediaType,
    body: await serialise(body, format),
    cut,
  }
}
