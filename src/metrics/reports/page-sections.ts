/** The sections of a page: masthead, score, history, dimensions, indicators, violations, broken links, datasets and catalogues. */

import type { UnreachableHost } from '../figures/figures.ts'
import { type Dimension, dimensions, isReachable, pseudoCodes } from '../indicators.ts'
import { clipped } from '../localized-texts.ts'
import {
  type ReportAddresses,
  bandName,
  dimensionCells,
  dimensionHeads,
  linked,
  markup,
  type Markup,
  named,
  nothing,
  points,
  said,
  section,
  share,
  wide,
} from './page-parts.ts'
import {
  bandOf,
  type CatalogueList,
  type CatalogueRow,
  type DatasetRow,
  type IndicatorFigure,
  type MeasuredReport,
  type Moment,
  pointsOf,
  rank,
  type Report,
  type RuleFigure,
} from './report.ts'
import { bar, lineChart, scale, spark } from './charts.ts'
import {
  compact,
  constraintName,
  count,
  decimal,
  difference,
  dimensionWords,
  figureRules,
  indicatorWords,
  longDay,
  monthOf,
  percent,
} from './indicator-texts.ts'
import { summary } from './summary.ts'

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

// The score over time: a line, and the latest of its numbers in a table.

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
${rows.map((moment) => historyRow(report, moment))}</tbody>
</table>`,
)}`,
  )
}

const historyRow = ({ bands }: Report, { day, score, dimensions: scores }: Moment): Markup =>
  markup`<tr><th scope="row"><time datetime="${day}">${longDay(day)}</time></th>${dimensionCells(pointsOf(scores))}<td class="number">${points(score)}</td><td>${bandName(bands, bandOf(bands, score))}</td></tr>
`

// The five dimensions: how much of each is reached, and where it came from.

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
${dimensions.map((name) => dimensionRow(name, measured, past))}</tbody>
</table>`,
  )
}

function dimensionRow(
  name: Dimension,
  { dimensions: scores }: MeasuredReport,
  past: readonly Moment[],
) {
  const score = scores[name]
  const reached =
    score === null
      ? nothing
      : markup`${points(score.points)}<span class="of"> of ${score.max}</span>`
  const percentage = score?.percentage ?? null
  return markup`<tr>${named(dimensionWords[name])}<td>${bar(percentage)}</td><td class="number">${share(percentage)}</td><td class="number">${reached}</td>${past.length > 0 && changeCells(past.map((moment) => moment.dimensions[name]?.percentage ?? null))}</tr>
`
}

/** Percent, ascending in time: the line, and what it went up or down in all. */
function changeCells(shares: readonly (number | null)[]): Markup {
  const known = shares.filter((share) => share !== null)
  const [first, last] = [known[0], known.at(-1)]
  const way = known.length > 1 && first !== undefined && last !== undefined
  return markup`<td class="inner">${spark(shares)}</td><td class="number inner">${way && difference(last - first)}</td>`
}

// The indicators: those with most missing, and all of them with their rules.

export const worstIndicators = ({ worstIndicators: figures, indicators }: MeasuredReport): Markup =>
  section(
    { id: 'worst-indicators', title: 'Where most is missing', rule: figureRules.worstIndicators },
    figures.length === 0
      ? markup`<p class="note">${indicators.some((one) => one.share !== null) ? 'Nothing: every indicator that was measured is fulfilled everywhere.' : 'No indicator was measured.'}</p>`
      : markup`
<table>
<caption class="unseen">Indicators with the most points missing</caption>
<thead><tr><th scope="col">Indicator</th><th scope="col" class="inner">Dimension</th><th scope="col" class="bars"><span class="unseen">Bar</span></th><th scope="col" class="number">Fulfilled</th><th scope="col" class="number">Points missing</th></tr></thead>
<tbody>
${figures.map(
  (
    figure,
  ) => markup`<tr>${named(indicatorWords[figure.name])}<td class="inner">${dimensionWords[figure.dimension].label}</td><td>${bar(figure.share)}</td><td class="number">${share(figure.share)}</td><td class="number">${decimal(figure.missing)}<span class="of"> of ${figure.points}</span></td></tr>
`,
)}</tbody>
</table>`,
  )

export const allIndicators = ({ indicators }: MeasuredReport): Markup =>
  section(
    { id: 'indicators', title: 'Every indicator and its rule', rule: figureRules.indicators },
    markup`
