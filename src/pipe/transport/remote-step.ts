/** A segment of another process as a step of this one: records go out one by one, and what becomes of them comes back. */

import { nextWithin, valuesUntilAborted } from './waiting.ts'
import { outbox, type Outbox, type Post } from './remote-outbox.ts'
import type { Endpoint, Pipe, Segment, Payload } from '../document.ts'
import type { SegmentFunction, SegmentContext } from '../segment.ts'
import { Failure } from '../../errors.ts'
import { arrivalOf, type ArrivedRecord, type Arrival, nameless } from './arrival.ts'
import { problems } from '../../http/problem.ts'
import { following, outgoing, understandsProblems, listPayload } from './envelope.ts'
import { hash } from 'node:crypto'
import type { Completeness, Message } from '../message.ts'
import { catalogueOf } from '../pipe-check.ts'
import { journey, type Journey } from './remote-records.ts'
import { sender, type Sender } from './remote-sender.ts'
import type { ReturnPlace } from './returns.ts'
import type { Spool } from './spool.ts'
import type { TransportLimits } from './transport-limits.ts'

/** Where what the segment gives comes back to. */
type Back = Reading & {
  readonly endpoint: Endpoint
  /** Opens the place; the function closes it. */
  readonly open: (place: ReturnPlace) => () => void
  readonly spool: () => Spool
}

type RemoteErrand = {
  /** With run id and start in its header. */
  readonly pipe: Pipe
  readonly segment: Segment
  readonly post: Post
  /** Absent: what the segment gives goes elsewhere, or nowhere. */
  readonly back?: Back
}

