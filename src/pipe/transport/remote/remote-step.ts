/** A segment of another process as a step of this one: records go out one by one, and what becomes of them comes back. */

import { hash } from 'node:crypto'
import { Failure } from '../../../errors.ts'
import { catalogueOf } from '../../documents/places.ts'
import type { Pipe, Segment } from '../../document.ts'
import type { Completeness, Message } from '../../message.ts'
import type { SegmentContext, SegmentFunction } from '../../segment.ts'
import {
  following,
  outgoing,
  understandsProblems,
  type ReturnEndpoint,
} from '../messages/envelope.ts'
import { listPayload } from '../messages/payload.ts'
import { until } from '../flow/until.ts'
import type { TransportLimits } from '../limits.ts'
import { journey, type Accept, type Journey } from './journey.ts'
import { outbox, type Outbox, type Post } from './outbox.ts'
import { sender, type Sender } from './sender.ts'

/** Where what the segment gives comes back to. */
type Back = {
  readonly endpoint: ReturnEndpoint
  /** Opens the place; the function closes it. */
  readonly open: (accept: Accept) => () => void
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

/**
 * Gives what comes back, in the order in which it does; `page` and `end` only after everything before them has come back or
 * was given up. Without `back` it gives `page` and `end` alone, when everything was taken over.
 */
export function remoteStep(errand: RemoteErrand, deps: RemoteDeps): SegmentFunction {
  return async function* (input, context, signal) {
    const over = new AbortController()
    const all = AbortSignal.any([signal, over.signal])
    const trip = journey(optionsOf(errand, deps, context))
    const leave = errand.back?.open(trip.accept)
    const box = outbox(errand.post, deps.limits.inFlight, all)
    const work = worked({ errand, deps, trip, box, context }, input, all).catch(
      (error: unknown) => {
        trip.out.close(error)
      },
    )
    try {
      yield* trip.out
    } finally {
      over.abort(new Failure('run-cancelled', 'the step has ended'))
      leave?.()
      await work
    }
  }
}

type Ground = {
  readonly errand: RemoteErrand
  readonly deps: RemoteDeps
  readonly trip: Journey
  readonly box: Outbox
  readonly context: SegmentContext
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
    returns: back !== undefined,
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
    const sending = sender({ ...ground, ...errand, limits: ground.deps.limits })
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

/** As long as there is patience, the run is alive. */
async function watched({ trip, deps, context }: Ground, signal: AbortSignal): Promise<void> {
  for (let until = trip.patience; until !== undefined; until = trip.patience) {
    const left = until - deps.now()
    if (left <= 0) return trip.giveUp()
    context.sink.alive()
    await deps.pause(Math.min(left, beatMs), signal)
    signal.throwIfAborted()
  }
}
