/** A proxy in front of a store that injects what networks and stores do to requests, and says what it did. */

/** What can happen to one request. */
export type Fault =
  | 'reset-before' // the connection is reset, the store saw nothing
  | 'reset-during' // the store saw a part of the request
  | 'reset-after' // the store did its work, the answer is lost
  | 'status-500' // answered by the proxy, the store saw nothing
  | 'status-503'
  | 'slow' // the answer comes late, whole
  | 'cut-length' // the answer ends in the middle of its body, which had a Content-Length
  | 'cut-chunked' // the same, in chunks

export type FaultProxy = {
  /** To be used in place of the store's own address. */
  readonly url: string
  /** Probability of each fault per request, 0..1; may be changed at any time; all 0 at first. */
  readonly rates: Record<Fault, number>
  /** Faults for the next requests, first come first served, before any rate counts; `undefined` = let one through. */
  readonly script: (Fault | undefined)[]
  /** Requests since the start, and how many of them met which fault. */
  readonly seen: () => { readonly requests: number; readonly faults: Record<Fault, number> }
  readonly close: () => Promise<void>
}

type Options = {
  /** 0 ≤ x < 1; seeded, so that a run can be repeated. */
  readonly random: () => number
  /** How late a slow answer is, in milliseconds; default 50. */
  readonly slowMs?: number
}

/** Listens on a free port of 127.0.0.1 and forwards to `target`, an origin or any address of it. */
export function faultProxy(target: string, options: Options): Promise<FaultProxy> {
  throw new Error(`not built yet: ${target} ${String(options.slowMs)}`)
}
