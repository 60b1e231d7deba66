/**
 * Answers that all resources share: of writes, which wait for the index (RFC 7240, `Prefer`), and of graphs in the negotiated
 * format with their links (RFC 8288).
 */

import type { AppContext } from '../../http/app.ts'
import { entityTag } from '../../http/conditions.ts'
import {
  answerFormat,
  answerRdf,
  contentType,
  disposition,
  type AnswerOptions,
} from '../../http/rdf.ts'
import { sendPieces, slicedPieces } from '../../http/long-answers.ts'
import { addVary } from '../../http/headers.ts'
import { formats, type Format } from '../../rdf/media-types.ts'
import { unskolemiseLines } from '../../rdf/skolem.ts'
import { unlessAborted } from '../../workers/condition.ts'
import { documentWriter, type Part, splitPart } from '../../rdf/writing/document.ts'
import type { Mark } from '../../store/marks.ts'
import type { RepositoryContext, WriteOutcome } from '../repository-context.ts'
import {
  type CatalogueRemoval,
  type CatalogueRestore,
  remainingOf,
} from '../deleting/catalogue-deletion.ts'
import { outcomeStatus } from '../writing/bulk-write.ts'

/** Time that an answer waits for the index. */
type Wait = {
  /** Milliseconds; 0 = not at all. */
  readonly ms: number
  /** Value of `Preference-Applied`; `undefined` when the client has no preference. */
  readonly applied: string | undefined
}

/** Most seconds that a client may request. */
const maxWaitSeconds = 60

/** Wait by `respond-async` or `wait=n` (seconds, at most 60) of a `Prefer` header; `defaultMs` without either. */
export function waitOf(prefer: string | undefined, defaultMs: number): Wait {
  const parts = (prefer ?? '').split(/[,;]/).map((part) => part.trim().toLowerCase())
  if (parts.includes('respond-async')) return { ms: 0, applied: 'respond-async' }
  const seconds = parts.map((part) => /^wait="?(\d{1,9})"?$/.exec(part)?.[1]).find((value) => value)
  if (seconds === undefined) return { ms: defaultMs, applied: undefined }
  const cappedSeconds = Math.min(Number(seconds), maxWaitSeconds)
  return { ms: cappedSeconds * 1000, applied: `wait=${cappedSeconds}` }
}

/** Milliseconds that a request has after its wait, for reading and sending the answer. */
const slackMs = 10_000

/**
 * Wait of the answer to a committed write; sets `Preference-Applied`. Extends the deadline of the request to the end of the wait,
 * because the first deadline would hide that the write is committed.
 */
function waitAfterCommit(c: AppContext, defaultMs: number): Wait {
  const wait = waitOf(c.req.header('Prefer'), defaultMs)
  if (wait.applied !== undefined) c.header('Preference-Applied', wait.applied)
  c.get('deadline').extend(wait.ms + slackMs)
  return wait
}

/** Value of `Index-Status`: `done` = indexed, `pending` = not yet, `none` = the catalogue is hidden and never indexed. */
export type IndexStatus = 'done' | 'pending' | 'none'

/** Function that resolves true when a mark is indexed, false when the signal fires first. */
export type WaitUntilIndexed = RepositoryContext['waitUntilIndexed']

/** Waits until a mark is indexed, or the wait is over. */
export async function indexStatus(
  waitUntilIndexed: WaitUntilIndexed,
  mark: Mark,
  wait: Wait,
  signal: AbortSignal,
): Promise<Exclude<IndexStatus, 'none'>> {
  if (wait.ms === 0) return 'pending'
  const done = await waitUntilIndexed(mark, AbortSignal.any([signal, AbortSignal.timeout(wait.ms)]))
  return done ? 'done' : 'pending'
}

/** Options of the answer to a write. */
type WriteAnswerOptions = {
  /** Resource whose state answers without a mark report, such as the dataset of a distribution; default: the written one. */
  readonly searchable?: string
  /** Milliseconds to wait for the index without a preference of the client; by default the limit `waitMs`. */
  readonly waitMs?: number
}

