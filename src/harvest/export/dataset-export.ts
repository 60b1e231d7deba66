/** Writes the records of a harvest into a catalogue and keeps the ledger; at the end removes what the source has no longer. */

import { Failure } from '../../errors.ts'
import {
  droppedBySegment,
  type Finding,
  type Message,
  placeOfRecord,
  type RecordMessage,
} from '../../pipe/message.ts'
import { storedProblem } from '../../pipe/runs/run.ts'
import type { SegmentContext } from '../../pipe/segment.ts'
import { platformId as platformIdOf } from '../../rdf/ids.ts'
import type { RecordRow } from '../ledger/ledger-rows.ts'
import type { Alike } from '../ledger/likenesses.ts'
import { inBatches } from './batches.ts'
import {
  DatasetWriter,
  failureOf,
  isServerFault,
  outcomeOf,
  refuseByKey,
  verdictOf,
  type DatasetWrite,
  type DatasetOutcome,
  type WriteVerdict,
} from './dataset-writer.ts'
import { previewRecord, previewRemovals } from './dry-run.ts'
import { openExportRun, type ExportRun, type ExportContext } from './export-run.ts'
import type { ExportConfig, ExportTarget } from './export-target.ts'
import { claimed } from './record-identity.ts'
import { nodeInText, likenessOf, titleInText, withLeftOut } from './record-text.ts'
import { settleRun } from './removal-guard.ts'

const recordsPerBatch = 100
const batchesAtOnce = 4

/** A record that is being written. */
type RecordWrite = DatasetWrite & {
  readonly message: RecordMessage
  /** Its row before this write. */
  readonly before: RecordRow | undefined
  /** The catalogue had it already when the run began. */
  readonly wasPresent: boolean
}

/** Opened before the importer is asked for anything: without its catalogue a run makes no request to the source. */
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
    const writer = await DatasetWriter.open(run.client, signal)
    const messages = inBatches<RecordWrite>(input, {
      take: (message) => taken(run, settings, message, signal),
      write: async (writes) => {
        signal.throwIfAborted()
        const landed = (some: Landed) => land(run, some)
        await writer.write({ catalogue, writes, landed }, signal)
      },
      key: ({ originalId }) => originalId,
      characters: ({ text }) => text.length,
      most: recordsPerBatch,
      atOnce: batchesAtOnce,
      pause: context.pause,
    })
    for await (const message of messages) {
      if (message.kind === 'end') await ended(run, settings, message, signal)
      // What a run has met is durable before it may be resumed after it.
      const isCheckpoint = message.kind === 'page' && message.cursor !== undefined
      if (isCheckpoint && !segment.dryRun && run.isWhole) run.checkpoint()
      yield message
    }
  } finally {
    run.close()
    await context.changed()
  }
}

async function ended(
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
  await settleRun(run, settings, completeness, signal)
  run.context.ledger.forgetProgress(runId)
}

/** What is to be written of a message; everything else is noted. */
async function taken(
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
  } else if (message.kind === 'refused') refused(run, message)
  else if (message.kind === 'skipped') {
    const { sourceId, reason } = message
    if (reason === droppedBySegment) {
      // It was offered, and nobody has said that it is gone.
      if (settings.onDropped === 'keep') run.meetSource(sourceId)
      else declareDeleted(run, sourceId)
    }
    sink.item({ sourceId, stage: 'import', state: 'skipped', note: reason })
  } else if (message.kind === 'deleted') declareDeleted(run, message.sourceId)
  return undefined
}

function declareDeleted(run: ExportRun, sourceId: string): void {
  const row = run.context.ledger.bySource(run.owner, sourceId)
  if (row) run.deleted.add(row.serial)
}

function refused(run: ExportRun, message: Extract<Message, { kind: 'refused' }>): void {
  const { sourceId, problem, stage, sourceUrl, excerpt, title } = message
  run.offered += 1
  run.lost(problem)
  if (sourceId === undefined) run.nameless += 1
  else run.meetSource(sourceId)
  run.segment.sink.item({
    stage,
    state: stateOf(problem),
    problem: storedProblem(problem),
    ...(sourceId !== undefined && { sourceId }),
    ...(sourceUrl !== undefined && { sourceUrl }),
    ...(title !== undefined && { title }),
    ...placeOfRecord(message),
    ...(excerpt !== undefined && { excerpt }),
  })
}

/** Which state a problem puts an item into. */
const stateOf = ({ kind }: Failure): 'failed' | 'refused' | 'duplicate' => {
  if (kind === 'item-owned-elsewhere') return 'refused'
  return kind === 'item-duplicate' ? 'duplicate' : 'failed'
}

async function writeOf(
  run: ExportRun,
  given: RecordMessage,
  signal: AbortSignal,
): Promise<RecordWrite | undefined> {
  run.offered += 1
  const { context, client, segment } = run
  const type = given.extra?.['content'] === 'resource' ? given.extra['resourceType'] : undefined
  if (typeof type === 'string' && type !== '' && type !== 'dataset') {
    await putResource(run, given, type, signal)
    return undefined
  }
  const message = await withLeftOut(given, client.isOwn ? context.unfitValues : undefined)
  if (segment.dryRun) {
    const failed = await previewRecord(run, message, signal)
    if (failed) lose(run, message, failed.problem, failed.originalId)
    return undefined
  }
  const identity = claimed(run, message)
  if (identity instanceof Failure) {
    lose(run, message, identity)
    return undefined
  }
  const { originalId, row: before } = identity
  const { mediaType, text, counter } = message
  return {
    originalId,
    mediaType,
    text,
    node: nodeInText(mediaType, text),
    requestId: `${segment.runId}-${counter}`,
    message,
    before,
    wasPresent: run.isPresent(before, originalId),
  }
}