<table class="rules">
<caption class="unseen">Indicators by dimension</caption>
<thead><tr><th scope="col">Indicator</th><th scope="col" class="number">Points</th><th scope="col" class="bars"><span class="unseen">Bar</span></th><th scope="col" class="number">Fulfilled</th></tr></thead>
${dimensions.map((name) => group(name, indicators))}
</table>`,
  )

const group = (name: Dimension, figures: readonly IndicatorFigure[]): Markup => markup`<tbody>
<tr class="group"><th scope="rowgroup" colspan="4">${dimensionWords[name].label}</th></tr>
${figures
  .filter(({ dimension }) => dimension === name)
  .map(
    (
      figure,
    ) => markup`<tr>${named(indicatorWords[figure.name])}<td class="number">${figure.points}</td><td>${bar(figure.share)}${codes(figure)}</td><td class="number">${share(figure.share)}</td></tr>
`,
  )}</tbody>
`

/** The most frequent bad answers of URLs. */
const mostCodes = 3

function codes({ codes: shares }: IndicatorFigure): Markup | undefined {
  const bad = shares.filter(({ name }) => !isReachable(Number(name)))
  if (bad.length === 0) return undefined
  const told = bad
    .slice(0, mostCodes)
    .map((one) => `${statusName(one.name)} ${percent(one.percentage)}`)
  return markup`<span class="rule">${[...told, ...(bad.length > mostCodes ? ['…'] : [])].join(', ')}</span>`
}

/** A status code, or what stands for none. */
function statusName(code: string | number): string {
  if (Number(code) === pseudoCodes.connectionFailure) return 'no connection'
  if (Number(code) === pseudoCodes.invalidUrl) return 'no valid URL'
  return String(code)
}

// What is wrong most often: broken rules, and hosts that do not answer.

export function violations({ violations: rules, indicators }: MeasuredReport): Markup {
  const wasValidated = indicators.some(
    ({ name, share }) => name === 'dcatApCompliance' && share !== null,
  )
  const most = Math.max(1, ...rules.map(({ datasets }) => datasets))
  return section(
    { id: 'violations', title: 'Most frequent violations', rule: figureRules.violations },
    rules.length === 0
      ? markup`<p class="note">${wasValidated ? 'Validation found nothing to complain about.' : 'Nothing was validated: validation is for catalogues that say they are DCAT-AP.'}</p>`
      : markup`
<table>
<caption class="unseen">Rules that are broken most often</caption>
<thead><tr><th scope="col">Property</th><th scope="col">What is wrong</th><th scope="col" class="bars"><span class="unseen">Bar</span></th><th scope="col" class="number">Datasets</th><th scope="col" class="number">Times</th></tr></thead>
<tbody>
${rules.map((rule) => violationRow(rule, most))}</tbody>
</table>`,
  )
}

function violationRow(rule: RuleFigure, most: number): Markup {
  const { path, component, severity, message, datasets, count: times } = rule
  const constraint = component === null ? undefined : constraintName(component)
  const kinds = [severity.toLowerCase(), constraint].filter((kind) => kind !== undefined)
  return markup`<tr><th scope="row">${path === null ? 'the dataset' : markup`<code>${clipped(compact(path), 80)}</code>`}</th><td>${message.text !== '' && said(message, 240)}<span class="rule">${clipped(kinds.join(', '), 80)}</span></td><td>${bar((datasets / most) * 100)}</td><td class="number">${count(datasets)}</td><td class="number">${count(times)}</td></tr>
`
}

export function hosts({ hosts: rows, indicators }: MeasuredReport): Markup {
  const wasAsked = indicators.some(({ codes }) => codes.length > 0)
  const most = Math.max(1, ...rows.map(({ urls }) => urls))
  return section(
    { id: 'hosts', title: 'Broken links by host', rule: figureRules.hosts },
    rows.length === 0
      ? markup`<p class="note">${wasAsked ? 'Every URL that was asked answered.' : 'No URL was asked.'}</p>`
      : markup`
<table>
<caption class="unseen">Hosts with the most broken links</caption>
<thead><tr><th scope="col">Host</th><th scope="col" class="bars"><span class="unseen">Bar</span></th><th scope="col" class="number">URLs</th><th scope="col" class="number">Datasets</th><th scope="col">Mostly</th></tr></thead>
<tbody>
${rows.map((row) => hostRow(row, most))}</tbody>
</table>`,
  )
}

const hostRow = ({ host, urls, datasets, status }: UnreachableHost, most: number): Markup =>
  markup`<tr><th scope="row"><bdi>${host === '' ? 'no host' : clipped(host, 120)}</bdi></th><td>${bar((urls / most) * 100)}</td><td class="number">${count(urls)}</td><td class="number">${count(datasets)}</td><td>${statusName(status)}</td></tr>
