/** The score over time: a line, and the latest of its numbers in a table. */

import { bandOf } from '../bands.ts'
import { lineChart } from '../charts/line.ts'
import type { MeasuredReport, Moment, Report } from '../report.ts'
import { longDay } from '../telling/numbers.ts'
import { figureRules } from '../telling/rules.ts'
import { dimensionCells, dimensionHeads } from './dimension-cells.ts'
import { markup, type Markup } from './markup.ts'
import { bandName, points, section, wide } from './parts.ts'
import { pointsOf } from '../points.ts'

/** Rows of the table; the line has all of them. */
const latest = 12

export function overTime(report: Report, { history }: MeasuredReport): Markup {
  const rows = history.slice(-latest).toReversed()
  return section(
    { id: 'over-time', title: 'Score over time', rule: figureRules.history },
    markup`
${lineChart(history, report)}
${history.length === 1 && markup`<p class="note">There is one measurement so far; the line begins with the second.</p>`}
${wide(
  'The latest measurements',
  markup`<table>
<caption>${history.length > latest ? `The latest ${latest} of ${history.length} measurements` : 'The measurements'}, with the points of each dimension</caption>
<thead><tr><th scope="col">Day</th>${dimensionHeads}<th scope="col" class="number">Score</th><th scope="col">Band</th></tr></thead>
<tbody>
${rows.map((moment) => row(report, moment))}</tbody>
</table>`,
)}`,
  )
}

function row({ bands }: Report, { day, score, dimensions }: Moment): Markup {
  const band = score === null ? undefined : bandOf(bands, score)
  return markup`<tr><th scope="row"><time datetime="${day}">${longDay(day)}</time></th>${dimensionCells(pointsOf(dimensions))}<td class="number">${points(score)}</td><td>${bandName(bands, band)}</td></tr>
`
}
