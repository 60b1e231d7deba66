/**
 * Bodies and answers that all resources share: what a write says and how long it waits for the index (RFC 7240, `Prefer`), and
 * graphs in the format that the client wants, with what leads on from them (RFC 8288).
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
import type { RepositoryContext, WriteOutcome } from '../context.ts'
import {
  type CatalogueRemoval,
  type CatalogueRestore,
  remainingOf,
} from '../deleting/catalogue-deletion.ts'
import { outcomeStatus } from '../writing/bulk-write.ts'

/** How long an answer waits for the index. */
type Wait = {
  /** Milliseconds; 0 = not at all. */
  readonly ms: number
  /** What `Preference-Applied` says, when the client asked for something. */
  readonly applied: string | undefined
}

/** Seconds that a client may ask for at most. */
const longest = 60

/** `respond-async` and `wait=n` of a `Prefer` header; everything else in it is ignored. */
export function waitOf(prefer: string | undefined, standardMs: number): Wait {
  const parts = (prefer ?? '').split(/[,;]/).map((part) => part.trim().toLowerCase())
  if (parts.includes('respond-async')) return { ms: 0, applied: 'respond-async' }
  const seconds = parts.map((part) => /^wait="?(\d{1,9})"?$/.exec(part)?.[1]).find((found) => found)
  if (seconds === undefined) return { ms: standardMs, applied: undefined }
  const capped = Math.min(Number(seconds), longest)
  return { ms: capped * 1000, applied: `wait=${capped}` }
}

/** Milliseconds beyond the wait, for what the answer still asks the store and says. */
const slackMs = 10_000

/**
 * The wait of the answer to a write that has landed, told to the client. From here on the time of the request is over with
 * the wait: the limit that it began with would hide that the write has landed.
 */
function landedWait(c: AppContext, standardMs: number): Wait {
  const wait = waitOf(c.req.header('Prefer'), standardMs)
  if (wait.applied !== undefined) c.header('Preference-Applied', wait.applied)
  c.get('deadline').extend(wait.ms + slackMs)
  return wait
}

/** `none` = not indexed on purpose: the catalogue is hidden. */
export type IndexStatus = 'done' | 'pending' | 'none'

export type MarkSettled = RepositoryContext['waitUntilIndexed']

/** Waits as asked; the write itself is done either way. */
export async function indexStatus(
  settled: MarkSettled,
  mark: Mark,
  wait: Wait,
  signal: AbortSignal,
): Promise<Exclude<IndexStatus, 'none'>> {
  if (wait.ms === 0) return 'pending'
  const done = await settled(mark, AbortSignal.any([signal, AbortSignal.timeout(wait.ms)]))
  return done ? 'done' : 'pending'
}

/** What an answer to a write waits for, where that is not the usual. */
type WriteAnswer = {
  /** The resource that must be searchable, where it is not the written one: the dataset of a distribution. */
  readonly whole?: string
  /** Milliseconds that the write waits for the index when the client says nothing, where that is not the usual. */
  readonly waitMs?: number
}

/** 201, 204 or 304 with an empty body, once the record is searchable or the wait is over. */
export async function answerWrite(
  c: AppContext,
  context: RepositoryContext,
  outcome: WriteOutcome,
  { whole = outcome.iri, waitMs = context.limits.waitMs }: WriteAnswer = {},
): Promise<Response> {
  const wait = landedWait(c, waitMs)
  const status = outcome.mark
    ? await indexStatus(context.waitUntilIndexed, outcome.mark, wait, c.get('signal'))
    : context.isPending(whole)
      ? 'pending'
      : 'done'
  return answerOutcome(c, context, outcome, status)
}

/** The answer to a write whose part in the index is known: entity tag, IRI, and whether it is searchable. */
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

/** `none` for what is in a hidden catalogue, however far the index is. */
async function setIndexStatus(
  c: AppContext,
  { isHidden }: RepositoryContext,
  status: IndexStatus,
  catalogue: string | undefined,
): Promise<void> {
  // The write has landed: a store that is away now must not make a failure of it.
  const hidden =
    catalogue !== undefined && (await isHidden(catalogue, c.get('signal')).catch(() => false))
  c.header('Index-Status', hidden ? 'none' : status)
}

/** A header holds ASCII only (RFC 3987, 3.1). */
const asciiUri = (iri: string) => iri.replace(/[^\x21-\x7e]+/gu, encodeURIComponent)

type Deleted = WriteAnswer & {
  readonly mark: Mark
  /** Id of the catalogue that it was in, if any. */
  readonly catalogue?: string
}

/** 204 once the record is gone from search or the wait is over. */
export async function answerDelete(
  c: AppContext,
  context: RepositoryContext,
  { mark, catalogue, waitMs = context.limits.waitMs }: Deleted,
): Promise<Response> {
  const wait = landedWait(c, waitMs)
  const status = await indexStatus(context.waitUntilIndexed, mark, wait, c.get('signal'))
  await setIndexStatus(c, context, status, catalogue)
  return c.body(null, 204)
}

/**
 * 204 when the datasets of the catalogue are gone within the time that the client waits, else 202 with `{"remaining": n}`; at
 * once when somebody else had begun the deletion.
 */
