/** Small arithmetic for benchmark figures. */

/** The p-th percentile (0..1) of milliseconds, in milliseconds with two decimals. */
export function percentile(values: readonly number[], p: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN).toFixed(
    2,
  )
}

export const perSecond = (count: number, ms: number): number => Math.round((count / ms) * 1000)

/** Milliseconds that `work` took. */
export async function timed(work: () => unknown): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Rows as an aligned table; the first row is the head. */
export function table(rows: readonly (readonly (string | number)[])[]): string {
  const texts = rows.map((row) => row.map(String))
  const widths = (texts[0] ?? []).map((_, column) =>
    Math.max(...texts.map((row) => row[column]?.length ?? 0)),
  )
  return texts
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n')
}

/** Runs `work` once per number with so many lanes; answers the milliseconds of each. */
export async function lanes(
  count: number,
  concurrency: number,
  work: (n: number) => Promise<void>,
): Promise<number[]> {
  const times: number[] = []
  let next = 0
  const lane = async () => {
    for (let n = next++; n < count; n = next++) times.push(await timed(() => work(n)))
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  return times
}
