/**
 * Identity of records: the original id under which a record is stored, and whether the pipe may write it. A step after the
 * importer determines it, and replaces records that need no write by `unchanged`.
 */

import { Failure } from '../../errors.ts'
import {
  type Message,
  recordPlace,
  type RecordMessage,
  type Validator,
} from '../../pipe/message.ts'
import { reportFindings } from '../../pipe/runs/run.ts'
import type { SegmentContext, SegmentFunction } from '../../pipe/segment.ts'
import { keyHash } from '../importing/cutting/key-hash.ts'
import type { RecordRow } from '../ledger/ledger-rows.ts'
import { dayMs } from '../../text/duration.ts'
import type { ExportContext, ExportRun } from './export-run.ts'

/** Original id of a record, and the row of the ledger with it, of any owner. */
type Identity = { readonly originalId: string; readonly row: RecordRow | undefined }

/** Ms without a run that was complete or found nothing modified, after which other pipes may take over the records of a pipe. */
const abandonedAfterMs = 90 * dayMs

type RecordIds = Pick<RecordMessage, 'sourceId' | 'aliases' | 'preferredId'>

/**
 * Determines the identity of a record: the ledger's id of its source id; else that of an alias under which the pipe knew it;
 * else the first alias in the catalogue; else the preferred id if it is free; else the source id. An alias that is the id of
 * another record of this source is ignored. Reserves the id of a record without a row, and gives a row found by an alias the
 * current source id. Failures: `item-owned-elsewhere`, `item-duplicate`.
 */
export function identityOf(
  run: ExportRun,
  names: RecordIds,
  rows = pipeRows(run, names),
): Identity | Failure {
  const { sourceId, aliases, preferredId = sourceId } = names
  const { ledger } = run.context
  const { catalogue } = run.owner
  const pipeRow = rows.sourceRow ?? renameSource(run, names, rows.aliasRow)
  if (pipeRow) return { originalId: pipeRow.originalId, row: pipeRow }
  for (const originalId of aliases) {
    const row = ledger.byOriginal(catalogue, originalId)
    if (!run.isPresent(originalId)) continue
    if (row ? isOtherRecord(run, row, sourceId) : !run.reserve(originalId, sourceId)) continue
    return checkOwnership(run, { originalId, row })
  }
  for (const originalId of [preferredId, sourceId]) {
    const row = ledger.byOriginal(catalogue, originalId)
    const isFree = row ? !isOtherRecord(run, row, sourceId) : run.reserve(originalId, sourceId)
    if (isFree || originalId === sourceId) return checkOwnership(run, { originalId, row }, sourceId)
  }
  throw new Error('the source id comes last')
}

/** Row of the pipe with the record's source id, or else the one found by `findAliasRow`. */
type PipeRows = { readonly sourceRow?: RecordRow; readonly aliasRow?: RecordRow }

function pipeRows(run: ExportRun, names: RecordIds): PipeRows {
  const sourceRow = run.context.ledger.bySource(run.owner, names.sourceId)
  return sourceRow ? { sourceRow } : { aliasRow: findAliasRow(run, names) }
}

/** First row of the pipe with an alias of the record as its source id or original id that the source has not offered. */
function findAliasRow(run: ExportRun, { sourceId, aliases }: RecordIds): RecordRow | undefined {
  const { ledger } = run.context
  for (const alias of aliases) {
    const row = ledger.bySource(run.owner, alias) ?? ledger.byOriginal(run.owner.catalogue, alias)
    if (row && isOtherRecord(run, row, sourceId) && !run.wasOffered(row)) return row
  }
  return undefined
}

/** Changes the source id of a row to the record's current one, also in the ledger unless it is a dry run. */
function renameSource(
  run: ExportRun,
  { sourceId }: RecordIds,
  row?: RecordRow,
): RecordRow | undefined {
  if (!row) return undefined
  if (!run.segment.dryRun) run.context.ledger.setSourceId(row.serial, sourceId)
  run.maybeRenamed.delete(row.serial)
  return { ...row, sourceId }
}

/**
 * Whether a record must wait for the end of its source, or for the next cursor, which shows whether it is a renamed one: the
 * record whose row was found by the alias may follow. Adds that row to `maybeRenamed`. Source ids that are no IRIs are from older
 * versions and unique, so nothing need wait for them.
 */
function mustWait(run: ExportRun, { aliasRow: row }: PipeRows): boolean {
  if (!row || !/^[a-z][a-z0-9+.-]*:/i.test(row.sourceId)) return false
  run.maybeRenamed.add(row.serial)
  return true
}

/** Whether the row is a record of the same pipe with another source id. */
const isOtherRecord = ({ owner }: ExportRun, row: RecordRow, sourceId: string): boolean =>
  row.pipe === owner.pipe && row.sourceId !== '' && row.sourceId !== sourceId

/**
 * Returns the identity if the pipe may write it, else `item-owned-elsewhere`; `item-duplicate` if a `sourceId` is given and the
 * row is a record of this pipe with another one.
 */
function checkOwnership(run: ExportRun, identity: Identity, sourceId?: string): Identity | Failure {
  const { originalId, row } = identity
  if (!row) return identity
  if (sourceId !== undefined && isOtherRecord(run, row, sourceId))
    return duplicateOf(originalId, row.sourceId)
  const isOurs = row.pipe === run.owner.pipe || isAbandoned(run.context, row)
  return isOurs ? identity : ownedBy(row.pipe, originalId)
}

