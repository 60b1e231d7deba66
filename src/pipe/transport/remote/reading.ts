/** What came back to a run is read from the disk and handed on, as fast as the next segment takes it. */

import { Failure } from '../../../errors.ts'
import type { Payload } from '../../document.ts'
import type { Spool } from '../flow/spool.ts'
import { until } from '../flow/until.ts'
import { arrivalOf, nameless, type Arrival, type ArrivedRecord } from '../messages/arrival.ts'
import type { Journey } from './journey.ts'

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

export async function drained(
  { spool, trip, reading }: Draining,
  signal: AbortSignal,
): Promise<void> {
  for await (const text of until(spool, signal)) {
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
