/** Chart of the score over time as SVG: a line over the limits of the bands. */

import type { PageContext } from '../context.ts'
import { html, type HtmlMarkup } from '../html.ts'

/**
 * Height in pixels, and the area of the line: horizontally in percent, so that texts keep their size at every width, vertically
 * in pixels.
 */
const height = 236
const plot = { left: 16, right: 97, top: 8, bottom: 208 } as const
/** Most measurements with a dot each; with more of them only the last one has a dot. */
const fewPoints = 40
/** Least height in pixels of a band with a label. */
const lowestLabel = 16

const tenths = (value: number): number => Math.round(value * 10) / 10

/** Score of a day (`YYYY-MM-DD`); a day without a score is a gap in the line. */
type Moment = { readonly day: string; readonly score: number | undefined }

/** Vertical scale of the chart. */
type Scale = {
  /** Highest possible score. */
  readonly most: number
  /** First score and title of each band, ascending. */
  readonly bands: readonly { readonly from: number; readonly title: string }[]
}

type Point = {
  readonly x: number
  readonly y: number
  readonly score: number
  readonly day: string
}

/** Draws the chart; `moments` are ascending by day. A single day is in the middle. */
export function scoreChart(
  context: PageContext,
  moments: readonly Moment[],
  { bands, most }: Scale,
): HtmlMarkup {
  const { number, dayText } = context.formats
  const times = moments.map(({ day }) => Date.parse(day))
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  const x = (day: string) =>
    first === last
      ? (plot.left + plot.right) / 2
      : tenths(plot.left + ((Date.parse(day) - first) / (last - first)) * (plot.right - plot.left))
  const y = (score: number) =>
    tenths(plot.bottom - (Math.min(score, most) / most) * (plot.bottom - plot.top))
  const runs: Point[][] = [[]]
  for (const { day, score } of moments)
    if (score === undefined) runs.push([])
    else runs.at(-1)?.push({ x: x(day), y: y(score), score, day })
  const points = runs.flat()
  const dots = points.length <= fewPoints ? points : points.slice(-1)
  const limits = bands.map(({ from, title }, at) => {
    const [foot, top] = [y(from), y(bands[at + 1]?.from ?? most)]
    const label =
      foot - top >= lowestLabel &&
      html`<text x="0" y="${tenths(foot - 5)}">${number(from)} <tspan class="name">${title}</tspan></text>`
    return html`<line x2="100%" y1="${foot}" y2="${foot}"/>${label}`
  })
  const days = [...new Set([moments[0]?.day, moments.at(-1)?.day])].map((day) => {
    const at = day === undefined ? 0 : x(day)
    return html`<text x="${at}%" y="${plot.bottom + 20}" text-anchor="${at === plot.right ? 'end' : 'middle'}">${day !== undefined && dayText(day)}</text>`
  })
  const lines = runs
    .filter(({ length }) => length > 1)
    .map((run) => html`<polyline points="${run.map((dot) => `${dot.x},${dot.y}`).join(' ')}"/>`)
  const values = points.slice(-1).map(({ score, ...at }) => {
    const labelOffset = at.y < plot.top + 24 ? 20 : -10
    return html`<text class="value" x="${at.x}%" y="${tenths(at.y + labelOffset)}" text-anchor="middle">${number(score)}</text>`
  })
  return html`<svg class="chart" height="${height}" role="img" aria-label="${inWords(context, points, most)}">
    ${limits}${days}<svg width="100%" height="${height}" viewBox="0 0 100 ${height}" preserveAspectRatio="none">${lines}</svg>
    ${dots.map((dot) => html`<circle cx="${dot.x}%" cy="${dot.y}" r="3.5"/>`)}${values}</svg>`
}

/** Text alternative of the chart. */
function inWords({ t, formats }: PageContext, points: readonly Point[], most: number): string {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return t('no-scores')
  const scores = points.map(({ score }) => score)
  return t('score-line', {
    count: points.length,
    firstScore: first.score,
    firstDay: formats.dayText(first.day),
    score: last.score,
    most,
    day: formats.dayText(last.day),
    lowest: Math.min(...scores),
    highest: Math.max(...scores),
  })
}