/** Answers 201, 204 or 304 with an empty body when the mark is indexed or the wait is over; at once without a mark. */
export async function answerWrite(
  c: AppContext,
  context: RepositoryContext,
  outcome: WriteOutcome,
  { searchable = outcome.iri, waitMs = context.limits.waitMs }: WriteAnswerOptions = {},
): Promise<Response> {
  const wait = waitAfterCommit(c, waitMs)
  const status = outcome.mark
    ? await indexStatus(context.waitUntilIndexed, outcome.mark, wait, c.get('signal'))
    : context.isPending(searchable)
      ? 'pending'
      : 'done'
  return answerOutcome(c, context, outcome, status)
}

/** Answers a write with its entity tag, IRI and index status. */
async function answerOutcome(
  c: AppContext,
  context: RepositoryContext,
  { kind, iri, hash, catalogue }: WriteOutcome,
  status: IndexStatus,
): Promise<Response> {
  await setIndexStatus(c, context, status, catalogue)
  c.header('ETag', entityTag(hash))
  c.header(kind === 'created' ? 'Location' : 'Content-Location', asciiUri(iri))
  return c.body(null, outcomeStatus[kind])
}

/** Sets `Index-Status`: `none` in a hidden catalogue, otherwise `status`. */
async function setIndexStatus(
  c: AppContext,
  { isHidden }: RepositoryContext,
  status: IndexStatus,
  catalogue: string | undefined,
): Promise<void> {
  // The write is committed: it must not fail because the store is unavailable now.
  const isInHiddenCatalogue =
    catalogue !== undefined && (await isHidden(catalogue, c.get('signal')).catch(() => false))
  c.header('Index-Status', isInHiddenCatalogue ? 'none' : status)
}

/** IRI as a URI, because headers are ASCII (RFC 3987, 3.1). */
const asciiUri = (iri: string) => iri.replace(/[^\x21-\x7e]+/gu, encodeURIComponent)

/** Committed deletion. */
type CommittedDeletion = WriteAnswerOptions & {
  readonly mark: Mark
  /** Id of the catalogue that contained the resource, if any. */
  readonly catalogue?: string
}

/** Answers 204 when the resource is removed from the index or the wait is over. */
export async function answerDelete(
  c: AppContext,
  context: RepositoryContext,
  { mark, catalogue, waitMs = context.limits.waitMs }: CommittedDeletion,
): Promise<Response> {
  const wait = waitAfterCommit(c, waitMs)
  const status = await indexStatus(context.waitUntilIndexed, mark, wait, c.get('signal'))
  await setIndexStatus(c, context, status, catalogue)
  return c.body(null, 204)
}

/**
 * Answers 204 when the members of a deleted catalogue are removed before the wait is over, otherwise 202 with `{"remaining": n}`;
 * 202 at once when the client does not wait or the deletion was begun earlier.
 */
export async function answerCatalogueRemoval(
  c: AppContext,
  { waitUntilIndexed, limits, jobs }: RepositoryContext,
  { job, mark }: CatalogueRemoval,
): Promise<Response> {
  const wait = waitAfterCommit(c, limits.waitMs)
  const signal = AbortSignal.any([c.get('signal'), AbortSignal.timeout(wait.ms)])
  // Called before waiting for the job, because the index may be done earlier and reports it once.
  const indexed = mark && wait.ms > 0 ? waitUntilIndexed(mark, signal) : undefined
  if (!indexed || !(await endsInTime(jobs.waitFor(job.id, signal), signal))) {
    c.header('Index-Status', 'pending')
    return c.json({ remaining: remainingOf(jobs.get(job.id)) }, 202)
  }
  c.header('Index-Status', (await indexed) ? 'done' : 'pending')
  return c.body(null, 204)
}

/** Answers 201 for a restored catalogue; `Index-Status` is `pending` while its datasets are not restored or not searchable. */
export async function answerCatalogueRestore(
  c: AppContext,
  context: RepositoryContext,
  { outcome, job }: CatalogueRestore,
): Promise<Response> {
  const { waitUntilIndexed, isPending, limits, jobs } = context
  const wait = waitAfterCommit(c, limits.waitMs)
  const signal = AbortSignal.any([c.get('signal'), AbortSignal.timeout(wait.ms)])
  // Without a mark, another request had started the restore; its writes may be indexed already.
  const indexed =
    outcome.mark && wait.ms > 0
      ? waitUntilIndexed(outcome.mark, signal)
      : Promise.resolve(!isPending(outcome.iri))
  const isRestored = wait.ms > 0 && (await endsInTime(jobs.waitFor(job.id, signal), signal))
  return answerOutcome(c, context, outcome, isRestored && (await indexed) ? 'done' : 'pending')
}

