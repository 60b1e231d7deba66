/** Counts that add up: the figures of a scope are those of its parts, summed. */

import { dimensions, indicatorOf, isReachable, type Dimension } from '../../words/indicators.ts'

/** How many, and their sum. */
type Sum = readonly [count: number, sum: number]
type YesNo = readonly [yes: number, no: number]

/** As it is kept: plain JSON. */
export type Tally = {
  /** All datasets, measured or not. */
  readonly all: number
  readonly datasets: number
  readonly distributions: number
  readonly score: Sum
  readonly dimensions: Readonly<Partial<Record<Dimension, Sum>>>
  /** Datasets by the id of their band. */
  readonly bands: Readonly<Record<string, number>>
  /** Boolean metrics by local name, over all nodes that carry one. */
  readonly answers: Readonly<Record<string, YesNo>>
  /** Status metrics by local name: how often each code. */
  readonly codes: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** How often a metric has that value. */
export type Counted = {
  readonly metric: string
  readonly value: boolean | number
  readonly count: number
}

/** What a dataset adds: its own scores and all measurements of it and of its distributions. */
type Sample = {
  readonly distributions: number
  readonly score: number | null
  readonly points: Readonly<Record<Dimension, number | null>>
  readonly band: string | undefined
  readonly counted: Iterable<Counted>
}

export type Counter = {
  /** Datasets that are there, measured or not. */
  known(datasets: number): void
  add(sample: Sample): void
  sum(tally: Tally): void
  tally(): Tally
}

type Counts = Map<string, number>
const raise = (counts: Counts, key: string, by: number) =>
  counts.set(key, (counts.get(key) ?? 0) + by)

type Store = {
  readonly plain: Counts
  readonly bands: Counts
  readonly yes: Counts
  readonly no: Counts
  readonly codes: Map<string, Counts>
}

function raiseCode({ codes }: Store, metric: string, status: string, by: number): void {
  const known = codes.get(metric)
  if (known) raise(known, status, by)
  else codes.set(metric, new Map([[status, by]]))
}

export function counter(): Counter {
  const store: Store = {
    plain: new Map(),
    bands: new Map(),
    yes: new Map(),
    no: new Map(),
    codes: new Map(),
  }
  const { plain, bands, yes, no } = store
  const scored = (name: string, count: number, sum: number) => {
    raise(plain, `${name} count`, count)
    raise(plain, name, sum)
  }
  const measured = ({ metric, value, count }: Counted) => {
    if (typeof value === 'boolean') raise(value ? yes : no, metric, count)
    else if (indicatorOf(metric)?.type === 'status') raiseCode(store, metric, String(value), count)
  }
  return {
    known: (datasets) => void raise(plain, 'all', datasets),
    add: ({ distributions, score, points, band, counted }) => {
      raise(plain, 'datasets', 1)
      raise(plain, 'distributions', distributions)
      if (score !== null) scored('score', 1, score)
      for (const name of dimensions) if (points[name] !== null) scored(name, 1, points[name])
      if (band !== undefined) raise(bands, band, 1)
      for (const one of counted) measured(one)
    },
    sum: (tally) => {
      for (const name of ['all', 'datasets', 'distributions'] as const)
        raise(plain, name, tally[name])
      scored('score', ...tally.score)
      for (const name of dimensions) scored(name, ...(tally.dimensions[name] ?? [0, 0]))
      for (const [band, count] of Object.entries(tally.bands)) raise(bands, band, count)
      for (const [metric, [known, missing]] of Object.entries(tally.answers)) {
        raise(yes, metric, known)
        raise(no, metric, missing)
      }
      for (const [metric, counts] of Object.entries(tally.codes))
        for (const [status, count] of Object.entries(counts))
          raiseCode(store, metric, status, count)
    },
    tally: () => tallyOf(store),
  }
}

function tallyOf({ plain, bands, yes, no, codes }: Store): Tally {
  const sumOf = (name: string): Sum => [plain.get(`${name} count`) ?? 0, plain.get(name) ?? 0]
  const answer = (metric: string) => [metric, [yes.get(metric) ?? 0, no.get(metric) ?? 0]] as const
  return {
    all: plain.get('all') ?? 0,
    datasets: plain.get('datasets') ?? 0,
    distributions: plain.get('distributions') ?? 0,
    score: sumOf('score'),
    dimensions: Object.fromEntries(
      dimensions.map((name) => [name, sumOf(name)] as const).filter(([, [count]]) => count > 0),
    ),
    bands: Object.fromEntries(bands),
    answers: Object.fromEntries([...new Set([...yes.keys(), ...no.keys()])].map(answer)),
    codes: Object.fromEntries(
      [...codes].map(([metric, counts]) => [metric, Object.fromEntries(counts)]),
    ),
  }
}

/** One tally of many. */
export function summed(tallies: Iterable<Tally>): Tally {
  const whole = counter()
  for (const tally of tallies) whole.sum(tally)
  return whole.tally()
}

/** Yes and no of a status metric: reachable, or not. */
export function reachability(codes: Readonly<Record<string, number>>): YesNo {
  const counts = Object.entries(codes)
  const all = counts.reduce((sum, [, count]) => sum + count, 0)
  const there = counts.reduce(
    (sum, [status, count]) => sum + (isReachable(Number(status)) ? count : 0),
    0,
  )
  return [there, all - there]
}
