/** The score over time on its bands, as SVG without scripts. */

import { html as markup } from 'hono/html'
import type { Band } from '../../search-index/index-settings.ts'
import { tenths } from './rdf-names.ts'
import { type Moment, rank } from './report.ts'
import { type ReportWords, textParts } from './report-words.ts'

type Markup = ReturnType<typeof markup>

/** Across in percent, so that texts keep their size at every width; down in pixels. */
const height = 252
const plot = { left: 16, right: 97, top: 4, bottom: 224 } as const
/** More points than these would be a chain of beads. */
const fewPoints = 40

type Scale = {
  readonly bands: readonly Band[]
  readonly most: number
  readonly words: ReportWords
}
type Point = {
  readonly x: number
  readonly y: number
  readonly score: number
  readonly day: string
}

/** `bands` and `history` ascending. A moment without a score is a gap; a single day is in the middle. */
export function lineChart(history: readonly Moment[], { bands, most, words }: Scale): Markup {
  const times = history.map(({ day }) => Date.parse(day))
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  const x = (day: string) =>
    first === last
      ? (plot.left + plot.right) / 2
      : tenths(plot.left + ((Date.parse(day) - first) / (last - first)) * (plot.right - plot.left))
  const y = (score: number) =>
    tenths(plot.bottom - (Math.min(score, most) / most) * (plot.bottom - plot.top))
  const runs: Point[][] = [[]]
  for (const { day, score } of history)
    if (score === null) runs.push([])
    else runs.at(-1)?.push({ x: x(day), y: y(score), score, day })
  const points = runs.flat()
  const dots = points.length <= fewPoints ? points : points.slice(-1)
  return markup`<svg class="chart" height="${height}" role="img" aria-labelledby="line-title line-desc">
<title id="line-title">${words.headings.history}</title>
<desc id="line-desc">${descriptionOf(points, most, words)}</desc>
${bands.map((band, at) => stripe(band, rank(bands, band.id), [y(band.from), y(bands[at + 1]?.from ?? most)], words))}
${[...new Set([history[0], history.at(-1)])].map((moment) => moment && dayBelow(words.longDay(moment.day), x(moment.day)))}
<svg width="100%" height="${height}" viewBox="0 0 100 ${height}" preserveAspectRatio="none">${runs.filter(({ length }) => length > 1).map(line)}</svg>
${dots.map((point) => markup`<circle class="accent" cx="${point.x}%" cy="${point.y}" r="3.5"/>`)}
${points.slice(-1).map((point) => lastValue(point, words))}
</svg>`
}

const line = (run: readonly Point[]): Markup =>
  markup`<polyline class="line" points="${run.map((point) => `${point.x},${point.y}`).join(' ')}"/>`

/** A band from its first points (`bottom`) to those of the next one, with the number that it begins with at its foot. */
function stripe(
  band: Band,
  colour: number,
  [bottom, top]: readonly [number, number],
  { count, bandTitle }: ReportWords,
): Markup {
  const tall = tenths(Math.max(0, bottom - top))
  return markup`<rect class="stripe rank-${colour}" y="${top}" width="100%" height="${tall}"/>
<line class="grid" x2="100%" y1="${bottom}" y2="${bottom}"/>
${tall >= 16 && markup`<text class="tick" x="8" y="${tenths(bottom - 6)}">${count(band.from)}<tspan class="inner" x="40">${bandTitle(band)}</tspan></text>`}`
}

const dayBelow = (day: string, x: number): Markup =>
  markup`<text class="tick" x="${x}%" y="${plot.bottom + 20}" text-anchor="${x === plot.right ? 'end' : 'middle'}">${day}</text>`

function lastValue({ x, y, score }: Point, { count }: ReportWords): Markup {
  const isHigh = y < plot.top + 24
  return markup`<text class="value" x="${x}%" y="${tenths(isHigh ? y + 20 : y - 10)}" text-anchor="middle">${count(score)}</text>`
}

function descriptionOf(
  points: readonly Point[],
  most: number,
  { chart, counts, count, counted, longDay }: ReportWords,
): string {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return chart.none
  const scores = points.map(({ score }) => score)
  return textParts(first === last ? chart.single : chart.line, {
    measurements: counted(points.length, counts.measurements),
    firstScore: count(first.score),
    firstDay: longDay(first.day),
    score: count(last.score),
    most: count(most),
    day: longDay(last.day),
    lowest: count(Math.min(...scores)),
    highest: count(Math.max(...scores)),
  }).join('')
}
