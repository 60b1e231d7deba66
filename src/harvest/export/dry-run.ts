/** Dry runs: report for each record what would be sent and changed, and what would be removed, without writing. */

import type { Quad, Term } from '@rdfjs/types'
import { Failure } from '../../errors.ts'
import type { RecordMessage } from '../../pipe/message.ts'
import type { Difference } from '../../pipe/runs/run.ts'
import { canonicalise } from '../../rdf/canonical.ts'
import { fromLines, termText } from '../../rdf/lines.ts'
import { dcat, dct, rdf, spdx } from '../../rdf/namespaces.ts'
import { NodeKinds } from '../../rdf/node-kinds.ts'
import { originPath } from './dataset-writer.ts'
import type { ExportRun } from './export-run.ts'
import { identityOf } from './record-identity.ts'
import { itemNames, nodeInText, quadsInText } from './record-text.ts'

/** Problem of a record that would not be written; `item` has its original id if that was found. */
type RefusedPreview = { readonly problem: Failure; readonly item?: { readonly originalId: string } }

/** Adds an item with a record's expected state, text and differences; returns its problem if it would not be written. */
export async function previewRecord(
  run: ExportRun,
  message: RecordMessage,
  signal: AbortSignal,
): Promise<RefusedPreview | undefined> {
  const { text, findings } = message
  const identity = identityOf(run, message)
  if (identity instanceof Failure) return { problem: identity }
  const { originalId, row } = identity
  const change = await changeOf(run, { ...message, originalId }, signal)
  if (change instanceof Failure) return { problem: change, item: { originalId } }
  run.segment.sink.item({
    ...itemNames(message),
    originalId,
    stage: 'export',
    state: change.kind,
    note: 'dry run: nothing was written',
    excerpt: text,
    difference: change.difference,
    ...(findings.length > 0 && { findings }),
    ...(row?.platformId && { platformId: row.platformId }),
  })
  return undefined
}

type SentRecord = Pick<RecordMessage, 'mediaType' | 'text'> & { readonly originalId: string }

type Change = {
  readonly kind: 'created' | 'updated' | 'unchanged'
  readonly difference?: Difference
}

/**
 * State and differences of a write: as previewed by the repository of this process, or estimated for a remote one. Returns the
 * `Failure` if the write would be refused.
 */
async function changeOf(
  run: ExportRun,
  record: SentRecord,
  signal: AbortSignal,
): Promise<Change | Failure> {
  const { client, owner } = run
  if (!client.previewDataset) return estimateChange(run, record, signal)
  try {
    const { kind, before, after } = await client.previewDataset(owner.catalogue, record, signal)
    if (kind !== 'updated') return { kind }
    return { kind, difference: differenceOf(fromLines(before), fromLines(after)) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return new Failure('export-refused', error.message, { errors: error.errors, cause: error })
  }
}

/** Estimates a write; without differences if the stored graph or the record cannot be read. */
async function estimateChange(
  run: ExportRun,
  { originalId, mediaType, text }: SentRecord,
  signal: AbortSignal,
): Promise<Change | Failure> {
  if (mediaType === 'application/n-triples' && nodeInText(mediaType, text) === undefined)
    return new Failure('item-malformed', 'The record is not plain N-Triples about one dataset.')
  if (!run.isPresent(originalId)) return { kind: 'created' }
  const path = originPath(run.owner.catalogue, originalId)
  const headers = { Accept: 'application/n-triples' }
  const answer = await run.client.ask({ method: 'GET', path, headers }, signal)
  const stored = answer.status === 200 && (await quadsInText(answer.text, 'application/n-triples'))
  const quads = stored && (await quadsInText(text, mediaType))
  if (!quads) return { kind: 'updated' }
  const [, etag] = /^"([^"]+)"$/.exec(answer.headers.get('etag') ?? '') ?? []
  if (etag === (await canonicalise(quads)).hash) return { kind: 'unchanged' }
  return { kind: 'updated', difference: differenceOf(withoutAddedIds(stored, quads), quads) }
}

