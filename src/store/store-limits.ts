/** What one store may cost: the limits of every call, and those of the public endpoint. */

import type { PublicLimits } from './public/query-queue.ts'

export type StoreLimits = {
  /** Time for one of our own calls in ms. */
  readonly callMs: number
  /** Characters of one answer to our own queries. */
  readonly answer: number
  /** Triples in all; writes that add are refused above. */
  readonly quads: number
  /** Calls that may wait for the worker. */
  readonly waiting: number
  /** Running time of a public query, and how long it waits for the public copy to be built, in ms. */
  readonly publicMs: number
  readonly publicBuildMs: number
  /** Bytes that the engine may take; 0 = three quarters of what the process may have. */
  readonly memory: number
  /** Bytes that a public copy and its queries may take; 0 = what fits the data and the machine. */
  readonly publicMemory: number
  /** Public copies are built when the store opens, and not when somebody asks first. */
  readonly publicAhead: boolean
  readonly publicDoor: PublicLimits
}

/** The limits where nothing else is said. */
export const standardStoreLimits: StoreLimits = {
  callMs: 60_000,
  answer: 256 * 1024 * 1024,
  quads: 10_000_000,
  waiting: 20_000,
  publicMs: 15_000,
  publicBuildMs: 5000,
  memory: 0,
  publicMemory: 0,
  publicAhead: false,
  publicDoor: { rows: 100_000, bytes: 32 * 1024 * 1024, perClient: 2, waiting: 8, lanes: 2 },
}