/** Whether the owning pipe no longer exists, or has had no complete or unmodified run for `abandonedAfterMs`. */
function isAbandoned({ ledger, now, sources }: ExportContext, { pipe, written }: RecordRow) {
  if (now() - (ledger.pipe(pipe)?.alive ?? written) > abandonedAfterMs) return true
  const pipes = sources()
  const place = ledger.placeOf(pipe)
  // The pipe may be in an unreadable file: the one of its last run, or any file of a source that is unreadable as a whole (`file`
  // is empty). Without a recorded file, any unreadable one counts, because the name of a pipe is inside it.
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

/** Determines the identity of a record that is to be written, and claims its original id until `ExportRun.release`. */
export function claimIdentity(run: ExportRun, message: RecordMessage): Identity | Failure {
  const { originalId: id, sourceId } = message
  const { ledger } = run.context
  const row = ledger.byOriginal(run.owner.catalogue, id ?? '')
  const identity =
    id === undefined
      ? identityOf(run, message)
      : checkOwnership(run, { originalId: id, row }, sourceId)
  if (identity instanceof Failure) return identity
  const { originalId } = identity
  const writer = run.claim(originalId)
  if (writer === undefined) return identity
  return writer === run.owner.pipe ? duplicateOf(originalId, sourceId) : ownedBy(writer, originalId)
}

/** Characters of records that wait at the same time, after which no further record waits. */
const mostWaiting = 32_000_000

/**
 * Step after the importer: passes records on with their original ids, as `unchanged`, or as `refused` if they belong to
 * another pipe or are duplicates. A run with `only` drops other records. Without an exporter of datasets in this process (the
 * run is not in `active`) everything passes, under distinct preferred ids.
 */
export const identifyRecords = (active: ReadonlyMap<string, ExportRun>): SegmentFunction =>
  async function* (input, context) {
    const waiting: RecordMessage[] = []
    const assignedIds = new Set<number>()
    let charactersLeft = mostWaiting
    for await (const message of input) {
      const run = active.get(context.runId)
      if (!run) {
        yield message.kind === 'record' ? withPreferredId(message, assignedIds) : message
        continue
      }
      const rows = message.kind === 'record' ? pipeRows(run, message) : {}
      if (message.kind === 'record' && charactersLeft > 0 && mustWait(run, rows)) {
        waiting.push(message)
        charactersLeft -= message.text.length
        continue
      }
      // A resumed run does not read again what came before a cursor.
      if (message.kind === 'end' || (message.kind === 'page' && message.cursor !== undefined)) {
        charactersLeft = mostWaiting
        for (const record of waiting.splice(0)) {
          const result = compareRecord(run, context, record)
          if (result) yield result
        }
      }
      if (message.kind === 'refused' && message.sourceId !== undefined)
        run.markSourceOffered(message.sourceId)
      const result =
        message.kind === 'record' ? compareRecord(run, context, message, rows) : message
      if (result) yield result
    }
  }

/** Sets the preferred id of a record as its original id, unless an earlier record has it. */
function withPreferredId(record: RecordMessage, assignedIds: Set<number>): RecordMessage {
  const { preferredId: originalId } = record
  if (originalId === undefined || assignedIds.size === assignedIds.add(keyHash(originalId)).size)
    return record
  return { ...record, originalId }
}

/**
 * Message for a record after comparison with the ledger; `undefined` if the run is restricted to other records. `rows`: result of
 * `pipeRows`, absent for a record that has waited, because it may be outdated.
 */
function compareRecord(
  run: ExportRun,
  { only, sink }: SegmentContext,
  record: RecordMessage,
  rows?: PipeRows,
): Message | undefined {
  const { sourceId, aliases, sourceUrl, text } = record
  const identity = identityOf(run, record, rows)
  const ids = [sourceId, ...aliases, ...('originalId' in identity ? [identity.originalId] : [])]
  if (only && !ids.some((id) => only.has(id))) return undefined
  if (identity instanceof Failure) {
    reportFindings(sink, record)
    return {
      kind: 'refused',
      sourceId,
      stage: 'export',
      problem: identity,
      excerpt: text.slice(0, 65_536),
      ...recordPlace(record),
      sourceUrl,
    }
  }
  const { originalId, row } = identity
  const sourceHash = run.hashOf(record.sourceHash)
  if (row) {
    run.markOffered(row)
    const isOurs = row.pipe === run.owner.pipe && row.sourceId === sourceId
    if (isOurs && run.isUnchanged(row, sourceHash))
      return { kind: 'unchanged', sourceId, originalId }
  }
  return { ...record, originalId, sourceHash }
}

/**
 * Validators of the pipe's last complete run. Empty, so that everything is read again, if that run is too old, if `shape` (the
 * `outputHash` of the importer), the target or the transformers have changed, if a record that it did not meet still exists, if
 * the catalogue lacks records of the pipe, or if this process has no exporter of the run.
 */
export function validatorsOf(
  { ledger, now, config, active }: ExportContext,
  { runId, pipe }: Pick<SegmentContext, 'runId' | 'pipe'>,
  shape: string,
  forceDays: number | undefined,
): readonly Validator[] {
  const lastComplete = ledger.pipe(pipe)
  if (!lastComplete || lastComplete.shape !== shape) return []
  if (now() - lastComplete.time >= (forceDays ?? config.forceDays) * dayMs) return []
  if (ledger.anyMissed({ catalogue: lastComplete.catalogue, pipe })) return []
  // The exporter opens its run before it asks for the first record. Without one, the content of the catalogue is unknown.
  const run = active.get(runId)
  const isSame =
    run?.owner.catalogue === lastComplete.catalogue &&
    run.transformersHash === lastComplete.transformation
  return isSame && run.hasAllOwned ? lastComplete.validators : []
}