/** Whether the work succeeds before the signal fires; the signal does not stop the work. */
const endsInTime = (work: Promise<unknown>, signal: AbortSignal): Promise<boolean> =>
  unlessAborted(work, signal).then(
    () => true,
    () => false,
  )

/** Answers a stored graph, with skolem IRIs replaced by blank nodes. */
export const answerStoredGraph = (
  c: AppContext,
  lines: string,
  options: AnswerOptions & { readonly genidPrefix: string },
): Promise<Response> =>
  answerRdf(c, unskolemiseLines(lines, { prefix: options.genidPrefix }), options)

/** Resource with its path, IRI and links for the `Link` header. */
type LinkedResource = {
  readonly id: string
  readonly iri: string
  /** Path below the service, without suffix: `/datasets/x`. */
  readonly path: string
  /** Relation → IRI, beside `canonical` and `alternate`. */
  readonly links?: Readonly<Record<string, string | undefined>>
}

/** Resource with its graph; without a hash the answer has no entity tag. */
type StoredResource = LinkedResource & {
  /** Stored graph: N-Triples lines of `toLines`, skolemised. */
  readonly lines: string
  readonly hash?: string
  readonly modified?: Date
}

/** Answers 200 or 304 in the format of the suffix or of `Accept`; throws `not-acceptable`. */
export function answerResource(
  c: AppContext,
  { names }: RepositoryContext,
  resource: StoredResource,
  suffix: Format | undefined,
): Promise<Response> {
  const { lines, iri, id, hash, modified } = resource
  return answerStoredGraph(c, lines, {
    suffix,
    graph: iri,
    genidPrefix: names.genidPrefix,
    name: id,
    headers: { Link: linkHeaderOf(resource, c.get('address')) },
    hash,
    modified,
  })
}

/** `Link` header of a resource; `address` is that of the service. */
export function linkHeaderOf({ iri, path, links = {} }: LinkedResource, address: string): string {
  const relatives = Object.entries({ canonical: iri, ...links }).flatMap(([relation, target]) =>
    target === undefined ? [] : `<${asciiUri(target)}>; rel="${relation}"`,
  )
  const others = Object.values(formats).map(
    ({ suffix, mediaType }) =>
      `<${address}${path}.${suffix}>; rel="alternate"; type="${mediaType}"`,
  )
  return [...relatives, ...others].join(', ')
}

/** Format, file name and graphs of an answer of many parts. */
type DocumentOptions = {
  /** Format of the suffix of the path. */
  readonly suffix?: Format
  /** Name for saving, without suffix. */
  readonly name?: string
  /** Whether the parts belong to one graph and share blank nodes. */
  readonly isDivided?: boolean
  /** Whether parts have their named graphs; by default only with a suffix, and negotiated answers are in the default graph. */
  readonly keepsGraphs?: boolean
}

/** Splits large parts, so that sending them can be interleaved with other requests. */
async function* splitLargeParts(
  batches: AsyncIterable<readonly Part[]>,
): AsyncGenerator<Iterable<Part>> {
  for await (const batch of batches) yield Iterator.from(batch).flatMap(splitPart)
}

/**
 * Answers 200 with a document of any length, which is written while it is sent; throws `not-acceptable`. Holds one batch of parts
 * in memory. Statements that RDF/XML cannot express are left out with a comment (decision 0033).
 */
export async function answerDocument(
  c: AppContext,
  { log, limits }: RepositoryContext,
  parts: AsyncGenerator<readonly Part[]>,
  { suffix, name, isDivided = false, keepsGraphs = suffix !== undefined }: DocumentOptions = {},
): Promise<Response> {
  const { format, mediaType } = answerFormat(c, suffix)
  const headers = {
    'Content-Type': contentType(mediaType),
    ...(name !== undefined && { 'Content-Disposition': disposition(name, format) }),
  }
  const { head, part, tail } = documentWriter(format, { isDivided })
  const write = keepsGraphs ? part : ({ lines, isDivided }: Part) => part({ lines, isDivided })
  const document = { head, steps: splitLargeParts(parts), write, tail }
  const pieces = slicedPieces(document, c.get('longAnswers').turn)
  const answer = await sendPieces(c, pieces, { log, pieceMs: limits.requestMs, headers })
  addVary(answer.headers, 'Accept')
  return answer
}
