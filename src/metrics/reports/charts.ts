/** Charts as SVG without scripts: the score over time on its bands, the scale of all points, a bar and a line the size of a word. */

import type { Band } from '../../search-index/index-settings.ts'
import { type Moment, rank } from './report.ts'
import { count, counted, longDay, monthOf, shortDay, tenths } from './indicator-texts.ts'
import { markup, type Markup } from './page-parts.ts'

/** Across in percent, so that texts keep their size at every width; down in pixels. */
const lineHeight = 252
const plot = { left: 16, right: 97, top: 4, bottom: 224 } as const
/** More points than these would be a chain of beads. */
const fewPoints = 40

type ReportContext = { readonly bands: readonly Band[]; readonly most: number }
type Point = {
  readonly x: number
  readonly y: number
  readonly score: number
  readonly day: string
}

/** `bands` and `history` ascending. A moment without a score is a gap. */
export function lineChart(history: readonly Moment[], ground: ReportContext): Markup {
  const { x, ticks } = timeAxis(
    history.map(({ day }) => day),
    { from: plot.left, to: plot.right },
  )
  const y = vertical(ground.most)
  const runs = runsOf(history).map((run) =>
    run.map(({ day, score }) => ({ x: x(day), y: y(score), score, day })),
  )
  const points = runs.flat()
  const last = points.at(-1)
  const dots = points.length <= fewPoints ? points : points.slice(-1)
  return markup`<svg class="chart" height="${lineHeight}" role="img" aria-labelledby="line-title line-desc">
<title id="line-title">Score over time</title>
<desc id="line-desc">${descriptionOf(points, ground.most)}</desc>
${stripes(ground, y)}${ticks.map(below)}
<svg width="100%" height="${lineHeight}" viewBox="0 0 100 ${lineHeight}" preserveAspectRatio="none">${runs.filter(({ length }) => length > 1).map(line)}</svg>
${dots.map((point) => markup`<circle class="accent" cx="${point.x}%" cy="${point.y}" r="3.5"/>`)}
${last && lastValue(last)}
</svg>`
}

const line = (run: readonly Point[]): Markup =>
  markup`<polyline class="line" points="${run.map((point) => `${point.x},${point.y}`).join(' ')}"/>`

const vertical =
  (most: number) =>
  (score: number): number =>
    tenths(plot.bottom - (Math.min(score, most) / most) * (plot.bottom - plot.top))

/** The bands as stripes; each has the number that it begins with at its foot. */
const stripes = ({ bands, most }: ReportContext, y: (score: number) => number): Markup[] =>
  bands.map((band, place) => {
    const [bottom, top] = [y(band.from), y(bands[place + 1]?.from ?? most)]
    const tall = tenths(Math.max(0, bottom - top))
    return markup`<rect class="stripe rank-${rank(bands, band.id)}" y="${top}" width="100%" height="${tall}"/>
<line class="grid" x2="100%" y1="${bottom}" y2="${bottom}"/>
${
  tall >= 16 &&
  markup`<text class="tick" x="8" y="${tenths(bottom - 6)}">${count(band.from)}<tspan class="inner" x="40">${band.title}</tspan></text>
`
}`
  })

const below = ({ x, label, anchor, isInner }: Tick): Markup =>
  markup`<text class="tick${isInner && ' inner'}" x="${x}%" y="${plot.bottom + 20}" text-anchor="${anchor}">${label}</text>
`

function lastValue({ x, y, score }: Point): Markup {
  const isHigh = y < plot.top + 24
  return markup`<text class="value" x="${x}%" y="${tenths(isHigh ? y + 20 : y - 10)}" text-anchor="middle">${count(score)}</text>`
}

/** Moments with a score, parted where one has none. */
function runsOf(history: readonly Moment[]): { day: string; score: number }[][] {
  const runs: { day: string; score: number }[][] = [[]]
  for (const { day, score } of history) {
    if (score === null) runs.push([])
    else runs.at(-1)?.push({ day, score })
  }
  return runs.filter((run) => run.length > 0)
}

function descriptionOf(points: readonly Point[], most: number): string {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return 'There is no score yet.'
  const end = `${count(last.score)} of ${count(most)} points on ${longDay(last.day)}`
  if (first === last) return `One measurement: ${end}.`
  const lowest = Math.min(...points.map(({ score }) => score))
  const highest = Math.max(...points.map(({ score }) => score))
  return `${counted(points.length, 'measurement')}, from ${count(first.score)} points on ${longDay(first.day)} to ${end}. Lowest ${count(lowest)}, highest ${count(highest)}.`
}

// Where days stand on a line, and which of them are named below it.

type Tick = {
  /** Percent of the width. */
  readonly x: number
  readonly label: string
  readonly anchor: 'start' | 'middle' | 'end'
  /** Neither the first nor the last: there is no room for it on a narrow screen. */
  readonly isInner: boolean
}

type Axis = {
  /** Percent of the width. */
  readonly x: (day: string) => number
  readonly ticks: readonly Tick[]
}

/** Months are enough from here on. */
const manyDays = 120
/** Percent that one name takes. */
const labelWidth = 10

