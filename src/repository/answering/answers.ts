/** Answers that all resources share: what a write says, and a graph as the client wants it. */

import type { AppContext } from '../../http/app.ts'
import { entityTag } from '../../http/conditions.ts'
import { answerRdf, type AnswerOptions } from '../../http/rdf.ts'
import type { Limits } from '../../http/limits.ts'
import { unskolemiseLines } from '../../rdf/skolem.ts'
import type { Outcome } from '../deps.ts'
import type { Mark } from '../../store/marks.ts'
import { indexStatus, landedWait, type Indexing, type IndexStatus } from './waiting.ts'

export type Answering = Indexing & {
  /** Milliseconds that a write waits for the index when the client says nothing. */
  readonly waitMs: number
}

/** How writes of what is searchable as a part of another resource are answered: once that one is. */
export const answeringFor = (
  whole: string,
  indexing: Indexing,
  limits: Pick<Limits, 'waitMs'>,
): Answering => ({ ...answering(indexing, limits), awaits: () => indexing.awaits(whole) })

/** How writes of records are answered. */
export const answering = (indexing: Indexing, { waitMs }: Pick<Limits, 'waitMs'>): Answering => ({
  settled: indexing.settled,
  awaits: indexing.awaits,
  hides: indexing.hides,
  waitMs,
})

const statuses = { created: 201, updated: 204, unchanged: 304 } as const

/** 201, 204 or 304 with an empty body, once the record is searchable or the wait is over. */
export async function answerWrite(
  c: AppContext,
  outcome: Outcome,
  answering: Answering,
): Promise<Response> {
  const { iri, mark } = outcome
  const wait = landedWait(c, answering.waitMs)
  const status = mark
    ? await indexStatus(answering.settled, mark, wait, c.get('signal'))
    : answering.awaits(iri)
      ? 'pending'
      : 'done'
  return answerOutcome(c, outcome, answering, status)
}

/** The same when it has been waited for. */
export async function answerOutcome(
  c: AppContext,
  outcome: Outcome,
  answering: Answering,
  status: Exclude<IndexStatus, 'none'>,
): Promise<Response> {
  await tellStatus(c, status, answering, outcome.catalogue)
  c.header('ETag', entityTag(outcome.hash))
  c.header(outcome.kind === 'created' ? 'Location' : 'Content-Location', asciiUri(outcome.iri))
  return c.body(null, statuses[outcome.kind])
}

/** `none` for what is in a hidden catalogue, however far the index is. */
async function tellStatus(
  c: AppContext,
  status: IndexStatus,
  { hides }: Answering,
  catalogue: string | undefined,
): Promise<void> {
  // The write has landed: a store that is away now must not make a failure of it.
  const isHidden =
    catalogue !== undefined && (await hides(catalogue, c.get('signal')).catch(() => false))
  c.header('Index-Status', isHidden ? 'none' : status)
}

/** A header holds ASCII only (RFC 3987, 3.1). */
export const asciiUri = (iri: string) => iri.replace(/[^\x21-\x7e]+/gu, encodeURIComponent)

/** 204 once the record is gone from search or the wait is over; `catalogue` = the id of the one that it was in, if any. */
export async function answerDelete(
  c: AppContext,
  mark: Mark,
  answering: Answering,
  catalogue?: string,
): Promise<Response> {
  const wait = landedWait(c, answering.waitMs)
  const status = await indexStatus(answering.settled, mark, wait, c.get('signal'))
  await tellStatus(c, status, answering, catalogue)
  return c.body(null, 204)
}

/** The stored graph with its blank nodes back. */
export const answerGraph = (
  c: AppContext,
  lines: string,
  options: AnswerOptions & { readonly genidPrefix: string },
): Promise<Response> =>
  answerRdf(c, unskolemiseLines(lines, { prefix: options.genidPrefix }), options)
