/**
 * Exports harvested records into a catalogue, updates the ledger, and finally removes records that the source no longer has, or
 * holds their removal.
 */

import { Failure } from '../../errors.ts'
import {
  droppedBySegment,
  recordPlace,
  type Finding,
  type Message,
  type RecordMessage,
} from '../../pipe/message.ts'
import { storedProblem, type RunItem } from '../../pipe/runs/run.ts'
import type { SegmentContext } from '../../pipe/segment.ts'
import { platformId as platformIdOf } from '../../rdf/ids.ts'
import type { RecordRow } from '../ledger/ledger-rows.ts'
import type { DuplicateRecord } from '../ledger/duplicate-keys.ts'
import { writeBatches } from './batches.ts'
import { openDatasetWriter, type DatasetWrite, type DatasetResults } from './dataset-writer.ts'
import {
  failureOf,
  isServerFault,
  outcomeOf,
  throwIfKeyRefused,
  putResultOf,
  type PutResult,
} from './put-results.ts'
import { previewRecord, previewRemovals } from './dry-run.ts'
import { openExportRun, type ExportRun, type ExportContext } from './export-run.ts'
import type { ExportConfig, ExportTarget } from './export-target.ts'
import { claimIdentity } from './record-identity.ts'
import { itemNames, duplicateKeyOf, nodeInText, withUnfitValues } from './record-text.ts'
import { completeRun } from './removal-guard.ts'

/** Maximum records of a bulk write, and number of parallel ones. */
const recordsPerBatch = 100
const batchesAtOnce = 4

/** A record that is being written. */
type RecordWrite = DatasetWrite & {
  readonly message: RecordMessage
  /** Row in the ledger before this write. */
  readonly previousRow: RecordRow | undefined
  /** Whether the catalogue contained the record before this write: when the run began, or written by this run. */
  readonly wasPresent: boolean
}

/**
 * Exports a stream of messages. The run is opened before the first message is requested: without its catalogue, no request is
 * sent to the source. Only the importer of a run of another process has started before (see `exporter.ts`).
 */
export async function* exportDatasets(
  { context, client, settings, ...target }: ExportTarget & { readonly context: ExportContext },
  input: AsyncIterable<Message>,
  segment: SegmentContext,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const catalogue = target.catalogue ?? context.runs.get(segment.runId)?.catalogue
  if (catalogue === undefined)
    throw new Failure('invalid-pipe', 'No segment of the pipe names a catalogue.')
  const run = await openExportRun(context, segment, { catalogue, client }, signal)
  try {
    const writer = await openDatasetWriter(run.client, signal)
    const messages = writeBatches<RecordWrite>(input, {
      take: (message) => takeMessage(run, settings, message, signal),
      write: async (writes) => {
        signal.throwIfAborted()
        await writer.write(
          { catalogue, writes, onResults: (results) => recordResults(run, results) },
          signal,
        )
      },
      key: ({ originalId }) => originalId,
      characters: ({ text }) => text.length,
      maxItems: recordsPerBatch,
      atOnce: batchesAtOnce,
      pause: context.pause,
    })
    for await (const message of messages) {
      if (message.kind === 'end') await endRun(run, settings, message, signal)
      // Records met by the run must be durable before it can resume after them.
      const isCheckpoint = message.kind === 'page' && message.cursor !== undefined
      if (isCheckpoint && !segment.dryRun && run.knowsAllOffered) run.checkpoint()
      yield message
    }
  } finally {
    await run.close()
    await context.countChange()
  }
}

async function endRun(
  run: ExportRun,
  settings: ExportConfig,
  { completeness }: Extract<Message, { kind: 'end' }>,
  signal: AbortSignal,
): Promise<void> {
  const { dryRun, sink, runId } = run.segment
  if (dryRun) {
    const problem = completeness.kind === 'complete' ? previewRemovals(run) : undefined
    sink.outcome('dry-run', run.refusal ?? problem)
    return
  }
  await completeRun(run, settings, completeness, signal)
  run.context.ledger.forgetProgress(runId)
}

