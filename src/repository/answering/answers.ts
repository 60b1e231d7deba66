/** Answers that all resources share: what a write says, and a graph as the client wants it. */

import type { AppContext } from '../../http/app.ts'
import { entityTag } from '../../http/conditions.ts'
import { answerRdf, type AnswerOptions } from '../../http/rdf.ts'
import type { Limits } from '../../http/limits.ts'
import { unskolemiseLines } from '../../rdf/skolem.ts'
import type { Outcome } from '../deps.ts'
import type { Mark } from '../../store/marks.ts'
import { indexStatus, waitOf, type Indexing } from './waiting.ts'

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
  const { iri, mark, catalogue } = outcome
  const status = mark
    ? await waited(c, mark, answering)
    : answering.awaits(iri)
      ? 'pending'
      : 'done'
  const hidden =
    status === 'done' &&
    catalogue !== undefined &&
    (await answering.hides(catalogue, c.get('signal')))
  c.header('Index-Status', hidden ? 'none' : status)
  c.header('ETag', entityTag(outcome.hash))
  c.header(outcome.kind === 'created' ? 'Location' : 'Content-Location', asciiUri(outcome.iri))
  return c.body(null, statuses[outcome.kind])
}

/** A header holds ASCII only (RFC 3987, 3.1). */
export const asciiUri = (iri: string) => iri.replace(/[^\x21-\x7e]+/gu, encodeURIComponent)

/** 204 once the record is gone from search or the wait is over. */
export async function answerDelete(
  c: AppContext,
  mark: Mark,
  answering: Answering,
): Promise<Response> {
  c.header('Index-Status', await waited(c, mark, answering))
  return c.body(null, 204)
}

async function waited(c: AppContext, mark: Mark, { settled, waitMs }: Answering) {
  const wait = waitOf(c.req.header('Prefer'), waitMs)
  if (wait.applied !== undefined) c.header('Preference-Applied', wait.applied)
  return indexStatus(settled, mark, wait, c.get('signal'))
}

/** The stored graph with its blank nodes back. */
export const answerGraph = (
  c: AppContext,
  lines: string,
  options: AnswerOptions & { readonly genidPrefix: string },
): Promise<Response> =>
  answerRdf(c, unskolemiseLines(lines, { prefix: options.genidPrefix }), options)