export async function answerCatalogueRemoval(
  c: AppContext,
  { waitUntilIndexed, limits, jobs }: RepositoryContext,
  { job, mark }: CatalogueRemoval,
): Promise<Response> {
  const wait = landedWait(c, limits.waitMs)
  const signal = AbortSignal.any([c.get('signal'), AbortSignal.timeout(wait.ms)])
  // Asked for before the work is waited for: the index may be done earlier, and says it once.
  const indexed = mark && wait.ms > 0 ? waitUntilIndexed(mark, signal) : undefined
  if (!indexed || !(await endsInTime(jobs.waitFor(job.id, signal), signal))) {
    c.header('Index-Status', 'pending')
    return c.json({ remaining: remainingOf(jobs.get(job.id)) }, 202)
  }
  c.header('Index-Status', (await indexed) ? 'done' : 'pending')
  return c.body(null, 204)
}

/** 201: the catalogue is there. `pending` when its datasets are not back, or not searchable, within the time that the client waits. */
export async function answerCatalogueRestore(
  c: AppContext,
  context: RepositoryContext,
  { outcome, job }: CatalogueRestore,
): Promise<Response> {
  const { waitUntilIndexed, isPending, limits, jobs } = context
  const wait = landedWait(c, limits.waitMs)
  const signal = AbortSignal.any([c.get('signal'), AbortSignal.timeout(wait.ms)])
  // Without a mark somebody else had begun the restore; what was written then may be indexed by now.
  const indexed =
    outcome.mark && wait.ms > 0
      ? waitUntilIndexed(outcome.mark, signal)
      : Promise.resolve(!isPending(outcome.iri))
  const isBack = wait.ms > 0 && (await endsInTime(jobs.waitFor(job.id, signal), signal))
  return answerOutcome(c, context, outcome, isBack && (await indexed) ? 'done' : 'pending')
}

/** Whether the work has ended before the signal fires; it goes on either way. */
const endsInTime = (work: Promise<unknown>, signal: AbortSignal): Promise<boolean> =>
  unlessAborted(work, signal).then(
    () => true,
    () => false,
  )

/** The stored graph with its blank nodes back. */
export const answerStoredGraph = (
  c: AppContext,
  lines: string,
  options: AnswerOptions & { readonly genidPrefix: string },
): Promise<Response> =>
  answerRdf(c, unskolemiseLines(lines, { prefix: options.genidPrefix }), options)

/** What the links of an answer are made of. */
type LinkedResource = {
  readonly id: string
  readonly iri: string
  /** Path below the service, without suffix: `/datasets/x`. */
  readonly path: string
  /** Relation → IRI, beside `canonical` and `alternate`. */
  readonly links?: Readonly<Record<string, string | undefined>>
}

/** A resource with its graph; without a hash it has no entity tag. */
type StoredResource = LinkedResource & {
  /** As it is stored: lines of `toLines`, skolemised. */
  readonly lines: string
  readonly hash?: string
  readonly modified?: Date
}

/** 200 or 304 in the format of the suffix or of `Accept`; `not-acceptable` when there is none. */
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
    headers: { Link: linksOf(resource, c.get('address')) },
    hash,
    modified,
  })
}

/** The `Link` header of a resource. */
export function linksOf({ iri, path, links = {} }: LinkedResource, address: string): string {
  const relatives = Object.entries({ canonical: iri, ...links }).flatMap(([relation, target]) =>
    target === undefined ? [] : `<${asciiUri(target)}>; rel="${relation}"`,
  )
  const others = Object.values(formats).map(
    ({ suffix, mediaType }) =>
      `<${address}${path}.${suffix}>; rel="alternate"; type="${mediaType}"`,
  )
  return [...relatives, ...others].join(', ')
}

/** What an answer of many parts is called, and in which format it is. */
type DocumentOptions = {
  /** Format named by a suffix of the path. */
  readonly suffix?: Format
  /** Name for saving, without suffix. */
  readonly name?: string
  /** The parts are those of one graph and share blank nodes. */
  readonly isDivided?: boolean
  /** Parts stay in their graphs also without a suffix; otherwise a negotiated answer is in the default graph. */
  readonly keepsGraphs?: boolean
}

async function* inShortParts(
  batches: AsyncIterable<readonly Part[]>,
): AsyncGenerator<Iterable<Part>> {
  for await (const batch of batches) yield Iterator.from(batch).flatMap(splitPart)
}

/**
 * 200 with the parts of a document of any length in the format asked for, written while it is sent; `not-acceptable` when there
 * is none. One batch of parts is held in memory. What RDF/XML cannot express is left out with a comment (decision 0033).
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
  const { head, part, tail } = documentWriter(format, { divided: isDivided })
  const write = keepsGraphs ? part : ({ lines, isDivided }: Part) => part({ lines, isDivided })
  const document = { head, steps: inShortParts(parts), write, tail }
  const pieces = slicedPieces(document, c.get('longAnswers').turn)
  const answer = await sendPieces(c, pieces, { log, pieceMs: limits.requestMs, headers })
  addVary(answer.headers, 'Accept')
  return answer
}