/** `days` ascending and not empty; a single day is in the middle. */
export function timeAxis(
  days: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
): Axis {
  const times = days.map((day) => Date.parse(day))
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  const x = (day: string): number =>
    first === last
      ? (from + to) / 2
      : tenths(from + ((Date.parse(day) - first) / (last - first)) * (to - from))
  const name = last - first > manyDays * 86_400_000 ? monthOf : shortDay
  return { x, ticks: ticks(days, x, name) }
}

/** The last day always has its name, the others where there is room for them. */
function ticks(
  days: readonly string[],
  x: (day: string) => number,
  name: (day: string) => string,
): Tick[] {
  const last = days.at(-1)
  if (last === undefined) return []
  const chosen: string[] = []
  for (const day of days.slice(0, -1)) {
    const before = chosen.at(-1)
    const isFree = before === undefined || x(day) - x(before) >= labelWidth
    if (isFree && x(last) - x(day) >= labelWidth) chosen.push(day)
  }
  return [...chosen, last].map((day, place, { length }) => ({
    x: x(day),
    label: name(day),
    anchor: length > 1 && place === length - 1 ? 'end' : 'middle',
    isInner: place > 0 && place < length - 1,
  }))
}

// The way from no points to all of them, band by band, with a mark at the score.

const [scaleHeight, scaleTop, scaleThickness] = [70, 22, 12]

/** `bands` ascending. Across in percent, so that texts keep their size at every width. */
export function scale({
  bands,
  most,
  score,
}: {
  readonly bands: readonly Band[]
  readonly most: number
  readonly score: number | null
}): Markup {
  const x = (points: number) => tenths((Math.min(points, most) / most) * 100)
  const parts = bands.map((band, place) => {
    const next = bands[place + 1]
    const [from, to] = [x(band.from), x(next?.from ?? most)]
    const isLast = next === undefined && bands.length > 1
    const [at, anchor] = isLast ? ['100%', 'end'] : [`${from}%`, 'start']
    const gap = next === undefined ? 0 : 0.3
    return markup`<rect class="rank-${rank(bands, band.id)}" x="${from}%" y="${scaleTop}" width="${tenths(Math.max(0, to - from - gap))}%" height="${scaleThickness}"/>
<text class="name" x="${at}" y="${scaleTop + scaleThickness + 18}" text-anchor="${anchor}">${band.title}</text>
<text class="tick" x="${at}" y="${scaleTop + scaleThickness + 34}" text-anchor="${anchor}">${count(band.from)}–${count(band.to)}</text>
`
  })
  return markup`<svg class="chart" height="${scaleHeight}" role="img" aria-labelledby="scale-title scale-desc">
<title id="scale-title">The score on the scale of all points</title>
<desc id="scale-desc">${scaleText(bands, most, score)}</desc>
${parts}${score === null ? undefined : mark(x(score), score)}
</svg>`
}

/** Near the ends the number is beside the mark, not outside. */
function mark(at: number, score: number): Markup {
  const anchor = at < 4 ? 'start' : at > 96 ? 'end' : 'middle'
  return markup`<svg x="${at}%" y="${scaleTop - 8}" overflow="visible"><path class="mark" d="M-5 0h10l-5 7z"/></svg>
<text class="value" x="${at}%" y="${scaleTop - 11}" text-anchor="${anchor}">${count(score)}</text>`
}

const scaleText = (bands: readonly Band[], most: number, score: number | null): string =>
  [
    score === null ? 'There is no score yet.' : `${count(score)} of ${count(most)} points.`,
    ...bands.map(({ title, from, to }) => `${title}: ${count(from)} to ${count(to)}.`),
  ].join(' ')

// A line the size of a word: where a share came from. Readers of screens find its numbers in a table.

const sparkSize = { width: 96, height: 22, edge: 3 } as const

/** Percent, ascending in time; fewer than two make no line. */
export function spark(shares: readonly (number | null)[]): Markup | undefined {
  const { width, height, edge } = sparkSize
  const known = shares.flatMap((share, place) => (share === null ? [] : [{ share, place }]))
  const last = known.at(-1)
  if (known.length < 2 || last === undefined) return undefined
  const x = (place: number) => tenths(edge + (place / (shares.length - 1)) * (width - 2 * edge))
  const y = (share: number) => tenths(edge + (1 - share / 100) * (height - 2 * edge))
  const line = known.map(({ share, place }) => `${x(place)},${y(share)}`).join(' ')
  return markup`<svg class="spark" viewBox="0 0 ${width} ${height}" aria-hidden="true"><polyline class="line" points="${line}"/><circle class="accent" cx="${x(last.place)}" cy="${y(last.share)}" r="2.5"/></svg>`
}

// A bar that fills as much of its track as a share is; the number is beside it, so readers of screens pass it
// over.

/** Percent. */
export const bar = (percentage: number | null, tone = 'accent'): Markup => {
  const width = Math.min(100, Math.max(0, percentage ?? 0))
  return markup`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8"/><rect class="${tone}" width="${width}" height="8"/></svg>`
}
