/** The last segment of a harvest: writes records into a catalogue and keeps the ledger. */

import { Failure } from '../../errors.ts'
import { storedProblem } from '../../pipe/runs/stored-problem.ts'
import { droppedBySegment, type Message, type RecordMessage } from '../../pipe/message.ts'
import type { SegmentContext } from '../../pipe/segment.ts'
import type { Account } from './account/account.ts'
import type { Ground } from './account/ground.ts'
import { openAccount } from './account/open-account.ts'
import { travelOf } from './account/travel.ts'
import type { Door } from './door/door.ts'
import { patientDoor } from './door/patience.ts'
import { removalsOf, tellDry } from './dry-run.ts'
import { withLeftOut } from './left-out.ts'
import { settle, type SettleOptions } from './removing/settle.ts'
import { stateOf } from './writing/landing.ts'
import { inTime } from './writing/in-time.ts'
import { putResource, resourceTypeOf } from './writing/put-resource.ts'
import { Writer } from './writing/writer.ts'

export type Exporting = {
  readonly ground: Ground
  readonly door: Door
  /** What the pipe says; absent when only the run knows. */
  readonly catalogue: string | undefined
  readonly settings: SettleOptions
}

/** Opened before the importer is asked for anything: without its catalogue a run makes no request to the source. */
export async function* exporting(
  { ground, door, catalogue: named, settings }: Exporting,
  input: AsyncIterable<Message>,
  context: SegmentContext,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const catalogue = named ?? ground.runs.get(context.runId)?.catalogue
  if (catalogue === undefined)
    throw new Failure('invalid-pipe', 'No segment of the pipe names a catalogue.')
  const travel = travelOf(ground, context.runId) ?? { transformation: '', forceMs: 0 }
  const account = await openAccount(
    { ground, context, catalogue, door: patientDoor(door, ground), travel },
    signal,
  )
  const writer = await opened(account, signal)
  try {
    const early = {
      waits: () => writer.waits,
      flush: () => writer.flush(),
      pause: ground.pause,
    }
    for await (const message of inTime(input, early)) {
      if (message.kind === 'end') {
        await writer.end()
        yield* writer.passed()
        await ended(account, settings, message, signal)
        yield message
      } else {
        await taken({ account, writer, settings }, message, signal)
        yield* checkpointed(account, writer.passed())
      }
    }
  } finally {
    await writer.settle()
    account.close()
    await ground.changed()
  }
}

async function opened(account: Account, signal: AbortSignal): Promise<Writer> {
  try {
    return await Writer.open(account, signal)
  } catch (error) {
    account.close()
    throw error
  }
}

/** What a run has met is durable before it may be resumed behind it. */
function* checkpointed(account: Account, messages: Iterable<Message>): Iterable<Message> {
  for (const message of messages) {
    const isCheckpoint = message.kind === 'page' && message.cursor !== undefined
    if (isCheckpoint && !account.context.dryRun && account.isWhole) account.keep()
    yield message
  }
}

type Work = {
  readonly account: Account
  readonly writer: Writer
  readonly settings: Pick<SettleOptions, 'onDropped'>
}

async function taken(
  { account, writer, settings }: Work,
  message: Message,
  signal: AbortSignal,
): Promise<void> {
  const { sink } = account.context
  switch (message.kind) {
    case 'record':
      account.offered += 1
      await record({ account, writer }, message, signal)
      return
    case 'unchanged':
      account.offered += 1
      sink.item({
        sourceId: message.sourceId,
        originalId: message.originalId,
        stage: 'export',
        state: 'unchanged',
      })
      return
    case 'refused':
      refused(account, message)
      return
    case 'skipped':
      if (message.reason === droppedBySegment) dropped(account, message.sourceId, settings)
      sink.item({
        sourceId: message.sourceId,
        stage: 'import',
        state: 'skipped',
        note: message.reason,
      })
      return
    case 'deleted':
      declared(account, message.sourceId)
      return
    case 'page':
      await writer.flush()
      writer.hold(message)
      return
    case 'total':
    case 'end':
      return
    default:
      throw new Error(`unknown message ${JSON.stringify(message satisfies never)}`)
  }
}

async function record(
  { account, writer }: Pick<Work, 'account' | 'writer'>,
  given: RecordMessage,
  signal: AbortSignal,
): Promise<void> {
  const type = resourceTypeOf(given)
  if (type !== undefined) return putResource(account, given, type, signal)
  const { ground, door } = account
  const message = await withLeftOut(given, door.isOwn ? ground.unfitValues : undefined)
  if (account.context.dryRun) await tellDry(account, message, signal)
  else await writer.take(message)
  return undefined
}

function refused(account: Account, message: Extract<Message, { kind: 'refused' }>): void {
  const { sourceId, problem, stage, sourceUrl, excerpt } = message
  account.offered += 1
  account.lost(problem)
  if (sourceId === undefined) account.nameless += 1
  else {
    const row = account.ground.ledger.records.bySource(account.owner, sourceId)
    if (row) account.meet(row)
  }
  account.context.sink.item({
    stage,
    state: stateOf(problem),
    problem: storedProblem(problem),
    ...(sourceId !== undefined && { sourceId }),
    ...(sourceUrl !== undefined && { sourceUrl }),
    ...(excerpt !== undefined && { excerpt }),
  })
}

/** It was offered, and nobody has said that it is gone. */
function dropped(account: Account, sourceId: string, { onDropped }: Work['settings']): void {
  const row = account.ground.ledger.records.bySource(account.owner, sourceId)
  if (row && onDropped === 'keep') account.meet(row)
  else declared(account, sourceId)
}

function declared(account: Account, sourceId: string): void {
  const row = account.ground.ledger.records.bySource(account.owner, sourceId)
  if (row) account.deleted.add(row.serial)
}

async function ended(
  account: Account,
  settings: SettleOptions,
  { completeness }: Extract<Message, { kind: 'end' }>,
  signal: AbortSignal,
): Promise<void> {
  const { dryRun, sink, runId } = account.context
  if (dryRun) {
    const problem = completeness.kind === 'complete' ? removalsOf(account) : undefined
    sink.outcome('dry-run', account.refusal ?? problem)
    return
  }
  await settle(account, settings, completeness, signal)
  account.ground.ledger.marks.forget(runId)
}