/** Removes the identifiers of distributions, which the repository adds at each write; none if the record itself has some. */
function withoutAddedIds(stored: readonly Quad[], sent: readonly Quad[]): readonly Quad[] {
  const identifiersIn = (quads: readonly Quad[]) => {
    const distributions = subjectsOfType(quads, dcat('Distribution'))
    return quads.filter(
      ({ subject, predicate }) =>
        distributions.has(subject.value) && predicate.equals(dct('identifier')),
    )
  }
  if (identifiersIn(sent).length > 0) return stored
  const added = new Set(identifiersIn(stored))
  return stored.filter((quad) => !added.has(quad))
}

/** Maximum number of ids in the preview of removals. */
const mostNamed = 20

/**
 * Describes the records that a complete dry run was not offered, if there are any. It ignores what delays a removal
 * (`missingRuns`, restored records), and stores no held removals to confirm.
 */
export function previewRemovals(run: ExportRun): Failure | undefined {
  if (!run.knowsAllOffered) return undefined
  const rows = [...run.context.ledger.rowsOf(run.owner)]
  const missingIds = rows.filter((row) => !run.wasOffered(row)).map(({ originalId }) => originalId)
  if (missingIds.length === 0) return undefined
  const names =
    missingIds.slice(0, mostNamed).join(', ') + (missingIds.length > mostNamed ? ', …' : '')
  const detail = `The source no longer offers ${missingIds.length} of ${rows.length} records of this pipe: ${names}. A real run would remove them or ask first.`
  return new Failure('removal-held', detail)
}

// Difference of two records, independent of the names of their nodes.

/** Maximum statements in each list of a difference, and characters of an object. */
const mostStatements = 50
const longestStatement = 500

/**
 * Statements that a write would remove (`gone`) and add (`come`), as `predicate object`, at most fifty each. Objects that are
 * described nodes are ignored, because the repository renames them; so is its catalogue record about the dataset.
 */
export function differenceOf(stored: readonly Quad[], sent: readonly Quad[]): Difference {
  const [before, after] = [countStatements(stored), countStatements(sent)]
  return { gone: surplus(before, after), come: surplus(after, before) }
}

type StatementCounts = ReadonlyMap<string, number>

function countStatements(quads: readonly Quad[]): StatementCounts {
  const subjects = new Set(quads.map(({ subject }) => subject.value))
  const ignored = new Set(new NodeKinds(quads).of('record').keys())
  for (const { subject, predicate, object } of quads)
    if (predicate.equals(spdx('checksum')) && ignored.has(subject.value)) ignored.add(object.value)
  const counts = new Map<string, number>()
  for (const { subject, predicate, object } of quads) {
    if (ignored.has(subject.value) || subjects.has(object.value)) continue
    const text = `<${predicate.value}> ${objectText(object)}`
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return counts
}

const subjectsOfType = (quads: readonly Quad[], type: Term): ReadonlySet<string> =>
  new Set(
    quads
      .filter(({ predicate, object }) => predicate.equals(rdf('type')) && object.equals(type))
      .map(({ subject }) => subject.value),
  )

function objectText(object: Term): string {
  if (object.termType === 'BlankNode') return '[]'
  const text = termText(object)
  return text.length > longestStatement ? `${text.slice(0, longestStatement)}…` : text
}

/** Statements that occur more often in the first map than in the second, sorted. */
const surplus = (counts: StatementCounts, otherCounts: StatementCounts): readonly string[] =>
  [...counts]
    .flatMap(([text, count]) => {
      const surplusCount = Math.max(0, count - (otherCounts.get(text) ?? 0))
      return Array.from({ length: Math.min(surplusCount, mostStatements) }, () => text)
    })
    .slice(0, mostStatements)
    .sort()