/** Returns the record to write in a batch, if the message has one; processes all other messages. */
async function takeMessage(
  run: ExportRun,
  settings: ExportConfig,
  message: Message,
  signal: AbortSignal,
): Promise<RecordWrite | undefined> {
  signal.throwIfAborted()
  const { sink } = run.segment
  if (message.kind === 'record') return writeOf(run, message, signal)
  if (message.kind === 'unchanged') {
    const { sourceId, originalId } = message
    run.offered += 1
    sink.item({ sourceId, originalId, stage: 'export', state: 'unchanged' })
  } else if (message.kind === 'refused') {
    const { sourceId, problem, stage, sourceUrl, excerpt, title } = message
    run.offered += 1
    if (sourceId === undefined) run.nameless += 1
    const names = { sourceId, sourceUrl, title, excerpt }
    recordFailure(run, { stage, ...names, ...recordPlace(message) }, problem)
  } else if (message.kind === 'skipped') {
    const { sourceId, reason, isKept } = message
    // A stored record that may still exist at the source counts as offered, so that it is not removed.
    if (isKept) run.markSourceOffered(sourceId)
    else if (reason === droppedBySegment && settings.onDropped === 'keep')
      run.markSourceOffered(sourceId)
    else if (reason === droppedBySegment) run.declareDeleted(sourceId)
    sink.item({ sourceId, stage: 'import', state: 'skipped', note: reason })
  } else if (message.kind === 'deleted') run.declareDeleted(message.sourceId)
  return undefined
}

/**
 * Prepares a record for its batch; writes a resource that is no dataset at once, and only previews in a dry run. Failures become
 * items of the run.
 */
async function writeOf(
  run: ExportRun,
  rawMessage: RecordMessage,
  signal: AbortSignal,
): Promise<RecordWrite | undefined> {
  run.offered += 1
  const { context, client, segment } = run
  const type =
    rawMessage.extra?.['content'] === 'resource' ? rawMessage.extra['resourceType'] : undefined
  if (typeof type === 'string' && type !== '' && type !== 'dataset') {
    await putResource(run, rawMessage, type, signal)
    return undefined
  }
  const message = await withUnfitValues(rawMessage, client.isOwn ? context.unfitValues : undefined)
  if (segment.dryRun) {
    const refusal = await previewRecord(run, message, signal)
    if (refusal) recordFailure(run, { ...failedItem(message), ...refusal.item }, refusal.problem)
    return undefined
  }
  const identity = claimIdentity(run, message)
  if (identity instanceof Failure) {
    recordFailure(run, failedItem(message), identity)
    return undefined
  }
  const { originalId, row: previousRow } = identity
  const { mediaType, text, counter } = message
  return {
    originalId,
    mediaType,
    text,
    node: nodeInText(mediaType, text),
    requestId: `${segment.runId}-${counter}`,
    message,
    previousRow,
    wasPresent: run.isPresent(originalId),
  }
}

/**
 * Writes a record that is no dataset under its normalised identifier, in the catalogue of the run if its type belongs to one.
 * The ledger contains datasets only, so such resources are never removed by a run.
 */
async function putResource(
  run: ExportRun,
  message: RecordMessage,
  type: string,
  signal: AbortSignal,
): Promise<void> {
  const { owner, client, segment } = run
  const { sourceId, text: body, mediaType, counter, findings } = message
  const id = platformIdOf(sourceId)
  if (id === '') {
    const problem = new Failure('item-no-identifier', 'no id can be made of its identifier')
    recordFailure(run, failedItem(message), problem)
    return
  }
  const itemIds = { sourceId, platformId: id, stage: 'export' } as const
  if (segment.dryRun) {
    const note = `dry run: ${type}/${id} was not compared`
    segment.sink.item({ ...itemIds, state: 'skipped', note, excerpt: body })
    return
  }
  const path = `/customresources/${encodeURIComponent(type)}/${id}?catalogId=${encodeURIComponent(owner.catalogue)}`
  const headers = { Prefer: 'respond-async', 'X-Request-Id': `${segment.runId}-${counter}` }
  const answer = await client.ask({ method: 'PUT', path, body, mediaType, headers }, signal)
  throwIfKeyRefused(answer, owner.catalogue, client)
  const result = putResultOf(answer)
  const state = outcomeOf(result)
  if (!state) recordFailure(run, failedItem(message), failureOf(result))
  else segment.sink.item({ ...itemIds, state, ...(findings.length > 0 && { findings }) })
}

/**
 * Records results in the ledger and as items of the run, in their order, and releases the claims of their ids. Throws if the key
 * was refused, the catalogue is gone, or the repository failed fifty times in a row.
 */
