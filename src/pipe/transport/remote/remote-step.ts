/** A segment of another process as a step of this one: records go out one by one, and what becomes of them comes back. */

import { hash } from 'node:crypto'
import { Failure } from '../../../errors.ts'
import { problems } from '../../../http/problem.ts'
import { catalogueOf } from '../../documents/places.ts'
import type { Endpoint, Payload, Pipe, Segment } from '../../document.ts'
import type { Completeness, Message } from '../../message.ts'
import type { SegmentContext, SegmentFunction } from '../../segment.ts'
import { arrivalOf } from '../messages/arrival.ts'
import { following, outgoing, understandsProblems } from '../messages/envelope.ts'
import { listPayload } from '../messages/payload.ts'
import type { Spool } from '../flow/spool.ts'
import { until } from '../flow/until.ts'
import { waiting } from '../flow/waiting.ts'
import type { TransportLimits } from '../limits.ts'
import type { ReturnPlace } from '../returns.ts'
import { journey, type Journey } from './journey.ts'
import { outbox, type Outbox, type Post } from './outbox.ts'
import { drained, type Reading } from './reading.ts'
import { sender, type Sender } from './sender.ts'

/** Where what the segment gives comes back to. */
type Back = Reading & {
  readonly endpoint: Endpoint
  /** Opens the place; the function closes it. */
  readonly open: (place: ReturnPlace) => () => void
  readonly spool: () => Spool
}

export type RemoteErrand = {
  /** With run id and start in its header. */
  readonly pipe: Pipe
  readonly segment: Segment
  readonly post: Post
  /** Absent: what the segment gives goes elsewhere, or nowhere. */
  readonly back?: Back
}

export type RemoteDeps = {
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
  for await (const message of until(input, signal)) {
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
  const changes = waiting(trip.changed, deps)
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