type RemoteDeps = {
  readonly limits: TransportLimits
  readonly now: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

const beatMs = 30_000
/** Silence after which a run that only listens makes room for another one. */
const restMs = 1000

/**
 * Gives what comes back, in the order in which it does; `page` and `end` only after everything before them has come back or
 * was given up. Without `back` it gives `page` and `end` alone, when everything was taken over.
 */
export function remoteStep(errand: RemoteErrand, deps: RemoteDeps): SegmentFunction {
  return async function* (input, context, signal) {
    const over = new AbortController()
    const all = AbortSignal.any([signal, over.signal])
    const trip = journey(optionsOf(errand, deps, context))
    const spool = errand.back?.spool()
    const leave = spool && errand.back?.open(placeOf(trip, spool, context))
    const box = outbox(errand.post, deps.limits.sending, all)
    const ground: Ground = { errand, deps, trip, box, context, ...(spool && { spool }) }
    const failed = (error: unknown) => trip.out.close(error)
    const work = [worked(ground, input, all), reading(ground, all)].map((one) => one.catch(failed))
    try {
      yield* trip.out
    } finally {
      over.abort(new Failure('run-cancelled', 'the step has ended'))
      leave?.()
      context.rest?.(false)
      await spool?.close()
      await Promise.all(work)
    }
  }
}

type Ground = {
  readonly errand: RemoteErrand
  readonly deps: RemoteDeps
  readonly trip: Journey
  readonly box: Outbox
  readonly context: SegmentContext
  readonly spool?: Spool
}

/** What comes is written down at once; whoever brings it is never asked to wait. */
const placeOf = (trip: Journey, spool: Spool, { sink }: SegmentContext): ReturnPlace => ({
  async take(payload: Payload) {
    // A list that is none is refused while somebody hears it.
    arrivalOf(payload)
    await spool.put(JSON.stringify(payload))
    trip.arrived()
  },
  refused: ({ kind, detail }) =>
    sink.finding({
      slug: 'segment-return-refused',
      detail: `${problems[kind].status}: ${detail}`,
    }),
  late: () => sink.finding({ slug: 'segment-return-late', detail: 'after the end' }),
})

const reading = async ({ spool, trip, errand }: Ground, signal: AbortSignal): Promise<void> => {
  if (spool && errand.back) await drained({ spool, trip, reading: errand.back }, signal)
}

const isFirst = ({ pipe, segment }: RemoteErrand): boolean =>
  pipe.body.segments[0]?.header.segmentNumber === segment.header.segmentNumber

function optionsOf(errand: RemoteErrand, deps: RemoteDeps, context: SegmentContext) {
  const { pipe, segment, back } = errand
  const { name, segmentNumber } = segment.header
  const isLast = following(pipe, segmentNumber) === undefined
  const said = JSON.stringify([pipe.header.name, name, segment.body.config])
  const imports = isFirst(errand)
  return {
    imports: imports && back !== undefined,
    stage: imports ? 'import' : isLast ? 'export' : 'transform',
    completeness: listCompleteness(segment, `foreign ${hash('sha256', said)}`),
    context,
    ...deps,
  } as const
}

/** A list of changes only, or one that says so itself, is no list of everything. */
export const listCompleteness =
  ({ body }: Segment, fingerprint: string) =>
  (list: { complete: boolean; fingerprint?: string }): Completeness =>
    list.complete && body.config['incremental'] !== true
      ? { kind: 'complete', fingerprint: list.fingerprint ?? fingerprint }
      : { kind: 'incomplete' }

async function worked(ground: Ground, input: AsyncIterable<Message>, signal: AbortSignal) {
  const { errand, trip, box } = ground
  const { pipe, segment, back } = errand
  const number = segment.header.segmentNumber
  if (isFirst(errand)) {
    await box.send(outgoing(pipe, number, back ? { back: back.endpoint } : {}), throwing)
    await box.drained()
    trip.over(undefined, false)
  } else {
    const sending = sender({ ...ground, ...errand, ...ground.deps })
    const end = await pumped(sending, input, signal)
    await box.drained()
    const isListed = await listed(ground, sending, end)
    trip.over(isListed === false ? unlisted : end, isListed === true && back !== undefined)
  }
  await watched(ground, signal)
}

const unlisted: Completeness = {
  kind: 'incomplete',
  problem: new Failure('export-failed', 'the list of identifiers could not be handed over'),
}

async function pumped(
  { send }: Sender,
  input: AsyncIterable<Message>,
  signal: AbortSignal,
): Promise<Completeness | undefined> {
  let end: Completeness | undefined
  for await (const message of valuesUntilAborted(input, signal)) {
    if (message.kind === 'end') end = message.completeness
    else await send(message, signal)
  }
  return end
}

/**
 * Whether the list was handed over; `undefined` when there is none to be. Others than our own would remove what an
 * incomplete one does not hold.
 */
async function listed(
  { errand, box, context }: Ground,
  { ids, records }: Sender,
  completeness: Completeness | undefined,
): Promise<boolean | undefined> {
  const { pipe, segment, back } = errand
  if (!completeness || (context.dryRun && !back)) return undefined
  const isUnderstood = !back && understandsProblems(segment.body.endpoint)
  if (completeness.kind !== 'complete' && !isUnderstood) return undefined
  const catalogue = catalogueOf(pipe.body.segments)
  const payload = listPayload(ids(), records(), {
    completeness,
    ...(catalogue !== undefined && { catalogue }),
  })
  const load = { payload, ...(back && { back: back.endpoint }) }
  let failed = false
  await box.send(outgoing(pipe, segment.header.segmentNumber, load), (failure) => {
    failed = failure !== undefined
  })
  await box.drained()
  return !failed
}

function throwing(failure?: Failure): void {
  if (failure) throw failure
}

/** Until nothing more can come. As long as there is patience, the run is alive; one that only listens rests. */
async function watched(
  { trip, deps, context, spool, errand }: Ground,
  signal: AbortSignal,
): Promise<void> {
  const listens = isFirst(errand)
  const changes = nextWithin(trip.changed, deps.pause)
  for (;;) {
    const isRead = spool?.isEmpty ?? true
    // What is at the door belongs to it.
    const ending = isRead ? trip.check() : undefined
    if (isRead && !ending) return
    const isQuiet = deps.now() - trip.quietSince >= restMs
    if (listens) context.rest?.(isQuiet)
    context.sink.alive()
    const left = (ending?.until ?? Infinity) - deps.now()
    await changes(Math.min(Math.max(left, 1), listens && !isQuiet ? restMs : beatMs), signal)
  }
}

export type Reading = {
  /** The identifier of a record that its message does not name, out of its graph; `undefined` when there is none. */
  readonly identify?: (
    record: Pick<ArrivedRecord, 'text' | 'mediaType'>,
  ) => Promise<string | undefined>
  /** What comes next writes it: a record as its source has it is of no use there. */
  readonly wantsRdf?: boolean
}

type Draining = {
  readonly spool: Spool
  readonly trip: Journey
  readonly reading: Reading
}

async function drained({ spool, trip, reading }: Draining, signal: AbortSignal): Promise<void> {
  for await (const text of valuesUntilAborted(spool, signal)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what was written by ourselves a moment ago
    const payload = JSON.parse(text) as Payload
    const arrival = readable(await named(arrivalOf(payload), reading), reading)
    if (arrival.kind === 'start') continue
    while (!trip.out.hasRoom(text.length)) await trip.out.room(signal)
    trip.accept(arrival, text.length)
  }
}

async function named(arrival: Arrival, { identify }: Reading): Promise<Arrival> {
  if (arrival.kind !== 'record' || arrival.id !== undefined) return arrival
  const id = await identify?.(arrival)
  return id === undefined ? nameless(arrival) : { ...arrival, id }
}

function readable(arrival: Arrival, { wantsRdf }: Reading): Arrival {
  if (wantsRdf !== true || arrival.kind !== 'record' || !isSourceJson(arrival)) return arrival
  const { key, id } = arrival
  const detail =
    'it is JSON as its source has it: a transformer has to make RDF of it before it is written'
  return {
    kind: 'problem',
    key,
    ...(id !== undefined && { id }),
    stage: 'export',
    problem: new Failure('item-malformed', detail),
  }
}

const isSourceJson = ({ mediaType, extra }: ArrivedRecord): boolean =>
  /^application\/json\s*(;|$)/i.test(mediaType) && extra['content'] === undefined
