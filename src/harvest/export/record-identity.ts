/**
 * Under which id a record of a source is kept, and whether this pipe may write it. The step after the importer lets through only
 * what has changed, and tells importers what they may ask their source about.
 */

import { Failure } from '../../errors.ts'
import {
  type Message,
  placeOfRecord,
  type RecordMessage,
  type Validator,
} from '../../pipe/message.ts'
import { tellFindings } from '../../pipe/runs/run.ts'
import type { SegmentContext, SegmentFunction } from '../../pipe/segment.ts'
import type { RecordRow } from '../ledger/ledger-rows.ts'
import { dayMs } from './export-plan.ts'
import type { ExportContext, ExportRun } from './export-run.ts'

/** `row` is that of the original id, whoever owns it. */
type Identity = { readonly originalId: string; readonly row: RecordRow | undefined }

const abandonedAfterMs = 90 * dayMs

/**
 * The ledger's id of this source id; else the first alias, or the source id, that the catalogue has already; else the
 * source id. An alias that is the id of another record of this source is no alias. Failures: `item-owned-elsewhere`,
 * `item-duplicate`.
 */
export function identityOf(
  run: ExportRun,
  { sourceId, aliases }: Pick<RecordMessage, 'sourceId' | 'aliases'>,
): Identity | Failure {
  const { ledger } = run.context
  const { catalogue } = run.owner
  const own = ledger.bySource(run.owner, sourceId)
  if (own) return { originalId: own.originalId, row: own }
  for (const originalId of aliases) {
    const row = ledger.byOriginal(catalogue, originalId)
    if (!run.isPresent(originalId)) continue
    if (row && isAnother(run, row, sourceId)) continue
    return permitted(run, { originalId, row })
  }
  const row = ledger.byOriginal(catalogue, sourceId)
  return permitted(run, { originalId: sourceId, row }, sourceId)
}

/** A record of the same pipe under another source id. */
const isAnother = ({ owner }: ExportRun, row: RecordRow, sourceId: string): boolean =>
  row.pipe === owner.pipe && row.sourceId !== '' && row.sourceId !== sourceId

/** Whether this pipe may write the record under this id, for this source id when it is named. */
function permitted(run: ExportRun, identity: Identity, sourceId?: string): Identity | Failure {
  const { originalId, row } = identity
  if (!row) return identity
  if (sourceId !== undefined && isAnother(run, row, sourceId))
    return duplicateOf(originalId, row.sourceId)
  const isOurs = row.pipe === run.owner.pipe || isAbandoned(run.context, row)
  return isOurs ? identity : ownedBy(row.pipe, originalId)
}

/** Its pipe is gone, or has not had a complete run for a long time. */
function isAbandoned({ ledger, now, sources }: ExportContext, { pipe, written }: RecordRow) {
  if (now() - (ledger.pipe(pipe)?.alive ?? written) > abandonedAfterMs) return true
  const pipes = sources()
  const place = ledger.placeOf(pipe)
  // A pipe may be in something that cannot be read: the file where it was at its last run, or anything of a source that
  // names no files. Where nobody noted its place every file may be the one, because its name is inside.
  return (
    pipes.find(pipe) === undefined &&
    !pipes
      .invalid()
      .some(
        ({ source, file }) =>
          !place || (source === place.source && (file === place.file || file === '')),
      )
  )
}

const ownedBy = (pipe: string, originalId: string): Failure =>
  new Failure('item-owned-elsewhere', `The pipe ${pipe} owns the record ${originalId}.`)

const duplicateOf = (originalId: string, sourceId: string): Failure =>
  new Failure(
    'item-duplicate',
    `Another record of the source, ${sourceId}, is stored as ${originalId} already.`,
  )

/** The identity, and nobody else writes under it until it is released. */
export function claimed(run: ExportRun, message: RecordMessage): Identity | Failure {
  const { originalId: id, sourceId } = message
  const { ledger } = run.context
  const row = ledger.byOriginal(run.owner.catalogue, id ?? '')
  const identity =
    id === undefined ? identityOf(run, message) : permitted(run, { originalId: id, row }, sourceId)
  if (identity instanceof Failure) return identity
  const { originalId } = identity
  const other = run.claim(originalId)
  if (other === undefined) return identity
  return other === run.owner.pipe ? duplicateOf(originalId, sourceId) : ownedBy(other, originalId)
}

/**
 * Records come out with their original id, or as `unchanged`, or as `refused` when they are another pipe's. Without an
 * exporter in this process (`active` has no such run) everything passes as it is.
 */
export const identified = (active: ReadonlyMap<string, ExportRun>): SegmentFunction =>
  async function* (input, context) {
    for await (const message of input) {
      const run = active.get(context.runId)
      if (run && message.kind === 'refused' && message.sourceId !== undefined)
        run.meetSource(message.sourceId)
      const result = run && message.kind === 'record' ? compared(run, context, message) : message
      if (result) yield result
    }
  }

/** `undefined` for a record that this run is not about. */
function compared(
  run: ExportRun,
  { only, sink }: SegmentContext,
  record: RecordMessage,
): Message | undefined {
  const { sourceId, aliases, sourceUrl, text } = record
  const identity = identityOf(run, record)
  const ids = [sourceId, ...aliases, ...('originalId' in identity ? [identity.originalId] : [])]
  if (only && !ids.some((id) => only.has(id))) return undefined
  if (identity instanceof Failure) {
    tellFindings(sink, record)
    return {
      kind: 'refused',
      sourceId,
      stage: 'export',
      problem: identity,
      excerpt: text.slice(0, 65_536),
      ...placeOfRecord(record),
      ...(sourceUrl !== undefined && { sourceUrl }),
    }
  }
  const { originalId, row } = identity
  const sourceHash = run.hashOf(record.sourceHash)
  if (row) {
    run.meet(row)
    const isOurs = row.pipe === run.owner.pipe && row.sourceId === sourceId
    if (isOurs && run.isUnchanged(row, sourceHash))
      return { kind: 'unchanged', sourceId, originalId }
  }
  return { ...record, originalId, ...(sourceHash !== undefined && { sourceHash }) }
}

/**
 * What the pipe's last complete run saw. None when that is too old, records looked otherwise then, went elsewhere or
 * through other transformers, a record that run did not find is still there, or the catalogue does not hold all that the
 * pipe has written: then everything has to be read again.
 */
export function validatorsOf(
  { ledger, now, config, active }: ExportContext,
  { runId, pipe }: Pick<SegmentContext, 'runId' | 'pipe'>,
  shape: string,
  forceDays: number | undefined,
): readonly Validator[] {
  const last = ledger.pipe(pipe)
  if (!last || last.shape !== shape) return []
  if (now() - last.time >= (forceDays ?? config.forceDays) * dayMs) return []
  if (ledger.anyMissed({ catalogue: last.catalogue, pipe })) return []
  // The exporter opens its run before it asks for the first record. Without one nobody knows what the catalogue holds.
  const run = active.get(runId)
  const isSame =
    run?.owner.catalogue === last.catalogue && run.transformation === last.transformation
  return isSame && run.hasAll ? last.validators : []
}