`

// The datasets at both ends.

export const worstDatasets = (report: Report, { worst }: MeasuredReport): Markup =>
  section(
    { id: 'worst-datasets', title: 'Datasets with the lowest scores', rule: figureRules.worst },
    datasetTable(report, worst, 'Datasets with the lowest scores'),
  )

export const bestDatasets = (report: Report, { best }: MeasuredReport): Markup =>
  section(
    { id: 'best-datasets', title: 'Datasets with the highest scores', rule: figureRules.best },
    datasetTable(report, best, 'Datasets with the highest scores'),
  )

const datasetTable = (report: Report, rows: readonly DatasetRow[], caption: string): Markup =>
  rows.length === 0
    ? markup`<p class="note">No dataset has a score.</p>`
    : wide(
        caption,
        markup`
<table>
<caption class="unseen">${caption}</caption>
<thead><tr><th scope="col">Dataset</th>${report.subject.id === undefined && markup`<th scope="col">Catalogue</th>`}${dimensionHeads}<th scope="col" class="number">Score</th><th scope="col">Band</th></tr></thead>
<tbody>
${rows.map((row) => datasetRow(report, row))}</tbody>
</table>`,
      )

const datasetRow = ({ subject, bands }: Report, row: DatasetRow): Markup =>
  markup`<tr><th scope="row">${linked(row.iri, said(row.title))}</th>${subject.id === undefined && markup`<td>${said({ text: row.catalogue }, 60)}</td>`}${dimensionCells(row.points)}<td class="number">${points(row.score)}</td><td>${bandName(bands, row.band)}</td></tr>
`

// The catalogues of the portal by their scores, page by page.

export function catalogues(
  report: Report,
  list: CatalogueList,
  addresses: ReportAddresses,
): Markup {
  const { rows, page } = list
  const [first, last] = [page.offset + 1, page.offset + rows.length]
  const which =
    rows.length === 0
      ? `There are ${count(list.count)}.`
      : `${count(first)} to ${count(last)} of ${count(list.count)}, ${list.order === 'best' ? 'the highest score first' : 'the lowest score first'}.`
  return section(
    { id: 'catalogues', title: 'Catalogues', rule: `${figureRules.catalogues} ${which}` },
    markup`
${rows.length > 0 && catalogueTable(report, list, addresses)}
${pages(list, addresses)}`,
  )
}

const catalogueTable = (
  report: Report,
  { rows }: CatalogueList,
  addresses: ReportAddresses,
): Markup =>
  wide(
    'Catalogues by score',
    markup`
<table>
<caption class="unseen">Catalogues by score</caption>
<thead><tr><th scope="col">Catalogue</th>${dimensionHeads}<th scope="col" class="number">Datasets</th><th scope="col" class="number">Score</th><th scope="col">Band</th></tr></thead>
<tbody>
${rows.map((row) => catalogueRow(report, row, addresses))}</tbody>
</table>`,
  )

const catalogueRow = ({ bands }: Report, row: CatalogueRow, addresses: ReportAddresses): Markup =>
  markup`<tr><th scope="row"><a href="${addresses.catalogue(row.id)}">${said(row.title)}</a></th>${dimensionCells(row.points)}<td class="number">${count(row.datasets)}</td><td class="number">${points(row.score)}</td><td>${bandName(bands, row.band)}</td></tr>
`

function pages({ count: all, page, order }: CatalogueList, addresses: ReportAddresses): Markup {
  const { offset, limit } = page
  const link = (text: string, start: number, isThere: boolean) =>
    isThere &&
    markup`<a href="${addresses.portal({ order, offset: start, limit })}">${text}</a>
`
  const turned = order === 'best' ? 'worst' : 'best'
  return markup`<nav class="pages" aria-label="Pages of the list of catalogues">
${link('First', 0, offset > 0)}${link('Previous', Math.max(0, offset - limit), offset > 0)}${link('Next', offset + limit, offset + limit < all)}${all > 1 && markup`<a href="${addresses.portal({ order: turned, offset: 0, limit })}">${turned === 'worst' ? 'Lowest score first' : 'Highest score first'}</a>`}
</nav>`
}
