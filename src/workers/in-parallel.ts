/** Processes several items concurrently. */

/**
 * Starts `work` for all items in their order, at most `atOnce` at a time. After a failure or an abort no further item is started;
 * rejects with the first failure or the signal's reason when all started work has ended.
 */
export async function inParallel<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
  { atOnce, signal }: { readonly atOnce: number; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const remaining = Iterator.from(items)
  const failures: unknown[] = []
  const worker = async () => {
    for (const item of remaining) {
      if (failures.length > 0) return
      signal?.throwIfAborted()
      await work(item)
    }
  }
  const workers = Array.from({ length: atOnce }, () =>
    worker().catch((error: unknown) => {
      failures.push(error)
    }),
  )
  await Promise.all(workers)
  if (failures.length > 0) throw failures[0]
}
