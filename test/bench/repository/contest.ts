/** Several ways to do the same thing, each in turn for a moment, so that the machine's drift is everybody's. */

import { lanes, percentile, table, timed } from '../figures.ts'

/** One way. It gets a number of its own per call, counted from 0; each call handles so many graphs. */
export type Contender = {
  readonly name: string
  readonly work: (n: number) => Promise<void>
  readonly graphs?: number
}

/** Ways that others are held against: the heading of a column, and who counts there (the fastest of several). */
type Measure = { readonly head: string; readonly names: readonly string[] }

export type Contest = {
  readonly contenders: readonly Contender[]
  readonly measures: readonly Measure[]
  /** Graphs per way, and per turn. */
  readonly graphs: number
  readonly slice: number
  /** Calls at the same time. */
  readonly width: number
  /** What one way leaves behind must not slow the next one: waited for between the turns, and not counted. */
  readonly quiet: () => Promise<void>
}

type Sum = { readonly times: number[]; graphs: number; ms: number }

/** The table of all ways; they take turns in their order, so that a later one may build on what an earlier one left. */
export async function contest(options: Contest): Promise<string> {
  const { contenders, graphs, slice, width, quiet } = options
  const measures = options.measures.filter(({ names }) => names.length > 0)
  const sums = new Map<Contender, Sum>()
  for (const one of contenders) sums.set(one, { times: [], graphs: 0, ms: 0 })
  for (let from = 0; from < graphs; from += slice) {
    for (const [one, sum] of sums) {
      const { graphs: each = 1, work } = one
      const first = Math.ceil(from / each)
      const count = Math.ceil(Math.min(from + slice, graphs) / each) - first
      if (count <= 0) continue
      sum.ms += await timed(async () => {
        sum.times.push(...(await lanes(count, width, (n) => work(first + n))))
      })
      sum.graphs += count * each
      await quiet()
    }
  }
  const rate = (name: string) => {
    const sum = [...sums].find(([one]) => one.name === name)?.[1]
    return sum ? (sum.graphs * 1000) / sum.ms : Number.NaN
  }
  const head = ['', 'lanes', 'p50 ms', 'p95 ms', 'graphs/s', ...measures.map((one) => one.head)]
  const rows = contenders.map((one) => [
    one.name,
    width,
    percentile(sums.get(one)?.times ?? [], 0.5),
    percentile(sums.get(one)?.times ?? [], 0.95),
    Math.round(rate(one.name)),
    ...measures.map(({ names }) => (rate(one.name) / Math.max(...names.map(rate))).toFixed(2)),
  ])
  return table([head, ...rows])
}