/**
 * A record that is no dataset is written under the normal form of its identifier, into the catalogue of the run where its type
 * is in one. The ledger knows datasets alone: what is not offered any more stays until somebody deletes it.
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
    lose(run, message, new Failure('item-no-identifier', 'no id can be made of its identifier'))
    return
  }
  const named = { sourceId, platformId: id, stage: 'export' } as const
  if (segment.dryRun) {
    const note = `dry run: ${type}/${id} was not looked at`
    segment.sink.item({ ...named, state: 'skipped', note, excerpt: body })
    return
  }
  const path = `/customresources/${encodeURIComponent(type)}/${id}?catalogId=${encodeURIComponent(owner.catalogue)}`
  const headers = { Prefer: 'respond-async', 'X-Request-Id': `${segment.runId}-${counter}` }
  const answer = await client.ask({ method: 'PUT', path, body, mediaType, headers }, signal)
  refuseByKey(answer, owner.catalogue, client)
  const verdict = verdictOf(answer)
  const state = outcomeOf(verdict)
  if (!state) lose(run, message, failureOf(verdict))
  else segment.sink.item({ ...named, state, ...(findings.length > 0 && { findings }) })
}

type Landed = readonly { readonly write: RecordWrite; readonly verdict: WriteVerdict }[]

/** Puts verdicts into the ledger and the report. Throws when key, catalogue or too many failures in a row end the run. */
function land(run: ExportRun, landed: Landed): void {
  const { context, owner, segment, client } = run
  const { ledger, now } = context
  for (const { verdict } of landed) {
    refuseByKey(verdict, owner.catalogue, client)
    if (verdict.status === 404 || verdict.status === 410)
      throw new Failure('unknown-catalogue', `The catalogue ${owner.catalogue} is gone.`)
  }
  const alike = new Map<RecordWrite, readonly Alike[]>()
  ledger.transaction(() => {
    for (const { write, verdict } of landed) {
      if (!outcomeOf(verdict)) continue
      const { message, originalId, before, text, node } = write
      const serial = ledger.land({
        ...owner,
        originalId,
        sourceId: message.sourceId,
        hash: message.sourceHash,
        platformId: verdict.platformId ?? before?.platformId,
        run: segment.runId,
        time: now(),
      })
      run.landed(serial)
      const likeness = likenessOf(text, originalId, node)
      alike.set(write, ledger.likenesses.land(serial, owner.catalogue, likeness))
    }
  })
  for (const { write, verdict } of landed) {
    run.release(write.originalId)
    report(run, write, verdict, alike.get(write) ?? [])
  }
  for (const { verdict } of landed)
    run.count(isServerFault(verdict) ? failureOf(verdict) : undefined)
}

function report(
  run: ExportRun,
  write: RecordWrite,
  verdict: WriteVerdict,
  alike: readonly Alike[],
): void {
  const { sink } = run.segment
  const { message, originalId, before, node } = write
  const outcome = outcomeOf(verdict)
  if (!outcome) return lose(run, message, failureOf(verdict), originalId)
  const isTakenOver = before !== undefined && before.pipe !== run.owner.pipe
  const note = noteOf(write, outcome, isTakenOver)
  if (note === 'adopted') sink.adopted(1)
  const platformId = verdict.platformId ?? before?.platformId
  const findings = [...message.findings, ...alike.map(duplicateFinding)]
  sink.item({
    ...namesOf(message, node),
    originalId,
    stage: 'export',
    // Items that are unchanged are only counted, and whose a record is has changed.
    state: outcome === 'unchanged' && isTakenOver ? 'updated' : outcome,
    ...(platformId !== undefined && { platformId }),
    ...(findings.length > 0 && { findings }),
    ...(note !== undefined && { note }),
  })
}

const shared = { identifier: 'identifier', page: 'landing page' } as const

const duplicateFinding = ({ mark, catalogue, originalId, platformId }: Alike): Finding => ({
  slug: 'possible-duplicate',
  detail: `${platformId ?? originalId} of the catalogue ${catalogue} has the same ${shared[mark]}`,
})

function noteOf(
  { before, message, wasPresent }: RecordWrite,
  outcome: DatasetOutcome,
  isTakenOver: boolean,
): string | undefined {
  if (before && isTakenOver)
    return `taken over from the pipe ${before.pipe}${outcome === 'unchanged' ? ', as it was' : ''}`
  if (!before || before.sourceId === '')
    return wasPresent && outcome !== 'created' ? 'adopted' : undefined
  const isSame = message.sourceHash !== undefined && before.hash === message.sourceHash
  return isSame && outcome === 'updated'
    ? 'overwritten: the source has not changed, the record had been'
    : undefined
}

function namesOf(message: RecordMessage, node = nodeInText(message.mediaType, message.text)) {
  const { sourceId, sourceUrl, text } = message
  const title = titleInText(text, node)
  return {
    sourceId,
    ...(sourceUrl !== undefined && { sourceUrl }),
    ...(title !== undefined && { title }),
    ...placeOfRecord(message),
  }
}

/** The record counts as offered, and as lost. */
function lose(run: ExportRun, message: RecordMessage, problem: Failure, originalId?: string): void {
  run.lost(problem)
  run.meetSource(message.sourceId)
  run.segment.sink.item({
    ...namesOf(message),
    stage: 'export',
    state: stateOf(problem),
    problem: storedProblem(problem),
    excerpt: message.text,
    ...(message.findings.length > 0 && { findings: message.findings }),
    ...(originalId !== undefined && { originalId }),
  })
}
