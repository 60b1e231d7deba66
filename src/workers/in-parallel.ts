/** Works on several items at once. */

/**
 * Works on all items, at most `atOnce` at the same time, in their order. Rejects with the first failure or the signal's reason, when
 * no work runs any more; what has not begun by then does not begin.
 */
export async function inParallel<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
  { atOnce, signal }: { readonly atOnce: number; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const waiting = Iterator.from(items)
  const failures: unknown[] = []
  const worker = async () => {
    for (const item of waiting) {
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
