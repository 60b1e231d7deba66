/** What is done with each message of a run whose next segment is elsewhere. */

import { nextWithin } from './waiting.ts'
import type { Pipe, Segment, Endpoint, Payload } from '../document.ts'
import type { SegmentContext } from '../segment.ts'
import type { TransportLimits } from './transport-limits.ts'
import { type Message, type RecordMessage, droppedBySegment, type Stage } from '../message.ts'
import { catalogueOf } from '../pipe-check.ts'
import { idOf } from './remote-slots.ts'
import { tellFindings } from '../runs/run-sink.ts'
import {
  recordPayload,
  outgoing,
  deletedPayload,
  understandsProblems,
  problemPayload,
} from './envelope.ts'
import { Failure } from '../../errors.ts'
import { storedProblem } from '../runs/stored-problem.ts'
import type { Journey } from './remote-records.ts'
import type { Outbox } from './remote-outbox.ts'

type Ground = {
  readonly pipe: Pipe
  readonly segment: Segment
  readonly back?: { readonly endpoint: Endpoint }
  readonly trip: Journey
  readonly box: Outbox
  readonly context: SegmentContext
  readonly limits: TransportLimits
  readonly now: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

export type Sender = {
  readonly send: (message: Message, signal: AbortSignal) => Promise<void>
  /** Every id that the source offers. */
  readonly ids: () => readonly string[]
  /** How many records were sent. */
  readonly records: () => number
}

const beatMs = 30_000

export function sender(ground: Ground): Sender {
  const { trip, context, limits, back } = ground
  const ids = new Set<string>()
  const catalogue = catalogueOf(ground.pipe.body.segments)
  let sent = 0
  let total: number | undefined
  const standing = (counter: number) => ({
    counter,
    ...(total !== undefined && { total }),
    ...(catalogue !== undefined && { catalogue }),
  })
  const room = roomIn(ground)
  const note = (id: string | undefined) => noted(ids, id, limits)
  const send = async (record: RecordMessage, signal: AbortSignal) => {
    note(idOf(record))
    // No exporter of this run will tell them.
    if (!back) tellFindings(context.sink, record)
    if (context.dryRun && !back) return
    await room(signal)
    const place = trip.held.hold(record)
    if (back) trip.slots.fill(place)
    sent += 1
    await post(ground, recordPayload(record, standing(record.counter)), (failure) => {
      if (failure) lost(ground, place, failure)
      else if (back) trip.taken(place)
      else settle(trip, place)
    })
  }
  return {
    ids: () => [...ids],
    records: () => sent,
    async send(message, signal) {
      if (message.kind === 'record') return send(message, signal)
      if (message.kind === 'page') {
        trip.held.page(message)
        trip.held.release()
        return undefined
      }
      if (message.kind === 'total') total = message.total
      note(offeredId(message))
      if (!back) return passed(ground, message, standing(sent))
      await trip.out.room(signal)
      trip.out.put(message)
      return undefined
    },
  }
}

function noted(ids: Set<string>, id: string | undefined, limits: TransportLimits): void {
  if (id !== undefined) ids.add(id)
  if (ids.size > limits.records) {
    throw new Failure('too-large', `a run has at most ${limits.records} records`)
  }
}

/** Waits until the segment may have one more. */
function roomIn({ trip, context, back, ...deps }: Ground): (signal: AbortSignal) => Promise<void> {
  const changes = nextWithin(trip.changed, deps.pause)
  return async (signal) => {
    const left = () => (back ? trip.slots.roomAt() - deps.now() : 0)
    for (let ms = left(); ms > 0; ms = left()) {
      context.sink.alive()
      await changes(Math.min(ms, beatMs), signal)
    }
    trip.forget()
    await trip.out.room(signal)
  }
}

/** The id of what is not sent and still offered: its absence must not look like a removal. */
function offeredId(message: Message): string | undefined {
  if (message.kind === 'unchanged') return message.originalId
  if (message.kind === 'skipped') {
    return message.reason === droppedBySegment ? message.sourceId : undefined
  }
  return message.kind === 'refused' ? message.sourceId : undefined
}

const post = (
  { pipe, segment, back, box }: Ground,
  payload: Payload,
  done: (f?: Failure) => void,
) =>
  box.send(
    outgoing(pipe, segment.header.segmentNumber, {
      payload,
      ...(back && { back: back.endpoint }),
    }),
    done,
  )

function settle(trip: Journey, place: number): void {
  trip.held.settle(place)
  trip.held.release()
}

/** Nobody took the record over. Where nothing comes back, nobody else will tell the run. */
function lost({ trip, back, context, segment }: Ground, place: number, failure: Failure): void {
  if (back) return trip.refuse(place, failure)
  const record = trip.held.settle(place)
  trip.held.release()
  const { name } = segment.header
  context.log.warn({ err: failure, segment: name, id: record && idOf(record) }, 'message.lost')
  context.sink.item({
    ...(record && { sourceId: record.sourceId, originalId: idOf(record) }),
    stage: 'export',
    state: 'failed',
    problem: storedProblem(failure),
  })
  return undefined
}

type Other = Exclude<Message, { readonly kind: 'record' | 'page' }>
type Standing = Parameters<typeof deletedPayload>[1]

/** What is no record, where nothing comes back: told to the next segment, or to the run. */
async function passed(ground: Ground, message: Other, standing: Standing): Promise<void> {
  const { sink, dryRun } = ground.context
  const ignore = () => undefined
  if (message.kind === 'deleted' && !dryRun) {
    await post(ground, deletedPayload(message.sourceId, standing), ignore)
  } else if (message.kind === 'unchanged' || message.kind === 'skipped') {
    const note = message.kind === 'skipped' ? { note: message.reason } : {}
    const { sourceId, kind: state } = message
    sink.item({ sourceId, stage: 'import', state, ...note })
  } else if (message.kind === 'refused') {
    const { sourceId, stage, problem } = message
    const isUnderstood = understandsProblems(ground.segment.body.endpoint)
    if (isUnderstood) await post(ground, problemPayload(message, sourceId, standing), ignore)
    else tell(sink, stage, problem, sourceId)
  }
}

function tell(
  sink: SegmentContext['sink'],
  stage: Stage,
  problem: Failure,
  sourceId: string | undefined,
): void {
  const named = sourceId === undefined ? {} : { sourceId }
  sink.item({ ...named, stage, state: 'failed', problem: storedProblem(problem) })
}
