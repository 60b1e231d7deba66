/**
 * Memory that public copies of the data may take. The memory of the process is that of its control group or machine; a process that
 * exceeds it is killed by the kernel, and a public query must never be the cause.
 */

import { processBytes } from '../embedded/engine.ts'

const MB = 2 ** 20

/** Bytes of a worker without data, and of each triple where data are loaded in transactions (decision 0055). */
const [idleBytes, quadBytes] = [60 * MB, 320]
/** Bytes of each triple of a copy that changes, and of its buffers for loading small changes (of which few are used). */
const [roomyQuadBytes, loadingBytes] = [450, 320 * MB]
/** Bytes to whose multiples limits are rounded, because the compiled code of each limit is kept in memory. */
const stepBytes = 256 * MB
/** Share of the memory of the process that may be in use. */
const usable = 0.92

/** Memory of a process. */
export type Memory = {
  /** Resident bytes of the process. */
  readonly used: number
  /** Bytes that the process may have. */
  readonly limit: number
}

/** Reads the memory of this process. */
export const currentMemory = (): Memory => ({
  used: process.memoryUsage.rss(),
  limit: processBytes(),
})

/** Whether the process is about to exceed its memory. */
export const isMemoryShort = ({ used, limit }: Memory): boolean => used > limit * usable

type Wish = {
  /** Triples of the copy. */
  readonly quads: number
  /** `sparqlMemoryBytes`; 0 = by the number of triples and the machine. */
  readonly configuredBytes: number
  readonly memory: Memory
}

/** Maximum bytes of the engine of a copy, or the megabytes that it needs and that are left where it does not fit. */
export function bytesForCopy({
  quads,
  configuredBytes,
  memory: { used, limit },
}: Wish): { readonly bytes: number } | { readonly neededMb: number; readonly leftMb: number } {
  const left = Math.max(0, limit * usable - used)
  const needed = idleBytes + quads * quadBytes
  const toMb = (bytes: number) => Math.ceil(bytes / MB)
  if (needed > left) return { neededMb: toMb(needed), leftMb: toMb(left) }
  const wanted = configuredBytes > 0 ? configuredBytes : preferredBytes(quads, limit)
  if (wanted <= left - idleBytes) return { bytes: wanted }
  const rounded = Math.floor((left - idleBytes) / stepBytes) * stepBytes
  return { bytes: Math.max(rounded, needed - idleBytes) }
}

/** Default: three times the memory of the data, at most a quarter of that of the process, but enough for the data. */
function preferredBytes(quads: number, limit: number): number {
  const needed = loadingBytes + quads * roomyQuadBytes
  const preferred = Math.max(Math.min(3 * needed, limit / 4), 1.25 * needed)
  return Math.ceil(preferred / stepBytes) * stepBytes
}

/** Number of copies that fit beside the writing engine into three quarters of the memory of the process; 1 to `max`. */
export function affordableCopies(quads: number, max: number): number {
  const copyBytes = idleBytes + quads * roomyQuadBytes
  const availableBytes = processBytes() * 0.75 - copyBytes
  return Math.min(max, Math.max(1, Math.floor(availableBytes / copyBytes)))
}
