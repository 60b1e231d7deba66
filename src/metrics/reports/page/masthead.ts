/** The head of a page: whose report it is, the score, and what is to be said about it in few words. */

import { scale } from '../charts/scale.ts'
import { bar } from '../charts/bar.ts'
import { rank } from '../bands.ts'
import type { MeasuredReport, Report } from '../report.ts'
import { figureRules } from '../telling/rules.ts'
import { summary } from '../telling/summary.ts'
import { count, longDay, percent } from '../telling/numbers.ts'
import { markup, type Markup } from './markup.ts'
import { bandName, said } from './parts.ts'

export const masthead = (report: Report): Markup => markup`
<header>
<p class="kicker">Metadata quality report</p>
<h1>${said(report.subject.title)}</h1>
${report.subject.description && markup`<p class="about">${said(report.subject.description, 300)}</p>`}
${report.refreshed && markup`<p class="when">As of <time datetime="${report.refreshed.at.toISOString()}">${longDay(report.refreshed.at)}</time>, refresh ${report.refreshed.number}</p>`}
</header>`

/** The score and where it stands, the summary, and the datasets by band. */
export const glance = (report: Report, measured: MeasuredReport): Markup => markup`
<section id="score" class="glance" aria-labelledby="score-heading">
<h2 id="score-heading">Score</h2>
<p class="score">${measured.score === null ? markup`<span class="none">not scored</span>` : markup`<strong>${count(measured.score)}</strong> <span>of ${count(report.most)} points</span>`} ${measured.band && bandName(report.bands, measured.band)}</p>
<p class="rule">${figureRules.score}</p>
${scale({ ...report, score: measured.score })}
<div class="two">
<ul class="summary">
${summary(measured).map(
  (sentence) => markup`<li>${sentence}</li>
`,
)}</ul>
${byBand(report, measured)}
</div>
</section>`

function byBand({ bands }: Report, { byBand: rows }: MeasuredReport): Markup {
  const all = rows.reduce((sum, { datasets }) => sum + datasets, 0)
  const part = (datasets: number) => (all === 0 ? 0 : (datasets / all) * 100)
  return markup`<table>
<caption>${figureRules.bands}</caption>
<thead><tr><th scope="col">Band</th><th scope="col" class="bars"><span class="unseen">Bar</span></th><th scope="col" class="number">Datasets</th><th scope="col" class="number">Share</th></tr></thead>
<tbody>
${rows.toReversed().map(
  ({
    band,
    datasets,
  }) => markup`<tr><th scope="row">${bandName(bands, band)}</th><td>${bar(part(datasets), `rank-${rank(bands, band.id)}`)}</td><td class="number">${count(datasets)}</td><td class="number">${percent(part(datasets))}</td></tr>
`,
)}</tbody>
</table>`
}
