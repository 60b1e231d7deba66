/** Limits of a store: those of every call, and those of the public endpoint. */

import type { PublicLimits } from './public/query-queue.ts'

/** Limits of a store. */
export type StoreLimits = {
  /** Milliseconds of one call of the platform. */
  readonly callMs: number
  /** Most characters of one answer to a query of the platform. */
  readonly answer: number
  /** Triples of the embedded store, above which writes that add triples are refused. */
  readonly quads: number
  /** Most calls that wait for the writing worker of the embedded store. */
  readonly waiting: number
  /** Running time of a public query in ms, and time after which it fails if no replica is ready (`QueueSettings.buildMs`). */
  readonly publicMs: number
  readonly publicBuildMs: number
  /** Most bytes of the memory of the embedded engine; 0 = three quarters of the memory of the process. */
  readonly memory: number
  /** Most bytes of a replica with its queries; 0 = by the size of the data and the machine. */
  readonly publicMemory: number
  /** Most replicas of the embedded store; never more than `publicLimits.lanes`. */
  readonly publicCopies: number
  /** Milliseconds without a query after which the memory of a replica is freed. */
  readonly publicIdleMs: number
  readonly publicLimits: PublicLimits
}

/** Default limits. */
export const standardStoreLimits: StoreLimits = {
  callMs: 60_000,
  answer: 256 * 1024 * 1024,
  quads: 10_000_000,
  waiting: 20_000,
  publicMs: 15_000,
  publicBuildMs: 5000,
  memory: 0,
  publicMemory: 0,
  publicCopies: 2,
  publicIdleMs: 600_000,
  publicLimits: { rows: 100_000, bytes: 32 * 1024 * 1024, perClient: 2, waiting: 8, lanes: 2 },
}
