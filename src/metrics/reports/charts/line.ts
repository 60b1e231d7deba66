/** Scores over time as a line on the ground of their bands. */

import { rank, type Band } from '../bands.ts'
import { markup, type Markup } from '../page/markup.ts'
import type { Moment } from '../report.ts'
import { count, counted, longDay, tenths } from '../telling/numbers.ts'
import { timeAxis, type Tick } from './axis.ts'

/** Across in percent, so that texts keep their size at every width; down in pixels. */
const height = 252
const plot = { left: 16, right: 97, top: 4, bottom: 224 } as const
/** More points than these would be a chain of beads. */
const fewPoints = 40

type Ground = { readonly bands: readonly Band[]; readonly most: number }
type Point = {
  readonly x: number
  readonly y: number
  readonly score: number
  readonly day: string
}

/** `bands` and `history` ascending. A moment without a score is a gap. */
export function lineChart(history: readonly Moment[], ground: Ground): Markup {
  const { x, ticks } = timeAxis(
    history.map(({ day }) => day),
    { from: plot.left, to: plot.right },
  )
  const y = vertical(ground.most)
  const runs = unbroken(history).map((run) =>
    run.map(({ day, score }) => ({ x: x(day), y: y(score), score, day })),
  )
  const points = runs.flat()
  const last = points.at(-1)
  const dots = points.length <= fewPoints ? points : points.slice(-1)
  return markup`<svg class="chart" height="${height}" role="img" aria-labelledby="line-title line-desc">
<title id="line-title">Score over time</title>
<desc id="line-desc">${described(points, ground.most)}</desc>
${stripes(ground, y)}${ticks.map(below)}
<svg width="100%" height="${height}" viewBox="0 0 100 ${height}" preserveAspectRatio="none">${runs.filter(({ length }) => length > 1).map(line)}</svg>
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

/** The bands as stripes; each stands on the number that it begins with. */
const stripes = ({ bands, most }: Ground, y: (score: number) => number): Markup[] =>
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
function unbroken(history: readonly Moment[]): { day: string; score: number }[][] {
  const runs: { day: string; score: number }[][] = [[]]
  for (const { day, score } of history) {
    if (score === null) runs.push([])
    else runs.at(-1)?.push({ day, score })
  }
  return runs.filter((run) => run.length > 0)
}

function described(points: readonly Point[], most: number): string {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return 'There is no score yet.'
  const end = `${count(last.score)} of ${count(most)} points on ${longDay(last.day)}`
  if (first === last) return `One measurement: ${end}.`
  const lowest = Math.min(...points.map(({ score }) => score))
  const highest = Math.max(...points.map(({ score }) => score))
  return `${counted(points.length, 'measurement')}, from ${count(first.score)} points on ${longDay(first.day)} to ${end}. Lowest ${count(lowest)}, highest ${count(highest)}.`
}
