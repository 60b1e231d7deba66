/** The five dimensions: how much of each is reached, and where it came from. */

import { dimensions, type Dimension } from '../../indicators.ts'
import { bar } from '../charts/bar.ts'
import { spark } from '../charts/spark.ts'
import type { MeasuredReport, Moment } from '../report.ts'
import { difference, monthOf } from '../telling/numbers.ts'
import { dimensionWords, figureRules } from '../telling/rules.ts'
import { markup, type Markup } from './markup.ts'
import { named, nothing, points, section, share } from './parts.ts'

export function fiveDimensions(measured: MeasuredReport): Markup {
  const { history } = measured
  const past = history.length > 1 ? history : []
  const since = past[0] && `Since ${monthOf(past[0].day)}`
  return section(
    { id: 'dimensions', title: 'Five dimensions', rule: figureRules.dimensions },
    markup`
<table>
<caption class="unseen">Points and shares of the five dimensions</caption>
<thead><tr><th scope="col">Dimension</th><th scope="col" class="bars"><span class="unseen">Bar</span></th><th scope="col" class="number">Share</th><th scope="col" class="number">Points</th>${since !== undefined && markup`<th scope="col" colspan="2" class="number inner">${since}</th>`}</tr></thead>
<tbody>
${dimensions.map((name) => row(name, measured, past))}</tbody>
</table>`,
  )
}

function row(name: Dimension, { dimensions: scores }: MeasuredReport, past: readonly Moment[]) {
  const score = scores[name]
  const reached =
    score === null
      ? nothing
      : markup`${points(score.points)}<span class="of"> of ${score.max}</span>`
  const percentage = score?.percentage ?? null
  return markup`<tr>${named(dimensionWords[name])}<td>${bar(percentage)}</td><td class="number">${share(percentage)}</td><td class="number">${reached}</td>${past.length > 0 && journey(past.map((moment) => moment.dimensions[name]?.percentage ?? null))}</tr>
`
}

/** Percent, ascending in time: the line, and what it went up or down in all. */
function journey(shares: readonly (number | null)[]): Markup {
  const known = shares.filter((share) => share !== null)
  const [first, last] = [known[0], known.at(-1)]
  const way = known.length > 1 && first !== undefined && last !== undefined
  return markup`<td class="inner">${spark(shares)}</td><td class="number inner">${way && difference(last - first)}</td>`
}
