/** Sends the parcels of an import: many at once where the repository takes that, one by one otherwise. */
import type { DatasetParcel, Parcel } from '../cutting/parcels.ts'
import type { Tally } from '../summary.ts'
import { putLoad, recordsAt } from './bulk.ts'
import type { Send } from './connection.ts'
import { Loads, type Load } from './loads.ts'
import { putDataset, type Verdict } from './repository.ts'

export type Shipment = {
  readonly ask: Send
  readonly parcels: Iterator<Parcel, void>
  readonly tally: Tally
  /** Single datasets on their way at the same time. */
  readonly concurrency: number
  /** Told after each request. */
  readonly said: () => void
}

/** Large requests on their way at the same time: one is being written while the next is being read. */
const bulkConcurrency = 3

/**
 * Resolves when every parcel has its verdict in the tally. Throws `Refused` and `Unreachable`, after `stop` has called off the
 * requests on their way; `signal` must follow `stop`.
 */
export async function deliverAll(
  { ask, parcels, tally, concurrency, said }: Shipment,
  stop: AbortController,
  signal: AbortSignal,
): Promise<void> {
  const records = await recordsAt(ask, signal)
  const lose = tally.lose.bind(tally)
  const loads = new Loads(parcels, { bulk: records !== undefined, lose })
  const carry = async (load: Load) => {
    if (load.alone) await deliverAlone({ ask, tally }, load, signal)
    else await deliverMany({ ask, tally, loads, records: records ?? '' }, load, signal)
    said()
  }
  const lane = async () => {
    for (let load = loads.next(); load; load = loads.next()) await carry(load)
  }
  // The first load tells whether the repository takes many.
  const first = loads.next()
  if (first && loads.bulk) await carry(first)
  else if (first) loads.again(first.parcels)
  const lanes = Array.from({ length: loads.bulk ? bulkConcurrency : concurrency }, lane)
  try {
    await Promise.all(lanes)
  } finally {
    stop.abort()
    // The others still hold the spool until their requests are called off.
    await Promise.allSettled(lanes)
  }
}

type Single = { readonly ask: Send; readonly tally: Tally }

async function deliverAlone({ ask, tally }: Single, { parcels }: Load, signal: AbortSignal) {
  for (const parcel of parcels) count(tally, parcel, await putDataset(ask, parcel, signal))
}

type Many = Single & { readonly loads: Loads; readonly records: string }

async function deliverMany({ ask, tally, loads, records }: Many, load: Load, signal: AbortSignal) {
  const verdicts = await putLoad(ask, load, records, signal)
  if (!verdicts) loads.bulk = false
  const alone: DatasetParcel[] = []
  for (const [at, parcel] of load.parcels.entries()) {
    const verdict = verdicts?.[at]
    if (verdict) count(tally, parcel, verdict)
    else alone.push(parcel)
  }
  loads.again(alone)
}

function count(tally: Tally, { dataset }: DatasetParcel, verdict: Verdict): void {
  if ('outcome' in verdict) tally.count(verdict.outcome)
  else tally.lose({ dataset, reason: verdict.reason })
}