function recordResults(run: ExportRun, results: DatasetResults<RecordWrite>): void {
  const { context, owner, segment, client } = run
  const { ledger, now } = context
  const duplicates = new Map<RecordWrite, readonly DuplicateRecord[]>()
  ledger.transaction(() => {
    for (const { write, result } of results) {
      if (!outcomeOf(result)) continue
      const { message, originalId, previousRow, text, node } = write
      const serial = ledger.putRecord({
        ...owner,
        originalId,
        sourceId: message.sourceId,
        hash: message.sourceHash,
        platformId: result.platformId ?? previousRow?.platformId,
        run: segment.runId,
        time: now(),
      })
      run.noteWritten(serial, originalId)
      const duplicateKey = duplicateKeyOf(text, originalId, node)
      duplicates.set(write, ledger.duplicateKeys.put(serial, owner.catalogue, duplicateKey))
    }
  })
  const endsRun = ({ status }: PutResult) => [401, 403, 404, 410].includes(status)
  for (const entry of results) {
    run.release(entry.write.originalId)
    if (!endsRun(entry.result)) reportItem(run, entry, duplicates.get(entry.write) ?? [])
  }
  for (const { result } of results) {
    throwIfKeyRefused(result, owner.catalogue, client)
    if (endsRun(result))
      throw new Failure('unknown-catalogue', `The catalogue ${owner.catalogue} is gone.`)
  }
  for (const { result } of results)
    run.countRepositoryFailure(isServerFault(result) ? failureOf(result) : undefined)
}

/** Records a result as an item, with a note if the record was taken over, adopted or overwritten. */
function reportItem(
  run: ExportRun,
  { write, result }: DatasetResults<RecordWrite>[number],
  duplicates: readonly DuplicateRecord[],
): void {
  const { sink } = run.segment
  const { message, originalId, previousRow, node, wasPresent } = write
  const outcome = outcomeOf(result)
  if (!outcome) return recordFailure(run, { ...failedItem(message), originalId }, failureOf(result))
  const isTakenOver = previousRow !== undefined && previousRow.pipe !== run.owner.pipe
  const isSame = message.sourceHash !== undefined && previousRow?.hash === message.sourceHash
  let note: string | undefined
  if (isTakenOver)
    note = `taken over from the pipe ${previousRow.pipe}${outcome === 'unchanged' ? ', as it was' : ''}`
  else if (!previousRow?.sourceId)
    note = wasPresent && outcome !== 'created' ? 'adopted' : undefined
  else if (isSame && outcome === 'updated')
    note = 'overwritten: the record had been changed here, the source has not changed'
  if (note === 'adopted') sink.adopted(1)
  const findings = [...message.findings, ...duplicates.map(duplicateFinding)]
  sink.item({
    ...itemNames(message, node),
    originalId,
    stage: 'export',
    // `unchanged` items are not listed, but a change of ownership must be.
    state: outcome === 'unchanged' && isTakenOver ? 'updated' : outcome,
    platformId: result.platformId ?? previousRow?.platformId ?? undefined,
    note,
    ...(findings.length > 0 && { findings }),
  })
}

const keyLabels = { identifier: 'identifier', page: 'landing page' } as const

/** Finding for a record of another catalogue with an equal key; people decide whether both are the same dataset. */
const duplicateFinding = ({
  keyName,
  catalogue,
  originalId,
  platformId,
}: DuplicateRecord): Finding => ({
  slug: 'possible-duplicate',
  detail: `${platformId ?? originalId} of the catalogue ${catalogue} has the same ${keyLabels[keyName]}`,
})

type FailedItem = Omit<RunItem, 'state' | 'time' | 'problem'>

const failedItem = (message: RecordMessage): FailedItem => ({
  ...itemNames(message),
  stage: 'export',
  excerpt: message.text,
  ...(message.findings.length > 0 && { findings: message.findings }),
})

/** Records the failure of an item; its source id, if it has one, counts as offered. */
function recordFailure(run: ExportRun, item: FailedItem, problem: Failure): void {
  run.countFailedItem(problem)
  if (item.sourceId !== undefined) run.markSourceOffered(item.sourceId)
  run.segment.sink.item({ ...item, state: stateOf(problem), problem: storedProblem(problem) })
}

/** State of an item with this problem. */
const stateOf = ({ kind }: Failure): 'failed' | 'refused' | 'duplicate' => {
  if (kind === 'item-owned-elsewhere') return 'refused'
  return kind === 'item-duplicate' ? 'duplicate' : 'failed'
}
