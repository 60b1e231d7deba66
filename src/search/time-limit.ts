/** Time limits of optional parts of an answer. */

/**
 * Does optional work within some milliseconds; resolves with `late` where it takes longer. The work gets a signal that ends it. Rejects
 * with the errors of the work, and where `signal` is aborted.
 */
export async function withinTime<Result>(
  milliseconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
  late: Result,
): Promise<Result> {
  const limit = AbortSignal.timeout(milliseconds)
  try {
    return await work(AbortSignal.any([signal, limit]))
  } catch (error) {
    if (limit.aborted && !signal.aborted) return late
    throw error
  }
}
